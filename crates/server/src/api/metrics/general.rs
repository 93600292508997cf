//! `/metrics/`: everything that this process counts, as OpenMetrics text.

use super::queues::collect;
use crate::House;
use crate::error::ApiError;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use domain::contracts::QueueName;
use std::sync::Arc;

const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// This process for a scraper: requests, searches, providers, queues, database connections, memory and time.
#[utoipa::path(get, path = "/metrics/", tag = "service", operation_id = "metrics",
    responses((status = 200, description = "OpenMetrics text.", body = String,
        content_type = "application/openmetrics-text")))]
pub async fn general(State(house): State<Arc<House>>) -> Result<impl IntoResponse, ApiError> {
    let queues = collect(&house).await;
    let queues: Option<Vec<(QueueName, u64, u64)>> =
        queues.map(|queues| queues.into_iter().map(|(queue, one)| (queue, one.depth, one.active)).collect());
    let breaker = |provider| house.federation.source_state(provider).map(|source| source.state);
    let cache = super::cache::collect(&house).await;
    let text = house.metrics.scrape(queues.as_deref(), &house.store.pools(), &cache, breaker);
    let text = text.map_err(|error| ApiError::internal(format!("the metrics cannot be written: {error}")))?;
    Ok(([(header::CONTENT_TYPE, TYPE)], text))
}
