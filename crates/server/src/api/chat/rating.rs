//! Ratings of chat replies.

use super::access::own_chat;
use super::view::MessageView;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiJson, ApiPath};
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use domain::chat::{Rating, Speaker};
use domain::ids::{ChatId, MessageId};
use std::sync::Arc;

/// Rates a reply; a second rating replaces the first.
#[utoipa::path(post, path = "/svc/chat/{id}/messages/{message}/rating/", tag = "answers", params(
    ("id" = i64, Path, description = "Id of the chat."), ("message" = i64, Path, description = "Id of the answer.")),
    request_body(content = Rating, example = json!({"rating": 1, "reasons": ["helpful"], "comment": ""})), responses(
    (status = 200, description = "Rated.", body = MessageView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody),
    (status = 422, description = "It is not an answer.", body = ErrorBody)))]
pub async fn rate_message(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath((id, message)): ApiPath<(i64, i64)>,
    ApiJson(rating): ApiJson<Rating>,
) -> Result<Json<MessageView>, ApiError> {
    let chat = own_chat(&state, &caller.principal, ChatId(id)).await?;
    let messages = state.store.messages(chat.id).await?;
    let rated = messages.iter().find(|one| one.id == MessageId(message));
    match rated.ok_or_else(|| ApiError::of(ErrorCode::NotFound))?.role {
        Speaker::Assistant => {}
        Speaker::User => {
            return Err(ApiError::with_detail(ErrorCode::Impossible, "Only answers can be rated."));
        }
    }
    rating.check().into_result(()).map_err(ApiError::invalid)?;
    let rated = state.store.rate_message(chat.id, MessageId(message), rating).await?;
    let mut seen = state.federation.reader.authorize_messages(chat.owner, vec![rated]).await;
    Ok(Json(seen.pop().ok_or_else(|| ApiError::of(ErrorCode::NotFound))?.into()))
}
