//! Files in the data folder that only their owner may read: the encryption keys and the initial password.

mod replacement;

pub use replacement::{FORMER_KEYS_FILE, former_key, keep_former_keys, lock_key_file, replace_key_file};

use anyhow::Context;
use domain::secret::Secret;
use domain::settings::Settings;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use store::{EncryptionKey, KeySource};

pub const KEY_FILE: &str = "secret.key";
pub const PASSWORD_FILE: &str = domain::password::INITIAL_PASSWORD_FILE;
/// Length of a generated key.
const KEY_CHARS: usize = 48;

/// The keys that protect credentials. The current one encrypts and decrypts, the others only decrypt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretKeys {
    pub current: Secret,
    pub others: Vec<Secret>,
}

impl SecretKeys {
    /// Parses a key file: one key per line, the current one first.
    pub fn parse(text: &str) -> Option<Self> {
        let mut keys = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(Secret::new);
        Some(Self { current: keys.next()?, others: keys.collect() })
    }

    /// The content of a key file.
    pub fn lines(&self) -> Secret {
        let keys = std::iter::once(&self.current).chain(&self.others);
        Secret::new(keys.map(Secret::expose).collect::<Vec<&str>>().join("\n"))
    }

    pub fn seal_key(&self) -> EncryptionKey {
        EncryptionKey::from_secrets(&self.current, &self.others)
    }
}

/// The encryption keys: from the settings, else from the data folder, else newly generated.
pub fn seal_key(settings: &Settings, data_dir: &Path) -> anyhow::Result<EncryptionKey> {
    if let Some(keys) = existing_keys(settings, data_dir)? {
        let key = keys.seal_key();
        return Ok(if settings.secret_key.is_empty() {
            key.with_source(Arc::new(KeyFile::new(data_dir, settings.secret_key_old.clone())))
        } else {
            key
        });
    }
    let made = Secret::new(random_text(KEY_CHARS));
    write_private(&data_dir.join(KEY_FILE), made.expose())?;
    let file = KeyFile::new(data_dir, settings.secret_key_old.clone());
    Ok(EncryptionKey::from_secret(&made).with_source(Arc::new(file)))
}

/// The keys from the settings or the data folder, if any. Generates none.
pub fn existing_keys(settings: &Settings, data_dir: &Path) -> anyhow::Result<Option<SecretKeys>> {
    let keys = if settings.secret_key.is_empty() {
        read_key_file(&data_dir.join(KEY_FILE))?
    } else {
        Some(SecretKeys { current: settings.secret_key.clone(), others: Vec::new() })
    };
    Ok(keys.map(|mut keys| {
        keys.others.extend(Some(settings.secret_key_old.clone()).filter(|old| !old.is_empty()));
        keys
    }))
}

/// Reads a key file; `None` if it does not exist.
pub fn read_key_file(path: &Path) -> anyhow::Result<Option<SecretKeys>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
    };
    let keys = SecretKeys::parse(&text);
    let empty = || format!("{} is empty; restore it, or set SVC_SECRET_KEY", path.display());
    keys.map(Some).with_context(empty)
}

/// Generates a key for `tributary rekey`.
pub fn new_key() -> Secret {
    Secret::new(random_text(KEY_CHARS))
}

/// The key file of a running service; reread when it changes.
struct KeyFile {
    path: PathBuf,
    also: Secret,
    stamp: Mutex<Option<Stamp>>,
}

/// Modification time, length and inode, to detect changes.
type Stamp = (Option<SystemTime>, u64, u64);

impl KeyFile {
    fn new(data_dir: &Path, also: Secret) -> Self {
        let path = data_dir.join(KEY_FILE);
        let stamp = Mutex::new(stamp(&path));
        Self { path, also, stamp }
    }
}

impl KeySource for KeyFile {
    fn changed(&self) -> Option<Vec<Secret>> {
        let now = stamp(&self.path)?;
        let mut known = self.stamp.lock().unwrap_or_else(PoisonError::into_inner);
        if *known == Some(now) {
            return None;
        }
        let keys = read_key_file(&self.path).ok()??;
        *known = Some(now);
        let also = Some(self.also.clone()).filter(|also| !also.is_empty());
        Some(std::iter::once(keys.current).chain(keys.others).chain(also).collect())
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let data = path.metadata().ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&data);
    #[cfg(not(unix))]
    let number = 0;
    Some((data.modified().ok(), data.len(), number))
}

/// Random characters that are easy to type, without look-alikes.
pub fn random_text(length: usize) -> String {
    const ALPHABET: &[u8] = b"abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    let pick = || ALPHABET[rand::random_range(0..ALPHABET.len())] as char;
    std::iter::repeat_with(pick).take(length).collect()
}

/// Writes a new file that only its owner may read; fails if it exists.
pub fn write_private(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).with_context(|| format!("{} cannot be created", path.display()))?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn keys(current: &str, others: &[&str]) -> SecretKeys {
        let others = others.iter().copied().map(Secret::new).collect();
        SecretKeys { current: Secret::new(current), others }
    }

    #[test]
    fn a_key_file_has_a_key_in_each_line() {
        assert_eq!(SecretKeys::parse("new\n old \n\n"), Some(keys("new", &["old"])));
        assert_eq!(SecretKeys::parse(keys("a", &["b", "c"]).lines().expose()), Some(keys("a", &["b", "c"])));
        assert_eq!(SecretKeys::parse(" \n"), None);
    }

    #[test]
    fn a_running_program_sees_another_key_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(KEY_FILE);
        write_private(&path, "old").unwrap();
        let file = KeyFile::new(folder.path(), Secret::new("also"));
        assert!(file.changed().is_none());
        replace_key_file(&path, &keys("new", &["old"])).unwrap();
        assert_eq!(file.changed(), Some(["new", "old", "also"].map(Secret::new).to_vec()));
        assert!(file.changed().is_none());
        std::fs::write(folder.path().join("secret.key.new"), "left behind").unwrap();
        replace_key_file(&path, &keys("new", &[])).unwrap();
        assert_eq!(read_key_file(&path).unwrap(), Some(keys("new", &[])));
        std::fs::remove_file(&path).unwrap();
        assert!(file.changed().is_none(), "a deleted file changes nothing");
    }
}
