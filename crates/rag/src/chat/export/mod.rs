//! Export of chats as Markdown, HTML or PDF.

mod format;
mod html;
mod html_blocks;
mod markdown;
mod pdf;

pub use html::html;
pub use markdown::markdown;
pub use pdf::{FontFolders, PdfError, pdf};

#[cfg(test)]
mod tests {
    use domain::chat::{Chat, ChatCitation, ChatMessage, ChatSpec, MessageContent, Speaker};
    use domain::ids::{ChatId, MessageId, ResultId, SearchId, UserId};
    use domain::instant::Instant;

    /// A chat with one question and one reply.
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
