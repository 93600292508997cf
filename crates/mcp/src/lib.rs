//! Model Context Protocol server: the service as tools for models.
//!
//! | Module | Content |
//! |---|---|
//! | `caller` | identity and quotas of a caller |
//! | `handler` | dispatch of protocol requests |
//! | `tools`, `resources`, `prompts` | one file for each, and their tables |
//! | `tool_context`, `run_search`, `progress` | context of a tool call; a search with progress reports |
//! | `views`, `markdown`, `schema` | views of records as data and as text |
//! | `documents` | cache of document texts |
//! | `deps`, `mcp_store`, `service`, `transports` | dependencies; shared state; streamable HTTP and stdio |
//! | `not_built` | stub without the feature `mcp` |
//!
//! HTTP is stateless: there are no sessions, so any process can answer any request. Progress is part of the response.

mod caller;
mod deps;
#[cfg(feature = "mcp")]
mod documents;
#[cfg(feature = "mcp")]
mod error;
#[cfg(feature = "mcp")]
mod handler;
#[cfg(feature = "mcp")]
mod markdown;
mod mcp_store;
#[cfg(not(feature = "mcp"))]
mod not_built;
#[cfg(feature = "mcp")]
mod progress;
#[cfg(feature = "mcp")]
mod prompts;
#[cfg(feature = "mcp")]
mod resources;
#[cfg(feature = "mcp")]
mod run_search;
#[cfg(feature = "mcp")]
mod schema;
#[cfg(feature = "mcp")]
mod service;
#[cfg(feature = "mcp")]
mod tool_context;
#[cfg(feature = "mcp")]
mod tools;
#[cfg(feature = "mcp")]
mod transports;
#[cfg(feature = "mcp")]
mod views;

pub use caller::{CallerContext, CallerError, CallerErrorKind, QuotaClass};
pub use deps::McpDeps;
pub use mcp_store::McpStore;
#[cfg(not(feature = "mcp"))]
pub use not_built::{Mcp, McpError, NOT_BUILT};
#[cfg(feature = "mcp")]
pub use {error::McpError, handler::Handler, service::Mcp};
