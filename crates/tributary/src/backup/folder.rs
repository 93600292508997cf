//! The folder of scheduled backups: listing, locking and pruning.

use chrono::NaiveDateTime;
use domain::instant::Instant;
use std::fs::{File, TryLockError};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// File names of scheduled backups contain the start time.
const NAME_START: &str = "tributary-";
const NAME_END: &str = ".backup";
const NAME_TIME: &str = "%Y%m%dT%H%M%SZ";
/// Suffix of a file that is still being written.
const PARTIAL_END: &str = ".partial";
/// Suffix of a backup that failed verification.
const DAMAGED_END: &str = ".damaged";
/// Locked by the process that writes a backup.
const LOCK_FILE: &str = ".tributary-backup.lock";

/// The folder that `SVC_BACKUP_DIR` names.
#[derive(Debug, Clone)]
pub struct BackupFolder {
    path: PathBuf,
}

/// A complete scheduled backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBackup {
    pub path: PathBuf,
    pub made: Instant,
}

impl StoredBackup {
    /// Time since the backup was started.
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

    /// The path of a backup started at this time.
    pub fn file_of(&self, now: Instant) -> PathBuf {
        self.path.join(format!("{NAME_START}{}{NAME_END}", now.format(NAME_TIME)))
    }

    /// The backups, newest first, without those in the future, which predate a clock change.
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

    /// Locks the folder for writing; `None` if another process holds the lock.
    pub fn lock(&self) -> Result<Option<File>> {
        let file = open_lock(&self.path.join(LOCK_FILE))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Removes partial files of crashed processes. Requires the lock. Files with other names are kept, because they may
    /// be manual backups in progress.
    pub fn remove_partial(&self) -> Result<()> {
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(is_partial) {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Removes all but the newest `keep` backups, never the newest one. Returns the number of removed backups.
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

    /// Renames a damaged backup so that it is not listed. Only the latest one is kept for inspection.
    pub fn set_aside(&self, file: &Path) -> Result<()> {
        let mut kept = file.as_os_str().to_owned();
        kept.push(DAMAGED_END);
        std::fs::rename(file, &kept)?;
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            let is_kept = Some(entry.file_name().as_os_str()) == Path::new(&kept).file_name();
            if !is_kept && entry.file_name().to_str().is_some_and(is_damaged) {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

/// Opens the lock file without following links or truncating, because other users may be able to write to the folder.
fn open_lock(path: &Path) -> Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options.open(path).map_err(|error| {
        let next = if path.is_symlink() {
            "it is a symbolic link; remove it"
        } else {
            "make it writable for this user"
        };
        Error::new(error.kind(), format!("{}: {error}; {next}", path.display()))
    })
}

/// Whether this is the partial file of a scheduled backup: `<name of the backup>.<process>.partial`.
fn is_partial(name: &str) -> bool {
    let backup = name.strip_suffix(PARTIAL_END).and_then(|name| name.rsplit_once('.'));
    backup.is_some_and(|(backup, _process)| time_of(backup).is_some())
}

fn is_damaged(name: &str) -> bool {
    name.strip_suffix(DAMAGED_END).is_some_and(|backup| time_of(backup).is_some())
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
        assert_eq!(ages(&folder), [1, 5], "newest first, without those in the future");
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

    #[test]
    fn the_unfinished_backup_of_somebody_else_is_kept() {
        let (place, folder) = folder_with(&[]);
        let others =
            ["tributary-monday.7.partial", "tributary-monday.backup.7.partial", "tributary-.partial"];
        let own = "tributary-20230101T000000Z.backup.7.partial";
        for name in others.iter().chain([&own]) {
            std::fs::write(place.path().join(name), "half").unwrap();
        }
        folder.remove_partial().unwrap();
        assert!(!place.path().join(own).exists());
        for name in others {
            assert!(place.path().join(name).exists(), "{name}");
        }
    }

    #[test]
    fn damaged_backups_do_not_pile_up() {
        let (place, folder) = folder_with(&[3, 2, 1]);
        let other = place.path().join("tributary-monday.backup.damaged");
        std::fs::write(&other, "of somebody else").unwrap();
        for minutes in [3, 2] {
            folder.set_aside(&folder.file_of(now() - TimeDelta::minutes(minutes))).unwrap();
        }
        let file = |minutes| folder.file_of(now() - TimeDelta::minutes(minutes)).display().to_string();
        assert!(Path::new(&format!("{}.damaged", file(2))).exists(), "the newest is kept");
        assert!(!Path::new(&format!("{}.damaged", file(3))).exists());
        assert!(other.exists());
        assert_eq!(ages(&folder), [1]);
    }

    #[cfg(unix)]
    #[test]
    fn the_lock_neither_follows_a_link_nor_empties_a_file() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (place, folder) = folder_with(&[]);
        let (lock, target) = (place.path().join(LOCK_FILE), place.path().join("monday"));
        std::fs::write(&target, "content").unwrap();
        symlink(&target, &lock).unwrap();
        let refused = folder.lock().unwrap_err().to_string();
        assert!(refused.contains("remove it") && refused.contains(LOCK_FILE), "{refused}");
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "content");
        std::fs::remove_file(&lock).unwrap();
        symlink(place.path().join("not there"), &lock).unwrap();
        assert!(folder.lock().is_err() && !place.path().join("not there").exists());
        std::fs::remove_file(&lock).unwrap();
        assert!(folder.lock().unwrap().is_some());
        assert_eq!(lock.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::write(&lock, "content").unwrap();
        assert!(folder.lock().unwrap().is_some());
        assert_eq!(std::fs::read_to_string(&lock).unwrap(), "content");
    }
}
