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
