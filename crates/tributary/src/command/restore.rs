//! `tributary restore`: restores a backup; verifies everything before changing anything.

use super::CliContext;
use super::backup::{find_key, note, own_keys, passphrase, warn_failed};
use super::control::HOW_TO_STOP;
use crate::backup::{Backup, DICTIONARIES, Part, TEXTS_PART, Texts, audit_report, put_texts, storage};
use crate::secret_files::{self, SecretKeys};
use crate::service::SERVE_LOCK;
use crate::{app, ownership, terminal};
use anyhow::{Context, bail};
use clap::Args;
use domain::audit::Action;
use domain::ports::{Clock, SystemClock};
use domain::secret::Secret;
use domain::settings::Settings;
use std::fs::File;
use std::path::{Path, PathBuf};
use store::dump::{DumpRow, Importer};

/// Maximum rows and bytes per write.
const BATCH_ROWS_MAX: usize = 500;
const BATCH_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Restore a backup into SQLite or PostgreSQL, regardless of where it came from. The service must be stopped.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary restore /var/backups/tributary-monday --data-dir /var/lib/tributary
  SVC_SECRET_KEY=… tributary restore monday
  tributary restore monday --passphrase-stdin < passphrase.txt

The whole file is verified before anything is changed. Existing data is replaced only with --force, and only after the
whole backup has been read.")]
pub struct Restore {
    /// The backup file.
    file: PathBuf,
    /// Replace existing data; continue without the key that decrypts the credentials.
    #[arg(long)]
    force: bool,
    /// Read the passphrase of an encrypted backup from standard input.
    #[arg(long)]
    passphrase_stdin: bool,
}

