//! Texts that the formats share.

use domain::chat::{Chat, ChatCitation, ChatMessage, Speaker};
use domain::instant::Instant;
use syntax::display::web_link;

/// Names of the speakers.
fn speaker(role: Speaker) -> &'static str {
    match role {
        Speaker::User => "You",
        Speaker::Assistant => "Assistant",
    }
}

/// Speaker, time and model of a message.
pub(super) fn heading(message: &ChatMessage) -> String {
    let mut text = format!("{}, {}", speaker(message.role), minute(message.created));
    if !message.body.ai_model.is_empty() {
        text.push_str(&format!(", {}", message.body.ai_model));
    }
    text
}

pub(super) fn minute(time: Instant) -> String {
    time.format("%Y-%m-%d %H:%M UTC").to_string()
}

pub(super) fn title(chat: &Chat) -> &str {
    if chat.spec.title.trim().is_empty() { "Chat" } else { &chat.spec.title }
}

/// Web URLs only; others do not work in a file.
pub(super) fn address(citation: &ChatCitation) -> Option<&str> {
    let url = citation.url.as_str();
    web_link(url).is_some().then_some(url)
}
