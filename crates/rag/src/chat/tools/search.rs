//! `search`: a search of the user over the sources of the chat.

use super::arguments::text_of;
use super::result::ToolResult;
use crate::chat::error::ChatError;
use crate::chat::limits::{ANSWER_TIME, RESULTS_SHOWN_MAX, SEARCHES_MAX, SNIPPET_CHARS_MAX, TOOL_TOKENS_MAX};
use crate::chat::tool_scope::ToolScope;
use crate::prompt::{SEARCH_RESULT, escape_text, one_line};
use crate::query::language_of_query;
use domain::chat::DocumentRef;
use domain::mixed::MixedResponse;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use domain::search::{ASSISTANT_TAG, NATIVE_QUERY, ProviderRef, QUERY_CHARS_MAX, Search, SearchSpec, Sort};
use domain::summary::SourceMode;
use federation::{FederationError, MixRequest, is_listed};
use serde_json::Value;
use syntax::query_string;
use syntax::strip_html::readable;

/// Searches of a chat are retained for a day.
const RETENTION_DAY: u8 = 2;
/// Minimum number of tokens for a result: those around its text.
const RESULT_TOKENS_MIN: usize = 40;
/// Number of results among which the shown ones are selected.
const RESULTS_LOOKED_AT_MAX: usize = 50;

/// The arguments of the tool.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::chat) struct SearchArgs {
    pub query: String,
    pub sources: Vec<ProviderRef>,
    pub sort: Sort,
    pub native: bool,
}

impl SearchArgs {
    pub fn of_message(message: &str) -> Self {
        Self {
            query: one_line(message, QUERY_CHARS_MAX),
            sources: Vec::new(),
            sort: Sort::default(),
            native: false,
        }
    }

    fn of(args: &Value) -> Self {
        let name = |value: &Value| match value {
            Value::String(text) => Some(ProviderRef::Text(text.trim().to_owned())),
            value => value.as_i64().map(ProviderRef::Id),
        };
        let sources = match args.get("sources") {
            Some(Value::Array(list)) => list.iter().filter_map(name).collect(),
            Some(value) => name(value).into_iter().collect(),
            None => Vec::new(),
        };
        Self {
            sources,
            sort: if text_of(args, "sort") == "date" { Sort::Date } else { Sort::Relevancy },
            native: args.get("native").and_then(Value::as_bool).unwrap_or_default(),
            ..Self::of_message(text_of(args, "query"))
        }
    }
}

pub(super) async fn search(scope: &mut ToolScope<'_>, args: &Value) -> Result<ToolResult, ChatError> {
    let request = SearchArgs::of(args);
    if scope.searches >= SEARCHES_MAX {
        return Ok(ToolResult::text(format!(
            "All {SEARCHES_MAX} searches of this message are made. Answer from what was found."
        )));
    }
    let mut notes = Vec::new();
    let searched = searchable_sources(scope, &request, &mut notes).await;
    if searched.is_empty() {
        notes.push("No source could be asked.".to_owned());
        return Ok(ToolResult::text(notes.join("\n")));
    }
    if request.native && searched.len() != 1 {
        return Ok(ToolResult::text("native needs exactly one source in sources."));
    }
    scope.searches += 1;
    let search =
        match scope.deps.federation.searches.create(scope.chat.owner, spec(&request, &searched)).await {
            Ok(search) => search,
            Err(FederationError::Invalid(errors)) => {
                return Ok(ToolResult::text(format!("This cannot be searched: {errors}")));
            }
            Err(
                error @ (FederationError::TooManyWaiting { .. }
                | FederationError::QueueFull { .. }
                | FederationError::TooManyKept { .. }),
            ) => {
                return Ok(ToolResult::text(format!(
                    "No search can be started now: {error}. Tell the user."
                )));
            }
            Err(error) => return Err(error.into()),
        };
    let text = match wait_for_results(scope, &search).await? {
        Some(mut mixed) => {
            read_again(scope, &request, &mut mixed.results).await;
            shown(scope, &search, &mixed, notes)
        }
        None => {
            notes.push("The search did not end in time; nothing is known of its results.".to_owned());
            notes.join("\n")
        }
    };
    Ok(ToolResult { text, search: Some(search.id) })
}

