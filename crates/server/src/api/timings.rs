//! Times of the last searches in this process, step by step.

use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiQuery;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::ids::{ProviderId, RunNumber, SearchId};
use domain::status::{ProviderStatus, SearchStatus};
use federation::{ProviderTiming, RUNS_MAX, SearchTiming, Step, TimeSpan};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

const SEARCHES_DEFAULT: usize = 20;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(read_timings))
}

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
struct TimingsParams {
    /// Number of searches, 1 to 200; 20 by default.
    searches: Option<u32>,
}

/// Times of the last searches. They contain neither queries nor users.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Timings {
    /// Since when this process records times.
    recording_since: DateTime<Utc>,
    /// When it stops, unless this is requested again; null if it does not stop, because traces are exported
    /// (`SVC_OTLP_ENDPOINT`).
    recording_until: Option<DateTime<Utc>>,
    /// Searches whose results were stored by this process, newest first.
    searches: Vec<SearchTimingView>,
}

/// Times of one run of a search, in microseconds from its request.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SearchTiming)]
struct SearchTimingView {
    search: SearchId,
    #[schema(value_type = i64)]
    run: RunNumber,
    /// The id of the request that caused the run, as in the log.
    request: Option<String>,
    requested: DateTime<Utc>,
    status: SearchStatus,
    /// Number of results.
    results: u64,
    total_us: u64,
    /// `queue`, `prepare`, `sources`, `scoring`, `storing` and, if a request of this process waited for the results,
    /// `response`. They do not overlap.
    steps: Vec<StepView>,
    /// Details of the step `scoring`: `slot` (waiting for the CPU), `post_result` (the post-result processors) and
    /// `status` (writing the status, reading the pipeline and saved results), which may begin during `sources`.
    parts: Vec<StepView>,
    /// The sources, in the order in which they were queried; at most 64.
    sources: Vec<SourceTimingView>,
    /// Number of sources, including those that are not listed.
    sources_total: u64,
}

/// A step of a search.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SearchStep)]
struct StepView {
    #[schema(example = "sources")]
    name: &'static str,
    begin_us: u64,
    end_us: u64,
}

/// Begin and end, in microseconds from the request.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = TimeSpan)]
struct TimeSpanView {
    begin_us: u64,
    end_us: u64,
}

/// Times of one source in a search.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SourceTiming)]
struct SourceTimingView {
    provider_id: ProviderId,
    name: String,
    /// Null if its part of the search broke off.
    status: Option<ProviderStatus>,
    /// Number of results.
    results: u64,
    /// Requests and responses, including retries, later pages and parsing. Null if no request was sent.
    fetch: Option<TimeSpanView>,
    /// Mapping and scoring of its results.
    processing: Option<TimeSpanView>,
}

impl From<SearchTiming> for SearchTimingView {
    fn from(timing: SearchTiming) -> Self {
        let view = |steps: &[Step]| steps.iter().map(StepView::from).collect();
        Self {
            total_us: micros(timing.total()),
            steps: view(&timing.steps),
            parts: view(&timing.parts),
            search: timing.search,
            run: timing.run,
            request: timing.request.as_deref().map(str::to_owned),
            requested: timing.requested,
            status: timing.status,
            results: timing.retrieved,
            sources: timing.providers.iter().map(SourceTimingView::from).collect(),
            sources_total: timing.providers_total as u64,
        }
    }
}

impl From<&Step> for StepView {
    fn from(step: &Step) -> Self {
        let TimeSpanView { begin_us, end_us } = step.span.into();
        Self { name: step.name.as_str(), begin_us, end_us }
    }
}

impl From<TimeSpan> for TimeSpanView {
    fn from(span: TimeSpan) -> Self {
        Self { begin_us: micros(span.begin), end_us: micros(span.end) }
    }
}

impl From<&ProviderTiming> for SourceTimingView {
    fn from(provider: &ProviderTiming) -> Self {
        Self {
            provider_id: provider.id,
            name: provider.name.to_string(),
            status: provider.status,
            results: provider.retrieved,
            fetch: provider.fetch.map(TimeSpanView::from),
            processing: provider.processing.map(TimeSpanView::from),
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Times of the last searches whose results were stored by this process, step by step. Times are recorded for ten
/// minutes after each request for them, and while traces are exported; the first request therefore returns an empty
/// list.
#[utoipa::path(get, path = "/svc/timings/", tag = "service", params(TimingsParams), responses(
    (status = 200, description = "Searches, newest first.", body = Timings),
    (status = 400, description = "Invalid parameter.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn read_timings(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    ApiQuery(params): ApiQuery<TimingsParams>,
) -> Result<Json<Timings>, ApiError> {
    let count = params.searches.map_or(SEARCHES_DEFAULT, |count| count as usize);
    if !(1..=RUNS_MAX).contains(&count) {
        return Err(ApiError::invalid_field("searches", format!("Use 1 to {RUNS_MAX}.")));
    }
    let timings = state.federation.timings.look(state.clock.now(), count);
    Ok(Json(Timings {
        recording_since: timings.since,
        recording_until: timings.until,
        searches: timings.searches.into_iter().map(SearchTimingView::from).collect(),
    }))
}
