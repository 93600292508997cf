//! DropIrrelevantPostResultProcessor: deletes results with a low score. Runs after relevancy, which sets the scores.

use async_trait::async_trait;
use domain::ports::{
    Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError,
    ProcessorErrorKind,
};
use domain::result::{ResultItem, ResultSet};

struct DropIrrelevantPostResultProcessor;

#[async_trait]
impl PostResultProcessor for DropIrrelevantPostResultProcessor {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        drop_below(sets, f64::from(cx.context.settings.min_swirl_score))
    }
}

/// Results of a block are not part of the list and stay. Without any score nothing is deleted: relevancy did not run, or
/// only for the results of each source.
fn drop_below(sets: &mut [ResultSet], least: f64) -> Result<Outcome, ProcessorError> {
    let mut listed =
        sets.iter().flat_map(|set| &set.items).filter(|item| item.result_block.is_none()).peekable();
    if listed.peek().is_some() && listed.all(|item| !has_score(item)) {
        return Err(ProcessorError::new(
            ProcessorErrorKind::Unsuitable,
            "no result has a score; CosineRelevancyPostResultProcessor must run before it",
        ));
    }
    let mut deleted = 0;
    for set in sets {
        let before = set.items.len();
        set.items.retain(|item| item.result_block.is_some() || item.swirl_score > least);
        deleted += before - set.items.len();
    }
    Ok(Outcome::deleted(deleted))
}

fn has_score(item: &ResultItem) -> bool {
    item.swirl_score != 0.0 || item.explain.as_ref().is_some_and(|explain| explain.score.is_some())
}

pub const KIND: PostResultProcessorKind = PostResultProcessorKind {
    name: "DropIrrelevantPostResultProcessor",
    summary: "Deletes results whose swirl_score is not above SVC_MIN_SWIRL_SCORE. Runs after relevancy.",
    finds_versions: false,
    only_at_end: false,
    processor: &DropIrrelevantPostResultProcessor,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_result::shared::fixtures::set;
    use domain::explain::{Explain, ScoreParts};

    fn item(title: &str, score: f64) -> ResultItem {
        ResultItem { title: title.to_owned(), swirl_score: score, ..ResultItem::default() }
    }

    #[test]
    fn low_scores_are_deleted() {
        let block = ResultItem { result_block: Some("facts".to_owned()), ..item("block", 0.0) };
        let first = vec![item("high", 500.1), item("equal", 500.0), item("none", f64::NAN), block];
        let mut sets = [set(1, "q", first), set(2, "q", vec![item("negated", -0.6667)])];
        assert_eq!(drop_below(&mut sets, 500.0), Ok(Outcome::deleted(3)));
        let left: Vec<&str> =
            sets.iter().flat_map(|set| &set.items).map(|item| item.title.as_str()).collect();
        assert_eq!(left, ["high", "block"]);
        assert_eq!(drop_below(&mut [], 500.0), Ok(Outcome::default()));
    }

    #[test]
    fn without_scores_nothing_is_deleted() {
        let mut sets = [set(1, "q", vec![item("a", 0.0), item("b", 0.0)])];
        let error = drop_below(&mut sets, 500.0).expect_err("no scores");
        assert!(error.message().contains("CosineRelevancyPostResultProcessor"));
        assert_eq!(sets[0].items.len(), 2);
        // What the processor of a single source explains is no score yet.
        sets[0].items[0].explain = Some(Box::default());
        assert!(drop_below(&mut sets, 500.0).is_err());
        assert_eq!(sets[0].items.len(), 2);
        let score = Some(ScoreParts { fields: [0.0; 3], total: 0.0 });
        sets[0].items[0].explain = Some(Box::new(Explain { score, ..Explain::default() }));
        assert_eq!(drop_below(&mut sets, 500.0), Ok(Outcome::deleted(2)), "a score of 0 is a score");
    }
}
