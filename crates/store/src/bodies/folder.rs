//! Bodies as files in a folder. A file gets its name only when it is completely on disk, so that a crash leaves either
//! the whole text or none.

use super::blocking::beside;
use super::compression::{Compression, compressed_bytes_max};
use async_trait::async_trait;
use bytes::Bytes;
use domain::ports::{BodyError, BodyKey, BodyStore};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The file with the folder's id, which identifies it wherever it is mounted.
const ID_FILE: &str = "folder-id";
const ID_CHARS: u64 = 32;
/// Longest wait for another process that is writing the id.
const ID_WAIT: Duration = Duration::from_secs(2);
/// Subfolder of files being written.
const UNFINISHED: &str = "unfinished";
/// An unfinished file of this age has no writer any more.
const UNFINISHED_MAX: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Clone)]
pub struct FolderBodies {
    folder: PathBuf,
    compression: Compression,
}

impl FolderBodies {
    /// `prepare` or the first body creates the folder.
    pub fn new(folder: PathBuf, max_mb: u32) -> Self {
        Self { folder, compression: Compression { max_mb } }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The id of the folder; None: it has none yet.
    pub(super) async fn id(&self) -> Result<Option<String>, BodyError> {
        let bodies = self.clone();
        beside(move || bodies.read_id().map_err(|error| bodies.failure(error))).await
    }

    /// The id of the folder; creates one if it has none. Processes that share the folder get the same id.
    pub(super) async fn ensure_id(&self) -> Result<String, BodyError> {
        let bodies = self.clone();
        beside(move || bodies.make_id().map_err(|error| bodies.failure(error))).await
    }

    fn read_id(&self) -> io::Result<Option<String>> {
        let mut text = String::new();
        match File::open(self.folder.join(ID_FILE)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file?.take(2 * ID_CHARS).read_to_string(&mut text)?,
        };
        // A shorter one is being written, or its writer was interrupted.
        Ok(Some(text).filter(|text| text.len() as u64 == ID_CHARS))
    }

    fn make_id(&self) -> io::Result<String> {
        let (place, id) = (self.folder.join(ID_FILE), format!("{:032x}", rand::random::<u128>()));
        self.make_folder(&self.folder)?;
        match write_synced(&place, id.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            written => return written.and_then(|()| sync_folder(&self.folder)).map(|()| id),
        }
        let started = Instant::now();
        while started.elapsed() < ID_WAIT {
            if let Some(id) = self.read_id()? {
                return Ok(id);
            }
            std::thread::sleep(ID_WAIT / 100);
        }
        self.write_file(&place, id.as_bytes()).map(|()| id)
    }

    fn write(&self, key: &BodyKey, body: &[u8]) -> Result<u64, BodyError> {
        let compressed = self.compression.compress(body)?;
        let place = self.folder.join(key.as_str());
        self.write_file(&place, &compressed).map_err(|error| self.failure(error))?;
        Ok(compressed.len() as u64)
    }

    fn write_file(&self, place: &Path, compressed: &[u8]) -> io::Result<()> {
        let subfolder = place.parent().unwrap_or(&self.folder);
        self.make_folder(&self.folder.join(UNFINISHED))?;
        self.make_folder(subfolder)?;
        let unfinished = self.folder.join(UNFINISHED).join(format!("{:032x}.part", rand::random::<u128>()));
        let written = write_synced(&unfinished, compressed)
            .and_then(|()| fs::rename(&unfinished, place))
            .and_then(|()| sync_folder(subfolder));
        if written.is_err() {
            // Already gone if it was renamed.
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        if folder.is_dir() {
            return Ok(());
        }
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        for_us_only(&mut builder);
        builder.create(folder)?;
        sync_folder(&self.folder)?;
        let around = self.folder.parent().filter(|around| !around.as_os_str().is_empty());
        around.map_or(Ok(()), sync_folder)
    }

    fn read(&self, key: &BodyKey) -> Result<Option<Bytes>, BodyError> {
        let file = match File::open(self.folder.join(key.as_str())) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failure(error)),
        };
        let most = compressed_bytes_max(self.compression.max_mb);
        let mut compressed = Vec::new();
        file.take(most + 1).read_to_end(&mut compressed).map_err(|error| self.failure(error))?;
        if compressed.len() as u64 > most {
            return Err(BodyError::TooLarge(self.compression.max_mb));
        }
        self.compression.decompress(&compressed).map(|body| Some(body.into()))
    }

