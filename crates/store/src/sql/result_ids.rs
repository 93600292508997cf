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
#[derive(Debug)]
pub(crate) struct ResultIds(Mutex<Range<i64>>);

impl Default for ResultIds {
    fn default() -> Self {
        Self(Mutex::new(0..0))
    }
}

impl ResultIds {
    /// Returns the first of so many consecutive ids. Must not be called inside a transaction: it may need a
    /// connection.
    pub(crate) async fn take(&self, db: &Db, count: u64) -> Result<i64, StoreError> {
        let wanted = to_column(count);
        let mut reserved = self.0.lock().await;
        if reserved.end - reserved.start < wanted {
            *reserved = reserve(db, to_column(count.max(BLOCK))).await?;
        }
        let taken = reserved.start;
        reserved.start += wanted;
        Ok(taken)
    }
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
}
