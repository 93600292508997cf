//! What one message may cost, at most.

use std::time::Duration;

/// Rounds of tools before the model has to answer with what it has.
pub const ROUNDS_MAX: u32 = 4;
/// Searches that the model may have made for one message.
pub const SEARCHES_MAX: u32 = 3;
/// From the message to its answer.
pub const MESSAGE_TIME_MAX: Duration = Duration::from_secs(60);
/// What is left for the last words: with less time on the clock nothing is looked up any more.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(15);
/// Tools that are used in one round; the model is told that it asked for too much.
pub(super) const CALLS_PER_ROUND_MAX: usize = 8;

/// Results of one search that the model is shown.
pub(super) const RESULTS_SHOWN_MAX: u32 = 10;
/// Characters of a result's own text that the model is shown.
pub(super) const SNIPPET_CHARS_MAX: usize = 600;
/// Characters of a document that the model reads at once, and most of them.
pub(super) const WINDOW_CHARS: usize = 4000;
pub(super) const WINDOW_CHARS_MAX: usize = 8000;
/// Characters of a document that are read at all.
pub(super) const DOCUMENT_CHARS_MAX: usize = 400_000;
/// Words of one passage of an attached document.
pub(super) const PASSAGE_WORDS: usize = 180;
/// Tokens of what one tool says.
pub(super) const TOOL_TOKENS_MAX: usize = 4000;
/// Tokens of an answer; less with a small model.
pub(super) const ANSWER_TOKENS_MAX: usize = 1500;
/// An answer is read up to this length; a model that does not stop is cut off.
pub(super) const ANSWER_CHARS_MAX: usize = 40_000;
/// Sources that are described to the model from the start.
pub(super) const SOURCES_TOLD_MAX: usize = 40;
/// Documents of earlier messages that the model may read again.
pub(super) const DOCUMENTS_KEPT_MAX: usize = 20;
