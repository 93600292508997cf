//! Files of the data folder that only their owner may read: the generated key and the first password.

use anyhow::Context;
use domain::secret::Secret;
use domain::settings::Settings;
use std::io::Write;
use std::path::Path;
use store::SealKey;

pub const KEY_FILE: &str = "secret.key";
pub const PASSWORD_FILE: &str = domain::password::INITIAL_PASSWORD_FILE;

/// The key that seals credentials: from the settings, else from the data folder, else made now.
pub fn seal_key(settings: &Settings, data_dir: &Path) -> anyhow::Result<SealKey> {
    let secret = match given_secret(settings, data_dir)? {
        Some(secret) => secret,
        None => {
            let made = random_text(48);
            write_private(&data_dir.join(KEY_FILE), &made)?;
            Secret::new(made)
        }
    };
    Ok(SealKey::from_secret(&secret))
}

/// The text of that key, if the settings or the data folder hold one. Makes none.
pub fn given_secret(settings: &Settings, data_dir: &Path) -> anyhow::Result<Option<Secret>> {
    if !settings.secret_key.is_empty() {
        return Ok(Some(settings.secret_key.clone()));
    }
    let path = data_dir.join(KEY_FILE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text.trim().to_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
    };
    anyhow::ensure!(!text.is_empty(), "{} is empty; restore it, or set SVC_SECRET_KEY", path.display());
    Ok(Some(Secret::new(text)))
}

/// Random letters and digits, easy to type: no look-alikes.
pub fn random_text(length: usize) -> String {
    const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    let pick = || LETTERS[rand::random_range(0..LETTERS.len())] as char;
    std::iter::repeat_with(pick).take(length).collect()
}

/// Writes a new file that only its owner may read; an existing one is not overwritten.
pub fn write_private(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).with_context(|| format!("{} cannot be made", path.display()))?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    Ok(())
}
