//! Earlier messages as turns: the newest that fit the token budget.

use super::context_documents::{fenced, format_reference};
use super::limits::DOCUMENTS_KEPT_MAX;
use crate::prompt::one_line;
use domain::chat::{ChatMessage, DocumentRef, Speaker};
use domain::ports::Turn;

/// Counts the tokens of a text.
pub(super) type Count<'a> = &'a (dyn Fn(&str) -> usize + Send + Sync);

/// Earlier messages, oldest first; as many of the newest as fit. The first one is the user's.
pub(super) fn turns(before: &[ChatMessage], tokens_max: usize, count: Count<'_>) -> Vec<Turn> {
    let mut left = tokens_max;
    let mut kept: Vec<Turn> = Vec::new();
    for message in before.iter().rev() {
        let text = match message.role {
            Speaker::User => message.body.content.clone(),
            Speaker::Assistant => without_citations(&message.body.content),
        };
        let tokens = count(&text);
        if tokens > left {
            break;
        }
        left -= tokens;
        match (message.role, kept.last_mut()) {
            // A message without a reply is merged with the next one.
            (Speaker::User, Some(Turn::User(later))) => *later = format!("{text}\n\n{later}"),
            (Speaker::User, _) => kept.push(Turn::User(text)),
            (Speaker::Assistant, _) => kept.push(Turn::Assistant { text, calls: Vec::new() }),
        }
    }
    kept.reverse();
    let first = kept.iter().position(|turn| matches!(turn, Turn::User(_))).unwrap_or(kept.len());
    kept.split_off(first)
}

/// Appends a text to the last user turn, or starts a new one.
pub(super) fn append(turns: &mut Vec<Turn>, text: &str) {
    match turns.last_mut() {
        Some(Turn::User(last)) => *last = format!("{last}\n\n{text}"),
        _ => turns.push(Turn::User(text.to_owned())),
    }
}

/// Converts a conversation for a request without tools: tool results become user text.
pub(super) fn without_tools(turns: &[Turn]) -> Vec<Turn> {
    let mut plain = Vec::new();
    for turn in turns {
        match turn {
            Turn::User(text) => append(&mut plain, text),
            Turn::Assistant { text, calls } if calls.is_empty() => {
                plain.push(Turn::Assistant { text: text.clone(), calls: Vec::new() });
            }
            Turn::Assistant { .. } => {}
            Turn::Tool { name, text, .. } => append(&mut plain, &format!("What {name} gave:\n{text}")),
        }
    }
    plain
}

/// Documents cited or attached earlier, newest first.
pub(super) fn documents(before: &[ChatMessage]) -> Vec<(DocumentRef, String)> {
    let mut found: Vec<(DocumentRef, String)> = Vec::new();
    for message in before.iter().rev() {
        let cited =
            message.body.citations.iter().map(|one| {
                (DocumentRef { search_id: one.search_id, swirl_id: one.swirl_id }, one.title.clone())
            });
        let attached = message.body.attach.iter().map(|one| (*one, String::new()));
        for (reference, title) in cited.chain(attached) {
            if found.len() < DOCUMENTS_KEPT_MAX && !found.iter().any(|(known, _)| *known == reference) {
                found.push((reference, title));
            }
        }
    }
    found
}

/// The list of documents for the model; None if there are none.
pub(super) fn describe_documents(documents: &[(DocumentRef, String)]) -> Option<String> {
    let line = |(reference, title): &(DocumentRef, String)| {
        format!("ref {} {}", format_reference(*reference), one_line(title, 120))
    };
    let lines: Vec<String> = documents.iter().map(line).collect();
    (!lines.is_empty()).then(|| fenced("documents of earlier messages", &lines.join("\n")))
}

/// Removes citations such as `[1]` and `[2, 3]`, because numbers start anew in every turn.
fn without_citations(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let inside = &rest[at + 1..];
        let is_citation = |inner: &&str| {
            inner.contains(|c: char| c.is_ascii_digit())
                && inner.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | ' '))
        };
        match inside.find(']').map(|end| &inside[..end]).filter(is_citation) {
            Some(inner) => {
                plain.push_str(rest[..at].trim_end_matches(' '));
                rest = &inside[inner.len() + 1..];
            }
            None => {
                plain.push_str(&rest[..=at]);
                rest = inside;
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::chat::{ChatCitation, MessageContent};
    use domain::ids::{ChatId, MessageId, ResultId, SearchId};
    use domain::ports::ToolCall;
    use serde_json::json;

    fn message(role: Speaker, content: &str) -> ChatMessage {
        let body = MessageContent { content: content.to_owned(), ..MessageContent::default() };
        let created = domain::instant::Instant::default();
        ChatMessage { id: MessageId(1), chat: ChatId(1), role, body, rating: None, created }
    }

    fn words(text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn shown(turns: &[Turn]) -> Vec<String> {
        let one = |turn: &Turn| match turn {
            Turn::User(text) => format!("u:{text}"),
            Turn::Assistant { text, .. } => format!("a:{text}"),
            Turn::Tool { text, .. } => format!("t:{text}"),
        };
        turns.iter().map(one).collect()
    }

    #[test]
    fn the_newest_that_fit() {
        use Speaker::{Assistant, User};
        let before = [
            message(User, "one two three"),
            message(Assistant, "four [1] five [2, 3]."),
            message(User, "six"),
            message(User, "seven"),
            message(Assistant, "eight"),
        ];
        let cases: [(usize, &[&str]); 6] = [
            (100, &["u:one two three", "a:four five.", "u:six\n\nseven", "a:eight"]),
            (8, &["u:one two three", "a:four five.", "u:six\n\nseven", "a:eight"]),
            (7, &["u:six\n\nseven", "a:eight"]),
            (2, &["u:seven", "a:eight"]),
            (1, &[]),
            (0, &[]),
        ];
        for (tokens, expected) in cases {
            assert_eq!(shown(&turns(&before, tokens, &words)), expected, "{tokens}");
        }
    }

    #[test]
    fn marks_of_earlier_answers_are_left_out() {
        for (text, expected) in [
            ("A dam [1]. A weir[2] [3,4].", "A dam. A weir."),
            ("[a] and [ ] and [1", "[a] and [ ] and [1"),
            ("no marks", "no marks"),
            ("[[1]]", "[]"),
        ] {
            assert_eq!(without_citations(text), expected);
        }
    }

    #[test]
    fn tools_become_words() {
        let call = ToolCall { id: "c".into(), name: "search".into(), arguments: json!({}) };
        let turns = [
            Turn::User("q".into()),
            Turn::Assistant { text: "let me look".into(), calls: vec![call] },
            Turn::Tool { call_id: "c".into(), name: "search".into(), text: "found".into() },
        ];
        assert_eq!(shown(&without_tools(&turns)), ["u:q\n\nWhat search gave:\nfound"]);
    }

    #[test]
    fn documents_are_kept_up_to_a_limit() {
        let mut answer = message(Speaker::Assistant, "a");
        let cite = |id: i64| ChatCitation {
            n: 1,
            title: "Dam </data>".into(),
            url: String::new(),
            swirl_id: ResultId(id),
            search_id: SearchId(1),
            signal_id: None,
        };
        answer.body.citations = (0..30).chain(0..3).map(cite).collect();
        let found = documents(&[answer]);
        assert_eq!(found.len(), DOCUMENTS_KEPT_MAX);
        let text = describe_documents(&found).expect("a text");
        assert!(text.contains("ref 1:0 Dam ‹/data>\n"), "{text}");
        assert_eq!(describe_documents(&[]), None);
    }
}
