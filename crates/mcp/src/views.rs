//! Views of records for callers, with an explicit list of fields.

use crate::markdown::{cut, inline, link, one_line};
use domain::corpus::CacheStatus;
use domain::explain::Explain;
use domain::mixed::MixedResponse;
use domain::notice::NoticeKind;
use domain::result::ResultItem;
use domain::search::Search;
use domain::status::SearchStatus;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write;
use syntax::highlights::plain;

/// Maximum length of a snippet in characters.
pub(crate) const SNIPPET_CHARS_MAX: usize = 600;
pub(crate) const TITLE_CHARS_MAX: usize = 300;
const NOTE_CHARS_MAX: usize = 600;
/// Default and maximum number of results.
pub(crate) const RESULTS_DEFAULT: u32 = 10;
pub(crate) const RESULTS_MAX: u32 = 50;
/// When a caller may ask again for a running search.
const RETRY_IN_SECONDS: u32 = 1;
/// Status of a running search.
const NOT_READY: &str = "not_ready";

/// The order of results that the second reader has read.
pub(crate) const SECOND_READER: &str = "second_reader";

/// The number of results to show: 1 to 50, default 10.
pub(crate) fn results_shown(wanted: Option<u32>) -> u32 {
    wanted.unwrap_or(RESULTS_DEFAULT).clamp(1, RESULTS_MAX)
}

/// One page of results.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FoundView {
    pub search_id: i64,
    pub query: String,
    /// Final status such as FULL_RESULTS_READY; not_ready while the search is running.
    pub status: String,
    /// While it is running: seconds after which to call get_search_results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_in_seconds: Option<u32>,
    /// Number of retrieved results.
    pub total: u64,
    /// Seconds.
    pub took: f64,
    pub results: Vec<ResultView>,
    /// second_reader if a larger model has read the first 20 of these results and ordered them; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<&'static str>,
    pub providers: Vec<RunView>,
    /// Why there are no results, and what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Number of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_page: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ResultView {
    /// Identifies the result in read_document and search_rag.
    pub swirl_id: i64,
    pub rank: u32,
    pub title: String,
    /// The beginning of its text.
    pub snippet: String,
    /// Where the document is.
    pub url: String,
    /// Name of the provider.
    pub source: String,
    pub author: String,
    pub date: String,
    /// How well it answers the query, 0 to 1.
    pub confidence: f64,
    /// State of the cached document, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Map<String, Value>>,
}

/// A document of the cache.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CacheView {
    /// Identifies the document in read_document.
    pub signal_id: i64,
    /// Pinned, Auto-selected, Cached or Alternate.
    pub badge: String,
    /// alive, gone or unknown, by the last check.
    pub liveness: String,
    /// It was not checked recently.
    pub stale: bool,
}

impl CacheView {
    fn of(mark: &CacheStatus) -> Self {
        Self {
            signal_id: mark.signal_id.0,
            badge: word(mark.badge),
            liveness: word(mark.liveness),
            stale: mark.stale,
        }
    }
}

impl ResultView {
    pub fn of(item: &ResultItem) -> Self {
        Self {
            swirl_id: item.swirl_id.0,
            rank: item.swirl_rank,
            title: cut(&one_line(&plain(&item.title)), TITLE_CHARS_MAX),
            snippet: cut(&one_line(&plain(&item.body)), SNIPPET_CHARS_MAX),
            url: item.url.clone(),
            source: item.searchprovider.clone(),
            author: cut(&one_line(&plain(&item.author)), TITLE_CHARS_MAX),
            date: item.date_published.clone(),
            confidence: item.swirl_confidence_score,
            cache: item.cache.as_deref().map(CacheView::of),
            explain: item.explain.as_deref().map(Explain::to_map),
        }
    }
}

