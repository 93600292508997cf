//! RerankPostResultProcessor: lets a reranker judge the best results. Runs after relevancy and contributes half of the
//! confidence.

use async_trait::async_trait;
use domain::ports::{
    Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError,
    ProcessorErrorKind,
};
use domain::result::{ResultItem, ResultSet};
use domain::result_group::retain_firsts;
use relevancy::{Query, ScoringConfig};
use std::time::Duration;

/// Number of results that are reranked.
const JUDGED_MAX: usize = 50;
const TIME_MAX: Duration = Duration::from_secs(15);

pub const KIND: PostResultProcessorKind = PostResultProcessorKind {
    name: "RerankPostResultProcessor",
    summary: "Asks the AI provider with the role reranker how well the best 50 results answer the query; its score becomes one half of swirl_confidence_score. Runs after relevancy.",
    finds_versions: false,
    only_at_end: true,
    processor: &RerankPostResultProcessor,
};

struct RerankPostResultProcessor;

#[async_trait]
impl PostResultProcessor for RerankPostResultProcessor {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        let mut best = best(sets)?;
        if best.is_empty() {
            return Ok(Outcome::default());
        }
        let config = ScoringConfig::of(&cx.context.settings);
        let query = Query::of_search(config.language, cx.search, "").plain_text();
        let texts: Vec<String> = best.iter().map(|item| relevancy::text_of(item)).collect();
        let judged = tokio::time::timeout(TIME_MAX, cx.context.embedding_models.rerank(&query, &texts)).await;
        let failed =
            |kind, reason: String| ProcessorError::new(kind, format!("{reason}; no result was changed"));
        let judged = judged.map_err(|late| {
            let reason = format!("no answer within {} s", TIME_MAX.as_secs());
            failed(ProcessorErrorKind::Unavailable, reason).caused_by(late)
        })?;
        let judged = judged
            .map_err(|error| failed(ProcessorErrorKind::Unavailable, error.to_string()).caused_by(error))?;
        let Some(scores) = judged else {
            let reason = "no active AI provider has the role reranker".to_owned();
            return Err(failed(ProcessorErrorKind::Invalid, reason));
        };
        let changed = best
            .iter_mut()
            .zip(scores)
            .filter_map(|(item, score)| relevancy::rerank(item, f64::from(score)).then_some(()));
        Ok(Outcome::updated(changed.count()))
    }
}

