//! What stands in the place of the protocol in a program that was built without it.

use crate::{Door, McpParts};
use std::sync::Arc;

/// Told to whoever calls.
pub const NOT_BUILT: &str = "The Model Context Protocol is not built into this program. Use the released program, or \
     build it with --features mcp.";

/// Why `tributary mcp` ended.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    #[error("{NOT_BUILT}")]
    NotBuilt,
}

pub struct Mcp;

impl Mcp {
    pub fn new(_: McpParts) -> Self {
        Self
    }

    pub async fn over_stdio(self: &Arc<Self>, _: Arc<dyn Door>) -> Result<(), McpError> {
        Err(McpError::NotBuilt)
    }
}
