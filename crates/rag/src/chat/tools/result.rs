//! The result of a tool call.

use domain::ids::SearchId;

/// The result of a tool call, and the search that it started.
pub(super) struct ToolResult {
    pub text: String,
    pub search: Option<SearchId>,
}

impl ToolResult {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), search: None }
    }
}
