//! Atomic replacement of the key file under a lock, keeping former keys.

use super::{SecretKeys, read_key_file, write_private};
use crate::ownership;
use anyhow::Context;
use domain::secret::Secret;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use store::EncryptionKey;

/// Keys replaced by `tributary rekey`, newest first; older backups are encrypted with them.
pub const FORMER_KEYS_FILE: &str = "secret.key.before-rekey";
/// Locked by the command that replaces the key file.
const LOCK_FILE: &str = "secret.key.lock";

/// Locks the key file of this data folder against replacement by other commands. Otherwise two concurrent commands
/// could overwrite each other's new key and lose everything encrypted with it.
pub fn lock_key_file(data_dir: &Path) -> anyhow::Result<File> {
    let path = data_dir.join(LOCK_FILE);
    // The file may belong to another user.
    let file = File::open(&path).or_else(|_| File::create(&path));
    let file = file.with_context(|| format!("{} cannot be created", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => anyhow::bail!(
            "another `tributary rekey` or `tributary restore` is replacing the key in {}; nothing was changed. Wait \
             until it has finished, then run this again if the key should be replaced once more",
            data_dir.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", path.display()))
        }
    }
}

/// Saves keys that are about to be replaced next to the key file.
pub fn keep_former_keys(data_dir: &Path, replaced: &[Secret]) -> anyhow::Result<()> {
    let former = former_keys(data_dir)?;
    let mut all = replaced.iter().filter(|key| !former.contains(key)).chain(&former).cloned();
    match all.next() {
        Some(current) => {
            let path = data_dir.join(FORMER_KEYS_FILE);
            replace_key_file(&path, &SecretKeys { current, others: all.collect() })
        }
        None => Ok(()),
    }
}

/// The former key with this fingerprint, if there is one.
pub fn former_key(data_dir: &Path, fingerprint: &str) -> anyhow::Result<Option<Secret>> {
    let mut former = former_keys(data_dir)?.into_iter();
    Ok(former.find(|key| EncryptionKey::from_secret(key).has(fingerprint)))
}

fn former_keys(data_dir: &Path) -> anyhow::Result<Vec<Secret>> {
    let keys = read_key_file(&data_dir.join(FORMER_KEYS_FILE))?;
    Ok(keys.map_or_else(Vec::new, |keys| std::iter::once(keys.current).chain(keys.others).collect()))
}

/// Replaces the file atomically: readers see either the old or the new keys.
pub fn replace_key_file(path: &Path, keys: &SecretKeys) -> anyhow::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let temporary = PathBuf::from(temporary);
    // Left over from an interrupted command.
    match std::fs::remove_file(&temporary) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    write_private(&temporary, keys.lines().expose())?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let owned = if path.exists() { path } else { folder };
    ownership::chown_like(owned, &temporary)?;
    std::fs::rename(&temporary, path).with_context(|| format!("{} cannot be replaced", path.display()))?;
    if let Some(Ok(folder)) = path.parent().map(File::open) {
        let _not_everywhere = folder.sync_all();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::KEY_FILE;
    use super::super::tests::keys;
    use super::*;

    #[test]
    fn two_commands_cannot_replace_the_key_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let held = lock_key_file(folder.path()).unwrap();
        let refused = lock_key_file(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("Wait until it has finished"), "{refused}");
        drop(held);
        assert!(lock_key_file(folder.path()).is_ok(), "a lock ends with its command");
    }

    #[test]
    fn replaced_keys_are_kept_for_older_backups() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FORMER_KEYS_FILE);
        keep_former_keys(folder.path(), &[]).unwrap();
        assert!(!path.exists());
        for replaced in [["one", "zero"].as_slice(), &["two"], &["two", "one"]] {
            let replaced: Vec<Secret> = replaced.iter().copied().map(Secret::new).collect();
            keep_former_keys(folder.path(), &replaced).unwrap();
        }
        assert_eq!(former_keys(folder.path()).unwrap(), ["two", "one", "zero"].map(Secret::new));
        let one = Secret::new("one");
        let found = former_key(folder.path(), &EncryptionKey::from_secret(&one).fingerprint()).unwrap();
        assert_eq!(found, Some(one));
        assert_eq!(former_key(folder.path(), "of no key").unwrap(), None);
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_key_file_that_root_replaces_stays_readable_for_the_service() {
        use std::os::unix::fs::{MetadataExt, chown};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(KEY_FILE);
        write_private(&path, "old").unwrap();
        if chown(&path, Some(61_234), Some(61_234)).is_err() {
            return; // only root can change the owner
        }
        replace_key_file(&path, &keys("new", &["old"])).unwrap();
        let data = path.metadata().unwrap();
        assert_eq!((data.uid(), data.gid(), data.mode() & 0o777), (61_234, 61_234, 0o600));
    }
}
