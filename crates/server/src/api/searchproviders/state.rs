//! How a provider's source stands: asked as usual, resting, or left alone because it failed too often.

use crate::AppState;
use crate::auth::{Admin, Caller};
use crate::changes::Changes;
use crate::error::{ApiError, ErrorBody, Refusal};
use crate::extract::ApiPath;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::audit::{Action, AuditEvent, Kind};
use domain::ids::ProviderId;
use serde::Serialize;
use std::sync::Arc;

/// What this process knows of a source.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SourceState)]
pub struct StateView {
    /// `closed` (asked as usual), `open` (left alone), `half_open` (one probe at a time), `suspended` (it asked for
    /// a rest) or `unknown` (not asked yet).
    #[schema(example = "closed")]
    state: &'static str,
    /// Seconds until it may be asked again.
    retry_in_s: u64,
    failures_in_a_row: u32,
}

/// How the provider's source stands in this process.
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
        return Err(ApiError::of(Refusal::NotFound));
    }
    Ok(Json(match state.federation.source_state(provider.id) {
        Some(known) => StateView {
            state: known.state,
            retry_in_s: known.retry_in_s,
            failures_in_a_row: known.failures_in_a_row,
        },
        None => StateView { state: "unknown", retry_in_s: 0, failures_in_a_row: 0 },
    }))
}

/// Forgets failures and rests, so that the source is asked again at once.
#[utoipa::path(delete, path = "/svc/searchproviders/{id}/state/", tag = "providers", params(("id" = i64, Path, description = "Id of the provider.")),
    responses((status = 204, description = "Forgotten."),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
pub async fn reset_state(
    _admin: Admin,
    changes: Changes,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let provider = state.store.provider(ProviderId(id)).await?;
    let (id, name) = (Some(provider.id.0), provider.spec.name.as_str());
    changes.note(AuditEvent::of(Action::Reset, Kind::SearchProvider, id, name)).await?;
    state.federation.reset_source(provider.id);
    Ok(StatusCode::NO_CONTENT)
}
