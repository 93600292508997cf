//! Writers: the generative models, whoever runs them.

use crate::ai_provider::{AiProvider, Role};
use crate::ids::{AiProviderId, UserId};
use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use serde_json::Value;
use std::time::Duration;

/// For what, for whom, and by whom something is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriterWanted {
    pub role: Role,
    /// None: nobody in particular; shared providers only.
    pub user: Option<UserId>,
    /// None: the default one of the role.
    pub provider: Option<AiProviderId>,
}

impl WriterWanted {
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
    /// What a tool answered to the call of this id.
    Tool {
        call_id: String,
        name: String,
        text: String,
    },
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOffer {
    pub name: String,
    pub description: String,
    /// JSON schema of its arguments: an object.
    pub parameters: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub arguments: Value,
}

/// What a model is asked. Temperature is 0 always.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// May be empty.
    pub system: String,
    pub turns: Vec<Turn>,
    pub tools: Vec<ToolOffer>,
    /// Most tokens of the answer.
    pub answer_tokens_max: u32,
    /// For the whole exchange, the last piece included.
    pub time_max: Duration,
}

/// A piece of what a model writes.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    Text(String),
    Call(ToolCall),
    Usage { tokens_in: u64, tokens_out: u64 },
}

/// A model that has begun to write. Dropping the pieces ends the request.
pub struct Writing {
    /// Who writes.
    pub provider: AiProvider,
    /// Who was asked first.
    pub requested_model: String,
    /// Another one stepped in.
    pub fallback_engaged: bool,
    pub pieces: BoxStream<'static, Result<Piece, ModelError>>,
}

impl Writing {
    /// All that is written, to its end. More bytes than `bytes_max` are an error.
    pub async fn whole_text(mut self, bytes_max: usize) -> Result<String, ModelError> {
        let mut text = String::new();
        while let Some(piece) = self.pieces.next().await {
            if let Piece::Text(more) = piece? {
                text.push_str(&more);
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
    /// Nobody is active for this role.
    NoProvider,
    /// The provider's record is wrong.
    ConfigInvalid,
    /// The guarded client refused the address.
    AddressRefused,
    /// The service refused the key.
    Denied,
    RateLimited,
    /// The request is too long for the model.
    TooLong,
    Timeout,
    Unavailable,
    /// The answer cannot be read, or broke off.
    Unreadable,
}

/// Texts name no key and hold nothing of the prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    pub message: String,
    /// What a service that answered 429 asked for.
    pub retry_after: Option<Duration>,
}

impl ModelError {
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None }
    }

    /// The word under which processors and connectors tell it in `messages`.
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

/// All generative models that the records name.
#[async_trait]
pub trait Writers: Send + Sync {
    /// Who would be asked first. Asks nobody.
    async fn chosen(&self, wanted: &WriterWanted) -> Result<AiProvider, ModelError>;
    /// Asks the chosen one, and those of its family when it fails before its first piece.
    async fn write(&self, wanted: &WriterWanted, prompt: &Prompt) -> Result<Writing, ModelError>;
    /// Tokens of a text as the model counts them.
    fn count_tokens(&self, provider: &AiProvider, text: &str) -> usize;
    /// Tokens that the model takes, prompt and answer together.
    fn tokens_max(&self, provider: &AiProvider) -> usize;
}
