//! `search_rag`: an answer to a query from its results, with citations.

use super::definition::{Row, ToolCall};
use crate::error::ToolError;
use crate::markdown::{cut, inline, link, one_line};
use crate::tool_context::{NamedProvider, ToolContext, ToolOutput, arguments};
use crate::views::{RESULTS_DEFAULT, SNIPPET_CHARS_MAX, TITLE_CHARS_MAX};
use crate::{QuotaClass, run_search, schema};
use async_trait::async_trait;
use domain::search::{Search, SearchSpec};
use domain::summary::{
    Disagreement, INSTRUCTIONS_CHARS_MAX, StatedValue, StoredSummary, SummaryFault, SummaryRequest,
    SummarySource,
};
use futures_util::StreamExt;
use rag::{Stage, SummaryEvent};
use rmcp::model::JsonObject;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::time::Duration;

pub(crate) const ROW: Row = Row {
    name: "search_rag",
    aliases: &["rag_answer"],
    title: "Answer with citations",
    description: "Searches, reads the best results and answers the query from them, with numbered citations. Give a \
        query, or the search_id of a search that you made before. Check grounded and warnings before you rely on it.",
    is_read_only: true,
    is_open_world: true,
    input: schema::of::<Arguments>,
    output: schema::of::<AnswerView>,
    tool: &SearchRag,
};

