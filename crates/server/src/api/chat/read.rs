//! Reading chats.

use super::access::{messages_of, own_chat};
use super::view::{ChatView, WholeChatView};
use crate::api::pagination::{ListRequest, Listing, Paging};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiPath, ApiQuery};
use crate::links::Links;
use crate::preconditions::{Versioned, versioned};
use crate::state::AppState;
use axum::extract::State;
use axum::response::Response;
use domain::ids::ChatId;
use domain::ports::EditableRecord;
use std::sync::Arc;

/// Your chats, last changed first.
#[utoipa::path(get, path = "/svc/chat/", tag = "answers", params(Paging),
    responses((status = 200, description = "Chats without their messages.", body = Listing<ChatView>)))]
pub async fn list_chats(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, "/chat/")?;
    let page = state.store.chats(caller.principal.user, list.offset(), list.limit()).await?;
    Ok(list.answer(page.items.into_iter().map(ChatView::from).collect(), page.total))
}

/// One chat with its messages.
#[utoipa::path(get, path = "/svc/chat/{id}/", tag = "answers", params(("id" = i64, Path, description = "Id of the chat.")),
    responses((status = 200, description = "The chat.", body = WholeChatView),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
pub async fn read_chat(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Versioned<WholeChatView>, ApiError> {
    let view = async {
        let chat = own_chat(&state, &caller.principal, ChatId(id)).await?;
        let messages = messages_of(&state, &chat).await?;
        Ok::<_, ApiError>(WholeChatView::of(chat, messages))
    };
    versioned(&state, EditableRecord::Chat(ChatId(id)), view).await
}
