//! The folder of scheduled backups: which backups it holds, how old they are, and which of them may go.

use chrono::NaiveDateTime;
use domain::instant::Instant;
use std::fs::{File, TryLockError};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A scheduled backup is called after the time at which it was begun.
const NAME_START: &str = "tributary-";
const NAME_END: &str = ".backup";
const NAME_TIME: &str = "%Y%m%dT%H%M%SZ";
/// The end of the name of a file that is still being written.
const PARTIAL_END: &str = ".partial";
/// The end of the name of a backup that could not be read again after it was written.
const DAMAGED_END: &str = ".damaged";
/// Held by the process that writes a backup.
const LOCK_FILE: &str = ".tributary-backup.lock";

/// The folder that `SVC_BACKUP_DIR` names.
#[derive(Debug, Clone)]
pub struct BackupFolder {
    path: PathBuf,
}

/// A scheduled backup that is whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBackup {
    pub path: PathBuf,
    pub made: Instant,
}

impl StoredBackup {
    /// How long ago it was begun.
    pub fn age(&self, now: Instant) -> Duration {
        (now - self.made).to_std().unwrap_or_default()
    }
}

impl BackupFolder {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a backup that is begun now is written to.
    pub fn file_of(&self, now: Instant) -> PathBuf {
        self.path.join(format!("{NAME_START}{}{NAME_END}", now.format(NAME_TIME)))
    }

    /// The backups, the newest first. One of the future, from before the clock was put back, is not among them.
    pub fn list(&self, now: Instant) -> Result<Vec<StoredBackup>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            let made = entry.file_name().to_str().and_then(time_of).filter(|made| *made <= now);
            if let Some(made) = made {
                found.push(StoredBackup { path: entry.path(), made });
            }
        }
        found.sort_by_key(|one| std::cmp::Reverse(one.made));
        Ok(found)
    }

    /// Makes the caller the one that writes here; None while another one does.
    pub fn lock(&self) -> Result<Option<File>> {
        let file = File::create(self.path.join(LOCK_FILE))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Removes what a process that ended in the middle has left. Only for the one that holds the lock.
    pub fn remove_partial(&self) -> Result<()> {
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            let name = entry.file_name();
            let is_ours = |name: &str| name.starts_with(NAME_START) && name.ends_with(PARTIAL_END);
            if name.to_str().is_some_and(is_ours) {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Removes all but the newest; how many went. The newest one is never removed.
    pub fn prune(&self, keep: usize, now: Instant) -> Result<usize> {
        let mut all = self.list(now)?;
        let old = all.split_off(keep.max(1).min(all.len()));
        for one in &old {
            match std::fs::remove_file(&one.path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(Error::new(error.kind(), format!("{}: {error}", one.path.display())));
                }
                _ => {}
            }
        }
        Ok(old.len())
    }

    /// Takes a file that is no good backup out of the list. It is kept for whoever looks into it.
    pub fn set_aside(&self, file: &Path) -> Result<()> {
        let mut name = file.as_os_str().to_owned();
        name.push(DAMAGED_END);
        std::fs::rename(file, name)
    }
}

fn time_of(name: &str) -> Option<Instant> {
    let time = name.strip_prefix(NAME_START)?.strip_suffix(NAME_END)?;
    NaiveDateTime::parse_from_str(time, NAME_TIME).ok().map(|time| time.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{DateTime, TimeDelta};

    fn now() -> Instant {
        DateTime::from_timestamp(1_700_000_000, 0).unwrap()
    }

    fn folder_with(minutes_ago: &[i64]) -> (tempfile::TempDir, BackupFolder) {
        let place = tempfile::tempdir().unwrap();
        let folder = BackupFolder::new(place.path());
        for minutes in minutes_ago {
            std::fs::write(folder.file_of(now() - TimeDelta::minutes(*minutes)), "backup").unwrap();
        }
        (place, folder)
    }

    fn ages(folder: &BackupFolder) -> Vec<u64> {
        folder.list(now()).unwrap().iter().map(|one| one.age(now()).as_secs() / 60).collect()
    }

    #[test]
    fn only_backups_of_the_schedule_are_counted() {
        let (place, folder) = folder_with(&[5, 1, -60]);
        for other in ["monday", "tributary-monday.backup", "tributary-20230101T000000Z.backup.7.partial"] {
            std::fs::write(place.path().join(other), "other").unwrap();
        }
        assert_eq!(ages(&folder), [1, 5], "the newest first, and none of the future");
        folder.remove_partial().unwrap();
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 5);
    }

    #[test]
    fn pruning_keeps_the_newest_and_what_is_not_of_the_schedule() {
        for (keep, left) in [(0, vec![1]), (1, vec![1]), (2, vec![1, 2]), (9, vec![1, 2, 3])] {
            let (place, folder) = folder_with(&[3, 1, 2]);
            std::fs::write(place.path().join("monday"), "other").unwrap();
            assert_eq!(folder.prune(keep, now()).unwrap(), 3 - left.len());
            assert_eq!(ages(&folder), left, "{keep}");
            assert!(place.path().join("monday").exists());
        }
    }

    #[test]
    fn one_writes_at_a_time_and_a_damaged_one_is_set_aside() {
        let (_place, folder) = folder_with(&[1, 2]);
        let first = folder.lock().unwrap();
        assert!(first.is_some() && folder.lock().unwrap().is_none());
        drop(first);
        assert!(folder.lock().unwrap().is_some());
        folder.set_aside(&folder.file_of(now() - TimeDelta::minutes(1))).unwrap();
        assert_eq!(ages(&folder), [2]);
        assert!(BackupFolder::new("/nowhere/at/all").list(now()).is_err());
    }
}
