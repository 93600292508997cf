//! Ids of results, reserved in blocks by a separate statement, so that no transaction holds the counter and an
//! interrupted process blocks nobody.

use crate::db::{Db, first_row, on_db};
use crate::json::to_column;
use domain::ports::StoreError;
use std::ops::Range;
use tokio::sync::Mutex;

/// Ids per reservation; unused ones are skipped when the process ends.
pub(crate) const BLOCK: u64 = 1_000;

/// Reserved ids that are not yet assigned.
#[derive(Debug, Default)]
pub(crate) struct ResultIds {
    blocks: Mutex<Blocks>,
    /// Held while a block is reserved ahead.
    ahead: Mutex<()>,
}

#[derive(Debug, Default)]
struct Blocks {
    current: Range<i64>,
    /// Used when the current block is too short.
    next: Range<i64>,
    /// How many ids the next run will take, judged by the last ones.
    expected: u64,
}

impl Blocks {
    /// How many ids to reserve ahead; None if there are enough.
    fn count_to_reserve(&self) -> Option<u64> {
        let expected = to_column(self.expected.max(1));
        let is_low = left(&self.current) < to_column(BLOCK / 2).max(expected) && left(&self.next) < expected;
        is_low.then_some(self.expected.max(BLOCK))
    }
}

impl ResultIds {
    /// Returns the first of so many consecutive ids. Must not be called inside a transaction: it may need a
    /// connection.
    pub(crate) async fn take(&self, db: &Db, count: u64) -> Result<i64, StoreError> {
        let wanted = to_column(count);
        let mut blocks = self.blocks.lock().await;
        if left(&blocks.current) < wanted {
            blocks.current = if left(&blocks.next) < wanted {
                reserve(db, to_column(count.max(BLOCK))).await?
            } else {
                std::mem::take(&mut blocks.next)
            };
        }
        blocks.expected = count.max(blocks.expected / 2); // a single small one says little
        let taken = blocks.current.start;
        blocks.current.start += wanted;
        Ok(taken)
    }

    /// Reserves the next block if the current one is nearly used up, so that the end of a run need not wait for it.
    pub(crate) async fn reserve_ahead(&self, db: &Db) -> Result<(), StoreError> {
        let Ok(_only_one) = self.ahead.try_lock() else { return Ok(()) };
        let Some(count) = self.blocks.lock().await.count_to_reserve() else { return Ok(()) };
        // Others take ids meanwhile.
        let next = reserve(db, to_column(count)).await?;
        self.blocks.lock().await.next = next;
        Ok(())
    }
}

fn left(ids: &Range<i64>) -> i64 {
    ids.end - ids.start
}

async fn reserve(db: &Db, count: i64) -> Result<Range<i64>, StoreError> {
    const TEXT: &str = "UPDATE result_ids SET last_id = last_id + $1 RETURNING last_id";
    let last: Option<i64> =
        on_db!(db, write, db => first_row(sqlx::query_scalar(TEXT).bind(count).fetch_all(db)))?;
    let last = last.ok_or_else(|| StoreError::failed("the counter of result ids is missing"))?;
    Ok(last - count + 1..last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{STATEMENT_MAX, migrations};
    use domain::secret::Secret;

    #[tokio::test]
    async fn ids_are_in_a_row_and_never_given_twice() {
        let db = Db::open(&Secret::new("sqlite::memory:"), 1, STATEMENT_MAX).await.expect("opens");
        migrations::run(&db).await.expect("tables");
        let (one, other) = (ResultIds::default(), ResultIds::default());
        let (block, first) = (to_column(BLOCK), 1);
        assert_eq!(one.take(&db, 10).await.expect("ids"), first);
        assert_eq!(one.take(&db, 5).await.expect("ids"), first + 10, "from the same block");
        assert_eq!(other.take(&db, 1).await.expect("ids"), block + 1, "another process has its own block");
        assert_eq!(
            one.take(&db, BLOCK).await.expect("ids"),
            2 * block + 1,
            "a rest that is too short is left"
        );
        assert_eq!(one.take(&db, 3 * BLOCK).await.expect("ids"), 3 * block + 1, "more than a block");
        assert_eq!(other.take(&db, 1).await.expect("ids"), block + 2);
        assert_eq!(one.take(&db, 1).await.expect("ids"), 6 * block + 1);
    }

    #[tokio::test]
    async fn the_next_block_is_reserved_before_it_is_needed() {
        let db = Db::open(&Secret::new("sqlite::memory:"), 1, STATEMENT_MAX).await.expect("opens");
        migrations::run(&db).await.expect("tables");
        let ids = ResultIds::default();
        let block = to_column(BLOCK);
        for _ in 0..3 {
            ids.reserve_ahead(&db).await.expect("reserved");
        }
        assert_eq!(ids.take(&db, 400).await.expect("ids"), 1);
        ids.reserve_ahead(&db).await.expect("nothing to do");
        assert_eq!(ids.take(&db, 400).await.expect("ids"), 401);
        ids.reserve_ahead(&db).await.expect("reserved");
        let other = reserve(&db, block).await.expect("a block of another process");
        assert_eq!(other.start, 2 * block + 1, "one block was reserved at first, and one when it was low");
        assert_eq!(ids.take(&db, 400).await.expect("ids"), block + 1, "what was reserved ahead");
        assert_eq!(ids.take(&db, 2 * BLOCK).await.expect("ids"), 3 * block + 1, "more than a block");
        ids.reserve_ahead(&db).await.expect("reserved");
        assert_eq!(ids.take(&db, 2 * BLOCK).await.expect("ids"), 5 * block + 1, "as many as the last time");
    }
}
