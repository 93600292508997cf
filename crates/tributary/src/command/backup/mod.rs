//! `tributary backup`: backs up a running installation to one file, or verifies a backup.

use super::{CliContext, ensure_database};
use crate::backup::{
    Backup, BackupPlan, KEY_PART, MadeBackup, Manifest, PASSPHRASE_CHARS_MIN, TEXTS_PART, Texts, audit_report,
};
use crate::secret_files::{self, SecretKeys};
use crate::{app, terminal};
use anyhow::{Context, bail};
use clap::Args;
use domain::audit::{Action, AuditEvent, Author, Kind};
use domain::ports::{AuditStore, Clock, SystemClock};
use domain::secret::Secret;
use domain::settings::Settings;
use std::io::Read;
use std::path::{Path, PathBuf};
use store::{EncryptionKey, SqlStore, StoreConfig};

/// Maximum length of a passphrase.
const PASSPHRASE_BYTES_MAX: u64 = 4096;

/// Back up the installation to one file. The service may be running; the backup is a consistent snapshot.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary backup /var/backups/tributary-monday
  tributary backup monday --with-key
  tributary backup --verify monday
  tributary backup monday --passphrase-stdin < passphrase.txt

Without a passphrase, the file contains searches, chats and password hashes in plain text.
Without --with-key, credentials in the file cannot be decrypted: keep a copy of secret.key or SVC_SECRET_KEY elsewhere.
A backup does not include the settings file, nor texts of the semantic cache that are stored in S3.")]
pub struct BackupCommand {
    /// The file to write or verify.
    file: PathBuf,
    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,
    /// Include the encryption key. Anyone who has the file can then decrypt the credentials.
    #[arg(long)]
    with_key: bool,
    /// Verify an existing backup and list its contents.
    #[arg(long, conflicts_with_all = ["force", "with_key"])]
    verify: bool,
    /// Read a passphrase from standard input and encrypt the file with it; with --verify, decrypt the file with it.
    #[arg(long)]
    passphrase_stdin: bool,
}

impl BackupCommand {
    fn ensure_may_write(&self, passphrase: Option<&Secret>) -> anyhow::Result<()> {
        let is_short = |text: &Secret| text.expose().chars().count() < PASSPHRASE_CHARS_MIN;
        anyhow::ensure!(
            !passphrase.is_some_and(is_short),
            "the passphrase must have at least {PASSPHRASE_CHARS_MIN} characters"
        );
        anyhow::ensure!(
            self.force || !self.file.exists(),
            "{} already exists; use --force to overwrite it",
            self.file.display()
        );
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
        if let Some(folder) = folder {
            bail!("the folder {} does not exist", folder.display());
        }
        Ok(())
    }

    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let passphrase = passphrase(self.passphrase_stdin)?;
        if self.verify {
            let backup = Backup::open_with(&self.file, passphrase.as_ref())?;
            show(&self.file, &backup.manifest);
            list_parts(&backup.manifest);
            terminal::line("The backup is intact.");
            return verify_audit(&backup, cli);
        }
        self.ensure_may_write(passphrase.as_ref())?;
        let settings = cli.load_settings(&[])?.settings;
        let data_dir = PathBuf::from(&settings.data_dir);
        ensure_database(&settings)?;
        let plan = BackupPlan {
            settings: &settings,
            file: &self.file,
            passphrase: passphrase.as_ref(),
            with_key: self.with_key,
        };
        let MadeBackup { manifest, keys, texts } = plan.make().await?;
        warn_failed(&texts, "not in the backup");
        show(&self.file, &manifest);
        // A database of an older version is copied unchanged and may not have an audit log yet.
        if let Some(keys) = keys.as_ref().filter(|_| manifest.schema == store::dump::schema_version()) {
            let url = app::database_url(&settings, &data_dir)?;
            note(&url, keys, Action::BackedUp, &self.file).await;
        }
        if self.with_key {
            terminal::note(
                "The file contains the encryption key: anyone who has it can decrypt all credentials.",
            );
        } else if keys.is_some() {
            terminal::note(
                "The encryption key is not included; keep a copy of secret.key or SVC_SECRET_KEY \
                 elsewhere. `restore` needs it.",
            );
            if keys.is_some_and(|keys| !keys.others.is_empty()) {
                terminal::note(
                    "Warning: the key is being replaced, so this backup may need both the old and the new \
                     key. Let `tributary rekey` finish, then make another backup.",
                );
            }
        }
        Ok(())
    }
}