/// The sources to search: those of the chat that the model named and the user has connected.
async fn searchable_sources(
    scope: &ToolScope<'_>,
    request: &SearchArgs,
    notes: &mut Vec<String>,
) -> Vec<SearchProvider> {
    let is_known = |wanted: &&ProviderRef| scope.sources.iter().any(|source| is_listed(source, wanted));
    let unknown: Vec<String> = request
        .sources
        .iter()
        .filter(|wanted| !is_known(wanted))
        .map(|one| one_line(&one.to_string(), 100))
        .collect();
    if !unknown.is_empty() {
        notes.push(format!("There are no such sources here: {}.", unknown.join(", ")));
    }
    let mut searched = Vec::new();
    for source in &scope.sources {
        let is_wanted =
            request.sources.is_empty() || request.sources.iter().any(|wanted| is_listed(source, wanted));
        if !is_wanted {
            continue;
        }
        match scope.deps.federation.prober.missing_connection(scope.chat.owner, source).await {
            None => searched.push(source.clone()),
            Some(reason) => notes.push(format!("{} was not searched: {reason}.", source.spec.name)),
        }
    }
    searched
}

fn spec(request: &SearchArgs, searched: &[SearchProvider]) -> SearchSpec {
    let mut tags = vec![ASSISTANT_TAG.to_owned()];
    if request.native {
        tags.push(NATIVE_QUERY.to_owned());
    }
    let query_string = if request.native { request.query.clone() } else { without_tags(&request.query) };
    SearchSpec {
        query_string,
        sort: request.sort,
        results_requested: RESULTS_SHOWN_MAX,
        searchprovider_list: searched.iter().map(|source| ProviderRef::Id(source.id.0)).collect(),
        retention: Some(RETENTION_DAY),
        tags,
        ..SearchSpec::default()
    }
}

