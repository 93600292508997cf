//! Short records of the runs of a search, for comparison.

use crate::ids::{RunNumber, SignalId};
use crate::instant::Instant;
use crate::record_json::push_records;
use crate::result::{ResultItem, ResultSet};
use crate::status::SearchStatus;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use syntax::canonical_url::canonical_form;
use syntax::strip_html::readable;

/// Number of stored runs of one search, counted back from the newest.
pub const RUNS_KEPT: i64 = 20;
/// Maximum number of stored entries of one run, the best of each source first.
pub const RUN_ENTRIES_MAX: usize = 500;
const TITLE_CHARS_MAX: usize = 200;
const URL_CHARS_MAX: usize = 1_000;

/// One result of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct RunEntry {
    pub title: String,
    pub url: String,
    /// Name of the provider.
    // The entries of one set share it.
    #[schema(value_type = String)]
    pub searchprovider: Arc<str>,
    /// As in a result.
    pub date_published: String,
    /// For a result from the semantic cache: its document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal_id: Option<SignalId>,
}

/// Results of the sources in one run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunFindings {
    pub entries: Vec<RunEntry>,
    /// Names of the queried providers that did not deliver everything.
    pub unanswered: Vec<String>,
}

/// An entry, and its place among the results of its source, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedEntry {
    pub place: usize,
    pub entry: RunEntry,
}

/// The newest run of a search and its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunState {
    pub run: RunNumber,
    pub status: SearchStatus,
}

/// One run of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct SearchRun {
    #[schema(value_type = i64)]
    pub run: RunNumber,
    /// The final status.
    #[schema(value_type = String)]
    pub status: SearchStatus,
    /// When it finished.
    #[schema(value_type = String, format = DateTime)]
    pub date: Instant,
    /// Number of results from its sources.
    pub retrieved: u64,
    /// Number of results that the run before did not have.
    pub added: u64,
    /// Number of results of the run before that it does not have.
    pub gone: u64,
}

/// Difference between two runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunDiff {
    pub added: Vec<RunEntry>,
    pub gone: Vec<RunEntry>,
    pub kept: u64,
}

impl RunFindings {
    /// From the sets as the sources returned them.
    pub fn of(sets: &[ResultSet]) -> Self {
        Self::join(sets, sets.iter().map(RunEntry::list).collect())
    }

    /// Like [`Self::of`], from the entries of each set.
    pub fn join(sets: &[ResultSet], by_set: Vec<Vec<PlacedEntry>>) -> Self {
        let mut listed: Vec<PlacedEntry> = Vec::with_capacity(by_set.iter().map(Vec::len).sum());
        for entries in by_set {
            listed.extend(entries);
        }
        listed.sort_by_key(|placed| placed.place);
        Self {
            entries: listed.into_iter().map(|placed| placed.entry).take(RUN_ENTRIES_MAX).collect(),
            unanswered: sets
                .iter()
                .filter(|set| !set.status.has_delivered())
                .map(|set| set.provider_name.clone())
                .collect(),
        }
    }

    /// The entries of a run after `previous`. A source that did not respond keeps its entries.
    pub fn after(found: Option<Self>, previous: &[RunEntry]) -> Vec<RunEntry> {
        // No source was queried.
        let Some(Self { mut entries, unanswered }) = found else { return previous.to_vec() };
        let is_kept = |entry: &&RunEntry| unanswered.iter().any(|name| **name == *entry.searchprovider);
        let mut kept = previous.iter().filter(is_kept).peekable();
        if kept.peek().is_some() {
            let seen: HashSet<Key> = entries.iter().map(RunEntry::key).collect();
            entries.extend(kept.filter(|entry| !seen.contains(&entry.key())).cloned());
        }
        entries.truncate(RUN_ENTRIES_MAX);
        entries
    }
}

