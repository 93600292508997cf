//! `/metrics/`: all metrics of this process.

use super::limits::COLLECT_TIME_MAX;
use super::{backups, cache, queues, servers, storage};
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::metrics::{Disk, QueueUse, Snapshot, TextFormat};
use crate::state::AppState;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use std::path::PathBuf;
use std::sync::Arc;

/// Metrics of this process: requests, searches, providers, AI summaries, queues, database connections, license, disk,
/// memory and time. For administrators, because it names all providers; public with `SVC_METRICS_OPEN`.
///
/// Prometheus text format 0.0.4, or OpenMetrics 1.0.0 if `Accept` names `application/openmetrics-text`.
#[utoipa::path(get, path = "/metrics/", tag = "service", operation_id = "metrics",
    responses((status = 200, description = "Metrics as text.", body = String, content_type = "text/plain"),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
pub async fn general(
    _scraper: Scraper,
    State(state): State<Arc<AppState>>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, ApiError> {
    let folder = PathBuf::from(&state.settings.data_dir);
    let (queues, servers, cache, disk, storage, last_backup) = tokio::join!(
        queues::collect(&state),
        servers::collect(&state),
        cache::collect(&state),
        disk_of(folder),
        storage::collect(&state),
        backups::collect(&state)
    );
    let queues = queues.map(|queues| {
        let queues = queues.into_iter();
        queues.map(|(queue, one)| QueueUse { queue, depth: one.depth, active: one.active }).collect()
    });
    let snapshot = Snapshot {
        queues,
        pools: state.store.pools(),
        tasks_requeued: state.worker_metrics.requeued(),
        servers,
        cache,
        license: state.corpus.license(),
        disk,
        storage,
        last_backup,
        traces: state.federation.timings.export_counts(),
    };
    let breaker = |provider| state.federation.prober.health(provider).map(|source| source.state);
    let text = state.metrics.scrape(&snapshot, breaker);
    let text = text.map_err(|error| ApiError::internal(format!("the metrics cannot be written: {error}")))?;
    let format = TextFormat::accepted(&headers);
    Ok(([(header::CONTENT_TYPE, format.content_type())], format.write(text)))
}

/// A caller who may read the metrics: an administrator, or anyone if the settings say so.
pub struct Scraper;

impl FromRequestParts<Arc<AppState>> for Scraper {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<AppState>) -> Result<Self, Self::Rejection> {
        if !state.settings.metrics_open {
            Admin::from_request_parts(parts, state).await?;
        }
        Ok(Self)
    }
}

/// An unreachable network disk never returns its size.
async fn disk_of(folder: PathBuf) -> Option<Disk> {
    let read = tokio::task::spawn_blocking(move || Disk::of(&folder));
    tokio::time::timeout(COLLECT_TIME_MAX, read).await.ok()?.ok()?
}
