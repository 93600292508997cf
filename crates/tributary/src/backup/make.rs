//! Creates a backup of a running installation.

use super::one_key::copy_under_one_key;
use super::{BackupWriter, KEY_PART, Manifest, Texts, add_texts};
use crate::app;
use crate::corpus::build as corpus_build;
use crate::secret_files::{self, SecretKeys};
use anyhow::Context;
use domain::corpus::StorageBackend;
use domain::ports::{BodyStore, Clock, SystemClock};
use domain::secret::Secret;
use domain::settings::Settings;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The subfolder of the data folder with user-supplied files.
pub const DICTIONARIES: &str = "dictionaries";
/// Maximum size of such a file.
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Source, target and options of a backup.
pub struct BackupPlan<'a> {
    pub settings: &'a Settings,
    pub file: &'a Path,
    pub passphrase: Option<&'a Secret>,
    /// Includes the encryption key.
    pub with_key: bool,
}

/// A finished backup.
pub struct MadeBackup {
    pub manifest: Manifest,
    /// The keys of the installation; `None` if it has none yet.
    pub keys: Option<SecretKeys>,
    pub texts: Texts,
}

impl BackupPlan<'_> {
    /// Writes to a temporary file and renames it at the end. File I/O is blocking, so a service must call this on a
    /// separate thread.
    pub async fn make(&self) -> anyhow::Result<MadeBackup> {
        let data_dir = PathBuf::from(&self.settings.data_dir);
        let url = app::database_url(self.settings, &data_dir)?;
        let copy = async || {
            let mut writer = BackupWriter::create_with(self.file, self.passphrase)?;
            let schema =
                store::dump::export(&url, &mut writer).await.context("the database cannot be copied")?;
            Ok((writer, schema))
        };
        let read_keys = || secret_files::existing_keys(self.settings, &data_dir);
        let ((mut writer, schema), keys) = copy_under_one_key(read_keys, copy).await?;
        for path in dictionaries(&data_dir)? {
            let name = path.file_name().and_then(|name| name.to_str()).context("a file name is not UTF-8")?;
            writer.add(&format!("file {DICTIONARIES}/{name}"), &read_file(&path)?)?;
        }
        let mut texts = Texts::default();
        if self.settings.storage_backend == StorageBackend::Folder {
            let bodies = storage(self.settings, &data_dir)?;
            texts = add_texts(&mut writer, &*bodies).await.context("the texts cannot be copied")?;
        }
        if self.with_key {
            let keys = keys.as_ref().context("there is no key yet; omit --with-key")?;
            writer.add(KEY_PART, keys.lines().expose().as_bytes())?;
        }
        let manifest = writer.finish(Manifest {
            version: domain::VERSION.to_owned(),
            schema,
            made: SystemClock.now(),
            key_fingerprint: keys.as_ref().map(|keys| keys.seal_key().fingerprint()),
            parts: Vec::new(),
        })?;
        Ok(MadeBackup { manifest, keys, texts })
    }
}

/// The text store of the semantic cache.
pub fn storage(settings: &Settings, data_dir: &Path) -> anyhow::Result<Arc<dyn BodyStore>> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    corpus_build::bodies(settings, &clock, data_dir)
}

/// The regular files in the folder, sorted by name.
fn dictionaries(data_dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let folder = data_dir.join(DICTIONARIES);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let path = entry?.path();
        if path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    let size = path.metadata()?.len();
    anyhow::ensure!(size <= FILE_BYTES_MAX, "{} is larger than {FILE_BYTES_MAX} bytes", path.display());
    std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))
}