/// The listed results with the highest confidence, without those that contain an excluded word.
fn best(sets: &mut [ResultSet]) -> Result<Vec<&mut ResultItem>, ProcessorError> {
    let listed = sets.iter_mut().flat_map(|set| &mut set.items).filter(|item| item.result_block.is_none());
    let mut listed: Vec<&mut ResultItem> = listed.collect();
    retain_firsts(&mut listed, |item| item.group);
    let (mut scored, mut without) = (Vec::new(), 0);
    for item in listed {
        match item.explain.as_ref().map(|explain| explain.has_confidence()) {
            Some(true) => scored.push(item),
            // Excluded results have an explanation and no confidence.
            Some(false) => {}
            None => without += 1,
        }
    }
    if scored.is_empty() && without > 0 {
        let reason = "no result has a score; CosineRelevancyPostResultProcessor must run before it";
        return Err(ProcessorError::new(ProcessorErrorKind::Unsuitable, reason));
    }
    scored.sort_by(|one, other| {
        let keys = |item: &ResultItem| (item.swirl_confidence_score, item.swirl_score);
        let (one, other) = (keys(one), keys(other));
        other.0.total_cmp(&one.0).then(other.1.total_cmp(&one.1))
    });
    scored.truncate(JUDGED_MAX);
    Ok(scored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::TestContext;
    use crate::post_result::CATALOGUE;
    use crate::post_result::shared::fixtures::{search, set};
    use domain::ports::{EmbeddingError, EmbeddingInput, EmbeddingModels, RunStage};
    use std::sync::{Arc, Mutex};

    /// Records the request and returns these scores.
    struct Judge {
        asked: Mutex<Vec<(String, Vec<String>)>>,
        answer: fn(&str) -> Option<f32>,
    }

    #[async_trait]
    impl EmbeddingModels for Judge {
        async fn embed(&self, _model: &str, _text: &str) -> Result<Vec<f32>, EmbeddingError> {
            unreachable!("it ranks only")
        }
        async fn embed_many(
            &self,
            _model: &str,
            _read_as: EmbeddingInput,
            _texts: &[String],
        ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
            unreachable!("it ranks only")
        }
        async fn ranking_model(&self) -> Result<Option<String>, EmbeddingError> {
            Ok(None)
        }
        async fn rerank(&self, query: &str, texts: &[String]) -> Result<Option<Vec<f32>>, EmbeddingError> {
            self.asked.lock().expect("no panic").push((query.to_owned(), texts.to_vec()));
            Ok(texts.iter().map(|text| (self.answer)(text)).collect())
        }
    }

    async fn run(
        sets: &mut [ResultSet],
        answer: fn(&str) -> Option<f32>,
        names: &[&str],
    ) -> (Result<Outcome, ProcessorError>, Vec<(String, Vec<String>)>) {
        let judge = Arc::new(Judge { asked: Mutex::default(), answer });
        let mut context = TestContext::default();
        context.context.embedding_models = judge.clone();
        let search = search("river NOT soup");
        let cx = PostResultContext {
            search: &search,
            context: &context.context,
            finds_versions: false,
            stage: RunStage::Ending,
        };
        let mut last = Ok(Outcome::default());
        for name in names {
            let kind = CATALOGUE.iter().find(|kind| kind.name == *name).expect("a row");
            last = kind.processor.process(sets, &cx).await;
        }
        let asked = judge.asked.lock().expect("no panic").clone();
        (last, asked)
    }

    const BOTH: [&str; 2] = ["CosineRelevancyPostResultProcessor", "RerankPostResultProcessor"];

    fn item(title: &str) -> ResultItem {
        ResultItem { title: title.to_owned(), ..ResultItem::default() }
    }

    #[tokio::test]
    async fn the_judgement_changes_the_order() {
        let items =
            vec![item("River river"), item("A long text that names a river once"), item("River soup")];
        let mut sets = [set(1, "river", items)];
        let (outcome, asked) =
            run(&mut sets, |text| Some(if text.contains("long") { 1.0 } else { 0.0 }), &BOTH).await;
        assert_eq!(outcome, Ok(Outcome::updated(2)), "what is excluded is not judged");
        let confidence: Vec<f64> = sets[0].items.iter().map(|item| item.swirl_confidence_score).collect();
        assert!(confidence[1] >= 0.5 && confidence[0] < confidence[1], "{confidence:?}");
        assert_eq!(confidence[2], 0.0);
        assert_eq!(asked.len(), 1);
        assert_eq!(asked[0].0, "river");
        assert!(asked[0].1.iter().all(|text| !text.contains('<')), "{asked:?}");
    }

    #[tokio::test]
    async fn only_the_best_are_judged() {
        let items = (0..JUDGED_MAX + 5).map(|n| item(if n < JUDGED_MAX { "River" } else { "Sea" })).collect();
        let mut sets = [set(1, "river", items)];
        let (outcome, asked) = run(&mut sets, |_| Some(1.0), &BOTH).await;
        assert_eq!(outcome, Ok(Outcome::updated(JUDGED_MAX)));
        assert_eq!(asked[0].1.len(), JUDGED_MAX);
        assert!(asked[0].1.iter().all(|text| text.starts_with("River")));
    }

    #[tokio::test]
    async fn without_a_judge_or_scores_nothing_changes_and_it_is_said() {
        let mut sets = [set(1, "river", vec![item("River")])];
        let (outcome, _) = run(&mut sets, |_| None, &BOTH[1..]).await;
        assert!(outcome.is_err_and(|error| error.message().contains("must run before it")));
        assert!(run(&mut sets, |_| None, &BOTH[..1]).await.0.is_ok());
        let before = sets.clone();
        let (outcome, _) = run(&mut sets, |_| None, &BOTH[1..]).await;
        assert!(
            outcome
                .is_err_and(|error| error.message().contains("has the role reranker; no result was changed"))
        );
        assert_eq!(sets, before);
        assert_eq!(run(&mut [], |_| None, &BOTH[1..]).await.0, Ok(Outcome::default()));
    }
}
