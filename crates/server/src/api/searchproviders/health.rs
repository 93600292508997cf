//! Provider health: the state of the circuit breaker of one provider, and of all.

use crate::audit::AuditedStore;
use crate::auth::{Admin, Caller};
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::ApiPath;
use crate::metrics::Failing;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Duration, Utc};
use domain::audit::{Action, AuditEvent, Kind};
use domain::ids::ProviderId;
use domain::provider::SearchProvider;
use federation::HealthState;
use serde::Serialize;
use std::sync::Arc;

/// Health of a source in this process.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SourceState)]
pub struct StateView {
    /// `closed` (queried as usual), `open` (not queried), `half_open` (one probe at a time), `suspended` (it requested
    /// a pause) or `unknown` (not queried yet).
    #[schema(example = "closed")]
    state: &'static str,
    /// Seconds until it may be queried again.
    retry_in_s: u64,
    failures_in_a_row: u32,
}

/// The health of the provider's source in this process.
#[utoipa::path(get, path = "/svc/searchproviders/{id}/state/", tag = "providers", params(("id" = i64, Path, description = "Id of the provider.")),
    responses((status = 200, description = "The state.", body = StateView),
    (status = 404, description = "Unknown, or not visible to you.", body = ErrorBody)))]
pub async fn read_state(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Json<StateView>, ApiError> {
    let provider = state.store.provider(ProviderId(id)).await?;
    if !caller.principal.may_see(&provider) {
        return Err(ApiError::of(ErrorCode::NotFound));
    }
    Ok(Json(match state.federation.prober.health(provider.id) {
        Some(known) => StateView {
            state: known.state,
            retry_in_s: known.retry_in_s,
            failures_in_a_row: known.failures_in_a_row,
        },
        None => StateView { state: "unknown", retry_in_s: 0, failures_in_a_row: 0 },
    }))
}

/// Resets failures and pauses, so that the source is queried again immediately.
#[utoipa::path(delete, path = "/svc/searchproviders/{id}/state/", tag = "providers", params(("id" = i64, Path, description = "Id of the provider.")),
    responses((status = 204, description = "Reset."),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
pub async fn reset_state(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let provider = state.store.provider(ProviderId(id)).await?;
    let (id, name) = (Some(provider.id.0), provider.spec.name.as_str());
    audited.note(AuditEvent::of(Action::Reset, Kind::SearchProvider, id, name)).await?;
    state.federation.prober.reset_health(provider.id);
    state.metrics.forget_failures(provider.id);
    Ok(StatusCode::NO_CONTENT)
}

/// Health of a source in this process, with its statistics of the last hour.
#[derive(Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = SourceStateInList)]
pub struct StateRow {
    id: ProviderId,
    name: String,
    /// `closed` (queried as usual), `open` (not queried) or `half_open` (one probe at a time).
    #[schema(example = "closed")]
    state: &'static str,
    /// When it may be queried again.
    until: Option<DateTime<Utc>>,
    /// Seconds until then.
    seconds: u64,
    /// Why it is not queried; empty if it is.
    reason: String,
    /// Median time of its responses, in seconds.
    p50: Option<f64>,
    /// Searches of the last hour in which it responded.
    ok: u64,
    /// Searches of the last hour in which it failed.
    failed: u64,
    /// Its failures, if it fails in every search.
    failing: Option<Failing>,
}

/// The health of every provider's source in this process.
#[utoipa::path(get, path = "/svc/searchproviders/states/", tag = "providers", responses(
    (status = 200, description = "States by id of the provider.", body = [StateRow]),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
pub async fn list_states(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
) -> Result<Json<Vec<StateRow>>, ApiError> {
    let (now, hour) = (state.clock.now(), state.metrics.hour());
    let providers = state.store.providers().await?;
    let mut failing = state.metrics.failing(&providers, now);
    let row = |provider: SearchProvider| {
        let known = state.federation.prober.health(provider.id);
        let mut row = StateRow::of(&provider, known, now);
        if let Some(figures) = hour.providers.iter().find(|one| one.provider_id == provider.id) {
            (row.p50, row.ok, row.failed) = (figures.p50, figures.ok, figures.failed);
        }
        row.failing = failing.remove(&provider.id);
        row
    };
    Ok(Json(providers.into_iter().map(row).collect()))
}

impl StateRow {
    /// A source that was not queried yet is queried as usual.
    fn of(provider: &SearchProvider, known: Option<HealthState>, now: DateTime<Utc>) -> Self {
        let (state, seconds, failures) =
            known.map_or(("closed", 0, 0), |known| (known.state, known.retry_in_s, known.failures_in_a_row));
        let reason = match state {
            "closed" => String::new(),
            "suspended" => "It requested a pause.".to_owned(),
            _ => format!("It failed {failures} times in a row."),
        };
        let wait = Duration::try_seconds(i64::try_from(seconds).unwrap_or(i64::MAX)).unwrap_or_default();
        Self {
            id: provider.id,
            name: provider.spec.name.clone(),
            state: if state == "suspended" { "open" } else { state },
            until: (seconds > 0).then(|| now + wait),
            seconds,
            reason,
            p50: None,
            ok: 0,
            failed: 0,
            failing: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_reported_as_an_open_breaker() {
        let now = DateTime::from_timestamp(1_700_000_000, 0).expect("a time");
        let provider = SearchProvider {
            id: ProviderId(1),
            owner: domain::ids::UserId(1),
            spec: domain::provider::ProviderSpec::default(),
            credentials: domain::secret::Secret::default(),
            unreadable: Default::default(),
            user_token: None,
            date_created: now,
            date_updated: now,
        };
        let known = |state| Some(HealthState { state, retry_in_s: 30, failures_in_a_row: 5 });
        let table = [
            (None, "closed", "", false),
            (known("suspended"), "open", "It requested a pause.", true),
            (known("open"), "open", "It failed 5 times in a row.", true),
            (known("half_open"), "half_open", "It failed 5 times in a row.", true),
        ];
        for (known, state, reason, waits) in table {
            let row = StateRow::of(&provider, known, now);
            assert_eq!((row.state, row.reason.as_str(), row.until.is_some()), (state, reason, waits));
        }
    }
}
