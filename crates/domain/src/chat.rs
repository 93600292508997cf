//! Chats: conversations over the sources, visible to their owner.

use crate::ids::{AiProviderId, ChatId, MessageId, ResultId, SearchId, SignalId, UserId};
use crate::instant::Instant;
use crate::search::ProviderRef;
use crate::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub const TITLE_CHARS_MAX: usize = 255;
/// Maximum length of a user's message, in characters.
pub const CONTENT_CHARS_MAX: usize = 8000;
/// Maximum number of messages of one chat; a longer conversation continues in a new one.
pub const MESSAGES_MAX: usize = 500;
/// Maximum number of chats of one user.
pub const CHATS_MAX: u64 = 1000;
pub const COMMENT_CHARS_MAX: usize = 2000;
/// Maximum number of attached documents of a message, and of reasons of a rating.
pub const LIST_MAX: usize = 20;

/// The writable fields of a chat.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = ChatInput)]
pub struct ChatSpec {
    /// Empty: the beginning of the first message.
    pub title: String,
    /// Names, ids or tags of the sources to search; empty: the active default ones.
    pub searchprovider_list: Vec<ProviderRef>,
    pub ai_provider: Option<AiProviderId>,
    /// Name of a prompt record with the tag `chat`.
    pub prompt: String,
}

impl ChatSpec {
    pub fn check(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        errors.check_text("title", &self.title, TITLE_CHARS_MAX);
        errors.check_text("prompt", &self.prompt, TITLE_CHARS_MAX);
        let providers: Vec<String> = self.searchprovider_list.iter().map(ProviderRef::to_string).collect();
        crate::search::check_list(&mut errors, "searchprovider_list", &providers);
        errors
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Chat {
    pub id: ChatId,
    pub owner: UserId,
    pub spec: ChatSpec,
    pub date_created: Instant,
    pub date_updated: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    User,
    Assistant,
}

/// A document that a message refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DocumentRef {
    pub search_id: SearchId,
    pub swirl_id: ResultId,
}

/// A tool call of the model before its reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ToolUse {
    pub name: String,
    #[schema(value_type = Object)]
    pub args: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search_id: Option<SearchId>,
    /// Seconds.
    pub took: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ChatCitation {
    pub n: u32,
    pub title: String,
    pub url: String,
    pub swirl_id: ResultId,
    pub search_id: SearchId,
    /// The cached document, if the source comes from the semantic cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal_id: Option<SignalId>,
}

/// The ratings: good and bad.
pub const RATINGS: [i8; 2] = [1, -1];

/// A user's rating of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Rating {
    /// 1 or -1.
    pub rating: i8,
    #[serde(default)]
    pub reasons: Vec<String>,
    #[serde(default)]
    pub comment: String,
}

impl Rating {
    pub fn check(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        errors.check(RATINGS.contains(&self.rating), "rating", || "Use 1 or -1.".to_owned());
        let fits = self.reasons.iter().all(|reason| reason.chars().count() <= TITLE_CHARS_MAX);
        errors.check(self.reasons.len() <= LIST_MAX && fits, "reasons", || {
            format!("Use at most {LIST_MAX} reasons of at most {TITLE_CHARS_MAX} characters.")
        });
        errors.check_text("comment", &self.comment, COMMENT_CHARS_MAX);
        errors
    }
}

/// The content of a message besides its id, speaker and time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct MessageContent {
    pub content: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attach: Vec<DocumentRef>,
    pub tool_calls: Vec<ToolUse>,
    pub citations: Vec<ChatCitation>,
    pub follow_ups: Vec<String>,
    pub warnings: Vec<String>,
    pub ai_model: String,
    /// Seconds.
    pub took: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ChatMessage {
    pub id: MessageId,
    pub chat: ChatId,
    pub role: Speaker,
    pub body: MessageContent,
    pub rating: Option<Rating>,
    pub created: Instant,
}
