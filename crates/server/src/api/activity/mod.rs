//! Activity of users: the last days from the records, the last hour from this process.

mod days;
mod now;

pub use days::DAYS_MAX;

use crate::state::AppState;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(days::read_activity))
        .routes(routes!(days::read_own_activity))
        .routes(routes!(now::read_now))
}
