//! One request to the model: streams its text and collects its tool calls.

use super::error::ChatError;
use super::event::ChatEvent;
use super::limits::{ANSWER_CHARS_MAX, CALLS_PER_ROUND_MAX};
use crate::check::sanitized_text;
use crate::prompt::PromptSource;
use crate::safe_stream::SafeStream;
use domain::ai_provider::{AiProvider, Role};
use domain::chat::Chat;
use domain::ports::{CompletionChunk, GenerativeModels, ModelRequest, Prompt, ToolCall};
use futures_util::StreamExt;
use tokio::sync::mpsc::Sender;

/// The reply of a model in one round.
pub(super) struct ModelReply {
    pub provider: AiProvider,
    pub text: String,
    pub calls: Vec<ToolCall>,
    /// Number of tool calls beyond the limit.
    pub calls_left_out: usize,
    /// It reached its token limit.
    pub is_cut: bool,
}

/// Where the text is streamed to, and the sources that it is checked against.
pub(super) struct DeltaSink<'a> {
    pub round: u32,
    pub events: &'a Sender<ChatEvent>,
    pub sources: &'a [PromptSource],
}

/// The model request of a chat.
pub(super) fn model_request(chat: &Chat) -> ModelRequest {
    ModelRequest { role: Role::Chat, user: Some(chat.owner), provider: chat.spec.ai_provider }
}

pub(super) async fn request_reply(
    models: &dyn GenerativeModels,
    request: &ModelRequest,
    prompt: &Prompt,
    sink: DeltaSink<'_>,
) -> Result<ModelReply, ChatError> {
    let mut completion = models.complete(request, prompt).await?;
    let mut reply = ModelReply {
        provider: completion.provider,
        text: String::new(),
        calls: Vec::new(),
        calls_left_out: 0,
        is_cut: false,
    };
    let (mut chars, mut safe_stream) = (0, SafeStream::default());
    while let Some(chunk) = completion.chunks.next().await {
        match chunk? {
            CompletionChunk::Text(text) => {
                chars += text.chars().count();
                reply.text.push_str(&text);
                if let Some(more) = safe_stream.more(&reply.text, sink.sources) {
                    sink.emit(more).await;
                }
                if chars >= ANSWER_CHARS_MAX {
                    reply.is_cut = true;
                    break;
                }
            }
            CompletionChunk::Call(_) if reply.calls.len() >= CALLS_PER_ROUND_MAX => reply.calls_left_out += 1,
            CompletionChunk::Call(call) => reply.calls.push(call),
            CompletionChunk::ReasoningEnd => {
                reply.text.clear();
                chars = 0;
                safe_stream = SafeStream::default();
            }
            CompletionChunk::Cut => reply.is_cut = true,
            CompletionChunk::Usage { .. } => {}
        }
    }
    if reply.calls.is_empty()
        && let Some(text) = safe_stream.rest(&sanitized_text(&reply.text, sink.sources))
    {
        sink.emit(text).await;
    }
    Ok(reply)
}

impl DeltaSink<'_> {
    async fn emit(&self, text: String) {
        let _nobody_listens = self.events.send(ChatEvent::Delta { round: self.round, text }).await;
    }
}
