//! POST: checks at the sources whether documents still exist.

use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiJson;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use corpus::{CHECKS_MAX, Checked};
use domain::corpus::Liveness;
use domain::ids::SignalId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Which documents are checked: one, or several.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct CheckInput {
    signal_id: Option<i64>,
    /// At most 50.
    signal_ids: Option<Vec<i64>>,
}

/// The result for one document.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CheckView {
    signal_id: SignalId,
    /// `gone` only after 404 or 410.
    verdict: Liveness,
    /// Null: no response.
    http_status: Option<u16>,
    checked_at: DateTime<Utc>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ChecksView {
    results: Vec<CheckView>,
}

/// One result for `signal_id`, a list for `signal_ids`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum CheckAnswer {
    One(CheckView),
    Several(ChecksView),
}

impl From<Checked> for CheckView {
    fn from(checked: Checked) -> Self {
        let Checked { signal_id, verdict, http_status, checked_at } = checked;
        Self { signal_id, verdict, http_status, checked_at }
    }
}

/// Checks at the sources whether documents of the semantic cache still exist, with the stored credentials of users who
/// have them, yours first. Nothing is removed because of the result.
#[utoipa::path(post, path = "/svc/cache/check_liveness/", tag = "cache",
    request_body(content = CheckInput, example = json!({"signal_id": 7})), responses(
    (status = 200, description = "The results of the checks.", body = CheckAnswer),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 402, description = "`cache_unlicensed`: the license does not include the cache.", body = ErrorBody),
    (status = 404, description = "One of them is unknown, or not visible to you.", body = ErrorBody),
    (status = 415, description = "The body is not JSON.", body = ErrorBody)))]
pub async fn check_liveness(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiJson(input): ApiJson<CheckInput>,
) -> Result<Json<CheckAnswer>, ApiError> {
    let ids: Vec<SignalId> = match (input.signal_id, &input.signal_ids) {
        (Some(id), None) => vec![SignalId(id)],
        (None, Some(ids)) if ids.len() <= CHECKS_MAX => ids.iter().copied().map(SignalId).collect(),
        (None, Some(_)) => {
            let sentence = format!("At most {CHECKS_MAX} documents are checked at once.");
            return Err(ApiError::invalid_field("signal_ids", sentence));
        }
        _ => return Err(ApiError::invalid_field("signal_id", "Give signal_id or signal_ids.")),
    };
    let checked = state.corpus.check_liveness(caller.principal.user, &ids).await?;
    let mut results: Vec<CheckView> = checked.into_iter().map(CheckView::from).collect();
    Ok(Json(match (input.signal_ids, results.pop()) {
        (None, Some(one)) => CheckAnswer::One(one),
        (_, last) => {
            results.extend(last);
            CheckAnswer::Several(ChecksView { results })
        }
    }))
}
