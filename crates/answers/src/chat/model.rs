//! One question to the model: what it writes and which tools it wants, piece by piece.

use super::limits::{ANSWER_CHARS_MAX, CALLS_PER_ROUND_MAX};
use super::{ChatError, ChatEvent};
use crate::check::shown;
use crate::prompt::PromptSource;
use crate::telling::Telling;
use domain::ai_provider::AiProvider;
use domain::contracts::{Piece, Prompt, ToolCall, WriterWanted, Writers};
use futures_util::StreamExt;
use tokio::sync::mpsc::Sender;

/// What a model said in one round.
pub(super) struct Heard {
    pub provider: AiProvider,
    pub text: String,
    pub calls: Vec<ToolCall>,
    /// Tools that it wanted beyond those.
    pub calls_left_out: usize,
}

pub(super) async fn ask(
    writers: &dyn Writers,
    wanted: &WriterWanted,
    prompt: &Prompt,
    told: Told<'_>,
) -> Result<Heard, ChatError> {
    let mut writing = writers.write(wanted, prompt).await?;
    let mut heard =
        Heard { provider: writing.provider, text: String::new(), calls: Vec::new(), calls_left_out: 0 };
    let (mut chars, mut telling) = (0, Telling::default());
    while let Some(piece) = writing.pieces.next().await {
        match piece? {
            Piece::Text(text) => {
                chars += text.chars().count();
                heard.text.push_str(&text);
                if let Some(more) = telling.more(&heard.text, told.sources) {
                    told.tell(more).await;
                }
                if chars >= ANSWER_CHARS_MAX {
                    break;
                }
            }
            Piece::Call(_) if heard.calls.len() >= CALLS_PER_ROUND_MAX => heard.calls_left_out += 1,
            Piece::Call(call) => heard.calls.push(call),
            Piece::Usage { .. } => {}
        }
    }
    if heard.calls.is_empty()
        && let Some(text) = telling.rest(&shown(&heard.text, told.sources))
    {
        told.tell(text).await;
    }
    Ok(heard)
}

/// Who hears the pieces, and what they are checked against first.
pub(super) struct Told<'a> {
    pub round: u32,
    pub tell: &'a Sender<ChatEvent>,
    pub sources: &'a [PromptSource],
}

impl Told<'_> {
    async fn tell(&self, text: String) {
        let _nobody_listens = self.tell.send(ChatEvent::Delta { round: self.round, text }).await;
    }
}
