//! The prompts: ready ways to use the tools, one row for each.

mod research;

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt};

pub(crate) const TABLE: &[Row] = &[research::ROW];

/// One prompt.
pub(crate) struct Row {
    pub name: &'static str,
    pub described: fn() -> Prompt,
    /// The messages for these arguments.
    pub filled: fn(&JsonObject) -> Result<GetPromptResult, ErrorData>,
}
