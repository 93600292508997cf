//! Reads a backup after verifying it.

use super::encrypted::{self, DecryptingReader, OpenError, StreamKey};
use super::{BackupError, FOOT_BYTES, HASH_BYTES, HEAD, MANIFEST_BYTES_MAX, Manifest, Part, TAIL, hex};
use domain::secret::Secret;
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::dump::DumpRow;

/// Buffer size for hashing.
const BLOCK_BYTES: usize = 256 * 1024;

/// A verified backup file.
pub struct Backup {
    path: PathBuf,
    /// `None` if the file is not encrypted.
    key: Option<Arc<StreamKey>>,
    pub manifest: Manifest,
}

impl fmt::Debug for Backup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Backup").field("path", &self.path).field("manifest", &self.manifest).finish()
    }
}

/// A plain or encrypted file.
enum Opened {
    Plain(File),
    Encrypted(DecryptingReader<File>),
}

impl Read for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(buffer),
            Self::Encrypted(reader) => reader.read(buffer),
        }
    }
}

impl Seek for Opened {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        match self {
            Self::Plain(file) => file.seek(to),
            Self::Encrypted(reader) => reader.seek(to),
        }
    }
}

type OpenFile = BufReader<Opened>;

impl Backup {
    /// Opens and verifies a file; the error names all damaged parts.
    pub fn open(path: &Path) -> Result<Self, BackupError> {
        Self::open_with(path, None)
    }

