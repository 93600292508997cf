//! Events of a chat turn.

use super::error::ChatError;
use domain::chat::{ChatCitation, ChatMessage, ToolUse};
use serde_json::Value;

/// Events of a turn. The last one is `Done` or `Failed`.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatEvent {
    /// The model is asked for the `round`th time.
    Asking {
        round: u32,
    },
    /// The model calls a tool.
    Tool {
        name: String,
        args: Value,
    },
    /// The tool call finished.
    ToolDone(ToolUse),
    /// More text, with links and citations checked. It belongs to the reply if its round ends without a tool call.
    Delta {
        round: u32,
        text: String,
    },
    Citations(Vec<ChatCitation>),
    Done(Box<ChatMessage>),
    Failed(ChatError),
}
