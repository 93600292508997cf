//! POST: removes a document from the cache, or the caller's access to it.

use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiJson;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use corpus::{IfPinned, RemovalTarget};
use domain::ids::SignalId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The document to remove: by `signal_id` or by `url`.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct UnindexInput {
    signal_id: Option<i64>,
    /// Any form of its address.
    url: Option<String>,
    /// Remove it even if it is pinned.
    force: bool,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Unindexed {
    #[schema(example = true)]
    removed: bool,
    signal_id: SignalId,
}

/// Removes a document from the semantic cache. If other users have it too, only your own access is removed; an
/// administrator removes it for all. This works without a license: you may always remove your documents.
#[utoipa::path(post, path = "/svc/cache/unindex/", tag = "cache",
    request_body(content = UnindexInput, example = json!({"signal_id": 7})), responses(
    (status = 200, description = "Removed.", body = Unindexed),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "You may see it, but someone else ingested it.", body = ErrorBody),
    (status = 404, description = "Unknown, or not visible to you.", body = ErrorBody),
    (status = 409, description = "It is pinned; `force` removes it anyway.", body = ErrorBody),
    (status = 415, description = "The body is not JSON.", body = ErrorBody)))]
pub async fn unindex(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiJson(input): ApiJson<UnindexInput>,
) -> Result<Json<Unindexed>, ApiError> {
    let which = match (input.signal_id, input.url) {
        (Some(id), None) => RemovalTarget::Id(SignalId(id)),
        (None, Some(url)) => RemovalTarget::Url(url),
        _ => {
            return Err(ApiError::invalid_field("signal_id", "Name a document by signal_id or by url."));
        }
    };
    let if_pinned = if input.force { IfPinned::Remove } else { IfPinned::Refuse };
    let removed = state.corpus.unindex(&caller.principal, &which, if_pinned).await?;
    let id = removed.signal_id;
    let who = &caller.principal.username;
    let what = if removed.is_whole { "removed" } else { "given up" };
    tracing::info!(signal.id = %id, "the cached document {id} was {what} by {who}");
    Ok(Json(Unindexed { removed: true, signal_id: id }))
}
