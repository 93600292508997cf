//! CosineRelevancyPostResultProcessor: scores all results of a search together, so that those of different
//! sources can be compared.

use async_trait::async_trait;
use domain::contracts::{
    Outcome, PluginContext, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError,
    ReadAs,
};
use domain::instant::Instant;
use domain::message;
use domain::result::ResultSet;
use domain::search::Search;
use relevancy::{Answer, Direction, Directions, Query, Scale};
use std::time::Duration;

/// Most results that a service reads for one ranking; more of them the built-in model reads.
const READ_MAX: usize = 2_000;
/// A service that reads for ranking has so much time.
const READ_TIME_MAX: Duration = Duration::from_secs(15);

struct CosineRelevancyPostResultProcessor;

#[async_trait]
impl PostResultProcessor for CosineRelevancyPostResultProcessor {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        let (scale, now) = (Scale::of(&cx.context.settings), cx.context.clock.now());
        let answers = answers(sets, cx.search, &scale);
        let directions = match cx.context.readers.ranking_model().await {
            Ok(None) => None,
            Ok(Some(model)) => Some(read(&answers, &model, cx.context).await),
            Err(error) => Some(Err(error.to_string())),
        };
        let scored = match directions {
            None => relevancy::score(answers, &scale),
            Some(Ok(directions)) => relevancy::score_by(directions, answers, &scale),
            Some(Err(reason)) => {
                let scored = relevancy::score(answers, &scale);
                let line = message::reader_fell_back(KIND.name, &reason);
                sets.iter_mut().take(1).for_each(|set| set.messages.push(message::at(now, &line)));
                scored
            }
        };
        sets.iter_mut().for_each(|set| tell_excluded(set, now));
        Ok(Outcome::updated(scored))
    }
}

/// Says once how many results hold what the query excludes: their source may not know how to leave them out.
fn tell_excluded(set: &mut ResultSet, now: Instant) {
    let count = set.items.iter().filter(|item| relevancy::explain::is_negated(item)).count();
    let line = message::holds_excluded(count, &set.provider_name);
    if count > 0 && !set.messages.iter().any(|told| told.ends_with(&line)) {
        set.messages.push(message::at(now, &line));
    }
}

fn answers<'a>(sets: &'a mut [ResultSet], search: &Search, scale: &Scale) -> Vec<Answer<'a>> {
    let mut answers: Vec<Answer<'_>> = Vec::with_capacity(sets.len());
    let mut asked = None;
    for set in sets {
        let ResultSet { query_string_to_provider, items, .. } = set;
        // Most providers are asked the same.
        let query = match (&asked, answers.last()) {
            (Some(before), Some(answer)) if *before == query_string_to_provider => answer.query.clone(),
            _ => Query::of_search(scale.language, search, query_string_to_provider),
        };
        asked = Some(query_string_to_provider);
        let (listed, in_blocks): (Vec<_>, Vec<_>) =
            items.iter_mut().partition(|item| item.result_block.is_none());
        // What has no score has nothing to explain but notes for one.
        in_blocks.into_iter().for_each(|item| item.explain = None);
        answers.push(Answer { query, items: listed });
    }
    answers
}

