//! Paths of the MCP endpoint and of its metadata.

/// The endpoint.
pub const TOOLS: &str = "/mcp/";
pub const METADATA: &str = "/.well-known/oauth-protected-resource/";
/// The metadata for `/mcp`, which clients try first.
pub const TOOLS_METADATA: &str = "/.well-known/oauth-protected-resource/mcp/";
