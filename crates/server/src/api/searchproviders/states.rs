//! How all sources stand, in one list for the console.

use crate::AppState;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Duration, Utc};
use domain::ids::ProviderId;
use domain::provider::SearchProvider;
use federation::SourceState;
use serde::Serialize;
use std::sync::Arc;

/// What this process knows of a source, and its figures of the last hour.
#[derive(Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = SourceStateInList)]
pub struct StateRow {
    id: ProviderId,
    name: String,
    /// `closed` (asked as usual), `open` (left alone) or `half_open` (one probe at a time).
    #[schema(example = "closed")]
    state: &'static str,
    /// When it may be asked again.
    until: Option<DateTime<Utc>>,
    /// Seconds until then.
    seconds: u64,
    /// Why it is left alone; empty when it is not.
    reason: String,
    /// Median time of its answers, in seconds.
    p50: Option<f64>,
    /// Searches of the last hour to which it answered.
    ok: u64,
    /// Searches of the last hour in which it failed.
    failed: u64,
}

/// How every provider's source stands in this process.
#[utoipa::path(get, path = "/svc/searchproviders/states/", tag = "providers", responses(
    (status = 200, description = "States by id of the provider.", body = [StateRow]),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
pub async fn list_states(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
) -> Result<Json<Vec<StateRow>>, ApiError> {
    let (now, hour) = (state.clock.now(), state.metrics.hour());
    let row = |provider: SearchProvider| {
        let known = state.federation.source_state(provider.id);
        let mut row = StateRow::of(&provider, known, now);
        if let Some(figures) = hour.providers.iter().find(|one| one.provider_id == provider.id) {
            (row.p50, row.ok, row.failed) = (figures.p50, figures.ok, figures.failed);
        }
        row
    };
    Ok(Json(state.store.providers().await?.into_iter().map(row).collect()))
}

impl StateRow {
    /// A source that was not asked yet is asked as usual.
    fn of(provider: &SearchProvider, known: Option<SourceState>, now: DateTime<Utc>) -> Self {
        let (state, seconds, failures) =
            known.map_or(("closed", 0, 0), |known| (known.state, known.retry_in_s, known.failures_in_a_row));
        let reason = match state {
            "closed" => String::new(),
            "suspended" => "It asked for a rest.".to_owned(),
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_reads_like_a_breaker_with_another_reason() {
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
        let known = |state| Some(SourceState { state, retry_in_s: 30, failures_in_a_row: 5 });
        let table = [
            (None, "closed", "", false),
            (known("suspended"), "open", "It asked for a rest.", true),
            (known("open"), "open", "It failed 5 times in a row.", true),
            (known("half_open"), "half_open", "It failed 5 times in a row.", true),
        ];
        for (known, state, reason, waits) in table {
            let row = StateRow::of(&provider, known, now);
            assert_eq!((row.state, row.reason.as_str(), row.until.is_some()), (state, reason, waits));
        }
    }
}