impl RunEntry {
    /// The results of a source, each once.
    pub fn list(set: &ResultSet) -> Vec<PlacedEntry> {
        let provider: Arc<str> = set.provider_name.as_str().into();
        let count_max = set.items.len().min(RUN_ENTRIES_MAX);
        let (mut entries, mut seen) = (Vec::with_capacity(count_max), HashSet::with_capacity(count_max));
        let items = set.items.iter().filter(|item| item.result_block.is_none());
        for (place, item) in items.enumerate() {
            if entries.len() == count_max {
                break;
            }
            let url = working_url(item);
            let title = truncate_chars(readable(&item.title), TITLE_CHARS_MAX);
            if seen.insert(address_or_title(url, || Cow::Owned(title.clone()))) {
                entries.push(PlacedEntry { place, entry: Self::of(&provider, title, url, item) });
            }
        }
        entries
    }

    /// Appends entries in the form of the store: fields that have their default value are left out.
    pub fn push_stored(entries: &[Self], text: &mut Vec<u8>) -> serde_json::Result<()> {
        push_records(entries, text)
    }

    fn of(provider: &Arc<str>, title: String, url: &str, item: &ResultItem) -> Self {
        Self {
            title,
            url: url.to_owned(),
            searchprovider: Arc::clone(provider),
            date_published: first_chars(&item.date_published, TITLE_CHARS_MAX).to_owned(),
            signal_id: item.cache.as_ref().map(|mark| mark.signal_id),
        }
    }

    fn key(&self) -> Key {
        let title = || Cow::Borrowed(self.title.as_str());
        (Arc::clone(&self.searchprovider), address_or_title(&self.url, title).into_owned())
    }
}

/// What tells the entries of one source apart.
fn address_or_title<'a>(url: &'a str, title: impl FnOnce() -> Cow<'a, str>) -> Cow<'a, str> {
    canonical_form(url).unwrap_or_else(title)
}

/// The URL of a result, or nothing if it is too long: a truncated one would not work.
fn working_url(item: &ResultItem) -> &str {
    let url = item.url.trim();
    if first_chars(url, URL_CHARS_MAX).len() == url.len() { url } else { "" }
}

/// Like [`first_chars`], without a copy of an owned text that is short enough.
fn truncate_chars(text: Cow<'_, str>, count_max: usize) -> String {
    let length = first_chars(&text, count_max).len();
    match text {
        Cow::Owned(whole) if whole.len() == length => whole,
        text => text[..length].to_owned(), // the memory of a long text is not kept
    }
}

/// The text up to this many characters.
fn first_chars(text: &str, count_max: usize) -> &str {
    // A character has at least one byte.
    if text.len() <= count_max {
        return text;
    }
    text.char_indices().nth(count_max).map_or(text, |(end, _)| &text[..end])
}

/// Provider, and the URL or the title.
type Key = (Arc<str>, String);

