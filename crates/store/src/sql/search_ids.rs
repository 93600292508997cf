//! Ids of searches in PostgreSQL whose start is flushed later. They are reserved by a statement that is flushed: an id
//! that a crash of the database takes back would be given again, and two runs would be taken for one.

use crate::db::Pools;
use crate::error::failure_during;
use domain::ids::SearchId;
use domain::ports::StoreError;
use sqlx::Postgres;
use tokio::sync::Mutex;

/// Ids per reservation; unused ones are skipped when the process ends.
const BLOCK: i64 = 32;

/// Reserved ids, the smallest last.
#[derive(Debug, Default)]
pub(crate) struct SearchIds(Mutex<Vec<i64>>);

impl SearchIds {
    pub(super) async fn take(&self, pools: &Pools<Postgres>) -> Result<SearchId, StoreError> {
        const TEXT: &str = "SELECT nextval(pg_get_serial_sequence('searches', 'id')) AS id \
             FROM generate_series(1, $1) ORDER BY id DESC";
        let mut reserved = self.0.lock().await;
        if reserved.is_empty() {
            *reserved = sqlx::query_scalar(TEXT)
                .bind(BLOCK)
                .fetch_all(&pools.write)
                .await
                .map_err(failure_during(concat!(module_path!(), ":", line!())))?;
        }
        let id = reserved.pop().ok_or_else(|| StoreError::failed("no id was reserved"))?;
        Ok(SearchId(id))
    }
}
