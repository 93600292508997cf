//! Result of a query transform.

/// A transformed query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransformedQuery {
    pub query: String,
    /// A limit was reached ([`OUTPUT_CHARS_MAX`](super::OUTPUT_CHARS_MAX) or the number of replacements); the rest of the rules was skipped.
    pub is_cut: bool,
}
