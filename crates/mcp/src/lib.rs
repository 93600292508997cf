//! The service as tools for models: the Model Context Protocol.
//!
//! | Module | What lives there |
//! |---|---|
//! | `door` | where a caller came in: who it is, and what is counted |
//! | `handler` | the protocol's requests, each handed to its table |
//! | `tools`, `resources`, `prompts` | one file for each, and the tables of them |
//! | `call`, `running`, `progress` | what a tool is given; a search that is followed while it runs |
//! | `views`, `markdown`, `schema` | what is shown of records: whitelists, as data and as text |
//! | `documents` | texts of documents that are read window by window |
//! | `service`, `transports` | what all callers share; streamable HTTP and standard input and output |
//! | `not_built` | what stands in their place in a program without the feature `mcp` |
//!
//! Over HTTP every request stands for itself: there are no sessions, so that any process may answer any request and
//! nothing has to be kept, bounded or bound to a person. Progress comes in the answer of the request itself.

#[cfg(feature = "mcp")]
mod call;
#[cfg(feature = "mcp")]
mod documents;
mod door;
#[cfg(feature = "mcp")]
mod error;
#[cfg(feature = "mcp")]
mod handler;
#[cfg(feature = "mcp")]
mod markdown;
#[cfg(not(feature = "mcp"))]
mod not_built;
#[cfg(feature = "mcp")]
mod progress;
#[cfg(feature = "mcp")]
mod prompts;
#[cfg(feature = "mcp")]
mod resources;
#[cfg(feature = "mcp")]
mod running;
#[cfg(feature = "mcp")]
mod schema;
#[cfg(feature = "mcp")]
mod service;
#[cfg(feature = "mcp")]
mod tools;
#[cfg(feature = "mcp")]
mod transports;
#[cfg(feature = "mcp")]
mod views;

pub use door::{Costly, Door};
#[cfg(not(feature = "mcp"))]
pub use not_built::{Mcp, McpError, NOT_BUILT};
#[cfg(feature = "mcp")]
pub use {error::McpError, handler::Handler, service::Mcp};

use answers::Answers;
use corpus::SemanticCache;
use domain::contracts::{Clock, PluginRegistry, ReadPages, Store};
use domain::settings::Settings;
use federation::Federation;
use std::sync::Arc;

/// What the tools are given.
pub struct McpParts {
    pub store: Arc<dyn Store>,
    pub federation: Arc<Federation>,
    pub answers: Arc<Answers>,
    /// The semantic cache.
    pub corpus: Arc<SemanticCache>,
    pub pages: Arc<dyn ReadPages>,
    pub plugins: PluginRegistry,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<Settings>,
}
