//! The semantic cache: the caller's documents, their liveness, and their removal.

mod diff;
mod liveness;
mod read;
mod statistics;
mod unindex;

pub use read::TEXT_CHARS_MAX as FILTER_CHARS_MAX;

use crate::state::AppState;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(read::read_documents))
        .routes(routes!(read::read_document))
        .routes(routes!(diff::read_difference))
        .routes(routes!(statistics::read_statistics))
        .routes(routes!(unindex::unindex))
        .routes(routes!(liveness::check_liveness))
}
