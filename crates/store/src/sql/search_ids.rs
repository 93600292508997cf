//! Ids of searches in PostgreSQL whose start is flushed later. They are reserved by a statement that is flushed: an id
//! that a crash of the database takes back would be given again, and two runs would be taken for one.

use crate::db::{PostgresPools, on_connection};
use domain::ids::SearchId;
use domain::ports::StoreError;
use tokio::sync::Mutex;

/// Ids per reservation; unused ones are skipped when the process ends.
const BLOCK: i64 = 32;
/// If fewer are left, the next ones are reserved ahead.
const LOW: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct SearchIds {
    /// Reserved ids, the smallest last.
    reserved: Mutex<Vec<i64>>,
    /// Held while ids are reserved ahead.
    ahead: Mutex<()>,
}

impl SearchIds {
    pub(super) async fn take(&self, pools: &PostgresPools) -> Result<SearchId, StoreError> {
        let mut reserved = self.reserved.lock().await;
        if reserved.is_empty() {
            *reserved = reserve(pools).await?;
        }
        let id = reserved.pop().ok_or_else(|| StoreError::failed("no id was reserved"))?;
        Ok(SearchId(id))
    }

    /// Reserves more ids if few are left, so that the next searches need not wait for them. Does nothing in a process
    /// that uses none.
    pub(super) async fn reserve_ahead(&self, pools: &PostgresPools) -> Result<(), StoreError> {
        let Ok(_only_one) = self.ahead.try_lock() else { return Ok(()) };
        let left = self.reserved.lock().await.len();
        if left == 0 || left >= LOW {
            return Ok(());
        }
        // Others take ids meanwhile.
        let more = reserve(pools).await?;
        let mut reserved = self.reserved.lock().await;
        reserved.extend(more);
        reserved.sort_unstable_by(|one, other| other.cmp(one));
        Ok(())
    }
}

/// The ids, the smallest last.
async fn reserve(pools: &PostgresPools) -> Result<Vec<i64>, StoreError> {
    const TEXT: &str = "SELECT nextval(pg_get_serial_sequence('searches', 'id')) AS id \
         FROM generate_series(1, $1) ORDER BY id DESC";
    on_connection!(pools.write, connection => sqlx::query_scalar(TEXT).bind(BLOCK).fetch_all(connection))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Db;
    use crate::{STATEMENT_MAX, migrations};
    use domain::secret::Secret;

    async fn open(url: String) -> PostgresPools {
        let db = Db::open(&Secret::new(url), 2, STATEMENT_MAX).await.expect("opens");
        migrations::run(&db).await.expect("tables");
        let Db::Postgres(pools) = db else { panic!("this is PostgreSQL") };
        pools
    }

    /// Takes as many, one after the other.
    async fn take(ids: &SearchIds, pools: &PostgresPools, count: i64) -> Vec<i64> {
        let mut taken = Vec::new();
        for _ in 0..count {
            taken.push(ids.take(pools).await.expect("an id").0);
        }
        taken
    }

    async fn close(pools: PostgresPools) {
        Db::Postgres(pools).close().await;
    }

    #[tokio::test]
    async fn ids_ascend_and_are_never_given_twice() {
        let Some(server) = testkit::postgres::server("ids of searches") else { return };
        testkit::postgres::with_database(&server, |url| async move {
            let pools = open(url).await;
            let (one, other) = (SearchIds::default(), SearchIds::default());
            assert_eq!(take(&one, &pools, 2).await, [1, 2]);
            assert_eq!(take(&other, &pools, 1).await, [BLOCK + 1], "another process has its own block");
            assert_eq!(take(&one, &pools, BLOCK - 2).await, (3..=BLOCK).collect::<Vec<_>>());
            assert_eq!(take(&one, &pools, 1).await, [2 * BLOCK + 1]);
            assert_eq!(take(&other, &pools, 1).await, [BLOCK + 2]);
            close(pools).await;
        })
        .await;
    }

    #[tokio::test]
    async fn the_next_ids_are_reserved_before_they_are_needed() {
        let Some(server) = testkit::postgres::server("ids of searches that are reserved ahead") else {
            return;
        };
        testkit::postgres::with_database(&server, |url| async move {
            let pools = open(url).await;
            let (ids, low) = (SearchIds::default(), i64::try_from(LOW).expect("a number"));
            ids.reserve_ahead(&pools).await.expect("nothing to do");
            assert!(ids.reserved.lock().await.is_empty(), "a process that used none reserves none");
            let mut taken = take(&ids, &pools, BLOCK - low).await;
            ids.reserve_ahead(&pools).await.expect("nothing to do");
            assert_eq!(ids.reserved.lock().await.len(), LOW, "enough are left");
            taken.extend(take(&ids, &pools, 1).await);
            for _ in 0..2 {
                ids.reserve_ahead(&pools).await.expect("reserved");
            }
            let other = SearchIds::default();
            assert_eq!(take(&other, &pools, 1).await, [2 * BLOCK + 1], "they were reserved once");
            taken.extend(take(&ids, &pools, BLOCK + low - 1).await);
            assert_eq!(taken, (1..=2 * BLOCK).collect::<Vec<_>>(), "the rest of the old ones first");
            close(pools).await;
        })
        .await;
    }
}