pub fn compare(from: &[RunEntry], to: &[RunEntry]) -> RunDiff {
    let before: HashSet<Key> = from.iter().map(RunEntry::key).collect();
    let after: HashSet<Key> = to.iter().map(RunEntry::key).collect();
    let without = |list: &[RunEntry], known: &HashSet<Key>| -> Vec<RunEntry> {
        list.iter().filter(|entry| !known.contains(&entry.key())).cloned().collect()
    };
    RunDiff {
        added: without(to, &before),
        gone: without(from, &after),
        kept: before.intersection(&after).count() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{ProviderId, SearchId};
    use crate::status::ProviderStatus;

    #[test]
    fn texts_are_cut_at_characters() {
        for (text, count_max, expected) in [
            ("", 0, ""),
            ("äöü", 0, ""),
            ("äöü", 2, "äö"),
            ("äöü", 3, "äöü"),
            ("äöü", 9, "äöü"),
            ("abc", 2, "ab"),
        ] {
            assert_eq!(first_chars(text, count_max), expected, "{text} {count_max}");
        }
    }

    fn set(provider: &str, status: ProviderStatus, urls: &[&str]) -> ResultSet {
        ResultSet {
            search: SearchId(1),
            provider: ProviderId(1),
            provider_name: provider.to_owned(),
            status,
            error: None,
            found: 0,
            retrieved: urls.len() as u64,
            query_string_to_provider: String::new(),
            query_to_provider: String::new(),
            query_processors: Vec::new(),
            result_processors: Vec::new(),
            notices: Vec::new(),
            time_s: 0.0,
            items: urls
                .iter()
                .map(|url| ResultItem {
                    url: (*url).to_owned(),
                    title: format!("<em>{url}</em>"),
                    ..Default::default()
                })
                .collect(),
            date_created: Instant::UNIX_EPOCH,
            date_updated: Instant::UNIX_EPOCH,
        }
    }

    fn urls(entries: &[RunEntry]) -> String {
        entries.iter().map(|entry| entry.url.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn runs_are_compared_by_address_and_source() {
        let list = |sets: &[ResultSet]| RunFindings::of(sets).entries;
        let from = list(&[set("A", ProviderStatus::Ok, &["u:1", "u:2"])]);
        let to = list(&[
            set("A", ProviderStatus::Ok, &["u:2", "u:3"]),
            set("B", ProviderStatus::Ok, &["u:1", "u:1"]),
        ]);
        assert_eq!((urls(&to).as_str(), to[0].title.as_str()), ("u:2 u:1 u:3", "u:2"));
        let diff = compare(&from, &to);
        assert_eq!((urls(&diff.added), urls(&diff.gone), diff.kept), ("u:1 u:3".into(), "u:1".into(), 1));
    }

    #[test]
    fn a_result_is_listed_once() {
        let page = "https://a.example/page";
        let mut results =
            set("A", ProviderStatus::Ok, &[page, "https://A.example/page/", " ", "", "u:1", page]);
        for item in &mut results.items[2..4] {
            item.title = " <em>Rivers</em> and <b>lakes</b>".to_owned();
        }
        results.items[4].result_block = Some("ai_summary".to_owned());
        let listed = RunEntry::list(&results);
        let shown: Vec<_> =
            listed.iter().map(|placed| (placed.place, &*placed.entry.title, &*placed.entry.url)).collect();
        assert_eq!(shown, [(0, page, page), (2, "Rivers and lakes", "")]);
        assert!(listed.iter().all(|placed| &*placed.entry.searchprovider == "A"));
    }

    #[test]
    fn a_source_that_did_not_answer_keeps_what_it_had() {
        let both = [set("A", ProviderStatus::Ok, &["u:1"]), set("B", ProviderStatus::Ok, &["u:2"])];
        let previous = RunFindings::of(&both).entries;
        let cases = [
            (ProviderStatus::Ok, "u:9"),
            (ProviderStatus::NoResults, "u:9"),
            (ProviderStatus::Partial, "u:9 u:2"),
            (ProviderStatus::Error, "u:9 u:2"),
            (ProviderStatus::Timeout, "u:9 u:2"),
        ];
        for (status, expected) in cases {
            let sets = [set("A", ProviderStatus::Ok, &["u:9"]), set("B", status, &[])];
            let found = RunFindings::of(&sets);
            assert_eq!(urls(&RunFindings::after(Some(found), &previous)), expected, "{status:?}");
        }
        assert_eq!(RunFindings::after(None, &previous), previous, "nobody was asked");
    }

    #[test]
    fn entries_are_bounded() {
        let many: Vec<String> = (0..RUN_ENTRIES_MAX + 5).map(|n| format!("u:{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let found = RunFindings::of(&[set("A", ProviderStatus::Ok, &many)]);
        assert_eq!(found.entries.len(), RUN_ENTRIES_MAX);
        let failed = RunFindings {
            unanswered: vec!["A".into()],
            ..RunFindings::of(&[set("B", ProviderStatus::Ok, &["x"])])
        };
        assert_eq!(RunFindings::after(Some(failed), &found.entries).len(), RUN_ENTRIES_MAX);
        let long = format!("u:{}", "x".repeat(URL_CHARS_MAX));
        let entry = &RunFindings::of(&[set("A", ProviderStatus::Ok, &[&long])]).entries[0];
        assert_eq!((entry.url.as_str(), entry.title.chars().count()), ("", TITLE_CHARS_MAX));
    }
}