impl Restore {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let passphrase = passphrase(self.passphrase_stdin)?;
        let backup = Backup::open_with(&self.file, passphrase.as_ref())?;
        let newest = store::dump::schema_version();
        anyhow::ensure!(
            backup.manifest.schema <= newest,
            "the backup was made by a newer version (schema {}, this version supports {newest}); use version {}",
            backup.manifest.schema,
            backup.manifest.version
        );
        let settings = cli.load_settings(&[])?.settings;
        let data_dir = PathBuf::from(&settings.data_dir);
        let key = self.key(&backup, &settings, &data_dir)?;
        self.check_audit(&backup, &settings)?;
        std::fs::create_dir_all(&data_dir)
            .with_context(|| format!("{} cannot be created", data_dir.display()))?;
        let _lock = lock_data_folder(&data_dir)?;
        let _no_rekey = secret_files::lock_key_file(&data_dir)?;
        let url = app::database_url(&settings, &data_dir)?;
        self.check_target(&url).await?;
        let imported = import(&backup, &url).await?;
        put_files(&backup, &data_dir)?;
        let texts = match backup.manifest.part(TEXTS_PART) {
            Some(_) => put_texts(&backup, &*storage(&settings, &data_dir)?).await?,
            None => Texts::default(),
        };
        if let Some(keys) = key {
            put_key(&keys, &data_dir)?;
        }
        if let Some(keys) = secret_files::existing_keys(&settings, &data_dir)? {
            note(&url, &keys, Action::Restored, &self.file).await;
        }
        ownership::chown_to_folder_owner(&data_dir)?;
        terminal::line(format!(
            "Restored {} records of {} into {}. Start the service again to resume waiting work.",
            imported.records,
            domain::instant::display(backup.manifest.made),
            data_dir.display()
        ));
        if texts.done > 0 {
            terminal::line(format!("Restored {} texts of the semantic cache.", texts.done));
        }
        warn_failed(&texts, "not restored");
        if imported.requeued > 0 {
            let requeued = imported.requeued;
            terminal::line(format!("Requeued {requeued} unfinished searches that had no task."));
        }
        Ok(())
    }

    /// The keys to write, if the key of the credentials is only in the backup.
    fn key(
        &self,
        backup: &Backup,
        settings: &Settings,
        data_dir: &Path,
    ) -> anyhow::Result<Option<SecretKeys>> {
        let Some(wanted) = &backup.manifest.key_fingerprint else { return Ok(None) };
        let here = secret_files::existing_keys(settings, data_dir)?;
        if here.as_ref().is_some_and(|keys| keys.seal_key().has(wanted)) {
            return Ok(None);
        }
        if let Some(own) = own_keys(backup)? {
            anyhow::ensure!(
                self.force || here.is_none(),
                "the key of this installation differs from the one in the backup; use --force to replace it"
            );
            anyhow::ensure!(
                settings.secret_key.is_empty(),
                "SVC_SECRET_KEY is not the key of the backup; unset it, because the backup contains its own key"
            );
            return Ok(Some(own));
        }
        if let Some(key) =
            secret_files::former_key(data_dir, wanted)?.filter(|_| settings.secret_key.is_empty())
        {
            terminal::note(format!(
                "The backup was made before `tributary rekey`. Its key is copied from {} to {}; run \
                 `tributary rekey` again after the restore.",
                secret_files::FORMER_KEYS_FILE,
                secret_files::KEY_FILE
            ));
            return Ok(Some(match here {
                Some(SecretKeys { current, mut others }) => {
                    others.push(key);
                    SecretKeys { current, others }
                }
                None => SecretKeys { current: key, others: Vec::new() },
            }));
        }
        let missing = match here {
            Some(_) => "the key of this installation is not the one that encrypted the credentials",
            None => "the key that decrypts the credentials is missing",
        };
        anyhow::ensure!(
            self.force,
            "{missing}: set SVC_SECRET_KEY or put the right secret.key into {}. With --force the restore \
             continues without it, and all credentials must be entered again",
            data_dir.display()
        );
        terminal::note(format!("Warning: {missing}; enter all credentials again."));
        Ok(None)
    }

    /// Verifies the audit log of the backup before anything is changed.
    fn check_audit(&self, backup: &Backup, settings: &Settings) -> anyhow::Result<()> {
        let Some(key) = find_key(backup, settings)? else { return Ok(()) };
        let Some(report) = audit_report(backup, &key)? else { return Ok(()) };
        anyhow::ensure!(
            report.ok || self.force,
            "{}: {} Use --force to restore it anyway",
            self.file.display(),
            report.detail
        );
        if !report.ok {
            terminal::note(format!("Warning: {} Restoring it anyway.", report.detail));
        }
        Ok(())
    }

    async fn check_target(&self, url: &Secret) -> anyhow::Result<()> {
        let state = match store::dump::target_state(url).await {
            Ok(state) => state,
            // A restore may replace a damaged SQLite file, but not an unreachable server.
            Err(error) if self.force && url.expose().starts_with("sqlite") => {
                terminal::note(format!(
                    "Warning: the existing database is unreadable and is replaced: {error}"
                ));
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        anyhow::ensure!(
            !state.is_in_use,
            "workers were active within the last 30 seconds; stop the service on every machine first"
        );
        let Some(schema) = state.schema else { return Ok(()) };
        let newest = store::dump::schema_version();
        anyhow::ensure!(
            schema <= newest,
            "the existing database was made by a newer version (schema {schema})"
        );
        anyhow::ensure!(self.force, "the database already has records; use --force to replace them");
        Ok(())
    }
}

/// Locks the data folder exclusively.
pub(super) fn lock_data_folder(data_dir: &Path) -> anyhow::Result<File> {
    let path = data_dir.join(SERVE_LOCK);
    let file = File::create(&path).with_context(|| format!("{} cannot be created", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            bail!("a service is running on {}; {HOW_TO_STOP}", data_dir.display())
        }
        Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
    }
}

struct Imported {
    records: u64,
    /// Searches that got a new task, because tasks in NATS are not backed up.
    requeued: usize,
}

/// Imports all records.
async fn import(backup: &Backup, url: &Secret) -> anyhow::Result<Imported> {
    let mut importer = Importer::begin(url, backup.manifest.schema).await?;
    let mut records = 0;
    for part in &backup.manifest.parts {
        let Some(table) = &part.table else { continue };
        importer.table(table).await.with_context(|| part.name.clone())?;
        records += import_rows(&mut importer, backup, part).await.with_context(|| part.name.clone())?;
    }
    let requeued = importer.finish(SystemClock.now()).await?;
    Ok(Imported { records, requeued })
}

async fn import_rows(importer: &mut Importer, backup: &Backup, part: &Part) -> anyhow::Result<u64> {
    let mut rows = backup.rows(part)?;
    let (mut batch, mut bytes, mut count) = (Vec::<DumpRow>::new(), 0, 0);
    while let Some((row, length)) = rows.next_row()? {
        batch.push(row);
        bytes += length;
        count += 1;
        if batch.len() >= BATCH_ROWS_MAX || bytes >= BATCH_BYTES_MAX {
            importer.rows(&batch).await?;
            batch.clear();
            bytes = 0;
        }
    }
    if !batch.is_empty() {
        importer.rows(&batch).await?;
    }
    anyhow::ensure!(count == part.rows, "found {count} rows instead of {}", part.rows);
    Ok(count)
}

fn put_files(backup: &Backup, data_dir: &Path) -> anyhow::Result<()> {
    let folder = data_dir.join(DICTIONARIES);
    for part in &backup.manifest.parts {
        let Some(name) = part.name.strip_prefix(&format!("file {DICTIONARIES}/")) else { continue };
        let is_plain = Path::new(name).file_name().is_some_and(|plain| plain == name);
        anyhow::ensure!(is_plain, "'{name}' is not a file name");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(name), backup.content(part)?)
            .with_context(|| format!("{name} cannot be written"))?;
    }
    Ok(())
}

/// Writes the key file; an existing one is renamed.
fn put_key(keys: &SecretKeys, data_dir: &Path) -> anyhow::Result<()> {
    let path = data_dir.join(secret_files::KEY_FILE);
    if path.exists() {
        std::fs::rename(&path, data_dir.join("secret.key.before-restore"))?;
    }
    secret_files::write_private(&path, keys.lines().expose())
}
