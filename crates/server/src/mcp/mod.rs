//! `/mcp`: the MCP endpoint (streamable HTTP).
//!
//! Every POST is independent and there are no sessions: nothing is stored between requests, any process may respond,
//! and nobody can use the session of another. A long call reports its progress in the response to its own POST, as a
//! stream of events. So GET and DELETE are 405, as the protocol specifies.

#[cfg(feature = "mcp")]
mod calls;
pub mod issuers;
mod metadata;
#[cfg(not(feature = "mcp"))]
mod not_built;
#[cfg(feature = "mcp")]
mod origin;
mod paths;

pub use metadata::challenge;

use crate::state::AppState;
use axum::Router;
use axum::routing::{get, post};
#[cfg(feature = "mcp")]
use calls::answer;
#[cfg(not(feature = "mcp"))]
use not_built::answer;
use paths::{METADATA, TOOLS, TOOLS_METADATA};
use std::sync::Arc;

pub fn router() -> Router<Arc<AppState>> {
    Router::new()
        .route(TOOLS, post(answer))
        .route(METADATA, get(metadata::read))
        .route(TOOLS_METADATA, get(metadata::read))
}
