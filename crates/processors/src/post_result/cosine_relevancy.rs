//! CosineRelevancyPostResultProcessor: scores all results of a search together, so that results of different providers
//! can be compared.

use async_trait::async_trait;
use domain::instant::Instant;
use domain::notice::{Notice, NoticeKind};
use domain::ports::{
    EmbeddingInput, Outcome, PluginContext, PostResultContext, PostResultProcessor, PostResultProcessorKind,
    ProcessorError, ProcessorErrorKind, RunStage,
};
use domain::result::ResultSet;
use domain::search::Search;
use relevancy::{ExternalEmbedding, ExternalEmbeddings, ProviderResults, Query, ScoringConfig};
use std::time::Duration;

/// Most results that an external model embeds for one ranking; above that the built-in model is used.
const READ_MAX: usize = 2_000;
/// Timeout of an external embedding model.
const READ_TIME_MAX: Duration = Duration::from_secs(15);

struct CosineRelevancyPostResultProcessor;

#[async_trait]
impl PostResultProcessor for CosineRelevancyPostResultProcessor {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        let (config, now) = (ScoringConfig::of(&cx.context.settings), cx.context.clock.now());
        let provider_results = provider_results(sets, cx.search, &config);
        let model = match cx.stage {
            RunStage::Running => Ok(None),
            RunStage::Ending => cx.context.embedding_models.ranking_model().await,
        };
        let external_embeddings = match model {
            Ok(None) => None,
            Ok(Some(model)) => Some(embed_results(&provider_results, &model, cx.context).await),
            Err(error) => Some(Err(ProcessorError::from_cause(ProcessorErrorKind::Unavailable, error))),
        };
        let scored = match external_embeddings {
            None => relevancy::score(provider_results, &config),
            Some(Ok(external_embeddings)) => {
                relevancy::score_by(external_embeddings, provider_results, &config)
            }
            Some(Err(error)) => {
                let scored = relevancy::score(provider_results, &config);
                let reason = error.message().to_owned();
                let kind = NoticeKind::EmbedderReplaced { processor: KIND.name.to_owned(), reason };
                sets.iter_mut().take(1).for_each(|set| set.notices.push(Notice::new(now, kind.clone())));
                scored
            }
        };
        sets.iter_mut().for_each(|set| tell_excluded(set, now));
        Ok(Outcome::updated(scored))
    }
}

/// Reports once how many results contain excluded words: their source may not support exclusion.
fn tell_excluded(set: &mut ResultSet, now: Instant) {
    let count = set.items.iter().filter(|item| relevancy::explain::is_negated(item)).count();
    let kind = NoticeKind::ExcludedWordsFound { count, provider: set.provider_name.clone() };
    if count > 0 && !set.notices.iter().any(|notice| notice.kind == kind) {
        set.notices.push(Notice::new(now, kind));
    }
}

fn provider_results<'a>(
    sets: &'a mut [ResultSet],
    search: &Search,
    config: &ScoringConfig,
) -> Vec<ProviderResults<'a>> {
    let mut provider_results: Vec<ProviderResults<'_>> = Vec::with_capacity(sets.len());
    let mut asked = None;
    for set in sets {
        let ResultSet { query_string_to_provider, items, .. } = set;
        // Most providers get the same query.
        let query = match (&asked, provider_results.last()) {
            (Some(before), Some(answer)) if *before == query_string_to_provider => answer.query.clone(),
            _ => Query::of_search(config.language, search, query_string_to_provider),
        };
        asked = Some(query_string_to_provider);
        let (listed, in_blocks): (Vec<_>, Vec<_>) =
            items.iter_mut().partition(|item| item.result_block.is_none());
        // Results without a score need no explanation.
        in_blocks.into_iter().for_each(|item| item.explain = None);
        provider_results.push(ProviderResults { query, items: listed });
    }
    provider_results
}

