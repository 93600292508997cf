//! The sources of a prompt.

use domain::result::ResultItem;
use domain::summary::SourceMode;

/// A result and its text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SourceText {
    pub item: ResultItem,
    pub text: String,
    /// Document type: a media type or a readable name.
    pub kind: String,
    pub mode: SourceMode,
}

/// A source in the prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PromptSource {
    /// Its number in the prompt, from 1.
    pub n: u32,
    pub source: SourceText,
    /// The part of its text that is in the prompt.
    pub passages: String,
}
