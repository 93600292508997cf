//! A search and its result sets, for tests without a database.

use chrono::DateTime;
use domain::ids::{ProviderId, SearchId, UserId};
use domain::result::{ResultItem, ResultSet};
use domain::search::{Search, SearchSpec};
use domain::status::{ProviderStatus, SearchStatus};

/// A search whose results are being processed.
pub fn search(query: &str) -> Search {
    Search {
        id: SearchId(1),
        owner: UserId(1),
        spec: SearchSpec::of_query(query),
        query_string_processed: query.to_owned(),
        status: SearchStatus::PostResultProcessing,
        messages: Vec::new(),
        time_s: 0.0,
        run: 1,
        date_created: DateTime::UNIX_EPOCH,
        date_updated: DateTime::UNIX_EPOCH,
    }
}

/// The result set of one provider for [`search`].
pub fn set(provider: i64, query: &str, items: Vec<ResultItem>) -> ResultSet {
    let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
    ResultSet {
        search: SearchId(1),
        provider: ProviderId(provider),
        provider_name: format!("Provider {provider}"),
        status: ProviderStatus::Ok,
        error: None,
        found: count,
        retrieved: count,
        query_string_to_provider: query.to_owned(),
        query_to_provider: String::new(),
        query_processors: Vec::new(),
        result_processors: Vec::new(),
        messages: Vec::new(),
        time_s: 0.0,
        items,
        date_created: DateTime::UNIX_EPOCH,
        date_updated: DateTime::UNIX_EPOCH,
    }
}