    /// Opens a file, which is encrypted if a passphrase is given.
    pub fn open_with(path: &Path, passphrase: Option<&Secret>) -> Result<Self, BackupError> {
        let key = stream_key(path, passphrase)?;
        let mut file = open(path, key.as_ref())?;
        let (manifest, parts_end) = manifest(path, &mut file)?;
        let mut damaged = Vec::new();
        let mut place = HEAD.len() as u64;
        for part in &manifest.parts {
            if part.place != place {
                return Err(BackupError::Damaged(path.to_owned(), "its parts are not contiguous".to_owned()));
            }
            place += part.size;
            if hash(path, &mut file, part)? != part.sha256 {
                damaged.push(format!("part '{}'", part.name));
            }
        }
        if place != parts_end {
            return Err(BackupError::Damaged(path.to_owned(), "its parts do not cover it".to_owned()));
        }
        if damaged.is_empty() {
            Ok(Self { path: path.to_owned(), key, manifest })
        } else {
            Err(BackupError::Damaged(path.to_owned(), damaged.join(", ")))
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole content of a part.
    pub fn content(&self, part: &Part) -> Result<Vec<u8>, BackupError> {
        let mut content = Vec::new();
        let read = self.decoder(part)?.take(part.content_size + 1).read_to_end(&mut content);
        match read {
            Ok(_) if content.len() as u64 == part.content_size => Ok(content),
            Ok(_) => Err(BackupError::Part(part.name.clone(), "wrong size".to_owned())),
            Err(error) => Err(BackupError::Part(part.name.clone(), error.to_string())),
        }
    }

    /// The rows of a table.
    pub fn rows(&self, part: &Part) -> Result<PartRows, BackupError> {
        let lines = BufReader::new(self.decoder(part)?.take(part.content_size));
        Ok(PartRows { lines, line: String::new(), name: part.name.clone() })
    }

    fn decoder(&self, part: &Part) -> Result<GzDecoder<Take<OpenFile>>, BackupError> {
        let mut file = open(&self.path, self.key.as_ref())?;
        file.seek(SeekFrom::Start(part.place)).map_err(|error| BackupError::Io(self.path.clone(), error))?;
        Ok(GzDecoder::new(file.take(part.size)))
    }
}

/// Reads rows; errors name the part.
pub struct PartRows {
    lines: BufReader<Take<GzDecoder<Take<OpenFile>>>>,
    line: String,
    name: String,
}

impl PartRows {
    /// The next row and its length in bytes.
    pub fn next_row(&mut self) -> Result<Option<(DumpRow, usize)>, BackupError> {
        self.line.clear();
        let fault = |error: String| BackupError::Part(self.name.clone(), error);
        let length = self.lines.read_line(&mut self.line).map_err(|error| fault(error.to_string()))?;
        if length == 0 {
            return Ok(None);
        }
        let row = serde_json::from_str(&self.line).map_err(|error| fault(error.to_string()))?;
        Ok(Some((row, length)))
    }
}

fn open(path: &Path, key: Option<&Arc<StreamKey>>) -> Result<OpenFile, BackupError> {
    let file = File::open(path).map_err(|error| BackupError::Io(path.to_owned(), error))?;
    let opened = match key {
        None => Opened::Plain(file),
        Some(key) => {
            let cut_off = |_| BackupError::CutOff(path.to_owned());
            Opened::Encrypted(DecryptingReader::new(file, Arc::clone(key)).map_err(cut_off)?)
        }
    };
    Ok(BufReader::new(opened))
}

/// The key of an encrypted file; `None` for a plain one.
fn stream_key(path: &Path, passphrase: Option<&Secret>) -> Result<Option<Arc<StreamKey>>, BackupError> {
    let fault = |error| BackupError::Io(path.to_owned(), error);
    let mut file = BufReader::new(File::open(path).map_err(fault)?);
    let is_encrypted = file.fill_buf().map_err(fault)?.starts_with(encrypted::HEAD);
    let passphrase = match (is_encrypted, passphrase) {
        (false, None) => return Ok(None),
        (false, Some(_)) => return Err(BackupError::NotEncrypted(path.to_owned())),
        (true, None) => return Err(BackupError::Encrypted(path.to_owned())),
        (true, Some(passphrase)) => passphrase,
    };
    let key = StreamKey::open(&mut file, passphrase).map_err(|error| match error {
        OpenError::Io(error) => fault(error),
        OpenError::CutOff => BackupError::CutOff(path.to_owned()),
        OpenError::Header => BackupError::Damaged(path.to_owned(), "its head".to_owned()),
        OpenError::Passphrase => BackupError::Passphrase(path.to_owned()),
    })?;
    let key = Arc::new(key);
    let whole =
        DecryptingReader::new(file.into_inner(), Arc::clone(&key)).and_then(|mut reader| reader.check_end());
    whole.map_err(|_| BackupError::CutOff(path.to_owned()))?;
    Ok(Some(key))
}

/// The manifest and its offset.
fn manifest(path: &Path, file: &mut OpenFile) -> Result<(Manifest, u64), BackupError> {
    let fault = |error| BackupError::Io(path.to_owned(), error);
    let damaged = |what: &str| BackupError::Damaged(path.to_owned(), what.to_owned());
    let size = file.seek(SeekFrom::End(0)).map_err(fault)?;
    let mut head = [0_u8; HEAD.len()];
    let mut foot = [0_u8; FOOT_BYTES];
    if size < (HEAD.len() + FOOT_BYTES) as u64 {
        return Err(BackupError::NotOurs(path.to_owned()));
    }
    file.rewind().map_err(fault)?;
    file.read_exact(&mut head).map_err(fault)?;
    let foot_at = size - FOOT_BYTES as u64;
    file.seek(SeekFrom::Start(foot_at)).map_err(fault)?;
    file.read_exact(&mut foot).map_err(fault)?;
    match (head == HEAD, foot.ends_with(TAIL)) {
        (true, true) => {}
        (true, false) => return Err(BackupError::CutOff(path.to_owned())),
        (false, true) => return Err(damaged("its head")),
        (false, false) => return Err(BackupError::NotOurs(path.to_owned())),
    }
    let mut length = [0_u8; 8];
    length.copy_from_slice(&foot[..8]);
    let length = u64::from_le_bytes(length);
    if length > MANIFEST_BYTES_MAX || length > foot_at - HEAD.len() as u64 {
        return Err(damaged("its manifest"));
    }
    let mut text = vec![0_u8; length as usize];
    file.seek(SeekFrom::Start(foot_at - length)).map_err(fault)?;
    file.read_exact(&mut text).map_err(fault)?;
    if Sha256::digest(&text)[..] != foot[8..8 + HASH_BYTES] {
        return Err(damaged("its manifest"));
    }
    let manifest = serde_json::from_slice(&text).map_err(|_| damaged("its manifest"))?;
    Ok((manifest, foot_at - length))
}

fn hash(path: &Path, file: &mut OpenFile, part: &Part) -> Result<String, BackupError> {
    let fault = |error| BackupError::Io(path.to_owned(), error);
    file.seek(SeekFrom::Start(part.place)).map_err(fault)?;
    let mut hash = Sha256::new();
    let mut block = vec![0_u8; BLOCK_BYTES];
    let mut left = file.take(part.size);
    loop {
        let count = left.read(&mut block).map_err(fault)?;
        if count == 0 {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(&block[..count]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::BackupWriter;
    use super::*;
    use domain::ports::{Clock, SystemClock};
    use store::dump::{ColumnKind, DumpColumn, DumpSink, DumpTable};

    fn written(path: &Path) -> Manifest {
        let mut writer = BackupWriter::create(path).unwrap();
        let columns = vec![DumpColumn { name: "id".to_owned(), kind: ColumnKind::Integer }];
        writer.begin(&DumpTable { name: "users".to_owned(), columns, last_id: Some(7) }).unwrap();
        writer.row(&vec![Some("1".to_owned())]).unwrap();
        writer.row(&vec![None]).unwrap();
        writer.end().unwrap();
        writer.add("file dictionaries/x.txt", b"some words").unwrap();
        let manifest = Manifest {
            version: "1".to_owned(),
            schema: 1,
            made: SystemClock.now(),
            key_fingerprint: None,
            parts: Vec::new(),
        };
        writer.finish(manifest).unwrap()
    }

    #[test]
    fn reads_back_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b");
        written(&path);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        let backup = Backup::open(&path).unwrap();
        let mut rows = backup.rows(&backup.manifest.parts[0]).unwrap();
        assert_eq!(rows.next_row().unwrap().unwrap().0, vec![Some("1".to_owned())]);
        assert_eq!(rows.next_row().unwrap().unwrap().0, vec![None]);
        assert!(rows.next_row().unwrap().is_none());
        let part = backup.manifest.part("file dictionaries/x.txt").unwrap();
        assert_eq!(backup.content(part).unwrap(), b"some words");
    }

    #[test]
    fn an_encrypted_file_is_read_with_its_passphrase_only() {
        let folder = tempfile::tempdir().unwrap();
        let (open, path) = (folder.path().join("open"), folder.path().join("b"));
        written(&open);
        let passphrase = Secret::new("a passphrase for tests");
        let mut writer = BackupWriter::create_with(&path, Some(&passphrase)).unwrap();
        writer.add("file dictionaries/x.txt", b"some words").unwrap();
        let made = Backup::open(&open).unwrap().manifest;
        writer.finish(made).unwrap();
        let backup = Backup::open_with(&path, Some(&passphrase)).unwrap();
        let part = backup.manifest.part("file dictionaries/x.txt").unwrap();
        assert_eq!(backup.content(part).unwrap(), b"some words");
        let said = |path: &Path, passphrase: Option<&str>| {
            let passphrase = passphrase.map(Secret::new);
            Backup::open_with(path, passphrase.as_ref()).unwrap_err().to_string()
        };
        assert!(said(&path, None).contains("--passphrase-stdin"));
        assert!(said(&open, Some("any")).contains("is not encrypted"));
        assert!(said(&path, Some("another one")).contains("wrong passphrase"));
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(said(&path, Some("a passphrase for tests")).contains("incomplete"));
    }

    #[test]
    fn every_flipped_byte_is_detected_and_its_part_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b");
        let manifest = written(&path);
        let whole = std::fs::read(&path).unwrap();
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x10;
            std::fs::write(&path, &bytes).unwrap();
            let said = Backup::open(&path).unwrap_err().to_string();
            let inside = |part: &&Part| (part.place..part.place + part.size).contains(&(place as u64));
            let expected = match manifest.parts.iter().find(inside) {
                Some(part) => format!("part '{}'", part.name),
                None if place < HEAD.len() => "its head".to_owned(),
                None if place >= whole.len() - TAIL.len() => "its end is damaged".to_owned(),
                None => "its manifest".to_owned(),
            };
            assert!(said.contains(&expected), "byte {place}: {said}");
        }
        for length in [0, 10, HEAD.len() + 3, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(Backup::open(&path).is_err(), "cut to {length} bytes");
        }
    }
}
