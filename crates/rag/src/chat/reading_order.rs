//! Replies whose citations are numbered in the order of reading, as pages and files show them.

use crate::prose::{blocks, number_citations, with_numbers};
use domain::chat::{ChatMessage, Speaker};
use std::collections::BTreeSet;

/// Numbers the citations of a reply anew: the source that is cited first is 1.
pub fn in_reading_order(mut message: ChatMessage) -> ChatMessage {
    if message.role == Speaker::User {
        return message;
    }
    let body = &mut message.body;
    let numbers: BTreeSet<u32> = body.citations.iter().map(|citation| citation.n).collect();
    let mut order = number_citations(&mut blocks(&body.content, &numbers));
    // Of those that are not found in the text, the order stays.
    let others: Vec<u32> = numbers.into_iter().filter(|n| !order.contains(n)).collect();
    order.extend(others);
    body.content = with_numbers(&body.content, &order);
    for citation in &mut body.citations {
        let place = order.iter().position(|earlier| *earlier == citation.n);
        citation.n = place.and_then(|place| u32::try_from(place + 1).ok()).unwrap_or(citation.n);
    }
    body.citations.sort_by_key(|citation| citation.n);
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::chat::{ChatCitation, MessageContent};
    use domain::ids::{ChatId, MessageId, ResultId, SearchId};
    use domain::instant::Instant;

    fn message(role: Speaker, content: &str) -> ChatMessage {
        let cite = |n: u32| ChatCitation {
            n,
            title: format!("Source {n}"),
            url: String::new(),
            swirl_id: ResultId(i64::from(n)),
            search_id: SearchId(1),
            signal_id: None,
        };
        let citations = vec![cite(1), cite(2), cite(5)];
        let body = MessageContent { content: content.to_owned(), citations, ..MessageContent::default() };
        let created = Instant::default();
        ChatMessage { id: MessageId(1), chat: ChatId(1), role, body, rating: None, created }
    }

    #[test]
    fn the_source_that_is_cited_first_is_number_one() {
        let shown = in_reading_order(message(Speaker::Assistant, "It rose [5]. It fell [2] [5].")).body;
        assert_eq!(shown.content, "It rose [1]. It fell [2] [1].");
        let sources: Vec<_> = shown.citations.iter().map(|one| (one.n, one.title.as_str())).collect();
        assert_eq!(sources, [(1, "Source 5"), (2, "Source 2"), (3, "Source 1")]);
        let asked = message(Speaker::User, "What is [5]?");
        assert_eq!(in_reading_order(asked.clone()), asked);
    }
}