/// Outcome of one provider.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunView {
    pub name: String,
    pub found: u64,
    pub retrieved: u64,
    /// ok, no_results, partial, timeout, error, suspended or not_connected.
    pub status: String,
    /// Error message, if it or one of its later pages failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl FoundView {
    pub fn of(search: &Search, mixed: MixedResponse, page: u32) -> Self {
        let providers = mixed.info.providers.into_iter().map(|(name, info)| RunView {
            name,
            found: info.found,
            retrieved: info.retrieved,
            status: word(info.status),
            error: info.error.map(|fault| fault.message),
        });
        Self {
            search_id: search.id.0,
            query: search.spec.query_string.clone(),
            status: search.status.as_str().to_owned(),
            retry_in_seconds: None,
            total: mixed.info.results.retrieved_total,
            took: mixed.info.results.federation_time,
            results: mixed.results.iter().map(ResultView::of).collect(),
            order: None,
            providers: providers.collect(),
            note: note(search, mixed.results.is_empty(), page),
            next_page: mixed.info.results.next_page.map(|_| page.saturating_add(1)),
        }
    }

    pub fn not_ready(search: &Search) -> Self {
        Self {
            search_id: search.id.0,
            query: search.spec.query_string.clone(),
            status: NOT_READY.to_owned(),
            retry_in_seconds: Some(RETRY_IN_SECONDS),
            total: 0,
            took: 0.0,
            results: Vec::new(),
            order: None,
            providers: Vec::new(),
            note: None,
            next_page: None,
        }
    }

    pub fn markdown(&self) -> String {
        let id = self.search_id;
        if self.status == NOT_READY {
            return format!(
                "Search {id} still runs. Call get_search_results with search_id {id} in a second."
            );
        }
        let mut out = format!(
            "**{} of {} results for “{}”** (search_id {id}, {:.1} s)\n",
            self.results.len(),
            self.total,
            inline(&self.query, TITLE_CHARS_MAX),
            self.took
        );
        for result in &self.results {
            out.push_str(&result.markdown());
        }
        let runs: Vec<String> = self.providers.iter().map(RunView::markdown).collect();
        let runs = if runs.is_empty() { "none was asked".to_owned() } else { runs.join("; ") };
        let _ = write!(out, "\nSources: {runs}.\n");
        if self.order.is_some() {
            out.push_str("The first results were read again by a larger model, and are in its order.\n");
        }
        if let Some(note) = &self.note {
            let _ = writeln!(out, "{}", inline(note, NOTE_CHARS_MAX));
        }
        if let Some(page) = self.next_page {
            let _ = writeln!(out, "More: get_search_results with search_id {id} and page {page}.");
        }
        out
    }
}

/// Explains a failed search, an unknown provider or a page past the end.
fn note(search: &Search, is_empty: bool, page: u32) -> Option<String> {
    let mut kinds = search.notices.iter().map(|notice| &notice.kind);
    match search.status {
        SearchStatus::ErrNoSearchproviders => Some(
            "No source was asked: none is active, yours to search and selected. Call list_providers for the names and \
             tags that there are."
                .to_owned(),
        ),
        status if status.is_error() => kinds.next_back().map(ToString::to_string),
        _ if is_empty && page > 1 => Some(format!("The list ends before page {page}.")),
        _ => kinds.find(|kind| matches!(kind, NoticeKind::UnknownProviders { .. })).map(ToString::to_string),
    }
}

/// The serialized name of a state.
fn word(state: impl Serialize) -> String {
    let word = serde_json::to_value(state).ok();
    word.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
}

impl ResultView {
    fn markdown(&self) -> String {
        let title = link(&self.title, &self.url, TITLE_CHARS_MAX);
        let source = inline(&self.source, TITLE_CHARS_MAX);
        let date = self.date.split(' ').next().unwrap_or_default();
        let mut out = format!(
            "\n{}. {title}\n   {source}, {}, confidence {:.2}, swirl_id {}\n",
            self.rank,
            inline(date, 40),
            self.confidence,
            self.swirl_id
        );
        if !self.snippet.is_empty() {
            let _ = writeln!(out, "   {}", inline(&self.snippet, SNIPPET_CHARS_MAX));
        }
        out
    }
}

