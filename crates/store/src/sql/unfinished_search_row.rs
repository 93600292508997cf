//! The row of an unfinished search.

use crate::row::row;
use domain::ids::{RunNumber, SearchId, UserId};
use domain::instant::Instant;
use domain::ports::UnfinishedSearch;
use domain::status::SearchStatus;

row! {
    /// An unfinished search: its run, its status, and whether it has results.
    #[derive(Debug, Clone)]
    pub(crate) struct UnfinishedSearchRow {
        pub id: i64,
        pub owner: i64,
        pub run: i64,
        pub status: String,
        pub date_updated: Instant,
        pub has_results: bool,
    }
}

impl UnfinishedSearchRow {
    /// A new run has no results until its end, so a run with results is an update; the status shows that only at its
    /// beginning.
    pub(crate) fn search(self) -> UnfinishedSearch {
        UnfinishedSearch {
            id: SearchId(self.id),
            owner: UserId(self.owner),
            run: RunNumber(self.run),
            is_update: self.has_results || self.status == SearchStatus::UpdateSearch.as_str(),
            date_updated: self.date_updated,
        }
    }
}
