//! Copies the database so that the key of the copy is known, even if the key is replaced meanwhile.

use crate::secret_files::SecretKeys;
use crate::terminal;
use anyhow::bail;

/// Maximum number of attempts.
const COPIES_MAX: u32 = 3;

/// Copies the database and returns the copy with its keys. If the key is replaced during the copy, parts of it may be
/// encrypted with different keys, so the copy is repeated.
pub async fn copy_under_one_key<T>(
    read_keys: impl Fn() -> anyhow::Result<Option<SecretKeys>>,
    mut copy: impl AsyncFnMut() -> anyhow::Result<T>,
) -> anyhow::Result<(T, Option<SecretKeys>)> {
    for _ in 0..COPIES_MAX {
        let before = read_keys()?;
        let copied = copy().await?;
        let after = read_keys()?;
        if before == after {
            return Ok((copied, after));
        }
        terminal::note("The key was replaced while the database was copied; copying again.");
    }
    bail!(
        "the key was replaced repeatedly while the database was copied; wait for `tributary rekey` to finish"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};

    fn keys(lines: &str) -> Option<SecretKeys> {
        SecretKeys::parse(lines)
    }

    #[tokio::test]
    async fn a_key_that_is_replaced_while_the_database_is_copied_is_not_the_key_of_the_copy() {
        let in_file = RefCell::new(keys("old"));
        let states = [keys("new\nold"), keys("new"), keys("new")];
        let count = Cell::new(0);
        let copy = async || {
            in_file.replace(states[count.get()].clone());
            count.set(count.get() + 1);
            Ok(count.get())
        };
        let (copied, of_copy) = copy_under_one_key(|| Ok(in_file.borrow().clone()), copy).await.unwrap();
        assert_eq!((copied, of_copy), (3, keys("new")), "the copy that was made under one key");
    }

    #[tokio::test]
    async fn keys_that_keep_changing_are_an_error() {
        let count = Cell::new(0);
        let read = || {
            count.set(count.get() + 1);
            Ok(keys(&format!("key {}", count.get())))
        };
        let error = copy_under_one_key(read, async || Ok(())).await.unwrap_err().to_string();
        assert!(error.contains("wait for `tributary rekey`"), "{error}");
    }
}
