//! Rules for new passwords.

use crate::validation::FieldErrors;
use std::sync::LazyLock;

pub const PASSWORD_CHARS_MIN: usize = 8;
pub const PASSWORD_CHARS_MAX: usize = 256;

/// The file in the data folder with the password of the first administrator until it is changed.
pub const INITIAL_PASSWORD_FILE: &str = "initial-admin-password";
/// The name of the first administrator.
pub const INITIAL_ADMIN: &str = "admin";

/// The most common passwords of at least [`PASSWORD_CHARS_MIN`] characters, in lower case, sorted. `NOTICE` names the
/// source.
static COMMON: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("../data/common-passwords.txt").lines().collect());

/// Checks a new password of the user with this name.
pub fn check_password(errors: &mut FieldErrors, password: &str, username: &str) {
    let count = password.chars().count();
    errors.check((PASSWORD_CHARS_MIN..=PASSWORD_CHARS_MAX).contains(&count), "password", || {
        format!("Use {PASSWORD_CHARS_MIN} to {PASSWORD_CHARS_MAX} characters.")
    });
    let folded = password.trim().to_lowercase();
    errors.check(folded != username.to_lowercase(), "password", || {
        "Use a password that is not the user name.".to_owned()
    });
    errors.check(COMMON.binary_search(&folded.as_str()).is_err(), "password", || {
        "This password is one of the most common ones and is guessed first; use another.".to_owned()
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_passwords_and_the_own_name_are_refused() {
        let table = [
            ("password", false),
            ("Password", false),
            ("12345678", false),
            ("qwertyuiop", false),
            (" iloveyou ", false),
            ("ann.of.cleves", false),
            ("Ann.Of.Cleves", false),
            ("ann.of.cleves!", true),
            ("correct horse", true),
            ("short", false),
            ("", false),
        ];
        for (password, is_good) in table {
            let mut errors = FieldErrors::default();
            check_password(&mut errors, password, "ann.of.cleves");
            assert_eq!(errors.is_empty(), is_good, "{password}");
        }
    }

    #[test]
    fn the_list_can_be_searched() {
        assert!(COMMON.len() > 10_000);
        assert!(COMMON.is_sorted());
        assert!(COMMON.iter().all(|word| word.len() >= PASSWORD_CHARS_MIN && word.to_lowercase() == **word));
    }
}
