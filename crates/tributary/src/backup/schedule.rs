//! Scheduled backups: the process with the scheduler makes one if the latest is older than the interval.

use super::{Backup, BackupFolder, BackupPlan, StoredBackup};
use crate::app::App;
use anyhow::Context;
use domain::audit::{Action, AuditEvent, Author, Kind};
use domain::ports::{AuditStore, Clock, chain};
use domain::settings::Settings;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::SqlStore;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tracing::{Instrument, Span};

/// Maximum and minimum time between checks of the folder.
const CHECK_MAX: Duration = Duration::from_secs(60);
const CHECK_MIN: Duration = Duration::from_secs(1);
/// Backoff after a failed backup: doubles after each failure, up to the backup interval or one hour, whichever is
/// longer.
const BACKOFF_FIRST: Duration = Duration::from_secs(300);
const BACKOFF_MAX_LEAST: Duration = Duration::from_secs(3600);

#[derive(Clone)]
pub struct BackupSchedule {
    settings: Arc<Settings>,
    folder: BackupFolder,
    store: Arc<SqlStore>,
    clock: Arc<dyn Clock>,
}

impl BackupSchedule {
    /// `None` if scheduled backups are off.
    pub fn of(app: &App) -> Option<Self> {
        let folder = folder_of(&app.settings)?;
        let (store, clock) = (Arc::clone(&app.store), Arc::clone(&app.clock));
        Some(Self { settings: Arc::clone(&app.settings), folder, store, clock })
    }

    /// Makes a backup whenever one is due, until `stop` turns true, which aborts a backup in progress.
    pub async fn serve(self, mut stop: watch::Receiver<bool>) {
        let mut failures = 0;
        loop {
            let wait = self.check(&stop, &mut failures).await;
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                _ = stop.wait_for(|stop| *stop) => return,
            }
        }
    }

    /// Makes a backup if one is due. Returns the time until the next check, and counts consecutive failures.
    async fn check(&self, stop: &watch::Receiver<bool>, failures: &mut u32) -> Duration {
        let (this, mut stop) = (self.clone(), stop.clone());
        // On a separate thread: compressing and writing would block searches in this process.
        let span = Span::current();
        let looked = tokio::task::spawn_blocking(move || {
            let look = async {
                tokio::select! {
                    looked = this.back_up_if_due() => looked,
                    _ = stop.wait_for(|stop| *stop) => Ok(None),
                }
            };
            Handle::current().block_on(look.instrument(span))
        });
        match looked.await.unwrap_or_else(|error| Err(error.into())) {
            Ok(None) => CHECK_MAX,
            Ok(Some(wait)) => {
                *failures = 0;
                wait.clamp(CHECK_MIN, CHECK_MAX)
            }
            Err(error) => {
                *failures = failures.saturating_add(1);
                let retry = backoff(*failures, self.settings.backup_every.0);
                tracing::error!(
                    "the scheduled backup failed: {}. Check the folder {} (SVC_BACKUP_DIR): it must exist, have \
                     free space and be writable by this user. Next attempt in {} seconds",
                    chain(&*error),
                    self.folder.path().display(),
                    retry.as_secs()
                );
                retry
            }
        }
    }

    /// The time until the next backup is due; `None` while another process writes one.
    async fn back_up_if_due(&self) -> anyhow::Result<Option<Duration>> {
        self.ensure_folder()?;
        let wait = self.due_in()?;
        if !wait.is_zero() {
            return Ok(Some(wait));
        }
        let Some(_alone) = self.folder.lock().context("the folder cannot be locked")? else {
            return Ok(None);
        };
        // Another process may have made one meanwhile.
        let wait = self.due_in()?;
        if !wait.is_zero() {
            return Ok(Some(wait));
        }
        self.back_up().await?;
        self.due_in().map(Some)
    }

    /// Creates the folder only inside the data folder: elsewhere it may be the mount point of a missing disk.
    fn ensure_folder(&self) -> anyhow::Result<()> {
        let path = self.folder.path();
        if std::path::absolute(path)?.starts_with(std::path::absolute(&self.settings.data_dir)?) {
            std::fs::create_dir_all(path).with_context(|| format!("{} cannot be created", path.display()))?;
        }
        anyhow::ensure!(
            path.is_dir(),
            "the folder {} does not exist; create it, or mount its disk",
            path.display()
        );
        Ok(())
    }

    /// The time until a backup is due; zero if it is due now.
    fn due_in(&self) -> anyhow::Result<Duration> {
        let now = self.clock.now();
        let last = self.folder.list(now).context("the folder cannot be read")?.into_iter().next();
        let age = last.map(|last| last.age(now));
        Ok(age.map_or(Duration::ZERO, |age| self.settings.backup_every.0.saturating_sub(age)))
    }

    async fn back_up(&self) -> anyhow::Result<()> {
        self.folder.remove_partial().context("partial files of an earlier backup cannot be removed")?;
        let now = self.clock.now();
        let file = self.folder.file_of(now);
        let plan = BackupPlan { settings: &self.settings, file: &file, passphrase: None, with_key: false };
        let made = plan.make().await?;
        if let Err(error) = Backup::open(&file) {
            self.folder
                .set_aside(&file)
                .with_context(|| format!("the backup failed verification ({error}) and cannot be renamed"))?;
            return Err(error).context("the backup failed verification; check the disk");
        }
        if let Some(why) = &made.texts.why {
            tracing::warn!(
                "{} texts of the semantic cache are not in the backup: {}",
                made.texts.failed,
                chain(why)
            );
        }
        let bytes: u64 = made.manifest.parts.iter().map(|part| part.size).sum();
        tracing::info!("scheduled backup {} written, {bytes} bytes", file.display());
        self.record(&file).await;
        let keep = usize::try_from(self.settings.backup_keep).unwrap_or(usize::MAX);
        let removed = self.folder.prune(keep, self.clock.now()).context("old backups cannot be removed")?;
        if removed > 0 {
            tracing::info!("removed {removed} old backups; keeping {keep} (SVC_BACKUP_KEEP)");
        }
        Ok(())
    }

    /// Writes the audit log entry, which the metrics use. Failing to write it is only logged, because the backup
    /// exists.
    async fn record(&self, file: &Path) {
        let event = AuditEvent::of(Action::BackedUp, Kind::Database, None, &file.display().to_string());
        if let Err(error) = self.store.note(&Author::scheduler(self.clock.now()), event).await {
            tracing::warn!("cannot write the audit log entry of the backup: {}", chain(&error));
        }
    }
}

