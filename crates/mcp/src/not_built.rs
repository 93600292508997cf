//! Stub for builds without the feature `mcp`.

use crate::caller::CallerContext;
use crate::deps::McpDeps;
use std::sync::Arc;

/// The error message of every call.
pub const NOT_BUILT: &str = "The Model Context Protocol is not built into this program. Use the released program, or \
     build it with --features mcp.";

/// Errors of `tributary mcp`.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    #[error("{NOT_BUILT}")]
    NotBuilt,
}

pub struct Mcp;

impl Mcp {
    pub fn new(_: McpDeps) -> Self {
        Self
    }

    pub async fn over_stdio(self: &Arc<Self>, _: Arc<dyn CallerContext>) -> Result<(), McpError> {
        Err(McpError::NotBuilt)
    }
}
