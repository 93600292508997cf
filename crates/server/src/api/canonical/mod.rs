//! Elections among versions of a document: review, decisions, and pins.

mod decide;
mod errors;
mod filters;
mod pins;
mod runs;
mod view;

pub use filters::OPEN;

use crate::state::AppState;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(runs::list_runs))
        .routes(routes!(runs::read_run))
        .routes(routes!(decide::approve_run))
        .routes(routes!(decide::reject_run))
        .routes(routes!(decide::elect))
        .routes(routes!(pins::pin_for_query))
        .routes(routes!(pins::unpin))
        .routes(routes!(pins::list_pins))
        .routes(routes!(pins::list_pin_history))
}
