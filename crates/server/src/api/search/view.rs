//! Response body of a search.

use crate::auth::Caller;
use crate::error::ApiError;
use crate::links::Links;
use crate::preconditions::Versioned;
use crate::state::AppState;
use chrono::{DateTime, Utc};
use domain::ids::SearchId;
use domain::notice::{self, Notice};
use domain::ports::PluginRegistry;
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
    /// The log of the federation, in order: what the search, its providers and its processors did. The first line names
    /// the service and its version.
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
    pub fn of(search: Search, owner: &str, links: &Links, plugins: &PluginRegistry) -> Self {
        let mixer = search.spec.result_mixer.as_str();
        // `sort` is ignored: every update sets it to `date`, and a mixer by date hides results without one.
        let new_items = plugins.new_items_mixer(mixer).map_or(mixer, |kind| kind.name);
        Self {
            id: search.id,
            owner: owner.to_owned(),
            result_url: links.results(search.id, mixer),
            new_result_url: links.results(search.id, new_items),
            spec: search.spec,
            query_string_processed: search.query_string_processed,
            status: search.status,
            messages: with_banner(search.notices),
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

/// A stored search with the log of its providers.
pub async fn versioned_view(
    state: &AppState,
    caller: &Caller,
    links: &Links,
    mut search: Search,
) -> Result<Versioned<SearchView>, ApiError> {
    let version = search.version();
    state.federation.reader.complete_notices(std::slice::from_mut(&mut search)).await?;
    let view = SearchView::of(search, &caller.principal.username, links, &state.plugins);
    Ok(Versioned::new(version, view))
}

/// The banner of the program that accepted the search comes first, and once.
fn with_banner(notices: Vec<Notice>) -> Vec<String> {
    let (banner, rest) = notice::split_banner(notices);
    std::iter::once(banner).chain(rest).map(|notice| notice.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::notice::NoticeKind;

    #[test]
    fn the_banner_stands_first_and_once() {
        let rerun = Notice::new(Default::default(), NoticeKind::RerunRequested);
        for stored in [vec![rerun.clone()], vec![Notice::banner(), rerun.clone()]] {
            assert_eq!(with_banner(stored), [Notice::banner().to_string(), rerun.to_string()]);
        }
        let earlier = NoticeKind::Banner { version: "0.1.0".to_owned() };
        let stored = vec![Notice::new(Default::default(), earlier), rerun.clone()];
        assert_eq!(
            with_banner(stored),
            ["Tributary 0.1.0".to_owned(), rerun.to_string()],
            "after an upgrade"
        );
    }
}
