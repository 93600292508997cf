//! `tributary backup`: everything in one file, while the service runs.

use super::Place;
use crate::backup::{Backup, BackupWriter, KEY_PART, Manifest};
use crate::{keys, terminal, wiring};
use anyhow::Context;
use clap::Args;
use domain::contracts::{Clock, SystemClock};
use std::path::{Path, PathBuf};
use store::SealKey;

/// The folder of the data folder whose files people put there.
pub const DICTIONARIES: &str = "dictionaries";
/// Largest file that is taken from there.
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Write everything into one file. The service may run: the file holds one moment.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary backup /var/backups/tributary-monday
  tributary backup monday --with-key
  tributary backup --verify monday

Without --with-key the file opens no credentials: keep secret.key of the data folder, or SVC_SECRET_KEY, elsewhere.
The settings file is not part of a backup.")]
pub struct BackupCommand {
    file: PathBuf,
    /// Replace the file if it is there.
    #[arg(long)]
    force: bool,
    /// Add the key of the sealed credentials. Whoever has the file can open them then.
    #[arg(long)]
    with_key: bool,
    /// Write nothing: check every byte of the file, and say what it holds.
    #[arg(long, conflicts_with_all = ["force", "with_key"])]
    verify: bool,
}

impl BackupCommand {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        if self.verify {
            let backup = Backup::open(&self.file)?;
            show(&self.file, &backup.manifest);
            terminal::line("Every byte is as it was written.");
            return Ok(());
        }
        anyhow::ensure!(
            self.force || !self.file.exists(),
            "{} is there already; --force replaces it",
            self.file.display()
        );
        let settings = place.read(&[])?.settings;
        let data_dir = PathBuf::from(&settings.data_dir);
        let secret = keys::given_secret(&settings, &data_dir)?;
        let mut writer = BackupWriter::create(&self.file)?;
        let schema = store::copy::export(&wiring::database_url(&settings, &data_dir)?, &mut writer)
            .await
            .context("the database cannot be copied")?;
        for path in dictionaries(&data_dir)? {
            let name = path.file_name().and_then(|name| name.to_str()).context("a file name is not UTF-8")?;
            let bytes = read_file(&path)?;
            writer.add(&format!("file {DICTIONARIES}/{name}"), &bytes)?;
        }
        if self.with_key {
            let secret = secret.as_ref().context("there is no key yet; leave out --with-key")?;
            writer.add(KEY_PART, secret.expose().as_bytes())?;
        }
        let manifest = writer.finish(Manifest {
            version: domain::VERSION.to_owned(),
            schema,
            made: SystemClock.now(),
            key_fingerprint: secret.as_ref().map(|secret| SealKey::from_secret(secret).fingerprint()),
            parts: Vec::new(),
        })?;
        show(&self.file, &manifest);
        if self.with_key {
            terminal::note(
                "The file holds the key: whoever has it can open the credentials of all providers.",
            );
        } else if secret.is_some() {
            terminal::note(
                "The key of the credentials is not in it; keep secret.key or SVC_SECRET_KEY elsewhere. \
                 `restore` needs it.",
            );
        }
        Ok(())
    }
}

fn show(file: &Path, manifest: &Manifest) {
    let bytes: u64 = manifest.parts.iter().map(|part| part.size).sum();
    terminal::line(format!(
        "{}: version {}, schema {}, made {}, {} parts, {bytes} bytes",
        file.display(),
        manifest.version,
        manifest.schema,
        domain::instant::display(manifest.made),
        manifest.parts.len()
    ));
    let width = manifest.parts.iter().map(|part| part.name.len()).max().unwrap_or(0);
    for part in &manifest.parts {
        let rows = if part.table.is_some() { format!("{} rows", part.rows) } else { String::new() };
        terminal::line(format!("  {:width$}  {:>12} bytes  {}  {rows}", part.name, part.size, part.sha256));
    }
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
