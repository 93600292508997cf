//! Finishes the first run of a search with one call of the database, because nearly every search ends here. Later runs
//! replace result sets and compare themselves with the run before, which takes several steps.

use super::finish_first_run_postgres::finish_in_postgres;
use super::finish_first_run_sqlite::finish_in_sqlite;
use super::result_ranges::Range;
use super::run_texts::RunTexts;
use crate::db::Db;
use domain::ids::RunNumber;
use domain::notice::NOTICES_MAX;
use domain::ports::{FinishedRun, StoreError};
use domain::search::Search;

/// More are stored in several statements.
const SETS_MAX: usize = 500;
/// A search has fewer when its first run begins.
const EARLIER_NOTICES_MAX: usize = 100;

/// Whether the run can be stored in one call: it is the first of its search, it queried sources, its results are all
/// new, and there are not too many. PostgreSQL flushes such an end later: the change of status before it was flushed,
/// which a search without sources does not have.
pub(super) fn fits(finished: &FinishedRun, ranges: &[Range]) -> bool {
    let items: usize = finished.sets.iter().map(|set| set.items.len()).sum();
    finished.run == RunNumber::FIRST
        && finished.found.is_some()
        && ranges.iter().map(Range::len).sum::<usize>() == items
        && finished.sets.len() <= SETS_MAX
        && finished.notices.len() <= NOTICES_MAX - EARLIER_NOTICES_MAX
}

/// Writes the run unless it is obsolete, and returns its search.
pub(super) async fn finish_first_run(
    db: &Db,
    finished: &FinishedRun,
    ranges: &[Range],
    texts: RunTexts,
) -> Result<Option<Search>, StoreError> {
    match db {
        Db::Sqlite(pools) => finish_in_sqlite(pools, finished, ranges, texts).await,
        Db::Postgres(pools) => finish_in_postgres(pools, finished, ranges, texts).await,
    }
}
