//! Checks a reply and resolves its citations.

use super::context_documents::ContextDocuments;
use crate::check::check;
use domain::chat::ChatCitation;

pub(super) struct CheckedReply {
    pub content: String,
    pub citations: Vec<ChatCitation>,
    pub follow_ups: Vec<String>,
    pub warnings: Vec<String>,
}

/// Checks a reply against the documents that the model was shown.
pub(super) fn check_reply(written: &str, documents: &ContextDocuments) -> CheckedReply {
    let checked = check(written, documents.sources());
    let cited = checked.sources.into_iter().filter(|source| source.cited);
    let citations = cited
        .filter_map(|source| {
            let document = documents.document(source.n)?;
            Some(ChatCitation {
                n: source.n,
                title: source.title,
                url: source.url,
                swirl_id: document.swirl_id,
                search_id: document.search_id,
                signal_id: source.signal_id,
            })
        })
        .collect();
    let warnings = checked.warnings;
    CheckedReply { content: checked.body, citations, follow_ups: checked.follow_ups, warnings }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_invented_is_told_also_without_sources() {
        for (written, content, warnings) in [
            ("Hello! How can I help you?", "Hello! How can I help you?", 0),
            ("The dam is old [1].", "The dam is old.", 1),
        ] {
            let checked_reply = check_reply(written, &ContextDocuments::default());
            assert_eq!(
                (checked_reply.content.as_str(), checked_reply.warnings.len()),
                (content, warnings),
                "{written}"
            );
            assert!(checked_reply.citations.is_empty());
        }
    }
}
