//! Health checks for probes. `live` and `ready` are public and report nothing else; `tasks` sends a real ping.

use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::ports::chain;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// How long the database may take before the service reports that it is not ready.
const READY_TIME_MAX: Duration = Duration::from_secs(2);

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(live)).routes(routes!(ready)).routes(routes!(tasks))
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Health {
    #[schema(example = "ok")]
    status: &'static str,
}

const OK: Health = Health { status: "ok" };

/// Whether the process is running.
#[utoipa::path(get, path = "/svc/health/live/", tag = "service", security(),
    responses((status = 200, description = "The process is running.", body = Health)))]
async fn live() -> Json<Health> {
    Json(OK)
}

/// Whether the service can work: the database responds, and no shutdown has begun.
///
/// The service is ready without its broker: accepted searches run from the database, and results can be read.
#[utoipa::path(get, path = "/svc/health/ready/", tag = "service", security(),
    responses(
        (status = 200, description = "The service is ready.", body = Health),
        (status = 503, description = "The service is not ready.", body = ErrorBody),
    ))]
async fn ready(State(state): State<Arc<AppState>>) -> Result<Json<Health>, ApiError> {
    if state.shutdown.has_begun() {
        return Err(ApiError::of(ErrorCode::Unavailable));
    }
    match tokio::time::timeout(READY_TIME_MAX, state.store.ping()).await {
        Ok(Ok(())) => return Ok(Json(OK)),
        // Only logged: the response is public.
        Ok(Err(error)) => tracing::warn!("not ready: the database does not answer: {}", chain(&error)),
        Err(_) => tracing::warn!("not ready: the database takes too long"),
    }
    Err(ApiError::of(ErrorCode::Unavailable))
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct TasksHealth {
    /// `ok` or `error`.
    #[schema(example = "ok")]
    status: &'static str,
    #[schema(example = "A worker answered the ping.")]
    message: String,
}

/// Whether a worker responds: a ping is sent through the queue `health_check`, for up to 5 seconds.
#[utoipa::path(get, path = "/svc/health/tasks/", tag = "service", operation_id = "tasks_health",
    responses(
        (status = 200, description = "A worker responded.", body = TasksHealth),
        (status = 500, description = "Neither a worker nor the queue responded.", body = TasksHealth),
    ))]
async fn tasks(State(state): State<Arc<AppState>>) -> (StatusCode, Json<TasksHealth>) {
    let (code, status, message) = match state.pings.ping(&*state.queue, &*state.store).await {
        Ok(()) => (StatusCode::OK, "ok", "A worker answered the ping.".to_owned()),
        Err(error) => {
            tracing::warn!("the health check of the workers failed: {}", chain(&error));
            (StatusCode::INTERNAL_SERVER_ERROR, "error", error.to_string())
        }
    };
    (code, Json(TasksHealth { status, message }))
}
