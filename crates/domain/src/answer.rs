//! The AI summary of a search: its row, what it was made from, and how it ended.

use crate::ids::{AiProviderId, ResultId, SearchId, SignalId};
use crate::instant::Instant;
use crate::result::ResultItem;
use serde::{Deserialize, Serialize};

/// The `author` of every summary row.
pub const AUTHOR: &str = "Tributary RAG AI Results Processor";
/// Longest `ai_instructions`, in characters; more is cut.
pub const INSTRUCTIONS_CHARS_MAX: usize = 2000;

/// What is asked of an answer beside the search itself. Equal wishes get the same stored answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AnswerWish {
    /// Empty: all results of the search.
    pub items: Vec<i64>,
    pub instructions: String,
    /// Name of a prompt record; empty for the standard one.
    pub prompt: String,
    pub ai_provider: Option<AiProviderId>,
    /// The row of the stored answer that somebody wants another one for: it does not serve. This is not kept.
    #[serde(skip)]
    pub instead_of: Option<ResultId>,
}

/// How the text of a source came into the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceMode {
    Page,
    Cache,
    Snippet,
}

/// A source that really entered the answer's prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AnswerSource {
    /// Its number in the answer's citations.
    pub n: u32,
    pub swirl_id: ResultId,
    pub title: String,
    /// With a text fragment for the quoted passage where the source is a web page.
    pub url: String,
    pub searchprovider: String,
    pub cited: bool,
    pub mode: SourceMode,
    /// The passage that supports the first sentence that cites it; empty when nothing does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub quote: String,
    /// Of a source from the semantic cache: its document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal_id: Option<SignalId>,
}

/// One sentence of an answer, and how well its citations support it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct GroundedSentence {
    pub text: String,
    pub cites: Vec<u32>,
    /// 0 to 1.
    pub support: f64,
}

/// What stands in `additional_content` of a summary row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct AnswerDetails {
    pub sources: Vec<AnswerSource>,
    /// The model that answered.
    pub ai_model: String,
    pub ai_provider: String,
    /// The model that was asked first.
    pub requested_model: String,
    pub fallback_engaged: bool,
    /// True: the sentences were picked out of the sources, no model wrote them.
    pub extractive: bool,
    /// Seconds.
    pub generation_time: f64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub follow_ups: Vec<String>,
    pub warnings: Vec<String>,
    /// Share of sentences with enough support, 0 to 1.
    pub grounded: f64,
    pub sentences: Vec<GroundedSentence>,
    /// True: the model says that the sources do not contain the answer.
    pub not_found: bool,
}

/// How an answer ended when there is no text. The words stand in `info.ai.code` and in errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerFault {
    NoAiProvider,
    NoRelevantResults,
    NoSourceText,
    AiProviderError,
    RagTimeout,
    Cancelled,
    /// The service itself cannot answer at the moment.
    Unavailable,
}

impl AnswerFault {
    pub fn code(self) -> &'static str {
        match self {
            Self::NoAiProvider => "no_ai_provider",
            Self::NoRelevantResults => "no_relevant_results",
            Self::NoSourceText => "no_source_text",
            Self::AiProviderError => "ai_provider_error",
            Self::RagTimeout => "rag_timeout",
            Self::Cancelled => "cancelled",
            Self::Unavailable => "unavailable",
        }
    }
}

/// The answer of a search that is kept: one at most.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredAnswer {
    pub search: SearchId,
    /// The run of the search that it belongs to.
    pub run: i64,
    /// What was asked, so that the same wish is served from here.
    pub wish: AnswerWish,
    /// The row of the block; `row.swirl_id` 0 gets an id when it is stored.
    pub row: ResultItem,
    /// What the model was sent, where `SVC_RAG_STORE_PROMPT` says so.
    pub prompt: Option<String>,
    pub date_created: Instant,
}
