//! View models of chats and messages.

use super::super::search::{format_seconds, initials};
use super::super::truncate::truncate;
use domain::ai_provider::EXTRACTIVE_MODEL;
use domain::chat::{Chat, ChatCitation, ChatMessage, Speaker, ToolUse};
use domain::ids::{ChatId, MessageId, ResultId, SearchId};
use domain::instant::Instant;
use rag::chat::{NOTHING_FOUND, in_reading_order};
use rag::prose::{Block, blocks};
use serde::Serialize;
use serde_json::Value;
use syntax::display::web_link;
use url::Url;

const TITLE_CHARS_MAX: usize = 200;
/// Length at which the query of a tool call is cut.
const QUERY_CHARS_MAX: usize = 200;

#[derive(Serialize)]
pub struct ChatView {
    id: ChatId,
    title: String,
    /// The section of the list: `today`, `week` or `older`.
    age: &'static str,
}

#[derive(Serialize)]
pub struct MessageView {
    id: MessageId,
    is_answer: bool,
    blocks: Vec<Block>,
    /// The original text, for the clipboard.
    text: String,
    sources: Vec<CitationView>,
    looked_up: Vec<ToolView>,
    attached: usize,
    follow_ups: Vec<String>,
    warnings: Vec<String>,
    /// Without a model, no sentence of the sources fits.
    is_nothing_found: bool,
    is_extractive: bool,
    model: String,
    seconds: String,
    rating: i8,
    created: String,
}

#[derive(Serialize)]
struct CitationView {
    n: u32,
    id: ResultId,
    search_id: SearchId,
    title: String,
    /// None if it is not a web URL.
    href: Option<String>,
    place: String,
    initials: String,
}

#[derive(Serialize)]
struct ToolView {
    name: String,
    query: String,
    search_id: Option<SearchId>,
    seconds: String,
}

/// An attached document.
#[derive(Serialize)]
pub struct DocumentView {
    pub search_id: SearchId,
    pub swirl_id: ResultId,
    pub title: String,
}

impl ChatView {
    pub fn of(chat: Chat, now: Instant) -> Self {
        let age = match (now - chat.date_updated).num_days() {
            i64::MIN..=0 => "today",
            1..=6 => "week",
            _ => "older",
        };
        Self { id: chat.id, title: chat.spec.title, age }
    }
}

