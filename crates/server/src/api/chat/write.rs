//! Beginning, renaming and deleting chats.

use super::own_chat;
use super::view::ChatView;
use crate::House;
use crate::api::merge::merge;
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody, Refusal};
use crate::extract::{ApiJson, ApiPath};
use crate::preconditions::{IfMatch, Versioned, deletable, edit, versioned};
use crate::throttle::Class;
use axum::extract::State;
use axum::http::StatusCode;
use domain::ai_provider::Role;
use domain::chat::{CHATS_MAX, Chat, ChatDraft};
use domain::contracts::{EditableRecord, StoreError};
use domain::ids::{ChatId, UserId};
use domain::prompt_record::{CHAT, CHAT_RAG};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Begins a chat. Without a title it is named by its first message.
#[utoipa::path(post, path = "/svc/chat/", tag = "answers", request_body = ChatDraft, responses(
    (status = 201, description = "Begun.", body = ChatView),
    (status = 400, description = "Not valid; the fields are named.", body = ErrorBody),
    (status = 409, description = "You have too many chats.", body = ErrorBody),
    (status = 429, description = "You ask too often; `retry_after` says when to try again.", body = ErrorBody)))]
pub async fn create_chat(
    caller: Caller,
    State(house): State<Arc<House>>,
    address: ClientAddress,
    ApiJson(draft): ApiJson<ChatDraft>,
) -> Result<(StatusCode, Versioned<ChatView>), ApiError> {
    let user = caller.principal.user;
    house.throttles.take(Class::Chat, user, address)?;
    let draft = checked(&house, user, draft).await?;
    if house.store.chats(user, 0, 1).await?.total >= CHATS_MAX {
        let sentence = format!("You have {CHATS_MAX} chats, which is the most; delete some first.");
        return Err(ApiError::saying(Refusal::Conflict, sentence));
    }
    let chat = house.store.create_chat(draft, user, house.clock.now()).await?;
    Ok((StatusCode::CREATED, Versioned::first(chat.into())))
}

/// Changes what is given of a chat: its title, its sources, its model, its prompt.
#[utoipa::path(patch, path = "/svc/chat/{id}/", tag = "answers", params(("id" = i64, Path, description = "Id of the chat.")),
    request_body = ChatDraft, responses(
    (status = 200, description = "Changed.", body = ChatView),
    (status = 400, description = "Not valid; the fields are named.", body = ErrorBody),
    (status = 404, description = "Unknown, or someone else's.", body = ErrorBody)))]
pub async fn change_chat(
    caller: Caller,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<ChatView>, ApiError> {
    let (record, principal) = (EditableRecord::Chat(ChatId(id)), &caller.principal);
    let (house, given) = (&house, &given);
    let load = || versioned(house, record.clone(), own_chat(house, principal, ChatId(id)));
    let save = move |version, chat: Chat| async move {
        let draft = checked(house, principal.user, merge(&chat.draft, given.clone())?).await?;
        let (at_version, now) = (house.store.if_version(version), house.clock.now());
        Ok(Versioned::after(version, at_version.change_chat(chat.id, draft, now).await?.into()))
    };
    edit(&if_match, load, save).await
}

/// Deletes a chat and its messages. Its searches end by themselves within a day.
#[utoipa::path(delete, path = "/svc/chat/{id}/", tag = "answers", params(("id" = i64, Path, description = "Id of the chat.")),
    responses((status = 204, description = "Deleted."),
    (status = 404, description = "Unknown, or someone else's.", body = ErrorBody)))]
pub async fn delete_chat(
    caller: Caller,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let chat = own_chat(&house, &caller.principal, ChatId(id)).await?;
    match deletable(&house, &if_match, EditableRecord::Chat(chat.id)).await? {
        Some(version) => house.store.if_version(version).delete_chat(chat.id).await?,
        None => house.store.delete_chat(chat.id).await?,
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes all your chats.
#[utoipa::path(delete, path = "/svc/chat/", tag = "answers",
    responses((status = 204, description = "You have no chats any more.")))]
pub async fn delete_chats(caller: Caller, State(house): State<Arc<House>>) -> Result<StatusCode, ApiError> {
    house.store.delete_chats(caller.principal.user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The draft as it is kept, if nothing is wrong with it: its model and its prompt must be there for this person.
async fn checked(house: &House, user: UserId, mut draft: ChatDraft) -> Result<ChatDraft, ApiError> {
    draft.title = draft.title.trim().to_owned();
    let mut errors = draft.check();
    if let Some(id) = draft.ai_provider {
        let is_there = match house.store.ai_provider(id).await {
            Ok(found) => found.is_for(Some(user)) && found.draft.serves(Role::Chat),
            Err(StoreError::NotFound) => false,
            Err(error) => return Err(error.into()),
        };
        errors.check(is_there, "ai_provider", || "There is no such AIProvider for the chat.".to_owned());
    }
    if !draft.prompt.is_empty() {
        let records = house.store.prompts().await?;
        let is_there = records.iter().any(|record| {
            let is_for_chats = record.draft.tags.iter().any(|tag| tag == CHAT || tag == CHAT_RAG);
            record.draft.name == draft.prompt && is_for_chats && record.is_for(Some(user))
        });
        errors.check(is_there, "prompt", || "There is no such prompt for the chat.".to_owned());
    }
    errors.into_result(draft).map_err(ApiError::invalid)
}