    fn remove(&self, key: &BodyKey) -> Result<(), BodyError> {
        match fs::remove_file(self.folder.join(key.as_str())) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.failure(error)),
            _ => Ok(()),
        }
    }

    fn list(&self, after: Option<&BodyKey>, limit: usize) -> Result<Vec<BodyKey>, BodyError> {
        let failure = |error: io::Error| self.failure(error);
        let mut keys = Vec::new();
        for subfolder in names(&self.folder).map_err(failure)? {
            if keys.len() >= limit {
                break;
            }
            if subfolder.len() != 2 || after.is_some_and(|after| subfolder.as_str() < &after.as_str()[..2]) {
                continue;
            }
            let files = names(&self.folder.join(&subfolder)).map_err(failure)?.into_iter();
            let all = files.filter_map(|name| BodyKey::parse(&format!("{subfolder}/{name}")));
            keys.extend(all.filter(|key| after.is_none_or(|after| key > after)));
        }
        keys.truncate(limit);
        Ok(keys)
    }

    /// Creates the folder, checks that it is writable, and removes leftovers of crashes.
    fn make(&self) -> Result<(), BodyError> {
        let unfinished = self.folder.join(UNFINISHED);
        let made = self.make_folder(&unfinished).and_then(|()| {
            let probe = unfinished.join(format!("{:032x}.probe", rand::random::<u128>()));
            let written = write_synced(&probe, b"can this folder be written?");
            let removed = fs::remove_file(&probe);
            written.and(removed)
        });
        made.map_err(|error| self.failure(error))?;
        for name in names(&unfinished).map_err(|error| self.failure(error))? {
            let file = unfinished.join(name);
            let changed = fs::metadata(&file).and_then(|about| about.modified());
            let is_left = changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > UNFINISHED_MAX));
            if is_left {
                // Another process may have been faster.
                let _ = fs::remove_file(&file);
            }
        }
        Ok(())
    }

    fn failure(&self, error: io::Error) -> BodyError {
        let folder = self.folder.display();
        let failed = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                BodyError::refused(format!("there is no space left in {folder}"))
            }
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::NotADirectory => {
                BodyError::refused(format!("{folder}: {error}"))
            }
            _ => BodyError::unreachable(format!("{folder}: {error}")),
        };
        failed.caused_by(error)
    }
}

#[async_trait]
impl BodyStore for FolderBodies {
    async fn put(&self, key: &BodyKey, body: Bytes) -> Result<u64, BodyError> {
        let (bodies, key) = (self.clone(), key.clone());
        beside(move || bodies.write(&key, &body)).await
    }

    async fn get(&self, key: &BodyKey) -> Result<Option<Bytes>, BodyError> {
        let (bodies, key) = (self.clone(), key.clone());
        beside(move || bodies.read(&key)).await
    }

    async fn delete(&self, key: &BodyKey) -> Result<(), BodyError> {
        let (bodies, key) = (self.clone(), key.clone());
        beside(move || bodies.remove(&key)).await
    }

    async fn keys(&self, after: Option<&BodyKey>, limit: usize) -> Result<Vec<BodyKey>, BodyError> {
        let (bodies, after) = (self.clone(), after.cloned());
        beside(move || bodies.list(after.as_ref(), limit)).await
    }

    async fn prepare(&self) -> Result<(), BodyError> {
        let bodies = self.clone();
        beside(move || bodies.make()).await
    }
}

/// Returns when the bytes are on disk.
fn write_synced(place: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // Other users of this machine must not read people's documents.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(place)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Returns when the names in a folder are on disk. Unix only.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn for_us_only(builder: &mut DirBuilder) {
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(builder, 0o700);
    #[cfg(not(unix))]
    let _ = builder;
}

