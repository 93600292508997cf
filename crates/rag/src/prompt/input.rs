//! What a prompt is assembled from.

use super::source::SourceText;
use crate::second_reader::PassageRatings;
use chrono::NaiveDate;
use domain::prompt::PromptParts;
use relevancy::Language;
use std::time::Duration;

/// The input of [`assemble`](super::assemble).
pub(crate) struct PromptInput<'a> {
    /// Without operators.
    pub query: &'a str,
    /// The language of queries.
    pub language: Language,
    /// The user's instructions; may be empty.
    pub instructions: &'a str,
    pub parts: &'a PromptParts,
    pub today: NaiveDate,
    /// Token budget of the sources, including headers and fences.
    pub budget: usize,
    /// Whether to ask for follow-up questions.
    pub follow_ups: bool,
    /// Token count of a text for the model.
    pub count: &'a dyn Fn(&str) -> usize,
    /// Best first.
    pub sources: Vec<SourceText>,
    /// Passages with a rating come first; `None` without a second reader.
    pub ratings: Option<&'a PassageRatings>,
    pub time_max: Duration,
    pub answer_tokens_max: u32,
}
