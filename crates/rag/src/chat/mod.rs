//! Chats: a user's message, the tool calls of the model, and a reply with citations.
//!
//! `ChatTurn::answer` in `turn.rs` is the path of one message from top to bottom.

mod chat_lock;
mod citations;
mod context_documents;
mod error;
mod event;
pub mod export;
mod history;
mod limits;
mod model;
mod question;
mod reading_order;
mod small_talk;
mod system_prompt;
mod title;
mod tool_scope;
mod tools;
mod turn;

pub use error::ChatError;
pub use event::ChatEvent;
pub use limits::{MESSAGE_TIME_MAX, ROUNDS_MAX, SEARCHES_MAX};
pub use reading_order::in_reading_order;
pub use turn::NOTHING_FOUND;

use crate::context::RagDeps;
use chat_lock::{ChatLockGuard, ChatLocks};
use domain::ai_provider::AiProvider;
use domain::chat::{
    CONTENT_CHARS_MAX, Chat, ChatMessage, ChatSpec, DocumentRef, LIST_MAX, MESSAGES_MAX, MessageContent,
    Speaker,
};
use domain::ids::{ChatId, SearchId};
use domain::ports::{EditableRecord, StoreError};
use domain::validation::FieldErrors;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use model::model_request;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::timeout;
use turn::ChatTurn;

/// Events buffered for a slow listener; the model waits when the buffer is full.
const EVENTS_WAITING_MAX: usize = 64;
/// Attempts to set the title of a chat that is edited concurrently.
const NAMINGS_MAX: u32 = 5;

/// All chats. In this process, a chat has at most one turn in progress.
pub struct Chats {
    deps: RagDeps,
    locks: ChatLocks,
    /// Limits concurrent turns in this process to `SVC_INTERACTIVE_CONCURRENCY`.
    slots: Semaphore,
}

/// A user's message. An empty one answers the last message again, if it has no reply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatInput {
    pub content: String,
    pub attach: Vec<DocumentRef>,
}

/// A stored message that waits for its reply.
pub struct PendingMessage {
    chat: Chat,
    /// All messages before it.
    before: Vec<ChatMessage>,
    message: ChatMessage,
    provider: AiProvider,
    lock: ChatLockGuard,
}

impl Chats {
    pub fn new(deps: RagDeps) -> Self {
        let slots = Semaphore::new(deps.settings.interactive_concurrency.max(1) as usize);
        Self { deps, locks: ChatLocks::default(), slots }
    }

    /// Checks and stores a message, and selects the provider. The caller has checked that the chat is the user's own.
    pub async fn begin(&self, chat: Chat, input: ChatInput) -> Result<PendingMessage, ChatError> {
        let lock = self.locks.try_lock(chat.id).ok_or(ChatError::Busy)?;
        let before = self.deps.store.messages(chat.id).await?;
        let mut before = self.deps.federation.reader.authorize_messages(chat.owner, before).await;
        let is_again = input.content.trim().is_empty() && input.attach.is_empty();
        let unanswered = before.last().is_some_and(|last| last.role == Speaker::User);
        let message = match before.pop_if(|_| is_again && unanswered) {
            Some(message) => message,
            None => self.store_message(&chat, input, before.len()).await?,
        };
        let provider = self.deps.context.generative_models.select(&model_request(&chat)).await?;
        Ok(PendingMessage { chat, before, message, provider, lock })
    }

    /// Answers a message and returns the reply.
    pub async fn reply(self: &Arc<Self>, chat: Chat, input: ChatInput) -> Result<ChatMessage, ChatError> {
        let pending = self.begin(chat, input).await?;
        let mut events = self.follow(pending);
        while let Some(event) = events.next().await {
            match event {
                ChatEvent::Done(message) => return Ok(*message),
                ChatEvent::Failed(error) => return Err(error),
                _ => {}
            }
        }
        Err(ChatError::Timeout)
    }

