//! `tributary restore`: a backup becomes the data of this installation. Checks everything before it changes anything.

use super::Place;
use super::backup::{key_that_fits, note, own_keys, passphrase, say_failed};
use super::control::HOW_TO_STOP;
use crate::backup::{Backup, DICTIONARIES, Part, TEXTS_PART, Texts, audit_report, put_texts, storage};
use crate::keys::{self, SecretKeys};
use crate::service::SERVE_LOCK;
use crate::{ownership, terminal, wiring};
use anyhow::{Context, bail};
use clap::Args;
use domain::audit::Action;
use domain::contracts::{Clock, SystemClock};
use domain::secret::Secret;
use domain::settings::Settings;
use std::fs::File;
use std::path::{Path, PathBuf};
use store::copy::{CopiedRow, Importer};

/// Rows that are written at once, and most bytes of them.
const BATCH_ROWS_MAX: usize = 500;
const BATCH_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Put a backup in place, in SQLite or PostgreSQL, whichever it came from. The service must not run.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary restore /var/backups/tributary-monday --data-dir /var/lib/tributary
  SVC_SECRET_KEY=… tributary restore monday
  tributary restore monday --passphrase-stdin < passphrase.txt

Every byte of the file is checked before anything is changed. What is there is replaced only with --force, and only
when the whole backup has been read.")]
pub struct Restore {
    /// The backup.
    file: PathBuf,
    /// Replace what is there; go on without the key that opens the credentials.
    #[arg(long)]
    force: bool,
    /// Read the passphrase of an encrypted backup from standard input.
    #[arg(long)]
    passphrase_stdin: bool,
}

