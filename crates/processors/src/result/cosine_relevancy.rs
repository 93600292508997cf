//! CosineRelevancyResultProcessor: matches and highlights the query in one provider's results as they arrive. The
//! scores need all results of the search and are set by `post_result/cosine_relevancy.rs`.

use domain::ports::{
    Outcome, ProcessorError, ResultBatch, ResultContext, ResultProcessor, ResultProcessorKind,
};
use relevancy::{MatchTargets, Query, ResultLanguages, ScoringConfig};

struct CosineRelevancyResultProcessor;

impl ResultProcessor for CosineRelevancyResultProcessor {
    fn process(&self, batch: &mut ResultBatch, cx: &ResultContext<'_>) -> Result<Outcome, ProcessorError> {
        let mappings = cx.provider.spec.result_mappings.parsed();
        let is_file_system = mappings.is_ok_and(|mappings| mappings.file_system);
        let config = ScoringConfig::of(&cx.context.settings);
        let query = Query::of_search(config.language, cx.search, cx.query);
        Ok(prepare(batch, &query, &config, is_file_system))
    }
}

fn prepare(batch: &mut ResultBatch, query: &Query, config: &ScoringConfig, is_file_system: bool) -> Outcome {
    let languages = ResultLanguages::of(query, batch.items.iter());
    // Most sources highlight nothing.
    let wider =
        (!batch.highlight_terms.is_empty()).then(|| query.clone().with_highlights(&batch.highlight_terms));
    let mut prepare_in = |number: Option<u8>, query: &Query| {
        let match_targets = MatchTargets::of(query, config);
        let items = batch.items.iter_mut().enumerate();
        for (_, item) in items.filter(|(result, _)| languages.is_in(*result, number)) {
            relevancy::prepare(&match_targets, item);
            if is_file_system {
                relevancy::mark_file_system(item);
            }
        }
    };
    prepare_in(None, wider.as_ref().unwrap_or(query));
    for (number, language) in languages.languages() {
        prepare_in(Some(number), &query.in_language(language).with_highlights(&batch.highlight_terms));
    }
    Outcome::updated(batch.items.len())
}

pub const KIND: ResultProcessorKind = ResultProcessorKind {
    name: "CosineRelevancyResultProcessor",
    summary: "Matches and highlights the query's words in each result, for the score and its explanation. Must be last.",
    processor: &CosineRelevancyResultProcessor,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::TestContext;
    use crate::post_result::fixtures::search;
    use domain::result::ResultItem;
    use serde_json::{Value, json};

    #[test]
    fn hits_are_noted_also_of_words_that_the_source_highlighted() {
        let item = ResultItem { title: "Electric vehicles".to_owned(), ..ResultItem::default() };
        let mut batch = ResultBatch {
            items: vec![item, ResultItem::default()],
            highlight_terms: vec!["vehicles".to_owned()],
            ..ResultBatch::default()
        };
        let outcome = prepare(&mut batch, &Query::parse("electric cars"), &ScoringConfig::default(), false);
        assert_eq!(outcome, Outcome::updated(2));
        assert_eq!(batch.items[0].title, "<em>Electric</em> <em>vehicles</em>");
        let explain = batch.items[0].explain.take().map(Value::from).unwrap_or_default();
        assert_eq!(explain["stems"], "electr car vehicl");
        assert_eq!(
            explain["hits"],
            json!({"title": {"electric": [0], "vehicles": [1]}, "body": {}, "author": {}})
        );
    }

    #[test]
    fn results_of_a_file_system_are_marked() {
        for is_file_system in [true, false] {
            let mut batch = ResultBatch { items: vec![ResultItem::default()], ..ResultBatch::default() };
            prepare(&mut batch, &Query::parse("electric cars"), &ScoringConfig::default(), is_file_system);
            let explain = batch.items[0].explain.take().unwrap_or_default();
            assert_eq!(explain.is_file_system, is_file_system);
        }
    }

    #[test]
    fn a_result_is_read_in_its_own_language_if_the_query_shows_none() {
        for (query, body, expected) in [
            (
                "Flüsse Hochwasser",
                "Der Fluss führt nach dem Regen Hochwasser.",
                "Der <em>Fluss</em> führt nach dem Regen <em>Hochwasser</em>.",
            ),
            (
                "journaux",
                "Le journal est dans la rue et les gens le lisent.",
                "Le <em>journal</em> est dans la rue et les gens le lisent.",
            ),
            // Only in German results `der` is a stopword.
            (
                "der Flüsse",
                "Der Fluss führt nach dem Regen Hochwasser.",
                "Der <em>Fluss</em> führt nach dem Regen Hochwasser.",
            ),
            ("der bridge", "Der bridge, the street.", "<em>Der</em> <em>bridge</em>, the street."),
            ("camiones", "El camión está en la calle.", "El <em>camión</em> está en la calle."),
            ("bridges", "The bridge is in the street.", "The <em>bridge</em> is in the street."),
            // A query that shows its language is read in it, whatever the results are.
            (
                "the bridges in the street",
                "Los camiones de la bridge.",
                "Los camiones de la <em>bridge</em>.",
            ),
        ] {
            let context = TestContext { search: search(query), ..TestContext::default() };
            let batch = context.results(
                vec![json!({"title": "1", "body": "The bridge."}), json!({"title": "2", "body": body})],
                &["MappingResultProcessor", KIND.name],
            );
            assert_eq!(batch.items[1].body, expected, "{query}");
            let explain = batch.items[1].explain.clone().map(Value::from).unwrap_or_default();
            assert!(explain["hits"]["body"].as_object().is_some_and(|hits| !hits.is_empty()), "{explain}");
        }
    }

    #[test]
    fn the_settings_choose_the_language() {
        for (language, expected) in [("english", "Die Häuser"), ("german", "Die <em>Häuser</em>")] {
            let mut context = TestContext { search: search("das Haus"), ..TestContext::default() };
            context.settings().default_query_language = language.to_owned();
            let batch =
                context.results(vec![json!({"title": "Die Häuser"})], &["MappingResultProcessor", KIND.name]);
            assert_eq!(batch.items[0].title, expected, "{language}");
        }
    }
}
