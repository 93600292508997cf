//! A search and its sets, for the tests of the processors.

use domain::ids::{ProviderId, SearchId, UserId};
use domain::instant::Instant;
use domain::result::{ResultItem, ResultSet};
use domain::search::{Search, SearchDraft};
use domain::status::{ProviderStatus, SearchStatus};

pub fn search(query: &str) -> Search {
    Search {
        id: SearchId(1),
        owner: UserId(1),
        draft: SearchDraft::of_query(query),
        query_string_processed: query.to_owned(),
        status: SearchStatus::PostResultProcessing,
        messages: Vec::new(),
        time_s: 0.0,
        run: 1,
        date_created: Instant::UNIX_EPOCH,
        date_updated: Instant::UNIX_EPOCH,
    }
}

pub fn set(provider: i64, query: &str, items: Vec<ResultItem>) -> ResultSet {
    ResultSet {
        search: SearchId(1),
        provider: ProviderId(provider),
        provider_name: format!("Provider {provider}"),
        status: ProviderStatus::Ok,
        error: None,
        found: items.len() as u64,
        retrieved: items.len() as u64,
        query_string_to_provider: query.to_owned(),
        query_to_provider: String::new(),
        query_processors: Vec::new(),
        result_processors: Vec::new(),
        messages: Vec::new(),
        time_s: 0.0,
        items,
        date_created: Instant::UNIX_EPOCH,
        date_updated: Instant::UNIX_EPOCH,
    }
}

pub fn item(title: &str, url: &str, confidence: f64, score: f64) -> ResultItem {
    ResultItem {
        title: title.to_owned(),
        url: url.to_owned(),
        swirl_confidence_score: confidence,
        swirl_score: score,
        ..ResultItem::default()
    }
}

/// The titles that stay in each set, each with the titles listed under it.
pub fn listed(sets: &[ResultSet]) -> Vec<Vec<String>> {
    let shown = |item: &ResultItem| {
        let under: Vec<&str> = item.duplicates.iter().map(|duplicate| duplicate.title.as_str()).collect();
        format!("{}[{}]", item.title, under.join(" "))
    };
    sets.iter().map(|set| set.items.iter().map(shown).collect()).collect()
}
