//! RedactPIIPostResultProcessor: replaces personal data in all results of a search, also in those that an earlier run
//! saved.

use crate::pii::redact_item;
use async_trait::async_trait;
use domain::contracts::{
    Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError,
};
use domain::result::{ResultItem, ResultSet};
use domain::search::Search;
use relevancy::Query;

/// What `explain` tells of the places in a text.
const PLACES: [&str; 2] = ["hits", "lengths"];

struct RedactPIIPostResultProcessor;

#[async_trait]
impl PostResultProcessor for RedactPIIPostResultProcessor {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        Ok(redact(sets, cx.search))
    }
}

fn redact(sets: &mut [ResultSet], search: &Search) -> Outcome {
    let mut changed = 0;
    for set in sets {
        let query = Query::of_search(search, &set.query_string_to_provider);
        for item in &mut set.items {
            if redact_item(item) {
                find_again(item, &query);
                changed += 1;
            }
        }
    }
    Outcome::updated(changed)
}

/// The words of the query stand elsewhere now, and some are gone. The scores stay: they were earned by the whole text.
fn find_again(item: &mut ResultItem, query: &Query) {
    let Some(mut explain) = item.explain.take() else { return };
    relevancy::prepare(query, item);
    let mut again = item.explain.take().unwrap_or_default();
    for key in PLACES {
        if let (Some(old), Some(new)) = (explain.get_mut(key), again.get_mut(key)) {
            *old = new.take();
        }
    }
    item.explain = Some(explain);
}

pub const KIND: PostResultProcessorKind = PostResultProcessorKind {
    name: "RedactPIIPostResultProcessor",
    summary: "Replaces personal data in all results of a search by its kind, such as [EMAIL_ADDRESS].",
    processor: &RedactPIIPostResultProcessor,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_result::shared::samples::{search, set};
    use serde_json::{Value, json};

    #[test]
    fn texts_and_places_change_and_scores_stay() {
        let search = search("ada river");
        let mut item =
            ResultItem { title: "ada@byron.example by the river".to_owned(), ..ResultItem::default() };
        relevancy::score_pool(&Query::parse("ada river"), &mut [&mut item]);
        let score = item.swirl_score;
        let plain = ResultItem { title: "river".to_owned(), ..ResultItem::default() };
        let mut sets = [set(1, "ada river", vec![item, plain.clone()])];
        assert_eq!(redact(&mut sets, &search), Outcome::updated(1));
        let item = &sets[0].items[0];
        assert_eq!((item.title.as_str(), item.swirl_score), ("[EMAIL_ADDRESS] by the river", score));
        let explain = Value::from(item.explain.clone().unwrap_or_default());
        assert_eq!(explain["hits"]["title"], json!({"river": [4]}));
        assert!(explain.get("lengths").is_none() && explain.get("confidence").is_some());
        assert_eq!(sets[0].items[1], plain);
    }

    #[test]
    fn notes_of_the_first_turn_are_taken_again() {
        let mut item = ResultItem { title: "river ada@byron.example".to_owned(), ..ResultItem::default() };
        relevancy::prepare(&Query::parse("river"), &mut item);
        let mut sets = [set(1, "river", vec![item])];
        redact(&mut sets, &search("river"));
        let explain = Value::from(sets[0].items[0].explain.clone().unwrap_or_default());
        assert_eq!(explain["lengths"]["title"], json!(3));
    }
}