/// Removes tags such as `news:`, which would select sources beyond those of the chat.
fn without_tags(query: &str) -> String {
    let mut words = String::with_capacity(query.len());
    let mut at = 0;
    for token in query_string::tokens(query).iter().filter(|token| token.tag().is_some()) {
        words.push_str(&query[at..token.span.start]);
        at = token.span.start;
        // Of `a:b:c`, both are tags.
        while let Some((tag, value)) = query_string::tag_of(&query[at..token.span.end]) {
            words.push_str(tag);
            words.push(' ');
            at = token.span.end - value.len();
        }
    }
    words.push_str(&query[at..]);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Waits for a search; None if it did not finish in time.
async fn wait_for_results(
    scope: &ToolScope<'_>,
    search: &Search,
) -> Result<Option<MixedResponse>, ChatError> {
    let federation = &scope.deps.federation;
    let patience = scope.time_left().saturating_sub(ANSWER_TIME);
    let mut ended = federation.waiter.end_within(search.clone(), patience).await?;
    if !ended.search.status.is_final() {
        return Ok(None);
    }
    // Versions are adjacent in the list, and only one of them is shown.
    let items = Some(RESULTS_LOOKED_AT_MAX);
    let request = MixRequest { explain: Some(false), items, ..MixRequest::default() };
    Ok(Some(federation.mixer.mix_ended(&mut ended, &request).await?))
}

/// Whether a result may be shown: of several versions of a document, only the elected one.
fn is_offered(item: &ResultItem) -> bool {
    item.result_block.is_none() && !item.is_alternate()
}

/// The best results, with only the elected version of each document.
fn offered(results: &[ResultItem]) -> impl Iterator<Item = &ResultItem> {
    results.iter().filter(|item| is_offered(item)).take(RESULTS_SHOWN_MAX as usize)
}

/// Orders the results by the second reader, if it is on and the model did not ask for the newest ones.
async fn read_again(scope: &ToolScope<'_>, request: &SearchArgs, results: &mut Vec<ResultItem>) {
    let Some(reader) = scope.deps.second_reader.as_deref().filter(|_| request.sort != Sort::Date) else {
        return;
    };
    results.retain(is_offered);
    let language = language_of_query(&scope.deps.settings, &request.query);
    *results = reader.reordered(language, &request.query, std::mem::take(results)).await;
}

/// The numbered results, as many as fit.
fn shown(
    scope: &mut ToolScope<'_>,
    search: &Search,
    mixed: &MixedResponse,
    mut notes: Vec<String>,
) -> String {
    let mut pieces = Vec::new();
    let least = scope.tokens_left - TOOL_TOKENS_MAX.min(scope.tokens_left / 2);
    for item in offered(&mixed.results) {
        let snippet: String = escape_text(&readable(&item.body)).chars().take(SNIPPET_CHARS_MAX).collect();
        let tokens = scope.tokens_left.saturating_sub(least);
        if tokens < RESULT_TOKENS_MIN {
            notes.push("There is no space for more results.".to_owned());
            break;
        }
        let snippet = scope.fitting(&snippet, tokens - RESULT_TOKENS_MIN);
        let reference = DocumentRef { search_id: search.id, swirl_id: item.swirl_id };
        let n = scope.documents.number(reference, item);
        let shown = scope.documents.show(n, snippet, SourceMode::Snippet, SEARCH_RESULT);
        scope.charge(&shown);
        pieces.push(shown);
    }
    let count = pieces.len();
    pieces.insert(0, format!("{count} results of {} found:", mixed.info.results.found_total));
    pieces.extend(notes);
    for (name, info) in &mixed.info.providers {
        if let Some(fault) = &info.error {
            pieces.push(format!("{} gave nothing: {}.", one_line(name, 200), one_line(&fault.message, 200)));
        }
    }
    pieces.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn search_arguments_are_parsed_as_models_write_them() {
        let request = SearchArgs::of(&json!({
            "query": " dams\nand weirs ", "sources": ["Papers", 3], "sort": "date", "native": true}));
        assert_eq!(request.query, "dams and weirs");
        assert_eq!(request.sources, [ProviderRef::Text("Papers".into()), ProviderRef::Id(3)]);
        assert_eq!((request.sort, request.native), (Sort::Date, true));
        let request = SearchArgs::of(&json!({"query": "x".repeat(5000), "sources": "Papers", "sort": 1}));
        assert_eq!(
            (request.query.len(), request.sources.len(), request.sort),
            (QUERY_CHARS_MAX, 1, Sort::Relevancy)
        );
    }

    #[test]
    fn a_query_reaches_no_source_beside_those_of_the_chat() {
        for (query, expected) in [
            ("company:acme rates", "company acme rates"),
            ("news:rates company:acme", "news rates company acme"),
            ("company: acme", "company acme"),
            ("Dune: Part Two at 10:30", "Dune Part Two at 10:30"),
            ("std::vector 2001:db8::1", "std::vector 2001:db8::1"),
            ("a:b:c", "a b c"),
            ("plain words", "plain words"),
            ("-company:acme \"news: rates\"", "-company:acme \"news: rates\""),
            ("company:\"acme corp\"", "company \"acme corp\""),
        ] {
            assert_eq!(without_tags(query), expected, "{query}");
            assert!(query_string::tags(&without_tags(query)).is_empty());
        }
    }
    #[test]
    fn of_several_versions_the_one_that_counts_is_offered() {
        let standings = testkit::versions::decided(&[2, 1], domain::corpus::DecidedBy::Election, 7);
        let row = |id: i64| {
            let mut mark = testkit::versions::mark(id);
            let standing = standings.get(&mark.signal_id).cloned();
            standing.into_iter().for_each(|standing| mark.set_version_status(standing));
            ResultItem { title: id.to_string(), cache: Some(Box::new(mark)), ..ResultItem::default() }
        };
        let block = ResultItem { result_block: Some("ai_summary".to_owned()), ..ResultItem::default() };
        let results: Vec<ResultItem> = std::iter::once(block).chain((1..=20).map(row)).collect();
        let titles: Vec<&str> = offered(&results).map(|item| item.title.as_str()).collect();
        assert_eq!(titles, ["2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]);
        assert_eq!(titles.len(), RESULTS_SHOWN_MAX as usize);
    }
}
