//! Limits of one chat turn.

use std::time::Duration;

/// Maximum number of rounds of tool calls.
pub const ROUNDS_MAX: u32 = 4;
/// Maximum number of searches.
pub const SEARCHES_MAX: u32 = 3;
/// Time limit of a turn.
pub const MESSAGE_TIME_MAX: Duration = Duration::from_secs(60);
/// Time reserved for the reply; with less time left, tools are not used any more.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(15);
/// Maximum number of tool calls in one round; the model is informed about further ones.
pub(super) const CALLS_PER_ROUND_MAX: usize = 8;

/// Results of a search that the model is shown.
pub(super) const RESULTS_SHOWN_MAX: u32 = 10;
/// Maximum length of a snippet in characters.
pub(super) const SNIPPET_CHARS_MAX: usize = 600;
/// Default and maximum length of a document window in characters.
pub(super) const WINDOW_CHARS: usize = 4000;
pub(super) const WINDOW_CHARS_MAX: usize = 8000;
/// Maximum length of a document in characters; the rest is ignored.
pub(super) const DOCUMENT_CHARS_MAX: usize = 400_000;
/// Length in words of a passage of an attached document.
pub(super) const PASSAGE_WORDS: usize = 180;
/// Maximum number of tokens of a tool result.
pub(super) const TOOL_TOKENS_MAX: usize = 4000;
/// Maximum number of tokens of a reply; less for small models.
pub(super) const ANSWER_TOKENS_MAX: usize = 1500;
/// Maximum length of a reply in characters; the rest is cut off.
pub(super) const ANSWER_CHARS_MAX: usize = 40_000;
/// Number of sources in the system prompt.
pub(super) const SOURCES_DESCRIBED_MAX: usize = 40;
/// Number of documents of earlier messages that the model may read.
pub(super) const DOCUMENTS_KEPT_MAX: usize = 20;
