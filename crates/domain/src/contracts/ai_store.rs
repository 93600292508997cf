//! What the store keeps for models: providers, prompts, answers and chats.

use super::{Page, StoreError};
use crate::ai_provider::{AiProvider, AiProviderSpec};
use crate::answer::StoredAnswer;
use crate::chat::{Chat, ChatMessage, ChatSpec, MessageContent, Rating, Speaker};
use crate::ids::{AiProviderId, ChatId, MessageId, PromptId, SearchId, UserId};
use crate::instant::Instant;
use crate::prompt_record::{PromptRecord, PromptSpec};
use async_trait::async_trait;

#[async_trait]
pub trait AiProviderStore: Send + Sync {
    /// The spec is sealed whole. A taken name is `Taken("name")`.
    async fn create_ai_provider(
        &self,
        spec: AiProviderSpec,
        owner: Option<UserId>,
        now: Instant,
    ) -> Result<AiProvider, StoreError>;
    async fn ai_provider(&self, id: AiProviderId) -> Result<AiProvider, StoreError>;
    /// All of them by id.
    async fn ai_providers(&self) -> Result<Vec<AiProvider>, StoreError>;
    async fn replace_ai_provider(
        &self,
        id: AiProviderId,
        spec: AiProviderSpec,
        now: Instant,
    ) -> Result<AiProvider, StoreError>;
    async fn delete_ai_provider(&self, id: AiProviderId) -> Result<(), StoreError>;
}

#[async_trait]
pub trait PromptStore: Send + Sync {
    /// A taken name is `Taken("name")`.
    async fn create_prompt(
        &self,
        spec: PromptSpec,
        owner: Option<UserId>,
        now: Instant,
    ) -> Result<PromptRecord, StoreError>;
    async fn prompt(&self, id: PromptId) -> Result<PromptRecord, StoreError>;
    /// All of them by id.
    async fn prompts(&self) -> Result<Vec<PromptRecord>, StoreError>;
    async fn replace_prompt(
        &self,
        id: PromptId,
        spec: PromptSpec,
        now: Instant,
    ) -> Result<PromptRecord, StoreError>;
    async fn delete_prompt(&self, id: PromptId) -> Result<(), StoreError>;
}

/// What the program brings along, written at every start by every process.
#[async_trait]
pub trait BroughtStore: Send + Sync {
    /// Stores the AIProvider without an owner, unless one of this name was brought before or is there: what people
    /// changed stays changed, what they deleted stays deleted. True when it was stored.
    async fn bring_ai_provider(&self, spec: AiProviderSpec, now: Instant) -> Result<bool, StoreError>;
    /// Stores the standard prompt, or puts it back as it came. A prompt of that name with an owner is left alone.
    async fn restore_prompt(&self, spec: PromptSpec, now: Instant) -> Result<(), StoreError>;
}

/// One answer at most for each search, and the right to write it, which one process has at a time.
/// A search that starts again from nothing, or is deleted, loses both.
#[async_trait]
pub trait AnswerStore: Send + Sync {
    async fn answer(&self, search: SearchId) -> Result<Option<StoredAnswer>, StoreError>;
    /// True for one writer of a search until `until`, or until it ends, is cancelled, or the answer is saved.
    async fn begin_answer(
        &self,
        search: SearchId,
        writer: &str,
        until: Instant,
        now: Instant,
    ) -> Result<bool, StoreError>;
    /// Holds the right longer. False when it was taken away.
    async fn renew_answer(&self, search: SearchId, writer: &str, until: Instant) -> Result<bool, StoreError>;
    /// Takes the place of the answer before and ends the right to write. None, and nothing is kept, when the right
    /// was taken away or the run is no longer the newest. Gives the row an id.
    async fn save_answer(
        &self,
        answer: StoredAnswer,
        writer: &str,
    ) -> Result<Option<StoredAnswer>, StoreError>;
    /// Gives the right back without an answer.
    async fn end_answer(&self, search: SearchId, writer: &str) -> Result<(), StoreError>;
    /// Takes the right away from whoever has it. True when somebody had it.
    async fn cancel_answer(&self, search: SearchId) -> Result<bool, StoreError>;
    /// True while somebody has the right.
    async fn answer_is_written(&self, search: SearchId, now: Instant) -> Result<bool, StoreError>;
}

/// Chats, strictly by owner: another's is `NotFound` at the door. Deleting a chat deletes its messages.
#[async_trait]
pub trait ChatStore: Send + Sync {
    async fn create_chat(&self, spec: ChatSpec, owner: UserId, now: Instant) -> Result<Chat, StoreError>;
    async fn chat(&self, id: ChatId) -> Result<Chat, StoreError>;
    /// The owner's, the one changed last first.
    async fn chats(&self, owner: UserId, offset: u64, limit: u64) -> Result<Page<Chat>, StoreError>;
    async fn change_chat(&self, id: ChatId, spec: ChatSpec, now: Instant) -> Result<Chat, StoreError>;
    async fn delete_chat(&self, id: ChatId) -> Result<(), StoreError>;
    /// How many there were.
    async fn delete_chats(&self, owner: UserId) -> Result<u64, StoreError>;
    /// Adds to the end; the chat counts as changed.
    async fn add_message(
        &self,
        chat: ChatId,
        role: Speaker,
        body: MessageContent,
        now: Instant,
    ) -> Result<ChatMessage, StoreError>;
    /// All messages in their order.
    async fn messages(&self, chat: ChatId) -> Result<Vec<ChatMessage>, StoreError>;
    async fn rate_message(
        &self,
        chat: ChatId,
        message: MessageId,
        rating: Rating,
    ) -> Result<ChatMessage, StoreError>;
}
