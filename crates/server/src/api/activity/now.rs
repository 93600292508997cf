//! The last hour of this process, for the dashboard.

use super::days::begin_of;
use crate::AppState;
use crate::api::metrics::{QueueFigures, collect};
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::metrics::HourView;
use axum::Json;
use axum::extract::State;
use domain::contracts::QueueName;
use domain::ids::ProviderId;
use serde::Serialize;
use std::sync::Arc;

/// What happens at this moment.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ActivityNow {
    /// Searches created since midnight UTC, by all processes.
    searches_today: u64,
    /// Sources that are left alone.
    resting: Vec<Resting>,
    /// Empty when the queues cannot be read.
    queues: Vec<Queue>,
    #[serde(flatten)]
    hour: HourView,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Resting {
    provider_id: ProviderId,
    name: String,
    /// Seconds until it may be asked again.
    seconds: u64,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Queue {
    #[schema(example = "search")]
    queue: &'static str,
    /// Tasks that wait.
    waiting: u64,
    /// Tasks that run anywhere.
    active: u64,
    /// Tasks that can run at once.
    capacity: u64,
    workers: u64,
}

/// The last hour, minute by minute, as this process saw it.
#[utoipa::path(get, path = "/svc/activity/now/", tag = "service", responses(
    (status = 200, description = "Figures.", body = ActivityNow),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
pub async fn read_now(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
) -> Result<Json<ActivityNow>, ApiError> {
    let midnight = begin_of(state.clock.now().date_naive());
    let (searches_today, providers) =
        tokio::try_join!(state.store.search_count(Some(midnight)), state.store.providers())?;
    let resting = providers.into_iter().filter_map(|provider| {
        let known = state.federation.source_state(provider.id)?;
        (known.state != "closed").then_some(Resting {
            provider_id: provider.id,
            name: provider.spec.name,
            seconds: known.retry_in_s,
        })
    });
    let queue = |(name, figures): (QueueName, QueueFigures)| Queue {
        queue: name.as_str(),
        waiting: figures.depth,
        active: figures.busy,
        capacity: figures.capacity,
        workers: figures.workers,
    };
    Ok(Json(ActivityNow {
        searches_today,
        resting: resting.collect(),
        queues: collect(&state).await.unwrap_or_default().into_iter().map(queue).collect(),
        hour: state.metrics.hour(),
    }))
}