/// Embeds the queries and the results with an external model.
async fn embed_results(
    provider_results: &[ProviderResults<'_>],
    model: &str,
    context: &PluginContext,
) -> Result<Vec<ExternalEmbeddings>, ProcessorError> {
    let queries: Vec<String> = provider_results.iter().map(|answer| answer.query.plain_text()).collect();
    let texts = provider_results.iter().flat_map(|answer| &answer.items).map(|item| relevancy::text_of(item));
    let texts: Vec<String> = texts.collect();
    if texts.len() > READ_MAX {
        return Err(ProcessorError::new(
            ProcessorErrorKind::Unsuitable,
            format!("{model} reads at most {READ_MAX} results at once, and there are {}", texts.len()),
        ));
    }
    let both = async {
        tokio::try_join!(
            context.embedding_models.embed_many(model, EmbeddingInput::Query, &queries),
            context.embedding_models.embed_many(model, EmbeddingInput::Passage, &texts),
        )
    };
    let embedded = tokio::time::timeout(READ_TIME_MAX, both).await;
    let embedded = embedded.map_err(|late| {
        let message = format!("{model} did not answer within {} s", READ_TIME_MAX.as_secs());
        ProcessorError::new(ProcessorErrorKind::Unavailable, message).caused_by(late)
    })?;
    let (queries, texts) =
        embedded.map_err(|error| ProcessorError::from_cause(ProcessorErrorKind::Unavailable, error))?;
    let mut texts = texts.into_iter().map(ExternalEmbedding::of);
    let external_embeddings =
        provider_results.iter().zip(queries).map(|(answer, query)| ExternalEmbeddings {
            query: ExternalEmbedding::of(query),
            items: texts.by_ref().take(answer.items.len()).collect(),
        });
    Ok(external_embeddings.collect())
}

pub const KIND: PostResultProcessorKind = PostResultProcessorKind {
    name: "CosineRelevancyPostResultProcessor",
    summary: "Sets swirl_score, swirl_confidence_score and explain of every result.",
    finds_versions: false,
    only_at_end: false,
    processor: &CosineRelevancyPostResultProcessor,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::TestContext;
    use crate::post_result::shared::fixtures::{search, set};
    use domain::ports::{EmbeddingError, EmbeddingModels};
    use domain::result::ResultItem;
    use std::sync::Arc;

    fn item(title: &str, body: &str) -> ResultItem {
        ResultItem {
            title: title.to_owned(),
            body: body.to_owned(),
            searchprovider_rank: 1,
            ..ResultItem::default()
        }
    }

    fn score(sets: &mut [ResultSet], search: &Search) -> Outcome {
        let config = ScoringConfig::default();
        Outcome::updated(relevancy::score(provider_results(sets, search, &config), &config))
    }

    fn scores(sets: &[ResultSet]) -> Vec<f64> {
        sets.iter().flat_map(|set| &set.items).map(|item| item.swirl_score).collect()
    }

    #[test]
    fn all_sets_are_scored_in_one_pool() {
        let mut sets = [
            set(1, "river sensors", vec![item("River sensors", "levels"), item("Rivers", "and fish")]),
            set(2, "river sensors", vec![item("Cars", "river sensors")]),
        ];
        assert_eq!(score(&mut sets, &search("river sensors")), Outcome::updated(3));
        let together = scores(&sets);
        assert!(together[0] > together[2] && together[2] > together[1], "{together:?}");
        assert!(sets[1].items[0].explain.is_some());
        let alone = &mut sets[1..];
        score(alone, &search("river sensors"));
        assert_ne!(scores(alone)[0], together[2], "the pool counts");
    }

    #[test]
    fn a_provider_is_judged_by_the_words_it_got() {
        let mut sets = [
            set(1, "pricing company:acme", vec![item("Acme pricing", "")]),
            set(2, "acme", vec![item("Acme", "")]),
        ];
        score(&mut sets, &search("pricing company:acme"));
        assert!(scores(&sets).iter().all(|score| *score > 50.0), "{:?}", scores(&sets));
    }

    #[test]
    fn a_source_that_cannot_negate_is_judged_by_the_whole_query() {
        let mut sets = [set(1, "river", vec![item("River town", ""), item("River", "")])];
        let outcome = score(&mut sets, &search("river NOT town"));
        assert_eq!(outcome, Outcome::updated(1));
        assert!(scores(&sets)[0] < 0.0);
        assert!(sets[0].items[0].explain.as_ref().is_some_and(|explain| explain.negated.is_some()));
        for _ in 0..2 {
            tell_excluded(&mut sets[0], Instant::UNIX_EPOCH);
        }
        let kinds: Vec<&NoticeKind> = sets[0].notices.iter().map(|notice| &notice.kind).collect();
        assert!(matches!(kinds.as_slice(), [NoticeKind::ExcludedWordsFound { count: 1, .. }]), "{kinds:?}");
    }

    #[test]
    fn results_of_a_block_are_not_in_the_list_and_not_scored() {
        let block = Some("facts".to_owned());
        let fact = ResultItem { result_block: block, explain: Some(Box::default()), ..item("River", "") };
        let mut sets = [set(1, "river", vec![fact])];
        assert_eq!(score(&mut sets, &search("river")), Outcome::default());
        assert_eq!((scores(&sets), &sets[0].items[0].explain), (vec![0.0], &None));
    }

    /// A model for which every text with `soup` answers everything.
    #[derive(Default)]
    struct SoupReader {
        fails: bool,
    }

    #[async_trait]
    impl EmbeddingModels for SoupReader {
        async fn embed(&self, _model: &str, _text: &str) -> Result<Vec<f32>, EmbeddingError> {
            unreachable!("ranking reads many at once")
        }
        async fn embed_many(
            &self,
            model: &str,
            read_as: EmbeddingInput,
            texts: &[String],
        ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
            assert_eq!(model, "Soup");
            if self.fails {
                return Err(EmbeddingError::failed("the kitchen is closed"));
            }
            let is_near = |text: &String| read_as == EmbeddingInput::Query || text.contains("Soup");
            let place = |text: &String| if is_near(text) { vec![1.0, 0.0, 0.0] } else { vec![0.0, 1.0, 0.0] };
            Ok(texts.iter().map(place).collect())
        }
        async fn ranking_model(&self) -> Result<Option<String>, EmbeddingError> {
            Ok(Some("Soup".to_owned()))
        }
        async fn rerank(&self, _query: &str, _texts: &[String]) -> Result<Option<Vec<f32>>, EmbeddingError> {
            Ok(None)
        }
    }

    async fn ranked_by(reader: SoupReader, items: Vec<ResultItem>) -> [ResultSet; 2] {
        let mut context = TestContext::default();
        context.context.embedding_models = Arc::new(reader);
        let mut sets = [set(1, "river", items), set(2, "river", vec![item("Soup of the river", "")])];
        let search = search("river");
        let cx = PostResultContext {
            search: &search,
            context: &context.context,
            finds_versions: false,
            stage: RunStage::Ending,
        };
        let count = sets.iter().map(|set| set.items.len()).sum();
        let outcome = CosineRelevancyPostResultProcessor.process(&mut sets, &cx).await;
        assert_eq!(outcome, Ok(Outcome::updated(count)));
        sets
    }

    fn cosines(sets: &[ResultSet]) -> Vec<f64> {
        let explained = sets.iter().flat_map(|set| &set.items).filter_map(|item| item.explain.as_ref());
        explained.filter_map(|explain| explain.evidence.get("cosine")).collect()
    }

    #[tokio::test]
    async fn a_service_may_read_for_ranking() {
        let sets = ranked_by(SoupReader::default(), vec![item("A river", ""), item("Soup", "")]).await;
        assert_eq!(cosines(&sets), [0.0, 1.0, 1.0]);
        assert!(sets.iter().all(|set| set.notices.is_empty()));
    }

    #[tokio::test]
    async fn a_service_that_fails_is_replaced_and_named() {
        let items = vec![item("A river", ""), item("Soup", "")];
        let sets = ranked_by(SoupReader { fails: true }, items.clone()).await;
        let mut own = [set(1, "river", items), set(2, "river", vec![item("Soup of the river", "")])];
        score(&mut own, &search("river"));
        assert_eq!(cosines(&sets), cosines(&own));
        assert!(
            matches!(&sets[0].notices[0].kind, NoticeKind::EmbedderReplaced { reason, .. }
                if reason.contains("the kitchen is closed")),
            "{:?}",
            sets[0].notices
        );
        assert!(sets[1].notices.is_empty());
    }

    #[tokio::test]
    async fn a_service_does_not_read_without_end() {
        for (count, is_read) in [(READ_MAX - 1, true), (READ_MAX, false)] {
            let sets = ranked_by(SoupReader::default(), vec![item("A river", ""); count]).await;
            assert_eq!(sets[0].notices.is_empty(), is_read, "{:?}", sets[0].notices);
        }
    }
}
