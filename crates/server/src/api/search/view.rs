//! Response body of a search.

use crate::links::Links;
use chrono::{DateTime, Utc};
use domain::ids::SearchId;
use domain::message;
use domain::search::{Search, SearchSpec};
use domain::status::SearchStatus;
use serde::Serialize;

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Search)]
pub struct SearchView {
    id: SearchId,
    /// User name of the owner.
    owner: String,
    #[serde(flatten)]
    spec: SearchSpec,
    /// The query after the pre-query processors.
    query_string_processed: String,
    status: SearchStatus,
    /// Notices; the first one names the service and its version.
    messages: Vec<String>,
    /// The results, ordered by the search's mixer.
    result_url: String,
    /// The results that an update added.
    new_result_url: String,
    /// Of a subscribed search in a list: how many results are marked as new.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_results: Option<u64>,
    date_created: DateTime<Utc>,
    date_updated: DateTime<Utc>,
}

impl SearchView {
    pub fn of(search: Search, owner: &str, links: &Links) -> Self {
        let new_items = new_items_mixer(&search.spec.result_mixer);
        Self {
            id: search.id,
            owner: owner.to_owned(),
            result_url: links.results(search.id, &search.spec.result_mixer),
            new_result_url: links.results(search.id, new_items),
            spec: search.spec,
            query_string_processed: search.query_string_processed,
            status: search.status,
            messages: with_banner(search.messages),
            new_results: None,
            date_created: search.date_created,
            date_updated: search.date_updated,
        }
    }

    /// Adds the number of its new results.
    pub fn with_new(self, new_results: Option<u64>) -> Self {
        Self { new_results, ..self }
    }
}

/// The mixer that shows the new results in the order of the search's own mixer. `sort` is ignored: every update sets it
/// to `date`, and a mixer by date hides results without one.
fn new_items_mixer(result_mixer: &str) -> &'static str {
    match result_mixer {
        "DateMixer" | "DateNewItemsMixer" => "DateNewItemsMixer",
        _ => "RelevancyNewItemsMixer",
    }
}

/// The banner of the program that accepted the search comes first, and once.
fn with_banner(messages: Vec<String>) -> Vec<String> {
    let (banners, rest): (Vec<_>, Vec<_>) = messages.into_iter().partition(|line| message::is_banner(line));
    let banner = banners.into_iter().next().unwrap_or_else(message::banner);
    std::iter::once(banner).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banner_stands_first_and_once() {
        let banner = message::banner();
        for stored in [vec!["a".to_owned()], vec![banner.clone(), "a".to_owned()]] {
            assert_eq!(with_banner(stored), [banner.clone(), "a".to_owned()]);
        }
        let earlier = ["Tributary 0.1.0".to_owned(), "a".to_owned()];
        assert_eq!(with_banner(earlier.to_vec()), earlier, "after an upgrade");
    }
}
