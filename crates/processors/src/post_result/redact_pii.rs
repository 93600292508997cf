//! RedactPIIPostResultProcessor: replaces personal data in all results of a search, including those of earlier runs.

use crate::pii::redact_item;
use async_trait::async_trait;
use domain::ports::{
    Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError,
};
use domain::result::ResultSet;
use domain::search::Search;
use relevancy::{MatchTargets, Query, QueryForms, ScoringConfig};

struct RedactPIIPostResultProcessor;

#[async_trait]
impl PostResultProcessor for RedactPIIPostResultProcessor {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        Ok(redact(sets, cx.search, &ScoringConfig::of(&cx.context.settings)))
    }
}

/// Redaction moves or removes words of the query. The scores stay: they belong to the whole text.
fn redact(sets: &mut [ResultSet], search: &Search, config: &ScoringConfig) -> Outcome {
    let mut changed = 0;
    for set in sets {
        let query = Query::of_search(config.language, search, &set.query_string_to_provider);
        let mut forms = QueryForms::of(&query);
        for item in &mut set.items {
            let form = forms.for_result(item);
            if redact_item(item) {
                relevancy::find_again(&MatchTargets::of(form, config), item);
                changed += 1;
            }
        }
    }
    Outcome::updated(changed)
}

pub const KIND: PostResultProcessorKind = PostResultProcessorKind {
    name: "RedactPIIPostResultProcessor",
    summary: "Replaces personal data in all results of a search by its kind, such as [EMAIL_ADDRESS].",
    finds_versions: false,
    only_at_end: false,
    processor: &RedactPIIPostResultProcessor,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_result::shared::fixtures::{search, set};
    use domain::result::ResultItem;
    use serde_json::{Value, json};

    #[test]
    fn texts_and_places_change_and_scores_stay() {
        let search = search("ada river");
        let mut item =
            ResultItem { title: "ada@byron.example by the river".to_owned(), ..ResultItem::default() };
        let config = ScoringConfig::default();
        relevancy::score_pool(&Query::parse("ada river"), &config, &mut [&mut item]);
        assert_eq!(item.title, "<em>ada</em>@byron.example by the <em>river</em>");
        let score = item.swirl_score;
        let plain = ResultItem { title: "river".to_owned(), ..ResultItem::default() };
        let mut sets = [set(1, "ada river", vec![item, plain.clone()])];
        assert_eq!(redact(&mut sets, &search, &config), Outcome::updated(1));
        let item = &sets[0].items[0];
        assert_eq!((item.title.as_str(), item.swirl_score), ("[EMAIL_ADDRESS] by the <em>river</em>", score));
        let explain = Value::from(item.explain.clone().unwrap_or_default());
        assert_eq!(explain["hits"]["title"], json!({"river": [4]}));
        assert!(explain.get("confidence").is_some());
        assert_eq!(sets[0].items[1], plain);
    }

    #[test]
    fn notes_of_the_first_turn_are_taken_again() {
        let mut item = ResultItem { title: "river ada@byron.example".to_owned(), ..ResultItem::default() };
        let (query, config) = (Query::parse("river"), ScoringConfig::default());
        relevancy::prepare(&MatchTargets::of(&query, &config), &mut item);
        let mut sets = [set(1, "river", vec![item])];
        redact(&mut sets, &search("river"), &config);
        let notes = sets[0].items[0].explain.as_ref().and_then(|explain| explain.notes);
        assert_eq!(notes.map(|notes| notes.lengths[0]), Some(3));
    }
}
