//! `/metrics/`: everything that this process counts.

use super::limits::COLLECT_TIME_MAX;
use super::{backups, cache, queues, servers, storage};
use crate::AppState;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::metrics::{Disk, Standing, TextFormat};
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use std::path::PathBuf;
use std::sync::Arc;

/// This process for a scraper: requests, searches, providers, AI summaries, queues, database connections, license,
/// disk, memory and time. For administrators, because it names all providers; for everybody with `SVC_METRICS_OPEN`.
///
/// The text format 0.0.4 of Prometheus, or OpenMetrics 1.0.0 if `Accept` names `application/openmetrics-text`.
#[utoipa::path(get, path = "/metrics/", tag = "service", operation_id = "metrics",
    responses((status = 200, description = "Text for a scraper.", body = String, content_type = "text/plain"),
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
    let figures = queues.map(|queues| queues.into_iter().map(|(queue, one)| (queue, one.depth, one.active)));
    let standing = Standing {
        queues: figures.map(Iterator::collect),
        pools: state.store.pools(),
        tasks_requeued: state.workload.requeued(),
        servers,
        cache,
        license: state.corpus.license(),
        disk,
        storage,
        last_backup,
    };
    let breaker = |provider| state.federation.source_state(provider).map(|source| source.state);
    let text = state.metrics.scrape(&standing, breaker);
    let text = text.map_err(|error| ApiError::internal(format!("the metrics cannot be written: {error}")))?;
    let format = TextFormat::accepted(&headers);
    Ok(([(header::CONTENT_TYPE, format.content_type())], format.write(text)))
}

/// Whoever may read the metrics: an administrator, or everybody when the settings say so.
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

/// A network disk that is gone never tells its size.
async fn disk_of(folder: PathBuf) -> Option<Disk> {
    let read = tokio::task::spawn_blocking(move || Disk::of(&folder));
    tokio::time::timeout(COLLECT_TIME_MAX, read).await.ok()?.ok()?
}
