//! TitleCaseResultProcessor: capitalizes the words of titles. Runs after mapping.

use domain::ports::{
    Outcome, ProcessorError, ResultBatch, ResultContext, ResultProcessor, ResultProcessorKind,
};

pub const KIND: ResultProcessorKind = ResultProcessorKind {
    name: "TitleCaseResultProcessor",
    summary: "Capitalizes the words of titles. Runs after mapping.",
    processor: &TitleCase,
};

struct TitleCase;

impl ResultProcessor for TitleCase {
    fn process(&self, batch: &mut ResultBatch, _cx: &ResultContext<'_>) -> Result<Outcome, ProcessorError> {
        let mut changed = 0;
        for item in &mut batch.items {
            let title = item.title.split(' ').map(capitalize).collect::<Vec<_>>().join(" ");
            changed += usize::from(title != item.title);
            item.title = title;
        }
        Ok(Outcome::updated(changed))
    }
}

fn capitalize(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::TestContext;
    use serde_json::json;

    #[test]
    fn words_of_titles_are_capitalized() {
        let raw = vec![json!({"name": "on solid-state disks"}), json!({"name": "Tea"})];
        let context = TestContext::with_mappings("title=name");
        let batch = context.results(raw, &["MappingResultProcessor", KIND.name]);
        let titles: Vec<&str> = batch.items.iter().map(|item| item.title.as_str()).collect();
        assert_eq!(titles, ["On Solid-state Disks", "Tea"]);
    }
}