/// The sorted names in a folder; empty if there is no folder.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        // A name that is not UTF-8 is not ours.
        names.extend(entry?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;
    use tempfile::TempDir;

    const MAX_MB: u32 = 2;

    fn folder() -> (TempDir, FolderBodies) {
        let folder = tempfile::tempdir().unwrap();
        let bodies = FolderBodies::new(folder.path().join("bodies"), MAX_MB);
        (folder, bodies)
    }

    fn key(digit: &str) -> BodyKey {
        BodyKey::of_hash(&digit.repeat(64)).unwrap()
    }

    #[tokio::test]
    async fn keeps_the_promises() {
        let (_folder, bodies) = folder();
        testkit::suites::body_store::all(&bodies, MAX_MB).await;
    }

    #[tokio::test]
    async fn nothing_is_left_unfinished_and_strangers_are_no_bodies() {
        let (_folder, bodies) = folder();
        bodies.put(&key("a"), Bytes::from_static(b"text")).await.unwrap();
        let unfinished = bodies.folder.join(UNFINISHED);
        assert_eq!(names(&unfinished).unwrap(), Vec::<String>::new());
        let (old, young) = (unfinished.join("old.part"), unfinished.join("young.part"));
        for file in [&old, &young, &bodies.folder.join("aa/notes.txt"), &bodies.folder.join("aa.txt")] {
            fs::write(file, "left by somebody").unwrap();
        }
        let long_ago = SystemTime::now() - UNFINISHED_MAX - Duration::from_secs(60);
        OpenOptions::new().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
        bodies.prepare().await.unwrap();
        assert_eq!((old.exists(), young.exists()), (false, true));
        assert_eq!(bodies.keys(None, 10).await.unwrap(), [key("a")]);
    }

    #[tokio::test]
    async fn a_damaged_body_is_told_from_a_missing_one_and_healed_by_the_next_put() {
        let (_folder, bodies) = folder();
        let text = Bytes::from("rivers ".repeat(999));
        bodies.put(&key("a"), text.clone()).await.unwrap();
        let file = bodies.folder.join(key("a").as_str());
        let whole = fs::read(&file).unwrap();
        for damaged in [&b""[..], b"no packed text", &whole[..whole.len() - 1]] {
            fs::write(&file, damaged).unwrap();
            assert_eq!(bodies.get(&key("a")).await, Err(BodyError::Damaged), "{} bytes", damaged.len());
        }
        bodies.put(&key("a"), text.clone()).await.unwrap();
        assert_eq!(bodies.get(&key("a")).await, Ok(Some(text)));
        fs::remove_file(&file).unwrap();
        assert_eq!(bodies.get(&key("a")).await, Ok(None));
    }

    #[tokio::test]
    async fn a_place_that_is_no_folder_is_refused() {
        let (folder, _) = folder();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let bodies = FolderBodies::new(file, MAX_MB);
        let refused =
            |error: BodyError| matches!(error, BodyError::Refused { .. } | BodyError::Unreachable { .. });
        assert!(bodies.prepare().await.is_err_and(refused));
        assert!(bodies.put(&key("a"), Bytes::new()).await.is_err_and(refused));
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn only_we_may_read_them() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, bodies) = folder();
        bodies.put(&key("a"), Bytes::from_static(b"text")).await.unwrap();
        for (place, expected) in [("", 0o700), ("aa", 0o700), (key("a").as_str(), 0o600)] {
            let mode = fs::metadata(bodies.folder.join(place)).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, expected, "{place}");
        }
    }

    /// On a separate disk, which only root can mount; skipped otherwise.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_full_disk_is_said_and_harms_nothing() {
        let Some(disk) = testkit::small_disk::SmallDisk::mount("256k") else { return };
        let bodies = FolderBodies::new(disk.path().join("bodies"), MAX_MB);
        let kept = Bytes::from_static(b"it was here before");
        bodies.put(&key("a"), kept.clone()).await.unwrap();
        let large: Bytes = (0..1 << 20).map(|_| rand::random::<u8>()).collect();
        for key in [key("a"), key("b")] {
            let full = bodies.put(&key, large.clone()).await;
            let told = "the text storage rejected the request: there is no space left in";
            assert!(full.as_ref().is_err_and(|error| error.to_string().starts_with(told)), "{full:?}");
        }
        assert_eq!(bodies.get(&key("a")).await, Ok(Some(kept)));
        assert_eq!(bodies.get(&key("b")).await, Ok(None));
        assert_eq!(names(&bodies.folder.join(UNFINISHED)).unwrap(), Vec::<String>::new());
        bodies.put(&key("b"), Bytes::from_static(b"small")).await.unwrap();
    }
}
