//! Metrics for scrapers: the task queues in the interface's own format, and all metrics.

mod backups;
mod cache;
mod general;
mod limits;
mod queues;
mod servers;
mod storage;
mod tasks;

pub use queues::{QueueFigures, collect};

use crate::state::AppState;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(tasks::tasks)).routes(routes!(general::general))
}
