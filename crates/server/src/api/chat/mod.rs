//! Chats: conversations over the sources. They belong to one person, and to nobody else.

mod export;
mod messages;
mod rating;
mod read;
mod view;
mod write;

use crate::AppState;
use crate::error::{ApiError, Refusal};
use domain::chat::{Chat, ChatMessage};
use domain::ids::ChatId;
use domain::user::Principal;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(read::list_chats, write::create_chat, write::delete_chats))
        .routes(routes!(read::read_chat, write::change_chat, write::delete_chat))
        .routes(routes!(messages::send_message))
        .routes(routes!(rating::rate_message))
        .routes(routes!(export::export_chat))
}

/// The messages of a chat, as far as its owner may see now what they were made from.
pub async fn messages_of(state: &AppState, chat: &Chat) -> Result<Vec<ChatMessage>, ApiError> {
    let messages = state.store.messages(chat.id).await?;
    Ok(state.federation.seen_messages(chat.owner, messages).await)
}

/// The chat, if it is the caller's own: chats are private, also to administrators.
pub async fn own_chat(state: &AppState, principal: &Principal, id: ChatId) -> Result<Chat, ApiError> {
    let chat = state.store.chat(id).await?;
    if chat.owner == principal.user { Ok(chat) } else { Err(ApiError::of(Refusal::NotFound)) }
}
