//! The row of a search.

use super::status::parse_status;
use crate::row::row;
use domain::ids::{RunNumber, SearchId, UserId};
use domain::instant::Instant;
use domain::notice::StoredNotices;
use domain::ports::StoreError;
use domain::search::{Search, SearchSpec};
use sqlx::types::Json;

macro_rules! columns {
    () => {
        "id, owner, draft, query_string_processed, status, messages, notices, time_s, run, \
         date_created, date_updated"
    };
}
pub(super) use columns;

row! {
    pub(super) struct SearchRow {
        id: i64,
        owner: i64,
        draft: Json<SearchSpec>,
        query_string_processed: String,
        status: String,
        messages: Json<Vec<String>>,
        notices: Json<StoredNotices>,
        time_s: f64,
        run: i64,
        date_created: Instant,
        date_updated: Instant,
    }
}

impl TryFrom<SearchRow> for Search {
    type Error = StoreError;

    fn try_from(row: SearchRow) -> Result<Self, StoreError> {
        let status = parse_status(row.id, &row.status)?;
        Ok(Self {
            id: SearchId(row.id),
            owner: UserId(row.owner),
            spec: row.draft.0,
            query_string_processed: row.query_string_processed,
            status,
            notices: row.notices.0.restore(row.messages.0),
            time_s: row.time_s,
            run: RunNumber(row.run),
            date_created: row.date_created,
            date_updated: row.date_updated,
        })
    }
}
