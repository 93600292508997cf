//! Port to generative models: requests, streamed completions and errors.

use super::Cause;
use crate::ai_provider::{AiProvider, Role};
use crate::ids::{AiProviderId, UserId};
use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use serde_json::Value;
use std::time::Duration;

/// The role and the user of a completion, and the provider that should serve it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelRequest {
    pub role: Role,
    /// None: no particular user; only shared providers serve it.
    pub user: Option<UserId>,
    /// None: the default provider of the role.
    pub provider: Option<AiProviderId>,
}

impl ModelRequest {
    pub fn of(role: Role, user: Option<UserId>) -> Self {
        Self { role, user, provider: None }
    }
}

/// One turn of a conversation with a model.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    User(String),
    Assistant {
        text: String,
        calls: Vec<ToolCall>,
    },
    /// The result of the tool call with this id.
    Tool {
        call_id: String,
        name: String,
        text: String,
    },
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    pub name: String,
    pub description: String,
    /// JSON schema of its arguments; always an object.
    pub parameters: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub arguments: Value,
}

/// The input of a completion. The temperature is always 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// May be empty.
    pub system: String,
    pub turns: Vec<Turn>,
    pub tools: Vec<ToolDefinition>,
    /// Maximum number of tokens of the reply.
    pub answer_tokens_max: u32,
    /// Time limit of the whole request, up to the last chunk.
    pub time_max: Duration,
}

/// A part of a streamed reply.
#[derive(Debug, Clone, PartialEq)]
pub enum CompletionChunk {
    Text(String),
    Call(ToolCall),
    Usage {
        tokens_in: u64,
        tokens_out: u64,
    },
    /// The text so far was reasoning; the reply begins after it.
    ReasoningEnd,
    /// The reply ends at its token limit.
    Cut,
}

/// A reply that a model has begun. Dropping `chunks` cancels the request.
pub struct Completion {
    /// The provider that replies.
    pub provider: AiProvider,
    /// The model that was asked first.
    pub requested_model: String,
    /// A fallback provider replies.
    pub fallback_engaged: bool,
    pub chunks: BoxStream<'static, Result<CompletionChunk, ModelError>>,
}

impl Completion {
    /// Reads the reply to its end. A text of more than `bytes_max` bytes is an error; one that ends at its token limit
    /// ends with an ellipsis.
    pub async fn into_text(mut self, bytes_max: usize) -> Result<String, ModelError> {
        let mut text = String::new();
        while let Some(chunk) = self.chunks.next().await {
            match chunk? {
                CompletionChunk::Text(more) => text.push_str(&more),
                CompletionChunk::ReasoningEnd => text.clear(),
                CompletionChunk::Cut => text.push_str(" …"),
                CompletionChunk::Call(_) | CompletionChunk::Usage { .. } => {}
            }
            if text.len() > bytes_max {
                let message = format!("the model wrote more than {bytes_max} bytes");
                return Err(ModelError::new(ModelErrorKind::Unreadable, message));
            }
        }
        Ok(text)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelErrorKind {
    /// No active provider has the role.
    NoProvider,
    /// The configuration of the provider is wrong.
    ConfigInvalid,
    /// The guarded client refused the address.
    AddressRefused,
    /// The service rejected the key.
    Denied,
    RateLimited,
    /// The request is too long for the model.
    TooLong,
    Timeout,
    Unavailable,
    /// The reply cannot be parsed or is incomplete.
    Unreadable,
}

/// A failed model request. The message contains neither keys nor parts of the prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    pub message: String,
    /// `Retry-After` of a response with status 429.
    pub retry_after: Option<Duration>,
    /// The error behind it, for the log. It contains neither keys nor parts of the prompt.
    pub source: Option<Cause>,
}

impl ModelError {
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None, source: None }
    }

    /// The code that processors and connectors report in `messages`.
    pub fn code(&self) -> &'static str {
        match self.kind {
            ModelErrorKind::NoProvider | ModelErrorKind::Denied => "ERR_NO_CREDENTIALS",
            _ => "ERR_PROMPT_FAILED",
        }
    }

    pub fn no_provider(role: Role) -> Self {
        let role = role.as_str();
        Self::new(
            ModelErrorKind::NoProvider,
            format!("no active AI provider has the role {role}; activate one at /svc/aiproviders/"),
        )
    }
}

/// The generative models of the configured AI providers.
#[async_trait]
pub trait GenerativeModels: Send + Sync {
    /// Selects the provider that would be asked first, without a request.
    async fn select(&self, request: &ModelRequest) -> Result<AiProvider, ModelError>;
    /// Requests a completion. If the selected provider fails before its first chunk, the others of its family are
    /// tried.
    async fn complete(&self, request: &ModelRequest, prompt: &Prompt) -> Result<Completion, ModelError>;
    /// Number of tokens of a text for the model of this provider.
    fn count_tokens(&self, provider: &AiProvider, text: &str) -> usize;
    /// Context window of the model: tokens of prompt and reply together.
    fn tokens_max(&self, provider: &AiProvider) -> usize;
}
