//! Makes a backup of the installation, while it runs.

use super::one_key::copy_under_one_key;
use super::{BackupWriter, KEY_PART, Manifest, Texts, add_texts};
use crate::keys::{self, SecretKeys};
use crate::{cache_wiring, wiring};
use anyhow::Context;
use domain::contracts::{BodyStore, Clock, SystemClock};
use domain::corpus::StorageBackend;
use domain::secret::Secret;
use domain::settings::Settings;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of the data folder whose files people put there.
pub const DICTIONARIES: &str = "dictionaries";
/// Largest file that is taken from there.
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// What a backup is made of, and where it is written to.
pub struct BackupPlan<'a> {
    pub settings: &'a Settings,
    pub file: &'a Path,
    pub passphrase: Option<&'a Secret>,
    /// Adds the key of the sealed credentials.
    pub with_key: bool,
}

/// A backup that is in its place.
pub struct MadeBackup {
    pub manifest: Manifest,
    /// The keys of the installation; None when it has none yet.
    pub keys: Option<SecretKeys>,
    pub texts: Texts,
}

impl BackupPlan<'_> {
    /// Writes the file under a temporary name, and renames it when it is whole. Files are read and written without
    /// yielding, so that a service calls this on a thread of its own.
    pub async fn make(&self) -> anyhow::Result<MadeBackup> {
        let data_dir = PathBuf::from(&self.settings.data_dir);
        let url = wiring::database_url(self.settings, &data_dir)?;
        let copy = async || {
            let mut writer = BackupWriter::create_with(self.file, self.passphrase)?;
            let schema =
                store::copy::export(&url, &mut writer).await.context("the database cannot be copied")?;
            Ok((writer, schema))
        };
        let read_keys = || keys::given_keys(self.settings, &data_dir);
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
            let keys = keys.as_ref().context("there is no key yet; leave out --with-key")?;
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

/// Where the full texts of the semantic cache are.
pub fn storage(settings: &Settings, data_dir: &Path) -> anyhow::Result<Arc<dyn BodyStore>> {
    let context = wiring::context(&Arc::new(settings.clone()), Arc::new(SystemClock))?;
    cache_wiring::bodies(&context, data_dir)
}

/// The plain files of the folder, by name.
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
