//! Searches started from URL parameters: `q`, `qs`, `rerun` and `update`. They wait for the results, and a prefetch
//! starts nothing.

use crate::api::results::named_mixer;
use crate::error::ApiError;
use crate::state::AppState;
use axum::http::HeaderMap;
use domain::mixed::MixedResponse;
use domain::search::{ProviderRef, Search, SearchSpec};

/// URL parameters of a search other than its query.
#[derive(Debug, Default, Clone)]
pub struct RunOptions {
    pub providers: Option<String>,
    pub result_mixer: Option<String>,
    pub pre_query_processor: Option<String>,
    pub search_tags: Option<String>,
    pub single_provider_results_requested: Option<u32>,
}

impl RunOptions {
    /// The search to create, and the requested mixer if it is unknown, for the response.
    pub fn spec(&self, state: &AppState, query: &str) -> Result<(SearchSpec, Option<String>), ApiError> {
        let mut spec = SearchSpec {
            searchprovider_list: pieces(self.providers.as_deref()).map(|text| text.as_str().into()).collect(),
            pre_query_processors: pieces(self.pre_query_processor.as_deref()).collect(),
            tags: pieces(self.search_tags.as_deref()).collect(),
            ..SearchSpec::of_query(query)
        };
        if let [ProviderRef::Id(_)] = spec.searchprovider_list.as_slice() {
            spec.single_provider_results_requested = self.single_provider_results_requested;
        }
        let mixer = named_mixer(self.result_mixer.as_deref())?;
        match mixer {
            Some(name) if state.plugins.mixer(&name).is_some() => {
                spec.result_mixer = name;
                Ok((spec, None))
            }
            unknown => Ok((spec, unknown)),
        }
    }
}

/// Logs a view of results.
pub fn log_view(search: &Search, mixed: &MixedResponse) {
    let (id, results) = (search.id, mixed.results.len());
    tracing::info!(
        user.id = search.owner.0,
        search.id = id.0,
        results,
        "results: {results} of search {id} are shown"
    );
}

/// A prefetch of a browser must not start a search.
pub fn is_prefetch(headers: &HeaderMap) -> bool {
    ["sec-purpose", "purpose", "x-purpose", "x-moz"].iter().any(|name| {
        headers
            .get(*name)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|text| text.to_ascii_lowercase().contains("prefetch"))
    })
}

fn pieces(text: Option<&str>) -> impl Iterator<Item = String> {
    text.unwrap_or_default().split(',').map(str::trim).filter(|piece| !piece.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_in_a_url() {
        let found: Vec<ProviderRef> =
            pieces(Some("news, 3,,Library ,007")).map(|text| text.as_str().into()).collect();
        let text = |name: &str| ProviderRef::Text(name.to_owned());
        assert_eq!(found, [text("news"), ProviderRef::Id(3), text("Library"), text("007")]);
        assert_eq!(pieces(None).count(), 0);
    }

    #[test]
    fn prefetches_are_recognised() {
        let table = [
            ("sec-purpose", "prefetch;prerender", true),
            ("purpose", "Prefetch", true),
            ("x-moz", "prefetch", true),
            ("sec-purpose", "navigate", false),
            ("accept", "prefetch", false),
        ];
        for (name, value, expected) in table {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().expect("a header"));
            assert_eq!(is_prefetch(&headers), expected, "{name}: {value}");
        }
    }
}
