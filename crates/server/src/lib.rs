//! The doors: HTTP in, HTTP out. They check who asks and what is asked, and leave decisions to the other rooms.
//!
//! | Module | What lives there |
//! |---|---|
//! | `paths` | every form of a path becomes one |
//! | `request_id`, `security_headers` | a request's id, its log line, the headers of every answer |
//! | `error` | the one place where an error becomes an answer |
//! | `extract`, `json_scan`, `links` | bodies, parameters and ids with refusals in our shape; links in answers |
//! | `connection`, `client_address` | who keeps the service waiting is dropped; where a request comes from |
//! | `idempotency` | requests that may be repeated without doing anything twice |
//! | `host`, `open_body` | requests name one host; bodies that come without credentials are short |
//! | `changes` | who changes something, for the audit log |
//! | `preconditions` | versions of records: `ETag`, `If-Match`, and edits at the same time |
//! | `cors` | which pages of others may call the API |
//! | `throttle` | how often something may be asked |
//! | `drain` | a process that is about to stop sends its clients away |
//! | `auth` | who is at the door; deny by default |
//! | `mcp_door` | the tools for models, at `/mcp` |
//! | `api` | one file or folder for each resource, and the OpenAPI document |
//! | `brand` | the branding in use |
//! | `storage` | how the disk of the database fills |
//! | `metrics`, `ping` | what this process counts about itself; a ping through the task queue |
//! | `ui` | the pages for people |

mod api;
mod auth;
mod brand;
mod changes;
mod client_address;
mod connection;
mod cors;
mod drain;
mod error;
mod extract;
mod host;
mod idempotency;
mod json_scan;
mod links;
mod mcp_door;
mod metrics;
mod misread;
mod open_body;
mod paths;
mod ping;
mod preconditions;
mod request_id;
mod security_headers;
mod storage;
mod throttle;
mod ui;

pub use auth::{password, token};
pub use connection::{ReloadingAcceptor, TlsError, serve};
pub use extract::read_record;
pub use metrics::Metrics;
pub use ping::AnswerPing;
pub use storage::storage_forecast;

use ai::Trials;
use answers::Answers;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use corpus::SemanticCache;
use domain::contracts::{Clock, OAuth, PluginRegistry, Store, TaskQueue};
use domain::installation::Installation;
use domain::settings::Settings;
use domain::workload::Workload;
use error::{ApiError, Refusal};
use federation::Federation;
use mcp::Mcp;
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;

const BYTES_PER_MB: usize = 1024 * 1024;

/// What the doors are given.
pub struct AppDeps {
    pub store: Arc<dyn Store>,
    pub queue: Arc<dyn TaskQueue>,
    pub federation: Arc<Federation>,
    /// AI summaries and chats.
    pub answers: Arc<Answers>,
    /// The same and more as tools for models.
    pub mcp: Arc<Mcp>,
    /// The semantic cache.
    pub corpus: Arc<SemanticCache>,
    /// Tries one model by itself.
    pub trials: Arc<Trials>,
    /// Services that sign people in or give out their tokens.
    pub oauth: Arc<dyn OAuth>,
    pub plugins: PluginRegistry,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<Settings>,
    pub metrics: Arc<Metrics>,
    /// What the workers of this process do.
    pub workload: Arc<Workload>,
    /// What the program tells of itself.
    pub installation: Installation,
}

/// What stands behind the doors, and what the doors themselves keep in memory.
pub struct AppState {
    pub store: Arc<dyn Store>,
    pub queue: Arc<dyn TaskQueue>,
    pub federation: Arc<Federation>,
    pub answers: Arc<Answers>,
    #[cfg_attr(not(feature = "mcp"), expect(dead_code, reason = "MCP is not built in"))]
    mcp: Arc<Mcp>,
    pub corpus: Arc<SemanticCache>,
    trials: Arc<Trials>,
    pub oauth: Arc<dyn OAuth>,
    pub plugins: PluginRegistry,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<Settings>,
    metrics: Arc<Metrics>,
    workload: Arc<Workload>,
    installation: Installation,
    pings: ping::Pings,
    basic: auth::PasswordVerifier,
    scrapers: auth::Scrapers,
    throttles: throttle::Throttles,
    assets: Arc<ui::Assets>,
    pages: ui::Pages,
    document: api::ApiDocument,
    drain: drain::Drain,
    lockouts: changes::Lockouts,
    brands: brand::BrandMemory,
    issuers: mcp_door::Issuers,
}