impl RunView {
    fn markdown(&self) -> String {
        let name = inline(&self.name, TITLE_CHARS_MAX);
        match &self.error {
            None => format!("{name} {} of {}", self.retrieved, self.found),
            Some(error) if self.retrieved > 0 => {
                let error = inline(error, TITLE_CHARS_MAX);
                format!("{name} {} of {}, {}: {error}", self.retrieved, self.found, self.status)
            }
            Some(error) => format!("{name} {}: {}", self.status, inline(error, TITLE_CHARS_MAX)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{ResultId, RunNumber, SearchId, UserId};
    use domain::instant::Instant;
    use domain::notice::Notice;
    use domain::search::SearchSpec;

    #[test]
    fn a_source_of_which_a_part_failed_has_its_counts() {
        let run = |retrieved, status: &str, error: Option<&str>| RunView {
            name: "Rivers".into(),
            found: 40,
            retrieved,
            status: status.into(),
            error: error.map(str::to_owned),
        };
        for (run, expected) in [
            (run(10, "ok", None), "Rivers 10 of 40"),
            (run(10, "partial", Some("HTTP 500")), "Rivers 10 of 40, partial: HTTP 500"),
            (run(0, "error", Some("HTTP 500")), "Rivers error: HTTP 500"),
        ] {
            assert_eq!(run.markdown(), expected);
        }
    }

    #[test]
    fn snippets_and_counts_have_their_limits() {
        let table = [(None, 10), (Some(0), 1), (Some(7), 7), (Some(50), 50), (Some(51), 50)];
        for (wanted, shown) in table {
            assert_eq!(results_shown(wanted), shown);
        }
        let item = ResultItem { body: "ä".repeat(601), swirl_id: ResultId(7), ..ResultItem::default() };
        let view = ResultView::of(&item);
        assert_eq!(view.snippet.chars().count(), SNIPPET_CHARS_MAX);
        let item = ResultItem { body: "ä".repeat(600), ..item };
        assert!(!ResultView::of(&item).snippet.contains('…'));
    }

    #[test]
    fn why_there_is_nothing() {
        let unknown = NoticeKind::UnknownProviders { names: vec!["nobody".to_owned()] };
        for (status, kinds, is_empty, page, expected) in [
            (SearchStatus::FullResultsReady, vec![], false, 1, None),
            (SearchStatus::FullResultsReady, vec![], true, 1, None),
            (SearchStatus::FullResultsReady, vec![], true, 9, Some("before page 9")),
            (SearchStatus::FullResultsReady, vec![unknown], false, 1, Some("nobody")),
            (SearchStatus::ErrNoSearchproviders, vec![], true, 1, Some("list_providers")),
            (SearchStatus::ErrRunFailed, vec![NoticeKind::RunFailed], true, 1, Some("could not be finished")),
        ] {
            let notices = std::iter::once(NoticeKind::banner()).chain(kinds);
            let notices = notices.map(|kind| Notice::new(Instant::default(), kind)).collect();
            let search = Search { status, notices, ..search() };
            let found = note(&search, is_empty, page);
            assert_eq!(found.is_some(), expected.is_some(), "{status:?} {page}: {found:?}");
            assert!(
                found
                    .is_none_or(|text| text.contains(expected.unwrap_or_default()) && !text.starts_with('['))
            );
        }
    }

    fn search() -> Search {
        Search {
            id: SearchId(7),
            owner: UserId(1),
            spec: SearchSpec::of_query("river"),
            query_string_processed: String::new(),
            status: SearchStatus::FullResultsReady,
            notices: Vec::new(),
            time_s: 0.0,
            run: RunNumber::FIRST,
            date_created: Instant::default(),
            date_updated: Instant::default(),
        }
    }

    #[test]
    fn a_result_shows_what_is_named_and_nothing_else() {
        let item = ResultItem {
            payload: Map::from_iter([("key".to_owned(), "canary".into())]),
            title: "*River* level".to_owned(),
            ..ResultItem::default()
        };
        let shown = serde_json::to_value(ResultView::of(&item)).expect("a view");
        let mut names: Vec<&String> = shown.as_object().expect("an object").keys().collect();
        names.sort();
        let known = ["author", "confidence", "date", "rank", "snippet", "source", "swirl_id", "title", "url"];
        assert_eq!(names, known);
        assert!(!shown.to_string().contains("canary"));
    }
}
