//! Password hashes: argon2id, each with its own salt.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use domain::password::{INITIAL_ADMIN, INITIAL_PASSWORD_FILE};
use std::io::ErrorKind;
use std::path::Path;

/// Checked if there is no stored hash, so that an unknown user takes the same time. It belongs to no password.
pub(crate) const DECOY: &str = "$argon2id$v=19$m=19456,t=2,p=1$dHJpYnV0YXJ5LWRlY295IQ$\
     AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

#[derive(Debug, thiserror::Error)]
#[error("the password could not be hashed: {0}")]
pub struct PasswordError(#[source] argon2::password_hash::Error);

/// The hash to store. Slow by design.
pub fn hash(password: &str) -> Result<String, PasswordError> {
    Argon2::default()
        .hash_password(password.as_bytes())
        .map(|hash: argon2::password_hash::phc::PasswordHash| hash.to_string())
        .map_err(PasswordError)
}

/// Removes the file with the first administrator's password after that password was changed.
pub fn forget_initial(data_dir: &Path, username: &str) {
    if username != INITIAL_ADMIN {
        return;
    }
    let file = data_dir.join(INITIAL_PASSWORD_FILE);
    match std::fs::remove_file(&file) {
        Ok(()) => tracing::info!("{} was removed: the password was changed", file.display()),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => tracing::warn!("{} cannot be removed: {error}; remove it by hand", file.display()),
    }
}

/// Slow by design.
pub(crate) fn matches(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|parsed| Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_matches_its_own_hash_only() {
        let stored = hash("correct horse").expect("a hash");
        assert!(matches("correct horse", &stored));
        assert!(!matches("correct horse ", &stored));
        assert!(!matches("correct horse", "not a hash"));
        assert_ne!(stored, hash("correct horse").expect("a hash"), "each has its own salt");
    }

    #[test]
    fn the_decoy_costs_what_a_real_hash_costs() {
        let real = hash("x").expect("a hash");
        let parameters = |hash: &str| hash.split('$').take(4).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(parameters(&real), parameters(DECOY));
        assert_eq!(real.len(), DECOY.len());
        assert!(PasswordHash::new(DECOY).is_ok());
        assert!(!matches("x", DECOY));
    }
}
