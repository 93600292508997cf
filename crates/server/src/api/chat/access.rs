//! Access to chats and their messages.

use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use domain::chat::{Chat, ChatMessage};
use domain::ids::ChatId;
use domain::user::Principal;

/// The messages of a chat, as far as its owner may still see their sources.
pub async fn messages_of(state: &AppState, chat: &Chat) -> Result<Vec<ChatMessage>, ApiError> {
    let messages = state.store.messages(chat.id).await?;
    Ok(state.federation.reader.authorize_messages(chat.owner, messages).await)
}

/// The chat, if it is the caller's own: chats are private, even from administrators.
pub async fn own_chat(state: &AppState, principal: &Principal, id: ChatId) -> Result<Chat, ApiError> {
    let chat = state.store.chat(id).await?;
    if principal.owns(&chat) { Ok(chat) } else { Err(ApiError::of(ErrorCode::NotFound)) }
}
