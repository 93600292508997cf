//! Creating, renaming and deleting chats.

use super::access::own_chat;
use super::view::ChatView;
use crate::api::merge_patch::merge;
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiJson, ApiPath};
use crate::preconditions::{IfMatch, Versioned, deletable, edit, versioned};
use crate::state::AppState;
use crate::throttle::Class;
use axum::extract::State;
use axum::http::StatusCode;
use domain::ai_provider::Role;
use domain::chat::{CHATS_MAX, Chat, ChatSpec};
use domain::ids::{ChatId, UserId};
use domain::ports::{EditableRecord, StoreError};
use domain::prompt::{CHAT, CHAT_RAG};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Creates a chat. Without a title it is named after its first message.
#[utoipa::path(post, path = "/svc/chat/", tag = "answers", request_body = ChatSpec, responses(
    (status = 201, description = "Created.", body = ChatView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 409, description = "You have too many chats.", body = ErrorBody),
    (status = 429, description = "Too many requests; `retry_after` says when to try again.", body = ErrorBody)))]
pub async fn create_chat(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    address: ClientAddress,
    ApiJson(spec): ApiJson<ChatSpec>,
) -> Result<(StatusCode, Versioned<ChatView>), ApiError> {
    let user = caller.principal.user;
    state.throttles.take(Class::Chat, user, address)?;
    let spec = checked(&state, user, spec).await?;
    if state.store.chats(user, 0, 1).await?.total >= CHATS_MAX {
        let sentence = format!("You have {CHATS_MAX} chats, the maximum; delete some first.");
        return Err(ApiError::with_detail(ErrorCode::Conflict, sentence));
    }
    let chat = state.store.create_chat(spec, user, state.clock.now()).await?;
    Ok((StatusCode::CREATED, Versioned::first(chat.into())))
}

/// Changes the given fields of a chat: its title, its sources, its model, its prompt.
#[utoipa::path(patch, path = "/svc/chat/{id}/", tag = "answers", params(("id" = i64, Path, description = "Id of the chat.")),
    request_body = ChatSpec, responses(
    (status = 200, description = "Changed.", body = ChatView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
pub async fn change_chat(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<ChatView>, ApiError> {
    let (record, principal) = (EditableRecord::Chat(ChatId(id)), &caller.principal);
    let (state, given) = (&state, &given);
    let load = || versioned(state, record.clone(), own_chat(state, principal, ChatId(id)));
    let save = move |Versioned { version, body: chat }: Versioned<Chat>| async move {
        let spec = checked(state, principal.user, merge(&chat.spec, given.clone())?).await?;
        let (at_version, now) = (state.store.if_version(version), state.clock.now());
        Ok(Versioned::after(version, at_version.change_chat(chat.id, spec, now).await?.into()))
    };
    edit(&if_match, load, save).await
}

/// Deletes a chat and its messages. Its searches are deleted within a day.
#[utoipa::path(delete, path = "/svc/chat/{id}/", tag = "answers", params(("id" = i64, Path, description = "Id of the chat.")),
    responses((status = 204, description = "Deleted."),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
pub async fn delete_chat(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let chat = own_chat(&state, &caller.principal, ChatId(id)).await?;
    match deletable(&state, &if_match, EditableRecord::Chat(chat.id)).await? {
        Some(version) => state.store.if_version(version).delete_chat(chat.id).await?,
        None => state.store.delete_chat(chat.id).await?,
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes all your chats.
#[utoipa::path(delete, path = "/svc/chat/", tag = "answers",
    responses((status = 204, description = "All your chats were deleted.")))]
pub async fn delete_chats(
    caller: Caller,
    State(state): State<Arc<AppState>>,
) -> Result<StatusCode, ApiError> {
    state.store.delete_chats(caller.principal.user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The normalized spec, if it is valid: its model and its prompt must be available to this user.
async fn checked(state: &AppState, user: UserId, mut spec: ChatSpec) -> Result<ChatSpec, ApiError> {
    spec.title = spec.title.trim().to_owned();
    let mut errors = spec.check();
    if let Some(id) = spec.ai_provider {
        let is_there = match state.store.ai_provider(id).await {
            Ok(found) => found.is_for(Some(user)) && found.spec.serves(Role::Chat),
            Err(StoreError::NotFound) => false,
            Err(error) => return Err(error.into()),
        };
        errors.check(is_there, "ai_provider", || "There is no such AIProvider for the chat.".to_owned());
    }
    if !spec.prompt.is_empty() {
        let records = state.store.prompts().await?;
        let is_there = records.iter().any(|record| {
            let is_for_chats = record.spec.tags.iter().any(|tag| tag == CHAT || tag == CHAT_RAG);
            record.spec.name == spec.prompt && is_for_chats && record.is_for(Some(user))
        });
        errors.check(is_there, "prompt", || "There is no such prompt for the chat.".to_owned());
    }
    errors.into_result(spec).map_err(ApiError::invalid)
}
