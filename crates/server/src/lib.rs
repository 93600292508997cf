//! HTTP interface: authentication, validation and responses. Decisions are made in the other crates.
//!
//! | Module | Contents |
//! |---|---|
//! | `normalize_path` | rewrites every form of a path to the declared one |
//! | `request_context`, `security_headers` | request id, access log, headers of every response |
//! | `error` | converts errors to responses |
//! | `extract`, `json_scan`, `deserialize_error` | bodies, parameters and ids, with errors in the API's format |
//! | `links` | links in responses |
//! | `request_head` | links, client address, method and headers of a request |
//! | `connection`, `client_address` | connection limits and deadlines; the address of a client |
//! | `browser` | recognizes navigations of browsers |
//! | `idempotency` | requests that may be repeated safely |
//! | `host`, `open_body` | the `Host` header; limits of bodies without credentials |
//! | `audit` | changes that are written to the audit log |
//! | `preconditions` | versions of records: `ETag`, `If-Match`, concurrent edits |
//! | `cors` | which other origins may call the API |
//! | `throttle` | rate limits |
//! | `state`, `instance_info` | state shared by all handlers; information about this installation |
//! | `shutdown` | draining before the process stops |
//! | `auth` | authentication; deny by default |
//! | `mcp` | the MCP endpoint at `/mcp` |
//! | `api` | one file or folder for each resource, and the OpenAPI document |
//! | `branding_cache` | the active branding |
//! | `storage` | forecast of the database's disk usage |
//! | `units` | units of settings |
//! | `metrics`, `ping` | metrics of this process; a ping through the task queue |
//! | `ui` | the web pages |

mod api;
mod audit;
mod auth;
mod branding_cache;
mod browser;
mod client_address;
mod connection;
mod cors;
mod deserialize_error;
mod error;
mod extract;
mod host;
mod idempotency;
mod instance_info;
mod json_scan;
mod links;
mod mcp;
mod metrics;
mod normalize_path;
mod open_body;
mod ping;
mod preconditions;
mod request_context;
mod request_head;
mod security_headers;
mod shutdown;
mod state;
mod storage;
mod throttle;
mod ui;
mod units;

pub use auth::{password, token};
pub use connection::{ReloadingAcceptor, TlsError, serve};
pub use extract::read_record;
pub use instance_info::{InstanceInfo, LogFolder};
pub use metrics::Metrics;
pub use ping::AnswerPing;
pub use state::{AppDeps, AppState};
pub use storage::storage_forecast;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use error::{ApiError, ErrorCode};
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;
use units::BYTES_PER_MB;

impl AppState {
    pub fn new(parts: AppDeps) -> Self {
        Self::with_document(parts, api::document())
    }
}

/// All routes of the service. Paths are normalized before routing, so each route is declared once.
pub fn router(state: Arc<AppState>) -> Router {
    with_layers(Router::from(api::router()).merge(ui::router()).merge(mcp::router()), state)
}

/// Health and metrics only, for a process without the web role.
pub fn monitoring_router(state: Arc<AppState>) -> Router {
    with_layers(Router::from(api::monitoring_router()), state)
}

fn with_layers(routes: Router<Arc<AppState>>, state: Arc<AppState>) -> Router {
    let prefixes = normalize_path::PathPrefixes::new(&state.settings);
    let cors = cors::layer(&state.settings.cors_origins);
    let strict_transport = security_headers::strict_transport_layer(&state.settings);
    let body_bytes_max = usize::try_from(state.settings.request_body_max_mb)
        .unwrap_or(usize::MAX)
        .saturating_mul(BYTES_PER_MB);
    let routes = routes
        .fallback(async || ApiError::of(ErrorCode::NotFound))
        .method_not_allowed_fallback(async || ApiError::of(ErrorCode::MethodNotAllowed))
        .layer(from_fn_with_state(Arc::clone(&state), ui::html_not_found))
        .layer(from_fn_with_state(Arc::clone(&state), ui::confirm_search))
        .layer(from_fn_with_state(Arc::clone(&state), auth::guard))
        .layer(from_fn_with_state(Arc::clone(&state), mcp::challenge))
        .layer(from_fn_with_state(Arc::clone(&state), audit::record_lockouts))
        .layer(CatchPanicLayer::custom(error::from_panic))
        .layer(DefaultBodyLimit::max(body_bytes_max))
        .layer(from_fn(host::check))
        .layer(from_fn_with_state(Arc::clone(&state), metrics::http::count))
        .layer(from_fn(request_context::layer))
        .layer(from_fn_with_state(Arc::clone(&state), shutdown::end_connection))
        .with_state(state);
    let router =
        Router::new().fallback_service(routes).layer(from_fn_with_state(prefixes, normalize_path::layer));
    let router = match cors {
        Some(layer) => router.layer(layer),
        None => router,
    };
    let router = router.layer(map_response(security_headers::complete));
    match strict_transport {
        Some(layer) => router.layer(layer),
        None => router,
    }
}

/// The OpenAPI document as JSON, for the generated documentation.
pub fn openapi_json() -> Result<String, serde_json::Error> {
    api::build_document().map(|document| document.text())
}
