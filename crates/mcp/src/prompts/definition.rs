//! The definition of a prompt.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt};

/// One prompt.
pub(crate) struct Row {
    pub name: &'static str,
    pub described: fn() -> Prompt,
    /// The messages for these arguments.
    pub filled: fn(&JsonObject) -> Result<GetPromptResult, ErrorData>,
}
