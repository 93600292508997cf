//! Response bodies of chats and messages.

use chrono::{DateTime, Utc};
use domain::chat::{Chat, ChatMessage, ChatSpec, MessageContent, Rating, Speaker};
use domain::ids::{ChatId, MessageId};
use serde::Serialize;

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Chat)]
pub struct ChatView {
    id: ChatId,
    #[serde(flatten)]
    spec: ChatSpec,
    date_created: DateTime<Utc>,
    date_updated: DateTime<Utc>,
}

/// A chat with all messages.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ChatWithMessages)]
pub struct WholeChatView {
    #[serde(flatten)]
    chat: ChatView,
    /// In chronological order.
    messages: Vec<MessageView>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ChatMessage)]
pub struct MessageView {
    id: MessageId,
    role: Speaker,
    /// With `[n]` where a reply is supported by the citation of that number.
    #[serde(flatten)]
    body: MessageContent,
    /// Your rating.
    rating: Option<Rating>,
    created: DateTime<Utc>,
}

impl From<Chat> for ChatView {
    fn from(chat: Chat) -> Self {
        let Chat { id, spec, date_created, date_updated, .. } = chat;
        Self { id, spec, date_created, date_updated }
    }
}

impl WholeChatView {
    pub fn of(chat: Chat, messages: Vec<ChatMessage>) -> Self {
        Self { chat: chat.into(), messages: messages.into_iter().map(MessageView::from).collect() }
    }
}

impl From<ChatMessage> for MessageView {
    fn from(message: ChatMessage) -> Self {
        let ChatMessage { id, role, body, rating, created, .. } = message;
        Self { id, role, body, rating, created }
    }
}
