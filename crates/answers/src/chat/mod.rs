//! The chat: a person's message, what the model looks up for it, and an answer with its citations.
//!
//! Read `Exchange::answer` in `exchange.rs` first: it is the path of one message, top to bottom.

mod busy;
mod citations;
mod exchange;
pub mod export;
mod history;
mod instructions;
mod limits;
mod material;
mod model;
mod title;
mod tools;

pub use limits::{MESSAGE_TIME_MAX, ROUNDS_MAX, SEARCHES_MAX};

use crate::AnswersParts;
use crate::error::{model_sentence, sentence};
use busy::{Busy, Turn};
use domain::ai_provider::{AiProvider, Role};
use domain::chat::{
    CONTENT_CHARS_MAX, Chat, ChatCitation, ChatMessage, ChatSpec, DocumentRef, LIST_MAX, MESSAGES_MAX,
    MessageContent, Speaker, ToolUse,
};
use domain::contracts::{EditableRecord, ModelError, ModelErrorKind, StoreError, WriterWanted};
use domain::ids::{ChatId, SearchId};
use domain::validation::FieldErrors;
use exchange::Exchange;
use federation::FederationError;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::timeout;

/// Events that wait for a listener who is slow; the model waits with them.
const EVENTS_WAITING_MAX: usize = 64;
/// How often a chat is named by its first message while the person changes it.
const NAMINGS_MAX: u32 = 5;

/// All conversations. A chat is answered once at a time in this process.
pub struct Chats {
    parts: AnswersParts,
    busy: Busy,
    /// `SVC_INTERACTIVE_CONCURRENCY` messages are answered at once in this process.
    places: Semaphore,
}

/// What a person says. Without words the last message is answered again, when it has no answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Said {
    pub content: String,
    pub attach: Vec<DocumentRef>,
}

/// What happens while an answer is made. It ends with `Done` or `Failed`.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatEvent {
    /// The model is asked for the `round`th time.
    Asking {
        round: u32,
    },
    /// The model has something looked up.
    Tool {
        name: String,
        args: Value,
    },
    /// It is looked up.
    ToolDone(ToolUse),
    /// More text, its links and citations checked. It belongs to the answer when its round ends without a tool.
    Delta {
        round: u32,
        text: String,
    },
    Citations(Vec<ChatCitation>),
    Done(Box<ChatMessage>),
    Failed(ChatError),
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ChatError {
    #[error("the message is not valid: {0}")]
    Invalid(FieldErrors),
    #[error("This chat has {MESSAGES_MAX} messages and takes no more; begin a new one.")]
    Full,
    #[error("The message before is still being answered.")]
    Busy,
    /// The message is kept, and can be answered when there is a provider.
    #[error("{0}")]
    NoProvider(String),
    #[error("{message}")]
    Model { message: String },
    #[error("There was no answer within {} seconds.", MESSAGE_TIME_MAX.as_secs())]
    Timeout,
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The queue is away or full.
    #[error("no search could be made: {0}")]
    Search(String),
}

/// A message that is kept and waits for its answer.
pub struct Begun {
    chat: Chat,
    /// All messages before it.
    before: Vec<ChatMessage>,
    message: ChatMessage,
    provider: AiProvider,
    turn: Turn,
}

impl Chats {
    pub fn new(parts: AnswersParts) -> Self {
        let places = Semaphore::new(parts.context.settings.interactive_concurrency.max(1) as usize);
        Self { parts, busy: Busy::default(), places }
    }

    /// Checks and keeps what was said, and finds who will answer. The caller has seen that the chat is the person's.
    pub async fn begin(&self, chat: Chat, said: Said) -> Result<Begun, ChatError> {
        let turn = self.busy.enter(chat.id).ok_or(ChatError::Busy)?;
        let before = self.parts.store.messages(chat.id).await?;
        let mut before = self.parts.federation.seen_messages(chat.owner, before).await;
        let is_again = said.content.trim().is_empty() && said.attach.is_empty();
        let unanswered = before.last().is_some_and(|last| last.role == Speaker::User);
        let message = match before.pop_if(|_| is_again && unanswered) {
            Some(message) => message,
            None => self.keep(&chat, said, before.len()).await?,
        };
        let wanted = wanted(&chat);
        let provider = self.parts.context.writers.chosen(&wanted).await?;
        Ok(Begun { chat, before, message, provider, turn })
    }

    /// The answer to what was said.
    pub async fn say(self: &Arc<Self>, chat: Chat, said: Said) -> Result<ChatMessage, ChatError> {
        let begun = self.begin(chat, said).await?;
        let mut events = self.follow(begun);
        while let Some(event) = events.next().await {
            match event {
                ChatEvent::Done(message) => return Ok(*message),
                ChatEvent::Failed(error) => return Err(error),
                _ => {}
            }
        }
        Err(ChatError::Timeout)
    }

