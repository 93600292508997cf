//! DropUntitledPostResultProcessor: deletes results without a title.

use async_trait::async_trait;
use domain::ports::{
    Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError,
};
use domain::result::ResultSet;

struct DropUntitledPostResultProcessor;

#[async_trait]
impl PostResultProcessor for DropUntitledPostResultProcessor {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        _cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        Ok(drop_untitled(sets))
    }
}

fn drop_untitled(sets: &mut [ResultSet]) -> Outcome {
    let mut deleted = 0;
    for set in sets {
        let before = set.items.len();
        set.items.retain(|item| !item.title.trim().is_empty());
        deleted += before - set.items.len();
    }
    Outcome::deleted(deleted)
}

pub const KIND: PostResultProcessorKind = PostResultProcessorKind {
    name: "DropUntitledPostResultProcessor",
    summary: "Deletes results without a title.",
    finds_versions: false,
    only_at_end: false,
    processor: &DropUntitledPostResultProcessor,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_result::CATALOGUE;
    use crate::post_result::shared::fixtures::{item, listed, set};

    #[test]
    fn results_without_a_title_are_deleted() {
        let titled = |title: &str| item(title, "https://library.example/1", 0.5, 1.0);
        let mut sets = [set(1, "q", vec![titled("Tea"), titled("  ")]), set(2, "q", vec![titled("")])];
        assert_eq!(drop_untitled(&mut sets), Outcome::deleted(2));
        assert_eq!(listed(&sets), [vec!["Tea[]".to_owned()], vec![]]);
        assert!(CATALOGUE.iter().any(|kind| kind.name == KIND.name));
    }
}
