//! Storage of AI providers, prompts, summaries and chats.

use super::{Page, StoreError};
use crate::ai_provider::{AiProvider, AiProviderSpec};
use crate::chat::{Chat, ChatMessage, ChatSpec, MessageContent, Rating, Speaker};
use crate::ids::{AiProviderId, ChatId, MessageId, PromptId, SearchId, UserId};
use crate::instant::Instant;
use crate::prompt::{PromptRecord, PromptSpec};
use crate::summary::StoredSummary;
use async_trait::async_trait;

#[async_trait]
pub trait AiProviderStore: AiProviderEdits {
    /// The whole spec is encrypted. A name that is in use is `Taken("name")`.
    async fn create_ai_provider(
        &self,
        spec: AiProviderSpec,
        owner: Option<UserId>,
        now: Instant,
    ) -> Result<AiProvider, StoreError>;
    async fn ai_provider(&self, id: AiProviderId) -> Result<AiProvider, StoreError>;
    /// All AI providers by id.
    async fn ai_providers(&self) -> Result<Vec<AiProvider>, StoreError>;
}

/// Edits and deletions of AI providers; conditional through [`if_version`](super::VersionStore::if_version).
#[async_trait]
pub trait AiProviderEdits: Send + Sync {
    async fn replace_ai_provider(
        &self,
        id: AiProviderId,
        spec: AiProviderSpec,
        now: Instant,
    ) -> Result<AiProvider, StoreError>;
    async fn delete_ai_provider(&self, id: AiProviderId) -> Result<(), StoreError>;
}

#[async_trait]
pub trait PromptStore: PromptEdits {
    /// A name that is in use is `Taken("name")`.
    async fn create_prompt(
        &self,
        spec: PromptSpec,
        owner: Option<UserId>,
        now: Instant,
    ) -> Result<PromptRecord, StoreError>;
    async fn prompt(&self, id: PromptId) -> Result<PromptRecord, StoreError>;
    /// All prompts by id.
    async fn prompts(&self) -> Result<Vec<PromptRecord>, StoreError>;
}

/// Edits and deletions of prompts; conditional through [`if_version`](super::VersionStore::if_version).
#[async_trait]
pub trait PromptEdits: Send + Sync {
    async fn replace_prompt(
        &self,
        id: PromptId,
        spec: PromptSpec,
        now: Instant,
    ) -> Result<PromptRecord, StoreError>;
    async fn delete_prompt(&self, id: PromptId) -> Result<(), StoreError>;
}

/// Records that come with the program, written by every process at every start.
#[async_trait]
pub trait SeedStore: Send + Sync {
    /// Stores the AI provider without an owner, unless one of this name was seeded before or exists: edits and
    /// deletions by users are kept. Returns whether it was stored.
    async fn seed_ai_provider(&self, spec: AiProviderSpec, now: Instant) -> Result<bool, StoreError>;
    /// Stores the standard prompt, or resets it to the given spec. A prompt of that name with an owner is not changed.
    async fn restore_prompt(&self, spec: PromptSpec, now: Instant) -> Result<(), StoreError>;
}

/// At most one summary for each search, and the write lease on it, which one process holds at a time. Both are removed
/// if the search restarts from nothing or is deleted.
#[async_trait]
pub trait SummaryStore: Send + Sync {
    async fn summary(&self, search: SearchId) -> Result<Option<StoredSummary>, StoreError>;
    /// Takes the write lease. True for one writer of a search until `until`, or until the lease is ended, cancelled, or
    /// the summary is saved.
    async fn begin_summary(
        &self,
        search: SearchId,
        writer: &str,
        until: Instant,
        now: Instant,
    ) -> Result<bool, StoreError>;
    /// Extends the write lease. False if it was lost.
    async fn renew_summary(&self, search: SearchId, writer: &str, until: Instant)
    -> Result<bool, StoreError>;
    /// Replaces the previous summary and ends the write lease. Returns None and stores nothing if the lease was lost or
    /// the run is no longer the newest. Assigns an id to the row.
    async fn save_summary(
        &self,
        answer: StoredSummary,
        writer: &str,
    ) -> Result<Option<StoredSummary>, StoreError>;
    /// Returns the write lease without a summary.
    async fn end_summary(&self, search: SearchId, writer: &str) -> Result<(), StoreError>;
    /// Revokes the write lease, whoever holds it. True if somebody held it.
    async fn cancel_summary(&self, search: SearchId) -> Result<bool, StoreError>;
    /// True while somebody holds the write lease.
    async fn is_summary_in_progress(&self, search: SearchId, now: Instant) -> Result<bool, StoreError>;
}

/// Chats. The store does not check the owner: callers treat a chat of another user as `NotFound`. Deleting a chat
/// deletes its messages.
#[async_trait]
pub trait ChatStore: ChatEdits {
    async fn create_chat(&self, spec: ChatSpec, owner: UserId, now: Instant) -> Result<Chat, StoreError>;
    async fn chat(&self, id: ChatId) -> Result<Chat, StoreError>;
    /// The owner's chats, last changed first.
    async fn chats(&self, owner: UserId, offset: u64, limit: u64) -> Result<Page<Chat>, StoreError>;
    /// Deletes all chats of the owner; returns their number.
    async fn delete_chats(&self, owner: UserId) -> Result<u64, StoreError>;
    /// Appends a message; the chat counts as changed.
    async fn add_message(
        &self,
        chat: ChatId,
        role: Speaker,
        body: MessageContent,
        now: Instant,
    ) -> Result<ChatMessage, StoreError>;
    /// All messages in order.
    async fn messages(&self, chat: ChatId) -> Result<Vec<ChatMessage>, StoreError>;
    async fn rate_message(
        &self,
        chat: ChatId,
        message: MessageId,
        rating: Rating,
    ) -> Result<ChatMessage, StoreError>;
}

/// Edits and deletions of chats; conditional through [`if_version`](super::VersionStore::if_version).
#[async_trait]
pub trait ChatEdits: Send + Sync {
    async fn change_chat(&self, id: ChatId, spec: ChatSpec, now: Instant) -> Result<Chat, StoreError>;
    async fn delete_chat(&self, id: ChatId) -> Result<(), StoreError>;
}
