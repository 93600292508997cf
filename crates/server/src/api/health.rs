//! Signs of life for probes. Both are open and say nothing else.

use crate::House;
use crate::error::{ApiError, ErrorBody, Refusal};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// How long the database may take before we call ourselves not ready.
const PING_TIME_MAX: Duration = Duration::from_secs(2);

pub fn router() -> OpenApiRouter<Arc<House>> {
    OpenApiRouter::new().routes(routes!(live)).routes(routes!(ready))
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Health {
    #[schema(example = "ok")]
    status: &'static str,
}

const OK: Health = Health { status: "ok" };

/// Whether the process runs.
#[utoipa::path(get, path = "/svc/health/live/", tag = "service", security(),
    responses((status = 200, description = "It runs.", body = Health)))]
async fn live() -> Json<Health> {
    Json(OK)
}

/// Whether the service can work: the database answers.
#[utoipa::path(get, path = "/svc/health/ready/", tag = "service", security(),
    responses(
        (status = 200, description = "It can work.", body = Health),
        (status = 503, description = "It cannot work at the moment.", body = ErrorBody),
    ))]
async fn ready(State(house): State<Arc<House>>) -> Result<Json<Health>, ApiError> {
    match tokio::time::timeout(PING_TIME_MAX, house.store.ping()).await {
        Ok(pinged) => pinged.map(|()| Json(OK)).map_err(|error| {
            tracing::warn!(%error, "not ready: the database does not answer: {error}");
            ApiError::of(Refusal::Unavailable)
        }),
        Err(_) => Err(ApiError::of(Refusal::Unavailable)),
    }
}
