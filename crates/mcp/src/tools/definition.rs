//! The definition of a tool.

use crate::error::ToolError;
use crate::tool_context::{ToolContext, ToolOutput};
use async_trait::async_trait;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use std::sync::Arc;

/// One tool.
pub(crate) struct Row {
    pub name: &'static str,
    /// Alternative names that are accepted and not listed.
    pub aliases: &'static [&'static str],
    pub title: &'static str,
    /// For the model.
    pub description: &'static str,
    /// False if the tool stores something. No tool deletes anything.
    pub is_read_only: bool,
    /// The tool queries the sources.
    pub is_open_world: bool,
    pub input: fn() -> Arc<JsonObject>,
    pub output: fn() -> Arc<JsonObject>,
    pub tool: &'static dyn ToolCall,
}

#[async_trait]
pub(crate) trait ToolCall: Send + Sync {
    async fn call(&self, context: &ToolContext<'_>, arguments: JsonObject) -> Result<ToolOutput, ToolError>;
}

impl Row {
    /// The definition for clients.
    pub fn described(&self) -> Tool {
        let hints = ToolAnnotations::with_title(self.title)
            .read_only(self.is_read_only)
            .destructive(false)
            .open_world(self.is_open_world);
        Tool::new(self.name, self.description, (self.input)())
            .with_title(self.title)
            .with_raw_output_schema((self.output)())
            .with_annotations(hints)
    }
}
