//! `/mcp`: the tools of the service for models, by the Model Context Protocol over streamable HTTP.
//!
//! Every POST is answered by itself and there are no sessions: nothing is kept between requests, any process of several
//! may answer, and nobody can use the session of another. What runs longer tells its progress in the answer to its own
//! POST, as a stream of events. So there is nothing to GET and nothing to DELETE; both are 405, as the protocol says.

#[cfg(feature = "mcp")]
mod calls;
mod metadata;
#[cfg(not(feature = "mcp"))]
mod not_built;
#[cfg(feature = "mcp")]
mod origin;

pub use metadata::{Issuers, challenge};

use crate::AppState;
use axum::Router;
use axum::routing::{get, post};
#[cfg(feature = "mcp")]
use calls::answer;
#[cfg(not(feature = "mcp"))]
use not_built::answer;
use std::sync::Arc;

/// Where the tools are.
pub const PATH: &str = "/mcp/";

pub fn router() -> Router<Arc<AppState>> {
    Router::new()
        .route(PATH, post(answer))
        .route(metadata::PATH, get(metadata::read))
        .route(metadata::PATH_OF_TOOLS, get(metadata::read))
}
