//! `tributary backup`: everything in one file, while the service runs.

use super::{Place, ensure_database};
use crate::backup::{
    Backup, BackupPlan, KEY_PART, MadeBackup, Manifest, PASSPHRASE_CHARS_MIN, TEXTS_PART, Texts, audit_report,
};
use crate::keys::{self, SecretKeys};
use crate::{terminal, wiring};
use anyhow::{Context, bail};
use clap::Args;
use domain::audit::{Action, AuditEvent, Author, Kind};
use domain::contracts::{AuditStore, Clock, SystemClock};
use domain::secret::Secret;
use domain::settings::Settings;
use std::io::Read;
use std::path::{Path, PathBuf};
use store::{SealKey, SqlStore, StoreConfig};

/// Longest passphrase that is read.
const PASSPHRASE_BYTES_MAX: u64 = 4096;

/// Write everything into one file. The service may run: the file holds one moment.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary backup /var/backups/tributary-monday
  tributary backup monday --with-key
  tributary backup --verify monday
  tributary backup monday --passphrase-stdin < passphrase.txt

A file without a passphrase holds people's searches, chats and password hashes as they are.
Without --with-key the file opens no credentials: keep secret.key of the data folder, or SVC_SECRET_KEY, elsewhere.
The settings file is not part of a backup, nor are the texts of a semantic cache that keeps them in an S3 store.")]
pub struct BackupCommand {
    /// The file to write or to check.
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
    /// Encrypt the file with a passphrase that is read from standard input; with --verify, the one it was made with.
    #[arg(long)]
    passphrase_stdin: bool,
}

impl BackupCommand {
    fn ensure_may_write(&self, passphrase: Option<&Secret>) -> anyhow::Result<()> {
        let is_short = |text: &Secret| text.expose().chars().count() < PASSPHRASE_CHARS_MIN;
        anyhow::ensure!(
            !passphrase.is_some_and(is_short),
            "the passphrase is too short; use at least {PASSPHRASE_CHARS_MIN} characters"
        );
        anyhow::ensure!(
            self.force || !self.file.exists(),
            "{} is there already; --force replaces it",
            self.file.display()
        );
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
        if let Some(folder) = folder {
            bail!("there is no folder {}; make it first", folder.display());
        }
        Ok(())
    }

    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let passphrase = passphrase(self.passphrase_stdin)?;
        if self.verify {
            let backup = Backup::open_with(&self.file, passphrase.as_ref())?;
            show(&self.file, &backup.manifest);
            terminal::line("Every byte is as it was written.");
            return verify_audit(&backup, place);
        }
        self.ensure_may_write(passphrase.as_ref())?;
        let settings = place.read(&[])?.settings;
        let data_dir = PathBuf::from(&settings.data_dir);
        ensure_database(&settings)?;
        let plan = BackupPlan {
            settings: &settings,
            file: &self.file,
            passphrase: passphrase.as_ref(),
            with_key: self.with_key,
        };
        let MadeBackup { manifest, keys, texts } = plan.make().await?;
        say_failed(&texts, "not in it");
        show(&self.file, &manifest);
        // A database of an older version is copied as it is, and has no such log yet.
        if let Some(keys) = keys.as_ref().filter(|_| manifest.schema == store::copy::schema_version()) {
            let url = wiring::database_url(&settings, &data_dir)?;
            note(&url, keys, Action::BackedUp, &self.file).await;
        }
        if self.with_key {
            terminal::note(
                "The file holds the key: whoever has it can open the credentials of all providers.",
            );
        } else if keys.is_some() {
            terminal::note(
                "The key of the credentials is not in it; keep secret.key or SVC_SECRET_KEY elsewhere. \
                 `restore` needs it.",
            );
            if keys.is_some_and(|keys| !keys.others.is_empty()) {
                terminal::note(
                    "Warning: the key is being replaced, so that this backup may need the old key as well as the new \
                     one. Let `tributary rekey` end, and make another backup.",
                );
            }
        }
        Ok(())
    }
}

/// The passphrase of a backup: the text on standard input without the line break at its end.
pub(super) fn passphrase(from_stdin: bool) -> anyhow::Result<Option<Secret>> {
    if !from_stdin {
        return Ok(None);
    }
    let mut text = String::new();
    std::io::stdin()
        .take(PASSPHRASE_BYTES_MAX)
        .read_to_string(&mut text)
        .context("the passphrase is not text")?;
    let text = text.trim_end_matches(['\r', '\n']);
    anyhow::ensure!(!text.is_empty(), "there is no passphrase on standard input");
    Ok(Some(Secret::new(text)))
}

pub(super) fn say_failed(texts: &Texts, what: &str) {
    if let Some(why) = &texts.why {
        let count = texts.failed;
        terminal::note(format!(
            "Warning: {count} texts of the semantic cache are {what}, the last one because {why}."
        ));
    }
}

/// Whoever writes a backup anew can make its hashes fit, but not those of the audit log.
fn verify_audit(backup: &Backup, place: &Place) -> anyhow::Result<()> {
    let settings = place.read(&[])?.settings;
    let Some(key) = key_that_fits(backup, &settings)? else {
        terminal::note("The audit log in it is not verified: the key is not here.");
        return Ok(());
    };
    let Some(report) = audit_report(backup, &key)? else { return Ok(()) };
    anyhow::ensure!(report.ok, "{}: {}", backup.path().display(), report.detail);
    terminal::line(format!("Audit log: {}", report.detail));
    Ok(())
}

/// The keys that the backup was made under: those given, its own, or one that was replaced since.
pub(super) fn key_that_fits(backup: &Backup, settings: &Settings) -> anyhow::Result<Option<SealKey>> {
    let Some(wanted) = &backup.manifest.key_fingerprint else { return Ok(None) };
    let data_dir = PathBuf::from(&settings.data_dir);
    let known = keys::given_keys(settings, &data_dir)?.into_iter().chain(own_keys(backup)?);
    if let Some(key) = known.map(|keys| keys.seal_key()).find(|key| key.has(wanted)) {
        return Ok(Some(key));
    }
    Ok(keys::former_key(&data_dir, wanted)?.map(|key| SealKey::from_secret(&key)))
}

/// The keys that are in the backup itself.
pub(super) fn own_keys(backup: &Backup) -> anyhow::Result<Option<SecretKeys>> {
    let Some(part) = backup.manifest.part(KEY_PART) else { return Ok(None) };
    let text = String::from_utf8(backup.content(part)?).context("the key is not text")?;
    Ok(SecretKeys::parse(&text))
}

/// Notes in the audit log what was done to the database as a whole. It is done already, so a log that cannot be
/// written is said and no failure.
pub(super) async fn note(url: &Secret, keys: &SecretKeys, action: Action, file: &Path) {
    let config = StoreConfig { url: url.clone(), pool_max: 1, key: keys.seal_key() };
    let event = AuditEvent::of(action, Kind::Database, None, &file.display().to_string());
    let noted = async {
        let store = SqlStore::open(config).await?;
        let entry = store.note(&Author::command_line(SystemClock.now()), event).await;
        store.close().await;
        entry
    };
    if let Err(error) = noted.await {
        terminal::note(format!("Warning: this could not be noted in the audit log: {error}"));
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
        let rows = match part.table.is_some() || part.name == TEXTS_PART {
            true => format!("{} rows", part.rows),
            false => String::new(),
        };
        terminal::line(format!("  {:width$}  {:>12} bytes  {}  {rows}", part.name, part.size, part.sha256));
    }
}
