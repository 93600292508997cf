//! Progress events of a search.

use domain::ids::RunNumber;
use domain::result::ResultSet;
use domain::status::SearchStatus;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub enum SearchEvent {
    /// A provider finished in this run, successfully or not; its results are not yet ranked with the others.
    Provider {
        run: RunNumber,
        set: Arc<ResultSet>,
    },
    Status(SearchStatus),
    /// The row of the search was written or deleted, and should be read again.
    Changed,
}