    /// The same, told while it is made. Who drops the stream ends the work; the message stays without an answer.
    pub fn follow(self: &Arc<Self>, begun: Begun) -> BoxStream<'static, ChatEvent> {
        let (tell, heard) = channel(EVENTS_WAITING_MAX);
        let chats = Arc::clone(self);
        let work = async move {
            let end = match chats.finish(begun, &tell).await {
                Ok(message) => ChatEvent::Done(Box::new(message)),
                Err(error) => ChatEvent::Failed(error),
            };
            let _nobody_listens = tell.send(end).await;
        };
        let told = stream::unfold(heard, async |mut heard| heard.recv().await.map(|event| (event, heard)));
        // The work is driven by whoever listens, and tells nothing beside its events.
        let silent = stream::once(work).filter_map(async |()| None);
        stream::select(told, silent).boxed()
    }

    async fn finish(&self, begun: Begun, tell: &Sender<ChatEvent>) -> Result<ChatMessage, ChatError> {
        let Begun { chat, before, message, provider, turn } = begun;
        let place = timeout(MESSAGE_TIME_MAX, self.places.acquire()).await;
        let _place = place.map_err(|_late| ChatError::Timeout)?;
        let answer = Exchange::new(&self.parts, &chat, provider, tell).answer(&before, &message).await?;
        let now = self.parts.context.clock.now();
        let kept = self.parts.store.add_message(chat.id, Speaker::Assistant, answer, now).await?;
        drop(turn);
        Ok(kept)
    }

    /// Stores the person's message; the first one names the chat.
    async fn keep(&self, chat: &Chat, said: Said, count: usize) -> Result<ChatMessage, ChatError> {
        let errors = check(&said);
        if !errors.is_empty() {
            return Err(ChatError::Invalid(errors));
        }
        if count + 2 > MESSAGES_MAX {
            return Err(ChatError::Full);
        }
        for document in &said.attach {
            self.own_document(chat, *document).await?;
        }
        let now = self.parts.context.clock.now();
        let Said { content, attach } = said;
        if count == 0 {
            self.name_chat(chat.id, &content).await?;
        }
        let body = MessageContent { content, attach, ..MessageContent::default() };
        Ok(self.parts.store.add_message(chat.id, Speaker::User, body, now).await?)
    }

    /// Names a chat by its first message, unless it has a title by now. Whatever else is changed meanwhile stays.
    async fn name_chat(&self, id: ChatId, content: &str) -> Result<(), ChatError> {
        for _ in 0..NAMINGS_MAX {
            let version = self.parts.store.version(&EditableRecord::Chat(id)).await?;
            let chat = self.parts.store.chat(id).await?;
            if !chat.spec.title.trim().is_empty() {
                return Ok(());
            }
            let spec = ChatSpec { title: title::of(content), ..chat.spec };
            let now = self.parts.context.clock.now();
            match self.parts.store.if_version(version).change_chat(id, spec, now).await {
                Err(StoreError::Stale) => {}
                done => return done.map(drop).map_err(ChatError::from),
            }
        }
        Ok(()) // a chat without a title is no reason to lose the message
    }

    /// What is attached must be a result of a search of the person's own.
    async fn own_document(&self, chat: &Chat, document: DocumentRef) -> Result<(), ChatError> {
        let found = async {
            let (saved, search) = self.parts.federation.saved_result(document.swirl_id).await?;
            Ok(saved.search == document.search_id && search.owner == chat.owner)
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

/// Who is to answer in a chat.
fn wanted(chat: &Chat) -> WriterWanted {
    WriterWanted { role: Role::Chat, user: Some(chat.owner), provider: chat.spec.ai_provider }
}

fn check(said: &Said) -> FieldErrors {
    let mut errors = FieldErrors::default();
    errors.check(!said.content.trim().is_empty(), "content", || "A message is needed.".to_owned());
    errors.check_text("content", &said.content, CONTENT_CHARS_MAX);
    errors.check(said.attach.len() <= LIST_MAX, "attach", || format!("At most {LIST_MAX} are allowed."));
    errors
}

impl From<ModelError> for ChatError {
    fn from(error: ModelError) -> Self {
        match error.kind {
            ModelErrorKind::NoProvider => Self::NoProvider(sentence(&error.message)),
            ModelErrorKind::Timeout => Self::Timeout,
            _ => Self::Model { message: model_sentence(&error) },
        }
    }
}

impl From<FederationError> for ChatError {
    fn from(error: FederationError) -> Self {
        match error {
            FederationError::Store(error) => Self::Store(error),
            error => Self::Search(error.to_string()),
        }
    }
}
