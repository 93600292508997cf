//! A chat as a file: Markdown for everything, PDF for what Latin letters can write.

mod markdown;
mod pdf;

pub use markdown::markdown;
pub use pdf::{PdfError, pdf};

use domain::chat::{Chat, ChatCitation, ChatMessage, Speaker};
use domain::instant::Instant;
use domain::notation::display::web_link;

/// How the speakers are called.
fn speaker(role: Speaker) -> &'static str {
    match role {
        Speaker::User => "You",
        Speaker::Assistant => "Assistant",
    }
}

/// Who spoke, when, and which model it was.
fn heading(message: &ChatMessage) -> String {
    let mut text = format!("{}, {}", speaker(message.role), minute(message.created));
    if !message.body.ai_model.is_empty() {
        text.push_str(&format!(", {}", message.body.ai_model));
    }
    text
}

fn minute(time: Instant) -> String {
    time.format("%Y-%m-%d %H:%M UTC").to_string()
}

fn title(chat: &Chat) -> &str {
    if chat.spec.title.trim().is_empty() { "Chat" } else { &chat.spec.title }
}

/// Addresses of the web only: others lead nowhere from a file.
fn address(citation: &ChatCitation) -> Option<&str> {
    let url = citation.url.as_str();
    web_link(url).is_some().then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::chat::{ChatSpec, MessageContent};
    use domain::ids::{ChatId, MessageId, ResultId, SearchId, UserId};

    /// A chat of one question and one answer.
    pub fn sample(question: &str, answer: &str) -> (Chat, Vec<ChatMessage>) {
        let now: Instant = "2026-11-15T12:00:00Z".parse().unwrap();
        let spec = ChatSpec { title: "Dams".into(), ..ChatSpec::default() };
        let chat = Chat { id: ChatId(1), owner: UserId(1), spec, date_created: now, date_updated: now };
        let cite = |n: u32, title: &str, url: &str| ChatCitation {
            n,
            title: title.into(),
            url: url.into(),
            swirl_id: ResultId(1),
            search_id: SearchId(1),
            signal_id: None,
        };
        let message = |id: i64, role: Speaker, body: MessageContent| ChatMessage {
            id: MessageId(id),
            chat: ChatId(1),
            role,
            body,
            rating: None,
            created: now,
        };
        let said = MessageContent { content: question.into(), ..MessageContent::default() };
        let answered = MessageContent {
            content: answer.into(),
            citations: vec![
                cite(1, "The [big] dam", "https://a.example/dam"),
                cite(3, "A file", "file:///etc/dam"),
            ],
            warnings: vec!["Check *this* answer.".into()],
            ai_model: "gpt-5".into(),
            ..MessageContent::default()
        };
        (chat, vec![message(1, Speaker::User, said), message(2, Speaker::Assistant, answered)])
    }
}