/// Reads the passphrase from standard input, without the trailing line break.
pub(super) fn passphrase(from_stdin: bool) -> anyhow::Result<Option<Secret>> {
    if !from_stdin {
        return Ok(None);
    }
    let mut text = String::new();
    std::io::stdin()
        .take(PASSPHRASE_BYTES_MAX)
        .read_to_string(&mut text)
        .context("the passphrase is not valid UTF-8")?;
    let text = text.trim_end_matches(['\r', '\n']);
    anyhow::ensure!(!text.is_empty(), "no passphrase on standard input");
    Ok(Some(Secret::new(text)))
}

pub(super) fn warn_failed(texts: &Texts, what: &str) {
    if let Some(why) = &texts.why {
        let count = texts.failed;
        terminal::note(format!(
            "Warning: {count} texts of the semantic cache are {what}; last error: {why}."
        ));
    }
}

/// Verifies the audit log in a backup. The hashes of the file can be forged; those of the log cannot without the key.
fn verify_audit(backup: &Backup, cli: &CliContext) -> anyhow::Result<()> {
    let settings = cli.load_settings(&[])?.settings;
    let Some(key) = find_key(backup, &settings)? else {
        terminal::note("The audit log in the backup was not verified: its key is not available.");
        return Ok(());
    };
    let Some(report) = audit_report(backup, &key)? else { return Ok(()) };
    anyhow::ensure!(report.ok, "{}: {}", backup.path().display(), report.detail);
    terminal::line(format!("Audit log: {}", report.detail));
    Ok(())
}

/// The key of the backup: the current one, the one in the backup, or one replaced since.
pub(super) fn find_key(backup: &Backup, settings: &Settings) -> anyhow::Result<Option<EncryptionKey>> {
    let Some(wanted) = &backup.manifest.key_fingerprint else { return Ok(None) };
    let data_dir = PathBuf::from(&settings.data_dir);
    let known = secret_files::existing_keys(settings, &data_dir)?.into_iter().chain(own_keys(backup)?);
    if let Some(key) = known.map(|keys| keys.seal_key()).find(|key| key.has(wanted)) {
        return Ok(Some(key));
    }
    Ok(secret_files::former_key(&data_dir, wanted)?.map(|key| EncryptionKey::from_secret(&key)))
}

/// The keys included in the backup.
pub(super) fn own_keys(backup: &Backup) -> anyhow::Result<Option<SecretKeys>> {
    let Some(part) = backup.manifest.part(KEY_PART) else { return Ok(None) };
    let text = String::from_utf8(backup.content(part)?).context("the key is not valid UTF-8")?;
    Ok(SecretKeys::parse(&text))
}

/// Records a backup or restore in the audit log. Failing to write the entry is only a warning, because the action is
/// done.
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
        terminal::note(format!("Warning: the audit log entry could not be written: {error}"));
    }
}

fn show(file: &Path, manifest: &Manifest) {
    let bytes: u64 = manifest.parts.iter().map(|part| part.size).sum();
    terminal::line(format!(
        "{}: version {}, schema {}, created {}, {} parts, {bytes} bytes",
        file.display(),
        manifest.version,
        manifest.schema,
        domain::instant::display(manifest.made),
        manifest.parts.len()
    ));
}

fn list_parts(manifest: &Manifest) {
    let width = manifest.parts.iter().map(|part| part.name.len()).max().unwrap_or(0);
    for part in &manifest.parts {
        let rows = if part.table.is_some() || part.name == TEXTS_PART {
            format!("{} rows", part.rows)
        } else {
            String::new()
        };
        terminal::line(format!("  {:width$}  {:>12} bytes  {}  {rows}", part.name, part.size, part.sha256));
    }
}