/// The queries and the results as another reader model sees them; a sentence when it does not.
async fn read(
    answers: &[Answer<'_>],
    model: &str,
    context: &PluginContext,
) -> Result<Vec<Directions>, String> {
    let queries: Vec<String> = answers.iter().map(|answer| answer.query.plain_text()).collect();
    let texts = answers.iter().flat_map(|answer| &answer.items).map(|item| relevancy::text_of(item));
    let texts: Vec<String> = texts.collect();
    if texts.len() > READ_MAX {
        return Err(format!(
            "{model} reads at most {READ_MAX} results at once, and there are {}",
            texts.len()
        ));
    }
    let both = async {
        tokio::try_join!(
            context.readers.embed_many(model, ReadAs::Query, &queries),
            context.readers.embed_many(model, ReadAs::Passage, &texts),
        )
    };
    let read = tokio::time::timeout(READ_TIME_MAX, both).await;
    let read = read.map_err(|_| format!("{model} did not answer within {} s", READ_TIME_MAX.as_secs()))?;
    let (queries, texts) = read.map_err(|error| error.to_string())?;
    let mut texts = texts.into_iter().map(Direction::of);
    let directions = answers.iter().zip(queries).map(|(answer, query)| Directions {
        query: Direction::of(query),
        items: texts.by_ref().take(answer.items.len()).collect(),
    });
    Ok(directions.collect())
}

pub const KIND: PostResultProcessorKind = PostResultProcessorKind {
    name: "CosineRelevancyPostResultProcessor",
    summary: "Sets swirl_score, swirl_confidence_score and explain of every result.",
    processor: &CosineRelevancyPostResultProcessor,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_result::shared::samples::{search, set};
    use crate::samples::TestContext;
    use domain::contracts::{ReaderError, ReaderModels};
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
        let scale = Scale::default();
        Outcome::updated(relevancy::score(answers(sets, search, &scale), &scale))
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
        assert!(sets[0].items[0].explain.as_ref().is_some_and(|explain| explain.contains_key("NOT")));
        for _ in 0..2 {
            tell_excluded(&mut sets[0], Instant::UNIX_EPOCH);
        }
        let told: Vec<&String> = sets[0].messages.iter().filter(|line| line.contains(" excludes ")).collect();
        assert!(matches!(told.as_slice(), [line] if line.contains("in 1 results from: ")), "{told:?}");
    }

    #[test]
    fn results_of_a_block_are_not_in_the_list_and_not_scored() {
        let notes = serde_json::Map::from_iter([("cosine".to_owned(), 0.5.into())]);
        let block = Some("facts".to_owned());
        let fact = ResultItem { result_block: block, explain: Some(notes), ..item("River", "") };
        let mut sets = [set(1, "river", vec![fact])];
        assert_eq!(score(&mut sets, &search("river")), Outcome::default());
        assert_eq!((scores(&sets), &sets[0].items[0].explain), (vec![0.0], &None));
    }

    /// Takes every text with `soup` for the answer to everything.
    #[derive(Default)]
    struct SoupReader {
        fails: bool,
    }

    #[async_trait]
    impl ReaderModels for SoupReader {
        async fn embed(&self, _model: &str, _text: &str) -> Result<Vec<f32>, ReaderError> {
            unreachable!("ranking reads many at once")
        }
        async fn embed_many(
            &self,
            model: &str,
            read_as: ReadAs,
            texts: &[String],
        ) -> Result<Vec<Vec<f32>>, ReaderError> {
            assert_eq!(model, "Soup");
            if self.fails {
                return Err(ReaderError::Failed("the kitchen is closed".to_owned()));
            }
            let is_near = |text: &String| read_as == ReadAs::Query || text.contains("Soup");
            let place = |text: &String| if is_near(text) { vec![1.0, 0.0, 0.0] } else { vec![0.0, 1.0, 0.0] };
            Ok(texts.iter().map(place).collect())
        }
        async fn ranking_model(&self) -> Result<Option<String>, ReaderError> {
            Ok(Some("Soup".to_owned()))
        }
        async fn rerank(&self, _query: &str, _texts: &[String]) -> Result<Option<Vec<f32>>, ReaderError> {
            Ok(None)
        }
    }

    async fn ranked_by(reader: SoupReader, items: Vec<ResultItem>) -> [ResultSet; 2] {
        let mut context = TestContext::default();
        context.context.readers = Arc::new(reader);
        let mut sets = [set(1, "river", items), set(2, "river", vec![item("Soup of the river", "")])];
        let search = search("river");
        let cx = PostResultContext {
            search: &search,
            context: &context.context,
            finds_versions: false,
            concludes: true,
        };
        let count = sets.iter().map(|set| set.items.len()).sum();
        let outcome = CosineRelevancyPostResultProcessor.process(&mut sets, &cx).await;
        assert_eq!(outcome, Ok(Outcome::updated(count)));
        sets
    }

    fn cosines(sets: &[ResultSet]) -> Vec<f64> {
        let explained = sets.iter().flat_map(|set| &set.items).filter_map(|item| item.explain.as_ref());
        explained.filter_map(|explain| explain["evidence"]["cosine"].as_f64()).collect()
    }

    #[tokio::test]
    async fn a_service_may_read_for_ranking() {
        let sets = ranked_by(SoupReader::default(), vec![item("A river", ""), item("Soup", "")]).await;
        assert_eq!(cosines(&sets), [0.0, 1.0, 1.0]);
        assert!(sets.iter().all(|set| set.messages.is_empty()));
    }

    #[tokio::test]
    async fn a_service_that_fails_is_replaced_and_named() {
        let items = vec![item("A river", ""), item("Soup", "")];
        let sets = ranked_by(SoupReader { fails: true }, items.clone()).await;
        let mut own = [set(1, "river", items), set(2, "river", vec![item("Soup of the river", "")])];
        score(&mut own, &search("river"));
        assert_eq!(cosines(&sets), cosines(&own));
        assert!(sets[0].messages[0].contains("used the built-in reader model"), "{:?}", sets[0].messages);
        assert!(sets[0].messages[0].contains("the kitchen is closed") && sets[1].messages.is_empty());
    }

    #[tokio::test]
    async fn a_service_does_not_read_without_end() {
        for (count, is_read) in [(READ_MAX - 1, true), (READ_MAX, false)] {
            let sets = ranked_by(SoupReader::default(), vec![item("A river", ""); count]).await;
            assert_eq!(sets[0].messages.is_empty(), is_read, "{:?}", sets[0].messages);
        }
    }
}
