//! The last hour of this process, for the dashboard.

use super::days::begin_of;
use crate::api::metrics::{QueueFigures, collect};
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::metrics::{Failing, HourView};
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use domain::ids::ProviderId;
use domain::ports::QueueName;
use domain::provider::SearchProvider;
use serde::Serialize;
use std::sync::Arc;

/// Current activity.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ActivityNow {
    /// Searches created since midnight UTC, by all processes.
    searches_today: u64,
    /// Number of active sources.
    sources: usize,
    /// Active sources that fail in every search of this process; the one that has failed longest is first.
    failing: Vec<FailingSource>,
    /// Sources that are not queried at the moment.
    resting: Vec<Resting>,
    /// Empty if the queues cannot be read.
    queues: Vec<Queue>,
    #[serde(flatten)]
    hour: HourView,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct FailingSource {
    provider_id: ProviderId,
    name: String,
    #[serde(flatten)]
    failing: Failing,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Resting {
    provider_id: ProviderId,
    name: String,
    /// Seconds until it may be queried again.
    seconds: u64,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Queue {
    #[schema(example = "search")]
    queue: &'static str,
    /// Waiting tasks.
    waiting: u64,
    /// Running tasks, on all workers.
    active: u64,
    /// Most tasks that can run at once.
    capacity: u64,
    workers: u64,
}

/// The last hour by minute, from this process.
#[utoipa::path(get, path = "/svc/activity/now/", tag = "service", responses(
    (status = 200, description = "Statistics.", body = ActivityNow),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
pub async fn read_now(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
) -> Result<Json<ActivityNow>, ApiError> {
    let midnight = begin_of(state.clock.now().date_naive());
    let (searches_today, providers) =
        tokio::try_join!(state.store.search_count(Some(midnight)), state.store.providers())?;
    let sources = providers.iter().filter(|provider| provider.spec.active).count();
    let failing = failing(&state, &providers);
    let resting = providers.into_iter().filter_map(|provider| {
        let known = state.federation.prober.health(provider.id)?;
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
        sources,
        failing,
        resting: resting.collect(),
        queues: collect(&state).await.unwrap_or_default().into_iter().map(queue).collect(),
        hour: state.metrics.hour(),
    }))
}

fn failing(state: &AppState, providers: &[SearchProvider]) -> Vec<FailingSource> {
    let mut by_id = state.metrics.failing(providers, state.clock.now());
    let view = |provider: &SearchProvider| {
        let failing = by_id.remove(&provider.id)?;
        Some(FailingSource { provider_id: provider.id, name: provider.spec.name.clone(), failing })
    };
    let mut rows: Vec<FailingSource> = providers.iter().filter_map(view).collect();
    rows.sort_by_key(|row| row.failing.since);
    rows
}