/// Maximum timeout in seconds.
const TIMEOUT_MAX: u64 = 180;
/// Maximum number of results that a caller may select.
const RESULT_IDS_MAX: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The question. Omit it if search_id is given.
    #[serde(default)]
    query: Option<String>,
    /// Answer from the results of this search of yours instead of a new one.
    #[serde(default)]
    search_id: Option<i64>,
    /// With query: ids, names or tags of the sources; omit to search the default ones.
    #[serde(default)]
    providers: Option<Vec<NamedProvider>>,
    /// With search_id: the swirl_ids of the results to use; omit to use the best ones.
    #[serde(default)]
    result_ids: Option<Vec<i64>>,
    /// Instructions on the style of the answer, such as its language or length.
    #[serde(default)]
    instructions: Option<String>,
    /// Seconds, 1 to 180.
    #[serde(default)]
    timeout: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AnswerView {
    /// Text with citations such as [1].
    answer: String,
    citations: Vec<CitationView>,
    /// Share of sentences that their citations support, 0 to 1; null if no sentence was checked.
    grounded: Option<f64>,
    ai_model: String,
    /// True if the sentences were extracted from the sources without a model.
    extractive: bool,
    search_id: i64,
    follow_ups: Vec<String>,
    warnings: Vec<String>,
    /// Where two sources give different values for the same fact.
    disagreements: Vec<DisagreementView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DisagreementView {
    /// Two values of two sources.
    values: Vec<StatedValueView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct StatedValueView {
    value: String,
    /// The number of the source.
    n: u32,
    /// The name and the title of the source.
    source: String,
    title: String,
    /// The words around the value.
    quote: String,
    /// When the source was published; null if that is unknown.
    date: Option<String>,
    /// True if the source is newer than the other one.
    newer: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CitationView {
    /// Its number in the answer.
    n: u32,
    title: String,
    url: String,
    swirl_id: i64,
    source: String,
    /// The passage that supports the answer.
    quote: String,
}

struct SearchRag;

#[async_trait]
impl ToolCall for SearchRag {
    async fn call(&self, context: &ToolContext<'_>, given: JsonObject) -> Result<ToolOutput, ToolError> {
        let given: Arguments = arguments(given)?;
        let time_max = match given.timeout {
            None => context.mcp.settings.rag_timeout.0,
            Some(seconds @ 1..=TIMEOUT_MAX) => Duration::from_secs(seconds),
            Some(_) => return Err(ToolError::arguments(format!("timeout is 1 to {TIMEOUT_MAX} seconds"))),
        };
        let items = given.result_ids.clone().unwrap_or_default();
        if items.len() > RESULT_IDS_MAX {
            return Err(ToolError::arguments(format!("result_ids takes {RESULT_IDS_MAX} at most")));
        }
        let instructions: String =
            given.instructions.iter().flat_map(|text| text.chars()).take(INSTRUCTIONS_CHARS_MAX).collect();
        context.charge_quota(QuotaClass::Answer)?;
        let search = searched(context, given).await?;
        let request = SummaryRequest { items, instructions, ..SummaryRequest::default() };
        let view = AnswerView::of(&search, answered(context, &search, &request, time_max).await?);
        ToolOutput::new(&view, view.markdown())
    }
}

/// An existing search of the caller, or a new one.
async fn searched(context: &ToolContext<'_>, given: Arguments) -> Result<Search, ToolError> {
    let search = match (given.query, given.search_id) {
        (Some(query), None) => {
            let spec = SearchSpec {
                query_string: query,
                searchprovider_list: given.providers.into_iter().flatten().map(Into::into).collect(),
                results_requested: RESULTS_DEFAULT,
                ..SearchSpec::default()
            };
            run_search::run(context, spec).await?
        }
        (None, Some(id)) => context.own_search(id).await?,
        _ => return Err(ToolError::arguments("give either query or search_id")),
    };
    if search.status.is_final() {
        Ok(search)
    } else {
        Err(ToolError::new(
            format!("Search {} still runs.", search.id),
            format!("Call search_rag with search_id {} in a second.", search.id),
        ))
    }
}

async fn answered(
    context: &ToolContext<'_>,
    search: &Search,
    request: &SummaryRequest,
    time_max: Duration,
) -> Result<StoredSummary, ToolError> {
    let mut events = context.mcp.summaries.follow(search, request, time_max);
    while let Some(event) = events.next().await {
        match event {
            SummaryEvent::Stage { stage, done, of } => {
                context.progress.report(stage_line(stage, done, of)).await
            }
            SummaryEvent::Source(source) => {
                context.progress.report(format!("Source {}: {}", source.n, one_line(&source.title))).await;
            }
            SummaryEvent::Delta(_) | SummaryEvent::Citations(_) => {}
            SummaryEvent::Done(answer) => return Ok(*answer),
            SummaryEvent::Failed { fault, message } => return Err(failed(search, fault, message)),
        }
    }
    Err(ToolError::internal("an answer ended without an end"))
}

fn stage_line(stage: Stage, done: u32, of: u32) -> String {
    let doing = match stage {
        Stage::Waiting => "Waiting for other answers",
        Stage::Choosing => "Choosing results",
        Stage::Reading => "Reading pages",
        Stage::Writing => "Writing the answer",
        Stage::Checking => "Checking the citations",
    };
    if of > 0 { format!("{doing}: {done} of {of}.") } else { format!("{doing}.") }
}

fn failed(search: &Search, fault: SummaryFault, message: String) -> ToolError {
    let id = search.id;
    let next = match fault {
        SummaryFault::NoAiProvider => format!(
            "Answer from the results yourself: call get_search_results with search_id {id}. An administrator can add an AI provider."
        ),
        SummaryFault::NoRelevantResults | SummaryFault::NoSourceText => format!(
            "Search with other words, or look at the results: get_search_results with search_id {id}."
        ),
        SummaryFault::RagTimeout => format!("Call search_rag with search_id {id} and a longer timeout."),
        _ => format!("Call search_rag with search_id {id} again, or get_search_results for its results."),
    };
    ToolError::new(message, next)
}

impl AnswerView {
    fn of(search: &Search, answer: StoredSummary) -> Self {
        let details = answer.row.additional_content.map(|details| *details).unwrap_or_default();
        let disagreements = details.disagreements.into_iter();
        Self {
            disagreements: disagreements.map(|one| DisagreementView::of(one, &details.sources)).collect(),
            answer: answer.row.body,
            citations: details
                .sources
                .into_iter()
                .filter(|source| source.cited)
                .map(CitationView::of)
                .collect(),
            grounded: details.grounded,
            ai_model: details.ai_model,
            extractive: details.extractive,
            search_id: search.id.0,
            follow_ups: details.follow_ups,
            warnings: details.warnings,
        }
    }

    /// The links of the answer were checked when it was generated.
    fn markdown(&self) -> String {
        let mut out = String::new();
        for warning in &self.warnings {
            let _ = writeln!(out, "> {}\n", inline(warning, SNIPPET_CHARS_MAX));
        }
        let text = if self.answer.is_empty() { "The sources do not hold an answer." } else { &self.answer };
        let _ = writeln!(out, "{text}\n");
        for disagreement in &self.disagreements {
            let _ = writeln!(out, "> Your sources disagree: {}\n", disagreement.line());
        }
        for citation in &self.citations {
            let title = link(&citation.title, &citation.url, TITLE_CHARS_MAX);
            let _ = writeln!(
                out,
                "{}. {title} ({}, swirl_id {})",
                citation.n,
                inline(&citation.source, TITLE_CHARS_MAX),
                citation.swirl_id
            );
        }
        let who = if self.extractive { "picked out of the sources, without a model" } else { &self.ai_model };
        let grounded = match self.grounded {
            Some(share) => format!("grounded {share:.2}"),
            None => "grounded: not checked".to_owned(),
        };
        let _ = writeln!(out, "\n{who}; {grounded}; search_id {}", self.search_id);
        out
    }
}

impl DisagreementView {
    fn of(found: Disagreement, sources: &[SummarySource]) -> Self {
        let value = |value: StatedValue| {
            let source = sources.iter().find(|source| source.n == value.n);
            StatedValueView {
                value: cut(&one_line(&value.value), SNIPPET_CHARS_MAX),
                n: value.n,
                source: source.map(|source| source.searchprovider.clone()).unwrap_or_default(),
                title: source
                    .map(|source| cut(&one_line(&source.title), TITLE_CHARS_MAX))
                    .unwrap_or_default(),
                quote: cut(&one_line(&value.quote), SNIPPET_CHARS_MAX),
                date: value.date,
                newer: value.newer,
            }
        };
        Self { values: found.values.into_iter().map(value).collect() }
    }

    /// Both values with their sources, on one line.
    fn line(&self) -> String {
        let side = |side: &StatedValueView| {
            let (value, source) =
                (inline(&side.value, SNIPPET_CHARS_MAX), inline(&side.source, TITLE_CHARS_MAX));
            let date = side.date.as_ref().map(|date| format!(", {date}")).unwrap_or_default();
            let newer = if side.newer { ", newer" } else { "" };
            format!("{value} [{}] ({source}{date}{newer})", side.n)
        };
        self.values.iter().map(side).collect::<Vec<_>>().join(" – ")
    }
}

impl CitationView {
    fn of(source: SummarySource) -> Self {
        Self {
            n: source.n,
            title: cut(&one_line(&source.title), TITLE_CHARS_MAX),
            url: source.url,
            swirl_id: source.swirl_id.0,
            source: source.searchprovider,
            quote: cut(&one_line(&source.quote), SNIPPET_CHARS_MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::ResultId;
    use domain::summary::SourceMode;

    #[test]
    fn both_values_are_on_one_line_and_make_no_links() {
        let source = |n: u32| SummarySource {
            n,
            swirl_id: ResultId(7),
            title: "T".to_owned(),
            url: String::new(),
            searchprovider: format!("Wiki {n}"),
            cited: false,
            mode: SourceMode::Page,
            quote: String::new(),
            page: None,
            signal_id: None,
        };
        let value = |n, value: &str, newer: bool| StatedValue {
            value: value.to_owned(),
            n,
            quote: "[x](javascript:y)".to_owned(),
            date: newer.then(|| "2025-08-01".to_owned()),
            newer,
        };
        let values = vec![value(1, "7 <b>days", false), value(2, "10\ndays", true)];
        let view = DisagreementView::of(Disagreement { values }, &[source(1), source(2)]);
        assert_eq!(view.line(), r"7 \<b\>days [1] (Wiki 1) – 10 days [2] (Wiki 2, 2025-08-01, newer)");
        let unknown = DisagreementView::of(Disagreement { values: vec![value(9, "5", false)] }, &[]);
        assert_eq!(unknown.line(), "5 [9] ()");
    }
}