impl AppState {
    pub fn new(parts: AppDeps) -> Self {
        let throttles = throttle::Throttles::new(&parts.settings);
        let assets = Arc::new(ui::Assets::new(&parts.settings.web_dir));
        let AppDeps {
            store,
            queue,
            federation,
            answers,
            mcp,
            corpus,
            trials,
            oauth,
            plugins,
            clock,
            settings,
            metrics,
            workload,
            installation,
        } = parts;
        Self {
            store,
            queue,
            federation,
            answers,
            mcp,
            corpus,
            trials,
            oauth,
            plugins,
            clock,
            settings,
            metrics,
            workload,
            installation,
            pings: ping::Pings::default(),
            basic: auth::PasswordVerifier::new(),
            scrapers: auth::Scrapers::default(),
            throttles,
            pages: ui::Pages::new(Arc::clone(&assets)),
            assets,
            document: api::ApiDocument::built(),
            drain: drain::Drain::default(),
            lockouts: changes::Lockouts::new(),
            brands: brand::BrandMemory::default(),
            issuers: mcp_door::Issuers::default(),
        }
    }

    /// From now on this process is not ready, and every answer ends its connection. All requests are still served.
    pub fn send_clients_away(&self) {
        self.drain.begin();
    }
}

/// All routes of the service. Paths are made canonical before routing, so the routes are declared once.
pub fn router(state: Arc<AppState>) -> Router {
    with_layers(Router::from(api::router()).merge(ui::router()).merge(mcp_door::router()), state)
}

/// Health and metrics alone, for a process that does not play the web role.
pub fn monitoring_router(state: Arc<AppState>) -> Router {
    with_layers(Router::from(api::monitoring_router()), state)
}

fn with_layers(routes: Router<Arc<AppState>>, state: Arc<AppState>) -> Router {
    let paths = paths::PathWords::of(&state.settings);
    let cors = cors::layer(&state.settings.cors_origins);
    let strict_transport = security_headers::strict_transport_layer(&state.settings);
    let body_bytes_max = usize::try_from(state.settings.request_body_max_mb)
        .unwrap_or(usize::MAX)
        .saturating_mul(BYTES_PER_MB);
    let routes = routes
        .fallback(async || ApiError::of(Refusal::NotFound))
        .method_not_allowed_fallback(async || ApiError::of(Refusal::MethodNotAllowed))
        .layer(from_fn_with_state(Arc::clone(&state), ui::say_so))
        .layer(from_fn_with_state(Arc::clone(&state), auth::guard))
        .layer(from_fn_with_state(Arc::clone(&state), mcp_door::challenge))
        .layer(from_fn_with_state(Arc::clone(&state), changes::watch_lockouts))
        .layer(CatchPanicLayer::custom(error::from_panic))
        .layer(DefaultBodyLimit::max(body_bytes_max))
        .layer(from_fn(host::check))
        .layer(from_fn_with_state(Arc::clone(&state), metrics::count))
        .layer(from_fn(request_id::accompany))
        .layer(from_fn_with_state(Arc::clone(&state), drain::end_connection))
        .with_state(state);
    let doors =
        Router::new().fallback_service(routes).layer(from_fn_with_state(paths, paths::make_canonical));
    let doors = match cors {
        Some(layer) => doors.layer(layer),
        None => doors,
    };
    let doors = doors.layer(map_response(security_headers::complete));
    match strict_transport {
        Some(layer) => doors.layer(layer),
        None => doors,
    }
}

/// The OpenAPI document as JSON, for the generated documentation.
pub fn openapi_json() -> Result<String, serde_json::Error> {
    api::ApiDocument::build().map(|document| document.text())
}
