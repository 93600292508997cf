//! `/metrics/`: everything that this process counts, as OpenMetrics text.

use super::queues::collect;
use crate::House;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::metrics::{Disk, Standing};
use axum::extract::{FromRequestParts, State};
use axum::http::header;
use axum::http::request::Parts;
use axum::response::IntoResponse;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// How long the disk may take to tell its size: a network disk that is gone never does.
const DISK_TIME_MAX: Duration = Duration::from_secs(2);

/// This process for a scraper: requests, searches, providers, AI summaries, queues, database connections, license,
/// disk, memory and time. For administrators, because it names all providers; for everybody with `SVC_METRICS_OPEN`.
#[utoipa::path(get, path = "/metrics/", tag = "service", operation_id = "metrics",
    responses((status = 200, description = "OpenMetrics text.", body = String,
        content_type = "application/openmetrics-text"),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
pub async fn general(
    _scraper: Scraper,
    State(house): State<Arc<House>>,
) -> Result<impl IntoResponse, ApiError> {
    let folder = PathBuf::from(&house.settings.data_dir);
    let (queues, cache, disk) = tokio::join!(collect(&house), super::cache::collect(&house), disk_of(folder));
    let figures = queues.map(|queues| queues.into_iter().map(|(queue, one)| (queue, one.depth, one.active)));
    let standing = Standing {
        queues: figures.map(Iterator::collect),
        pools: house.store.pools(),
        tasks_requeued: house.workload.requeued(),
        cache,
        license: house.corpus.license(),
        disk,
    };
    let breaker = |provider| house.federation.source_state(provider).map(|source| source.state);
    let text = house.metrics.scrape(&standing, breaker);
    let text = text.map_err(|error| ApiError::internal(format!("the metrics cannot be written: {error}")))?;
    Ok(([(header::CONTENT_TYPE, TYPE)], text))
}

/// Whoever may read the metrics: an administrator, or everybody when the settings say so.
pub struct Scraper;

impl FromRequestParts<Arc<House>> for Scraper {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, house: &Arc<House>) -> Result<Self, Self::Rejection> {
        if !house.settings.metrics_open {
            Admin::from_request_parts(parts, house).await?;
        }
        Ok(Self)
    }
}

async fn disk_of(folder: PathBuf) -> Option<Disk> {
    let read = tokio::task::spawn_blocking(move || Disk::of(&folder));
    tokio::time::timeout(DISK_TIME_MAX, read).await.ok()?.ok()?
}
