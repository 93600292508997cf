//! The AI summary of a search: the request, the stored summary, and why it failed.

pub(crate) mod details;

pub use details::{Disagreement, GroundedSentence, SourceMode, StatedValue, SummaryDetails, SummarySource};

use crate::ids::{AiProviderId, ResultId, RunNumber, SearchId};
use crate::instant::Instant;
use crate::result::ResultItem;
use serde::{Deserialize, Serialize};

/// The `author` of every summary item.
pub const AUTHOR: &str = "Tributary RAG AI Results Processor";
/// Maximum length of `ai_instructions` in characters; longer texts are truncated.
pub const INSTRUCTIONS_CHARS_MAX: usize = 2000;

/// The options of a summary besides the search itself. Equal requests are served by the same stored summary.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SummaryRequest {
    /// Empty: all results of the search.
    pub items: Vec<i64>,
    pub instructions: String,
    /// Name of a prompt record; empty for the standard one.
    pub prompt: String,
    pub ai_provider: Option<AiProviderId>,
    /// The stored summary to replace: it does not serve this request. Not stored.
    #[serde(skip)]
    pub instead_of: Option<ResultId>,
}

/// Why there is no summary. The codes appear in `info.ai.code` and in errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AnswerFault)]
pub enum SummaryFault {
    NoAiProvider,
    NoRelevantResults,
    NoSourceText,
    AiProviderError,
    RagTimeout,
    Cancelled,
    /// The service is temporarily unavailable.
    Unavailable,
}

impl SummaryFault {
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

/// The stored summary of a search; a search has at most one.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSummary {
    pub search: SearchId,
    /// The run of the search that it summarizes.
    pub run: RunNumber,
    /// The request that it serves.
    pub request: SummaryRequest,
    /// The result item; `row.swirl_id` 0 gets an id when it is stored.
    pub row: ResultItem,
    /// The prompt, if `SVC_RAG_STORE_PROMPT` is set.
    pub prompt: Option<String>,
    pub date_created: Instant,
}