impl Restore {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let passphrase = passphrase(self.passphrase_stdin)?;
        let backup = Backup::open_with(&self.file, passphrase.as_ref())?;
        let newest = store::copy::schema_version();
        anyhow::ensure!(
            backup.manifest.schema <= newest,
            "the backup is of a newer version of the program (schema {}, this one knows {newest}); use version {}",
            backup.manifest.schema,
            backup.manifest.version
        );
        let settings = place.read(&[])?.settings;
        let data_dir = PathBuf::from(&settings.data_dir);
        let key = self.key(&backup, &settings, &data_dir)?;
        self.check_audit(&backup, &settings)?;
        std::fs::create_dir_all(&data_dir)
            .with_context(|| format!("{} cannot be made", data_dir.display()))?;
        let _nobody_else = alone(&data_dir)?;
        let _no_rekey = keys::lock_key_file(&data_dir)?;
        let url = wiring::database_url(&settings, &data_dir)?;
        self.check_target(&url).await?;
        let (rows, renewed) = import(&backup, &url).await?;
        put_files(&backup, &data_dir)?;
        let texts = match backup.manifest.part(TEXTS_PART) {
            Some(_) => put_texts(&backup, &*storage(&settings, &data_dir)?).await?,
            None => Texts::default(),
        };
        if let Some(keys) = key {
            put_key(&keys, &data_dir)?;
        }
        if let Some(keys) = keys::given_keys(&settings, &data_dir)? {
            note(&url, &keys, Action::Restored, &self.file).await;
        }
        ownership::leave_to_owner(&data_dir)?;
        terminal::line(format!(
            "Restored {rows} records of {} into {}. Start the service again: waiting work goes on.",
            domain::instant::display(backup.manifest.made),
            data_dir.display()
        ));
        if texts.done > 0 {
            terminal::line(format!("{} texts of the semantic cache came with them.", texts.done));
        }
        say_failed(&texts, "not in their place");
        if renewed > 0 {
            terminal::line(format!("{renewed} searches had not ended and had no task here; they run again."));
        }
        Ok(())
    }

    /// The keys to be written, if the one that opens the credentials is in the backup only.
    fn key(
        &self,
        backup: &Backup,
        settings: &Settings,
        data_dir: &Path,
    ) -> anyhow::Result<Option<SecretKeys>> {
        let Some(wanted) = &backup.manifest.key_fingerprint else { return Ok(None) };
        let here = keys::given_keys(settings, data_dir)?;
        if here.as_ref().is_some_and(|keys| keys.seal_key().has(wanted)) {
            return Ok(None);
        }
        if let Some(own) = own_keys(backup)? {
            anyhow::ensure!(
                self.force || here.is_none(),
                "another key is here than the one in the backup; --force puts that of the backup in its place"
            );
            anyhow::ensure!(
                settings.secret_key.is_empty(),
                "SVC_SECRET_KEY is not the key of the backup; unset it, the backup brings its own"
            );
            return Ok(Some(own));
        }
        if let Some(key) = keys::former_key(data_dir, wanted)?.filter(|_| settings.secret_key.is_empty()) {
            terminal::note(format!(
                "The backup was made before `tributary rekey`. Its key is taken from {} into {}; run `tributary rekey` \
                 again after the restore.",
                keys::FORMER_KEYS_FILE,
                keys::KEY_FILE
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
            Some(_) => "the key here is not the one that the credentials were sealed with",
            None => "the key that opens the credentials is not here",
        };
        anyhow::ensure!(
            self.force,
            "{missing}: set SVC_SECRET_KEY or put its secret.key into {}; --force goes on without, and the \
             credentials of providers must be entered again",
            data_dir.display()
        );
        terminal::note(format!("Warning: {missing}; enter the credentials of the providers again."));
        Ok(None)
    }

    /// An entry that was changed in the backup is named before anything is touched.
    fn check_audit(&self, backup: &Backup, settings: &Settings) -> anyhow::Result<()> {
        let Some(key) = key_that_fits(backup, settings)? else { return Ok(()) };
        let Some(report) = audit_report(backup, &key)? else { return Ok(()) };
        anyhow::ensure!(
            report.ok || self.force,
            "{}: {} --force restores it as it is",
            self.file.display(),
            report.detail
        );
        if !report.ok {
            terminal::note(format!("Warning: {} It is restored as it is.", report.detail));
        }
        Ok(())
    }

    async fn check_target(&self, url: &Secret) -> anyhow::Result<()> {
        let state = match store::copy::target_state(url).await {
            Ok(state) => state,
            // A damaged SQLite file is what a restore is for; an unreachable server is not.
            Err(error) if self.force && url.expose().starts_with("sqlite") => {
                terminal::note(format!("Warning: what is there is not readable and is replaced: {error}"));
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        anyhow::ensure!(
            !state.is_in_use,
            "workers were heard of within the last 30 seconds; stop the service on every machine first"
        );
        let Some(schema) = state.schema else { return Ok(()) };
        let newest = store::copy::schema_version();
        anyhow::ensure!(schema <= newest, "the database there is of a newer version (schema {schema})");
        anyhow::ensure!(self.force, "there is a database already; --force replaces all its records");
        Ok(())
    }
}

/// Holds the data folder as `tributary serve` does, but alone.
pub(super) fn alone(data_dir: &Path) -> anyhow::Result<File> {
    let path = data_dir.join(SERVE_LOCK);
    let file = File::create(&path).with_context(|| format!("{} cannot be made", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            bail!("a service runs on {}; {HOW_TO_STOP}", data_dir.display())
        }
        Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
    }
}

/// How many records came in, and how many searches got a new task: what waits in NATS is in no backup.
async fn import(backup: &Backup, url: &Secret) -> anyhow::Result<(u64, usize)> {
    let mut importer = Importer::begin(url, backup.manifest.schema).await?;
    let mut count = 0;
    for part in &backup.manifest.parts {
        let Some(table) = &part.table else { continue };
        importer.table(table).await.with_context(|| part.name.clone())?;
        count += import_rows(&mut importer, backup, part).await.with_context(|| part.name.clone())?;
    }
    let renewed = importer.finish(federation::task_of_run, SystemClock.now()).await?;
    Ok((count, renewed))
}

async fn import_rows(importer: &mut Importer, backup: &Backup, part: &Part) -> anyhow::Result<u64> {
    let mut rows = backup.rows(part)?;
    let (mut batch, mut bytes, mut count) = (Vec::<CopiedRow>::new(), 0, 0);
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
    anyhow::ensure!(count == part.rows, "it has {count} rows instead of {}", part.rows);
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

/// Another key that is there is kept under another name.
fn put_key(keys: &SecretKeys, data_dir: &Path) -> anyhow::Result<()> {
    let path = data_dir.join(keys::KEY_FILE);
    if path.exists() {
        std::fs::rename(&path, data_dir.join("secret.key.before-restore"))?;
    }
    keys::write_private(&path, keys.lines().expose())
}