/// The delay after this many consecutive failures.
fn backoff(failures: u32, every: Duration) -> Duration {
    let doubled = BACKOFF_FIRST.saturating_mul(1 << failures.saturating_sub(1).min(20));
    doubled.min(every.max(BACKOFF_MAX_LEAST))
}

/// The folder of scheduled backups; `None` if they are off.
fn folder_of(settings: &Settings) -> Option<BackupFolder> {
    let path = settings.backup_dir.trim();
    (!path.is_empty()).then(|| BackupFolder::new(PathBuf::from(path)))
}

/// The state of scheduled backups, for `tributary doctor`.
#[derive(Debug, PartialEq, Eq)]
pub enum BackupState {
    Off,
    /// The folder cannot be read; the reason.
    Unknown(String),
    /// There is none, or the latest is older than two intervals.
    Late(Option<StoredBackup>),
    Fresh(StoredBackup),
}

impl BackupState {
    pub fn of(settings: &Settings, clock: &dyn Clock) -> Self {
        let Some(folder) = folder_of(settings) else { return Self::Off };
        let now = clock.now();
        match folder.list(now).map(|all| all.into_iter().next()) {
            Err(error) => Self::Unknown(format!("{}: {error}", folder.path().display())),
            Ok(Some(last)) if last.age(now) <= settings.backup_every.0 * 2 => Self::Fresh(last),
            Ok(last) => Self::Late(last),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use domain::ports::SystemClock;
    use domain::secret::Secret;
    use domain::settings::Seconds;
    use store::{EncryptionKey, StoreConfig};

    #[test]
    fn waits_after_failures_double_up_to_the_interval() {
        let minutes = |every: u64| {
            [1, 2, 3, 5, 9, 10, u32::MAX].map(|failures| {
                let wait = backoff(failures, Duration::from_secs(every * 60));
                wait.as_secs() / 60
            })
        };
        assert_eq!(minutes(24 * 60), [5, 10, 20, 80, 1280, 1440, 1440]);
        assert_eq!(minutes(1), [5, 10, 20, 60, 60, 60, 60], "an hour at least");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_backup_that_fails_is_not_tried_again_at_once() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("backups");
        let settings = Settings {
            backup_dir: path.display().to_string(),
            data_dir: place.path().join("data").display().to_string(),
            backup_every: Seconds::new(60),
            ..Settings::default()
        };
        let key = EncryptionKey::from_secret(&Secret::new("a test key"));
        let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 1, key };
        let schedule = BackupSchedule {
            folder: folder_of(&settings).unwrap(),
            settings: Arc::new(settings),
            store: Arc::new(SqlStore::open(config).await.unwrap()),
            clock: Arc::new(SystemClock),
        };
        let (_stop, stopped) = watch::channel(false);
        let mut failures = 0;
        for minutes in [5, 10, 20] {
            assert_eq!(schedule.check(&stopped, &mut failures).await.as_secs(), minutes * 60);
        }
        std::fs::create_dir(&path).unwrap();
        let other = schedule.folder.lock().unwrap();
        assert_eq!(schedule.check(&stopped, &mut failures).await, CHECK_MAX);
        assert_eq!(failures, 3, "another process writes, and may fail as well");
        drop(other);
        std::fs::write(schedule.folder.file_of(SystemClock.now()), "backup").unwrap();
        assert!(schedule.check(&stopped, &mut failures).await <= CHECK_MAX);
        assert_eq!(failures, 0, "a backup is there");
    }

    #[test]
    fn a_backup_is_late_after_two_intervals() {
        let place = tempfile::tempdir().unwrap();
        let folder = BackupFolder::new(place.path());
        let settings = Settings {
            backup_dir: place.path().display().to_string(),
            backup_every: Seconds::new(60),
            ..Settings::default()
        };
        let state = || BackupState::of(&settings, &SystemClock);
        assert_eq!(BackupState::of(&Settings::default(), &SystemClock), BackupState::Off);
        assert_eq!(state(), BackupState::Late(None));
        let write = |seconds| {
            std::fs::write(folder.file_of(SystemClock.now() - TimeDelta::seconds(seconds)), "backup")
                .unwrap();
        };
        write(1000);
        assert!(matches!(state(), BackupState::Late(Some(_))));
        write(90);
        assert!(matches!(state(), BackupState::Fresh(_)));
        let settings = Settings { backup_dir: "/nowhere/at/all".to_owned(), ..settings.clone() };
        assert!(matches!(BackupState::of(&settings, &SystemClock), BackupState::Unknown(_)));
    }
}
