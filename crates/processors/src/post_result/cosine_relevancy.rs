//! CosineRelevancyPostResultProcessor: scores all results of a search together, so that those of different
//! sources can be compared.

use async_trait::async_trait;
use domain::contracts::{
    Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError,
};
use domain::result::ResultSet;
use domain::search::Search;
use relevancy::{Answer, Query, Scale};

struct CosineRelevancyPostResultProcessor;

#[async_trait]
impl PostResultProcessor for CosineRelevancyPostResultProcessor {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        Ok(score(sets, cx.search, &Scale::of(&cx.toolbox.settings)))
    }
}

fn score(sets: &mut [ResultSet], search: &Search, scale: &Scale) -> Outcome {
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
        let items = items.iter_mut().filter(|item| item.result_block.is_none()).collect();
        answers.push(Answer { query, items });
    }
    Outcome::updated(relevancy::score(answers, scale))
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
    use domain::result::ResultItem;

    fn item(title: &str, body: &str) -> ResultItem {
        ResultItem {
            title: title.to_owned(),
            body: body.to_owned(),
            searchprovider_rank: 1,
            ..ResultItem::default()
        }
    }

    fn score(sets: &mut [ResultSet], search: &Search) -> Outcome {
        super::score(sets, search, &Scale::default())
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
    }

    #[test]
    fn results_of_a_block_are_not_in_the_list_and_not_scored() {
        let summary = ResultItem { result_block: Some("ai_summary".to_owned()), ..item("River", "") };
        let mut sets = [set(1, "river", vec![summary])];
        assert_eq!(score(&mut sets, &search("river")), Outcome::default());
        assert_eq!(scores(&sets), [0.0]);
    }
}
