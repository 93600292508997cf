//! From what the model wrote to what the person reads: numbers that lead somewhere, and no other links.

use super::material::Material;
use crate::check::check;
use domain::chat::ChatCitation;

pub(super) struct Finished {
    pub content: String,
    pub citations: Vec<ChatCitation>,
    pub follow_ups: Vec<String>,
    pub warnings: Vec<String>,
}

/// Checks an answer against the documents that the model was shown.
pub(super) fn finish(written: &str, material: &Material) -> Finished {
    let checked = check(written, material.sources());
    let cited = checked.sources.into_iter().filter(|source| source.cited);
    let citations = cited
        .filter_map(|source| {
            let document = material.document(source.n)?;
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
    Finished { content: checked.body, citations, follow_ups: checked.follow_ups, warnings }
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
            let finished = finish(written, &Material::default());
            assert_eq!(
                (finished.content.as_str(), finished.warnings.len()),
                (content, warnings),
                "{written}"
            );
            assert!(finished.citations.is_empty());
        }
    }
}