    /// Answers a message as a stream of events. Dropping the stream cancels the turn; the message stays without a
    /// reply.
    pub fn follow(self: &Arc<Self>, pending: PendingMessage) -> BoxStream<'static, ChatEvent> {
        let (sender, receiver) = channel(EVENTS_WAITING_MAX);
        let chats = Arc::clone(self);
        let work = async move {
            let end = match chats.finish(pending, &sender).await {
                Ok(message) => ChatEvent::Done(Box::new(message)),
                Err(error) => ChatEvent::Failed(error),
            };
            let _nobody_listens = sender.send(end).await;
        };
        let events = stream::unfold(receiver, async |mut receiver| {
            receiver.recv().await.map(|event| (event, receiver))
        });
        // The listener drives the work, which yields nothing but its events.
        let silent = stream::once(work).filter_map(async |()| None);
        stream::select(events, silent).boxed()
    }

    async fn finish(
        &self,
        pending: PendingMessage,
        events: &Sender<ChatEvent>,
    ) -> Result<ChatMessage, ChatError> {
        let PendingMessage { chat, before, message, provider, lock } = pending;
        let slot = timeout(MESSAGE_TIME_MAX, self.slots.acquire()).await;
        let _slot = slot.map_err(|_late| ChatError::Timeout)?;
        let answer = ChatTurn::new(&self.deps, &chat, provider, events).answer(&before, &message).await?;
        let now = self.deps.context.clock.now();
        let stored = self.deps.store.add_message(chat.id, Speaker::Assistant, answer, now).await?;
        drop(lock);
        Ok(stored)
    }

    /// Stores the user's message; the first one sets the title of the chat.
    async fn store_message(
        &self,
        chat: &Chat,
        input: ChatInput,
        count: usize,
    ) -> Result<ChatMessage, ChatError> {
        let errors = check(&input);
        if !errors.is_empty() {
            return Err(ChatError::Invalid(errors));
        }
        if count + 2 > MESSAGES_MAX {
            return Err(ChatError::Full);
        }
        for document in &input.attach {
            self.own_document(chat, *document).await?;
        }
        let now = self.deps.context.clock.now();
        let ChatInput { content, attach } = input;
        if count == 0 {
            self.name_chat(chat.id, &content).await?;
        }
        let body = MessageContent { content, attach, ..MessageContent::default() };
        Ok(self.deps.store.add_message(chat.id, Speaker::User, body, now).await?)
    }

    /// Sets the title of a chat from its first message, unless it has one. Keeps concurrent changes.
    async fn name_chat(&self, id: ChatId, content: &str) -> Result<(), ChatError> {
        for _ in 0..NAMINGS_MAX {
            let version = self.deps.store.version(&EditableRecord::Chat(id)).await?;
            let chat = self.deps.store.chat(id).await?;
            if !chat.spec.title.trim().is_empty() {
                return Ok(());
            }
            let spec = ChatSpec { title: title::title_of_message(content), ..chat.spec };
            let now = self.deps.context.clock.now();
            match self.deps.store.if_version(version).change_chat(id, spec, now).await {
                Err(StoreError::Stale) => {}
                done => return done.map(drop).map_err(ChatError::from),
            }
        }
        Ok(()) // a missing title is no reason to lose the message
    }

    /// An attached document must be a result of the user's own search.
    async fn own_document(&self, chat: &Chat, document: DocumentRef) -> Result<(), ChatError> {
        let found = async {
            let (saved, search) = self.deps.federation.reader.saved_result(document.swirl_id).await?;
            Ok(saved.search == document.search_id && chat.owner.owns(&search))
        };
        match found.await {
            Ok(true) => Ok(()),
            Ok(false) | Err(StoreError::NotFound) => {
                let DocumentRef { search_id: SearchId(search), swirl_id } = document;
                let sentence = format!("Your search {search} has no result {swirl_id}.");
                Err(ChatError::Invalid(FieldErrors::one("attach", sentence)))
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn check(input: &ChatInput) -> FieldErrors {
    let mut errors = FieldErrors::default();
    errors.check(!input.content.trim().is_empty(), "content", || "A message is needed.".to_owned());
    errors.check_text("content", &input.content, CONTENT_CHARS_MAX);
    errors.check(input.attach.len() <= LIST_MAX, "attach", || format!("At most {LIST_MAX} are allowed."));
    errors
}
