//! Figures for a scraper: those of the task queues in the form of the interface, and everything as OpenMetrics.

mod cache;
mod general;
mod queues;
mod tasks;

pub use queues::{QueueFigures, collect};

use crate::House;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<House>> {
    OpenApiRouter::new().routes(routes!(tasks::tasks)).routes(routes!(general::general))
}