impl MessageView {
    pub fn of(message: ChatMessage) -> Self {
        let message = in_reading_order(message);
        let (body, is_answer) = (message.body, matches!(message.role, Speaker::Assistant));
        let is_extractive = body.ai_model == EXTRACTIVE_MODEL;
        let text = if is_extractive { body.content.replace('\n', "\n\n") } else { body.content.clone() };
        let numbers = body.citations.iter().map(|citation| citation.n).collect();
        Self {
            id: message.id,
            is_answer,
            // Messages of users are shown verbatim.
            blocks: if is_answer { blocks(&text, &numbers) } else { Vec::new() },
            text: body.content,
            sources: body.citations.into_iter().map(CitationView::of).collect(),
            looked_up: body.tool_calls.into_iter().map(ToolView::of).collect(),
            attached: body.attach.len(),
            follow_ups: body.follow_ups,
            warnings: body.warnings,
            is_nothing_found: is_extractive && text == NOTHING_FOUND,
            is_extractive,
            model: body.ai_model,
            seconds: format_seconds(body.took),
            rating: message.rating.map_or(0, |rating| rating.rating),
            created: message.created.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }
}

impl CitationView {
    fn of(citation: ChatCitation) -> Self {
        let address = web_link(&citation.url);
        let place = address.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned();
        Self {
            n: citation.n,
            id: citation.swirl_id,
            search_id: citation.search_id,
            title: truncate(&citation.title, TITLE_CHARS_MAX),
            href: address.map(String::from),
            initials: initials(if place.is_empty() { &citation.title } else { &place }),
            place,
        }
    }
}

impl ToolView {
    fn of(used: ToolUse) -> Self {
        let query = used.args.get("query").and_then(Value::as_str).unwrap_or_default();
        Self {
            query: truncate(query, QUERY_CHARS_MAX),
            search_id: used.search_id,
            seconds: format_seconds(used.took),
            name: used.name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::assets::Assets;
    use super::super::super::templates::Templates;
    use super::super::super::templates::tests::context;
    use super::*;
    use chrono::{DateTime, TimeDelta};
    use domain::chat::{ChatSpec, MessageContent, Rating};
    use domain::ids::UserId;
    use serde_json::json;
    use std::sync::Arc;

    fn message(role: Speaker, text: &str, url: &str) -> ChatMessage {
        let (n, swirl_id, search_id) = (1, ResultId(3), SearchId(7));
        let (title, url) = (text.to_owned(), url.to_owned());
        let citation = ChatCitation { n, title, url, swirl_id, search_id, signal_id: None };
        let args = json!({"query": text});
        let used = ToolUse { name: "search".to_owned(), args, search_id: Some(search_id), took: 0.31 };
        let body = MessageContent {
            content: format!("{text} [1] [2]"),
            tool_calls: vec![used],
            citations: vec![citation],
            follow_ups: vec![text.to_owned()],
            warnings: vec![text.to_owned()],
            ai_model: text.to_owned(),
            took: 2.0,
            ..MessageContent::default()
        };
        let rating = Some(Rating { rating: -1, reasons: Vec::new(), comment: String::new() });
        let created = DateTime::UNIX_EPOCH;
        ChatMessage { id: MessageId(5), chat: ChatId(2), role, body, rating, created }
    }

    #[test]
    fn hostile_texts_are_inert_in_messages() {
        let templates = Templates::new(Arc::new(Assets::new("")));
        for bad in ["<script>x</script>", "\"><img src=x onerror=y>", "[a](javascript:x)"] {
            for role in [Speaker::User, Speaker::Assistant] {
                let shown = MessageView::of(message(role, bad, "javascript:alert(1)"));
                let values = json!({"message": shown});
                let text = templates.render("chat/message.html", &context(""), values).expect("a piece");
                for tag in ["<script", "<img", "javascript:alert", "href=\"javascript"] {
                    assert!(!text.contains(tag), "{tag} of {bad}: {text}");
                }
                assert_eq!(text.contains("data-cite=\"1\""), matches!(role, Speaker::Assistant), "{text}");
                assert!(!text.contains("data-cite=\"2\""), "{text}");
            }
        }
    }

    #[test]
    fn tables_are_shown_in_answers_alone() {
        let templates = Templates::new(Arc::new(Assets::new("")));
        let table = "| a | b |\n|---|---|\n| <script>x</script> [1] | ";
        for role in [Speaker::User, Speaker::Assistant] {
            let is_answer = matches!(role, Speaker::Assistant);
            let values = json!({"message": MessageView::of(message(role, table, ""))});
            let text = templates.render("chat/message.html", &context(""), values).expect("a piece");
            assert_eq!(text.contains("<table><thead><tr><th scope=\"col\">a</th>"), is_answer, "{text}");
            let cell = "<td>&lt;script&gt;x&lt;&#x2f;script&gt;<a class=\"cite\" href=\"#m5-1\"";
            assert_eq!(text.contains(cell), is_answer, "{text}");
            assert_eq!(text.contains("<p class=\"text\" dir=\"auto\">| a | b |\n"), !is_answer, "{text}");
        }
    }

    #[test]
    fn the_reply_that_nothing_fits_is_translated() {
        let templates = Templates::new(Arc::new(Assets::new("")));
        for (model, is_translated) in [(EXTRACTIVE_MODEL, true), ("gpt-4o", false)] {
            let mut reply = message(Speaker::Assistant, "", "");
            (reply.body.content, reply.body.ai_model) = (NOTHING_FOUND.to_owned(), model.to_owned());
            reply.body.citations.clear();
            let view = MessageView::of(reply);
            assert_eq!(view.is_nothing_found, is_translated, "{model}");
            let text = templates.render("chat/message.html", &context(""), json!({"message": view}));
            assert!(text.expect("a piece").contains(NOTHING_FOUND), "the key is the English text");
        }
    }

    #[test]
    fn chats_are_grouped_by_age() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(30);
        for (days, age) in [(-1, "today"), (0, "today"), (1, "week"), (6, "week"), (7, "older")] {
            let date_updated = now - TimeDelta::days(days);
            let (id, owner, spec) = (ChatId(1), UserId(1), ChatSpec::default());
            let chat = Chat { id, owner, spec, date_created: date_updated, date_updated };
            assert_eq!(ChatView::of(chat, now).age, age, "{days}");
        }
    }
}
