//! `search_rag`: an answer to the query, made from the results, with citations.

use super::{Row, ToolCall};
use crate::call::{Call, NamedProvider, Said, arguments};
use crate::error::ToolError;
use crate::markdown::{cut, inline, link, one_line};
use crate::views::{RESULTS_DEFAULT, SNIPPET_CHARS_MAX, TITLE_CHARS_MAX};
use crate::{Costly, running, schema};
use answers::{AnswerEvent, Stage};
use async_trait::async_trait;
use domain::answer::{AnswerFault, AnswerSource, AnswerWish, INSTRUCTIONS_CHARS_MAX, StoredAnswer};
use domain::search::{Search, SearchSpec};
use futures_util::StreamExt;
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

/// Longest time that a caller may ask for, in seconds.
const TIMEOUT_MAX: u64 = 180;
/// Most results that a caller may choose.
const RESULT_IDS_MAX: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The question. Leave it out when search_id is given.
    #[serde(default)]
    query: Option<String>,
    /// Answers from the results of this search of yours instead of a new one.
    #[serde(default)]
    search_id: Option<i64>,
    /// With query: ids, names or tags of the sources; without them the default ones are asked.
    #[serde(default)]
    providers: Option<Vec<NamedProvider>>,
    /// With search_id: the swirl_ids of the results to use; without them the best are chosen.
    #[serde(default)]
    result_ids: Option<Vec<i64>>,
    /// Wishes on the style of the answer, such as its language or length.
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
    /// Share of sentences that their citations support, 0 to 1.
    grounded: f64,
    ai_model: String,
    /// True: the sentences were picked out of the sources, no model wrote them.
    extractive: bool,
    search_id: i64,
    follow_ups: Vec<String>,
    warnings: Vec<String>,
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
    async fn call(&self, call: &Call<'_>, given: JsonObject) -> Result<Said, ToolError> {
        let given: Arguments = arguments(given)?;
        let time_max = match given.timeout {
            None => call.mcp.settings.rag_timeout.0,
            Some(seconds @ 1..=TIMEOUT_MAX) => Duration::from_secs(seconds),
            Some(_) => return Err(ToolError::arguments(format!("timeout is 1 to {TIMEOUT_MAX} seconds"))),
        };
        let items = given.result_ids.clone().unwrap_or_default();
        if items.len() > RESULT_IDS_MAX {
            return Err(ToolError::arguments(format!("result_ids takes {RESULT_IDS_MAX} at most")));
        }
        let instructions: String =
            given.instructions.iter().flat_map(|text| text.chars()).take(INSTRUCTIONS_CHARS_MAX).collect();
        call.pay(Costly::Answer)?;
        let search = searched(call, given).await?;
        let wish = AnswerWish { items, instructions, ..AnswerWish::default() };
        let view = AnswerView::of(&search, answered(call, &search, &wish, time_max).await?);
        Said::new(&view, view.markdown())
    }
}

/// The caller's own search, or a new one.
async fn searched(call: &Call<'_>, given: Arguments) -> Result<Search, ToolError> {
    let search = match (given.query, given.search_id) {
        (Some(query), None) => {
            let spec = SearchSpec {
                query_string: query,
                searchprovider_list: given.providers.into_iter().flatten().map(Into::into).collect(),
                results_requested: RESULTS_DEFAULT,
                ..SearchSpec::default()
            };
            running::run(call, spec).await?
        }
        (None, Some(id)) => call.own_search(id).await?,
        _ => return Err(ToolError::arguments("give either query or search_id")),
    };
    match search.status.is_final() {
        true => Ok(search),
        false => Err(ToolError::new(
            format!("Search {} still runs.", search.id),
            format!("Call search_rag with search_id {} in a second.", search.id),
        )),
    }
}

async fn answered(
    call: &Call<'_>,
    search: &Search,
    wish: &AnswerWish,
    time_max: Duration,
) -> Result<StoredAnswer, ToolError> {
    let mut events = call.mcp.answers.follow(search, wish, time_max);
    while let Some(event) = events.next().await {
        match event {
            AnswerEvent::Stage { stage, done, of } => call.progress.tell(stage_line(stage, done, of)).await,
            AnswerEvent::Source(source) => {
                call.progress.tell(format!("Source {}: {}", source.n, one_line(&source.title))).await;
            }
            AnswerEvent::Delta(_) | AnswerEvent::Citations(_) => {}
            AnswerEvent::Done(answer) => return Ok(*answer),
            AnswerEvent::Failed { fault, message } => return Err(failed(search, fault, message)),
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

fn failed(search: &Search, fault: AnswerFault, message: String) -> ToolError {
    let id = search.id;
    let next = match fault {
        AnswerFault::NoAiProvider => format!(
            "Answer from the results yourself: call get_search_results with search_id {id}. An administrator can add an AI provider."
        ),
        AnswerFault::NoRelevantResults | AnswerFault::NoSourceText => format!(
            "Search with other words, or look at the results: get_search_results with search_id {id}."
        ),
        AnswerFault::RagTimeout => format!("Call search_rag with search_id {id} and a longer timeout."),
        _ => format!("Call search_rag with search_id {id} again, or get_search_results for its results."),
    };
    ToolError::new(message, next)
}

impl AnswerView {
    fn of(search: &Search, answer: StoredAnswer) -> Self {
        let details = answer.row.additional_content.map(|details| *details).unwrap_or_default();
        Self {
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

    /// The answer's own links were checked when it was made.
    fn markdown(&self) -> String {
        let mut out = String::new();
        for warning in &self.warnings {
            let _ = writeln!(out, "> {}\n", inline(warning, SNIPPET_CHARS_MAX));
        }
        let text = if self.answer.is_empty() { "The sources do not hold an answer." } else { &self.answer };
        let _ = writeln!(out, "{text}\n");
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
        let _ = writeln!(out, "\n{who}; grounded {:.2}; search_id {}", self.grounded, self.search_id);
        out
    }
}

impl CitationView {
    fn of(source: AnswerSource) -> Self {
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
