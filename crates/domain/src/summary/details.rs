//! `additional_content` of a summary: its sources, its model and how well it is supported.

use crate::ids::{ResultId, SignalId};
use serde::{Deserialize, Serialize};

/// Where the text of a source came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceMode {
    Page,
    Cache,
    Snippet,
}

/// A source in the prompt of a summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = AnswerSource)]
pub struct SummarySource {
    /// Its number in the citations.
    pub n: u32,
    pub swirl_id: ResultId,
    pub title: String,
    /// For a web page, with a text fragment that points to the quoted passage; for a PDF, with its page (`#page=2`).
    pub url: String,
    pub searchprovider: String,
    pub cited: bool,
    pub mode: SourceMode,
    /// The passage that supports the first sentence that cites this source; empty if none does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub quote: String,
    /// The page of a PDF on which the quote begins, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The cached document, if the source comes from the semantic cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal_id: Option<SignalId>,
}

/// One sentence of a summary, and how well its citations support it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct GroundedSentence {
    pub text: String,
    pub cites: Vec<u32>,
    /// 0 to 1.
    pub support: f64,
}

/// Two sources that give different values for the same fact.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = AnswerDisagreement)]
pub struct Disagreement {
    /// Two values of two sources.
    pub values: Vec<StatedValue>,
}

/// A value that a source gives.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = AnswerStatedValue)]
pub struct StatedValue {
    /// As the source writes it, such as `10 business days`.
    pub value: String,
    /// The number of the source in `sources`.
    pub n: u32,
    /// The words around it.
    pub quote: String,
    /// When the source was published, as `YYYY-MM-DD`; absent if that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// True if the source is newer than the other one.
    pub newer: bool,
}

/// `additional_content` of a summary item.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = AnswerDetails)]
pub struct SummaryDetails {
    pub sources: Vec<SummarySource>,
    /// The model that replied.
    pub ai_model: String,
    pub ai_provider: String,
    /// The model that was asked first.
    pub requested_model: String,
    pub fallback_engaged: bool,
    /// True if the sentences were extracted from the sources without a model.
    pub extractive: bool,
    /// Seconds.
    pub generation_time: f64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub follow_ups: Vec<String>,
    pub warnings: Vec<String>,
    /// Share of sentences with enough support, 0 to 1; null if no sentence was checked.
    pub grounded: Option<f64>,
    pub sentences: Vec<GroundedSentence>,
    /// True if the model reports that the sources do not contain the answer.
    pub not_found: bool,
    /// Where the sources give different values for what the query asks for or the summary states.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<Disagreement>,
}
