//! The status column of searches: its conditions in SQL and its parser.

use domain::ports::StoreError;
use domain::status::SearchStatus;

/// True for the latest run of an unfinished search. Final statuses are those with these names.
macro_rules! is_running {
    () => {
        "id = $1 AND run = $2 AND status NOT LIKE '%_READY' AND status NOT LIKE 'ERR_%'"
    };
}

/// True for a finished search.
macro_rules! is_over {
    () => {
        "(status LIKE '%_READY' OR status LIKE 'ERR_%')"
    };
}
pub(super) use is_over;
pub(super) use is_running;

pub(super) fn parse_status(id: i64, text: &str) -> Result<SearchStatus, StoreError> {
    SearchStatus::parse(text).ok_or_else(|| StoreError::Failed(format!("search {id} has an unknown status")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fence_knows_every_final_status() {
        for status in SearchStatus::ALL {
            let name = status.as_str();
            assert_eq!(name.ends_with("_READY") || name.starts_with("ERR_"), status.is_final(), "{name}");
        }
    }
}
