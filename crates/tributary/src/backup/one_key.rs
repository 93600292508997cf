//! A copy of the database whose key is known, while the key may be replaced.

use crate::keys::SecretKeys;
use crate::terminal;
use anyhow::bail;

/// How often the database is copied when its key is replaced meanwhile.
const COPIES_MAX: u32 = 3;

/// A copy of the database, and the keys that open it. A key that was replaced while the database was copied may open the
/// one half of the copy only, so that the copy is made again.
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
        terminal::note("The key was replaced while the database was copied; it is copied again.");
    }
    bail!(
        "the key was replaced again and again while the database was copied; wait for `tributary rekey` to end"
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
    async fn keys_that_never_rest_are_said() {
        let count = Cell::new(0);
        let read = || {
            count.set(count.get() + 1);
            Ok(keys(&format!("key {}", count.get())))
        };
        let error = copy_under_one_key(read, async || Ok(())).await.unwrap_err().to_string();
        assert!(error.contains("wait for `tributary rekey`"), "{error}");
    }
}
