//! DedupeBySimilarityPostResultProcessor: merges results that are the same document with small differences.

use super::shared::groups::{Place, compared, settle};
use crate::result::shared::dataset::is_dataset;
use async_trait::async_trait;
use domain::ports::{
    Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError,
};
use domain::result::{ResultItem, ResultSet};
use relevancy::embedder::embed;
use relevancy::similarity::{Sameness, Text, groups};
use std::collections::HashMap;
use syntax::highlights::{OPEN, unmarked};

struct DedupeBySimilarityPostResultProcessor;

#[async_trait]
impl PostResultProcessor for DedupeBySimilarityPostResultProcessor {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        let settings = &cx.context.settings;
        let (minimum, lists) = (settings.dedupe_similarity_minimum.0, settings.dedupe_group_not_drop);
        let places = compared(sets, cx);
        Ok(dedupe(sets, places, minimum, lists))
    }
}

/// Works on the results at these positions, the best first. The others of a group are listed under its best if `lists`
/// is set, otherwise deleted.
fn dedupe(sets: &mut [ResultSet], mut places: Vec<Place>, minimum: f64, lists: bool) -> Outcome {
    // The title of a dataset is the query, so its text says nothing about similarity.
    places.retain(|place| !is_dataset(&sets[place.0].items[place.1]));
    let found = {
        let texts: Vec<Text<'_>> =
            places.iter().map(|place| text_of(&sets[place.0].items[place.1])).collect();
        groups(&texts, &Sameness { minimum, embed: &embed })
    };
    let member = |(place, best): (&Place, Option<usize>)| Some((*place, places[best?]));
    let bests: HashMap<Place, Place> = places.iter().zip(found.best).filter_map(member).collect();
    settle(sets, &bests, lists)
}

fn text_of(item: &ResultItem) -> Text<'_> {
    // A date begins with its day; anything else is unknown.
    let day =
        item.date_published.get(..DAY_BYTES).filter(|day| day.starts_with(|c: char| c.is_ascii_digit()));
    // A result without a title shows its URL instead, which differs between sources. Most titles begin differently, and
    // their highlights need not be removed to compare them.
    let shown = item.title.strip_prefix(OPEN).unwrap_or(&item.title);
    let may_be_url = shown.starts_with('<') || shown.as_bytes().first() == item.url.as_bytes().first();
    let title = if may_be_url && unmarked(&item.title) == item.url { "" } else { &item.title };
    Text::with_words(title, &item.body, day, item.hashed_words.as_ref())
}

/// Length of `YYYY-MM-DD`.
const DAY_BYTES: usize = 10;

pub const KIND: PostResultProcessorKind = PostResultProcessorKind {
    name: "DedupeBySimilarityPostResultProcessor",
    summary: "Groups results whose title and body differ only slightly, by SVC_DEDUPE_SIMILARITY_MINIMUM: the best one stays and lists the others as its duplicates. SVC_DEDUPE_GROUP_NOT_DROP false deletes them.",
    finds_versions: false,
    only_at_end: false,
    processor: &DedupeBySimilarityPostResultProcessor,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_result::shared::fixtures::{item, listed, set};
    use crate::post_result::shared::groups::best_first;
    use domain::result::DATE_UNKNOWN;
    use domain::result_group::GroupMembers;
    use proptest::prelude::*;
    use relevancy::{MatchTargets, Query, ScoringConfig};
    use std::collections::{BTreeMap, BTreeSet};

    const MINIMUM: f64 = 0.95;
    const BODY: &str =
        "three gauges at the lower bridge measure the level of the river every hour and send it";

    fn dedupe_all(sets: &mut [ResultSet], minimum: f64, lists: bool) -> Outcome {
        let places = best_first(sets);
        dedupe(sets, places, minimum, lists)
    }

    fn result(title: &str, body: &str, confidence: f64) -> ResultItem {
        ResultItem { body: body.to_owned(), ..item(title, "", confidence, 0.0) }
    }

    #[test]
    fn an_address_in_place_of_a_title_says_nothing() {
        let named = |url: &str, title: &str| ResultItem { url: url.to_owned(), ..result(title, BODY, 0.5) };
        let copies = vec![
            named("https://a.example/river/1", "https://a.example/river/1"),
            named("https://b.example/river/2", "https://b.example/<em>river</em>/2"),
            named("river.example/3", "<em>river</em>.example/3"),
            named("river.example/4", "<em></em><em>river</em>.example/4"),
        ];
        let mut sets = [set(1, "q", copies)];
        assert_eq!(dedupe_all(&mut sets, MINIMUM, true), Outcome::grouped(3));
    }

    #[test]
    fn the_best_stays_and_lists_the_others() {
        let marked = BODY.replace("river", "<em>river</em>");
        let first = vec![result("Gauges", BODY, 0.5), result("Other", "of other things", 0.9)];
        let second = vec![result("GAUGES!", &marked, 0.7), result("Gauges 2", BODY, 0.4)];
        let sets = || [set(1, "q", first.clone()), set(2, "q", second.clone())];
        let mut grouped = sets();
        assert_eq!(dedupe_all(&mut grouped, MINIMUM, true), Outcome::grouped(1));
        assert_eq!(listed(&grouped), [vec!["Other[]"], vec!["GAUGES![Gauges]", "Gauges 2[]"]]);
        assert_eq!(
            dedupe_all(&mut grouped, MINIMUM, true),
            Outcome::default(),
            "a second turn finds nothing"
        );
        let mut dropped = sets();
        assert_eq!(dedupe_all(&mut dropped, MINIMUM, false), Outcome::deleted(1));
        assert_eq!(listed(&dropped), [vec!["Other[]"], vec!["GAUGES![]", "Gauges 2[]"]]);
    }

    #[test]
    fn tables_are_no_copies_of_each_other() {
        let table = |cell: i64| {
            let payload = serde_json::json!({"dataset": [["n"], [cell]]});
            let payload = payload.as_object().cloned().unwrap_or_default();
            ResultItem { payload, ..result("sales", "", 0.5) }
        };
        let mut sets = [set(1, "q", vec![table(1)]), set(2, "q", vec![table(2)])];
        assert_eq!(dedupe_all(&mut sets, MINIMUM, true), Outcome::default());
        assert_eq!(listed(&sets), [vec!["sales[]"], vec!["sales[]"]]);
    }

    #[test]
    fn an_update_does_not_replace_what_is_there() {
        let new = ResultItem { new: Some(1), ..result("GAUGES", BODY, 0.9) };
        let mut sets = [set(1, "q", vec![new]), set(2, "q", vec![result("Gauges", BODY, 0.1)])];
        assert_eq!(dedupe_all(&mut sets, MINIMUM, true), Outcome::grouped(1));
        assert_eq!(listed(&sets), [vec![], vec!["Gauges[GAUGES]".to_owned()]]);
    }

    #[test]
    fn results_of_a_block_stay_where_they_are() {
        let block = ResultItem { result_block: Some("facts".to_owned()), ..result("Gauges", BODY, 0.9) };
        let mut sets = [set(1, "q", vec![block, result("Gauges", BODY, 0.1)])];
        assert_eq!(dedupe_all(&mut sets, MINIMUM, true), Outcome::default());
    }

    #[test]
    fn days() {
        let table = [
            ("2024-05-01 10:00:00", "2024-05-01 00:00:00", 1),
            ("2024-05-01 10:00:00", "2024-05-02 10:00:00", 0),
            ("2024-05-01 10:00:00", DATE_UNKNOWN, 1),
            ("some other time", "another time ago", 1),
            ("éééééééééé", "", 1),
        ];
        for (a, b, expected) in table {
            let on =
                |date: &str| ResultItem { date_published: date.to_owned(), ..result("Minutes", "", 0.5) };
            let mut sets = [set(1, "q", vec![on(a), on(b)])];
            assert_eq!(dedupe_all(&mut sets, MINIMUM, true), Outcome::grouped(expected), "{a} {b}");
        }
    }

    /// As its provider's response leaves it.
    fn prepared(item: &ResultItem) -> ResultItem {
        let (query, config) = (Query::parse("river"), ScoringConfig::default());
        let mut item = item.clone();
        relevancy::prepare(&MatchTargets::of(&query, &config), &mut item);
        assert!(item.hashed_words.is_some());
        item
    }

    #[test]
    fn texts_that_changed_are_read_again() {
        let other = "of other things than those of the river near the town";
        for (kept, body, expected) in [(BODY, BODY, 1), (other, BODY, 1), (BODY, other, 0)] {
            let changed = ResultItem { body: body.to_owned(), ..prepared(&result("Gauges", kept, 0.4)) };
            let mut sets = [set(1, "q", vec![prepared(&result("Gauges", BODY, 0.5)), changed])];
            assert_eq!(dedupe_all(&mut sets, MINIMUM, true), Outcome::grouped(expected), "{kept}: {body}");
        }
    }

    /// Results of few words, so that they are often near duplicates. Each has its own confidence and URL.
    fn pool() -> impl Strategy<Value = Vec<ResultItem>> {
        let text = |most| {
            prop::collection::vec(prop::sample::select(vec!["river", "gauge", "town", "the", "7"]), 0..most)
        };
        let texts = prop::collection::vec((text(3), text(14)), 0..24);
        texts.prop_map(|texts| {
            let numbered = texts.into_iter().enumerate();
            let item = |(number, (title, body)): (usize, (Vec<&str>, Vec<&str>))| ResultItem {
                url: number.to_string(),
                ..result(&title.join(" "), &body.join(" "), number as f64 / 100.0)
            };
            numbered.map(item).collect()
        })
    }

    fn in_sets(items: &[ResultItem]) -> Vec<ResultSet> {
        items.chunks(7).zip(1..).map(|(items, provider)| set(provider, "q", items.to_vec())).collect()
    }

    /// The URLs of each group, by that of its best.
    fn groups_of(sets: &[ResultSet]) -> BTreeMap<String, BTreeSet<String>> {
        let members = GroupMembers::of(sets);
        let under = |item: &ResultItem| members.others(item.group).map(|one| one.url.clone()).collect();
        let listed = sets.iter().flat_map(|set| &set.items).filter(|item| !item.is_copy());
        listed.map(|item| (item.url.clone(), under(item))).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn nothing_is_lost_and_a_second_turn_finds_nothing(items in pool()) {
            let mut sets = in_sets(&items);
            let outcome = dedupe_all(&mut sets, MINIMUM, true);
            let groups = groups_of(&sets);
            let listed: usize = groups.values().map(BTreeSet::len).sum();
            prop_assert_eq!(listed, outcome.grouped);
            prop_assert_eq!(groups.len() + listed, items.len());
            prop_assert_eq!(dedupe_all(&mut sets, MINIMUM, true), Outcome::default());
            prop_assert_eq!(groups_of(&sets), groups);
        }

        #[test]
        fn kept_words_lead_to_the_same_groups(items in pool()) {
            let forget = |item: &mut ResultItem| item.hashed_words = None;
            let kept: Vec<ResultItem> = items.iter().map(prepared).collect();
            let mut read = kept.clone();
            read.iter_mut().for_each(forget);
            let (mut with_words, mut of_read) = (in_sets(&kept), in_sets(&read));
            dedupe_all(&mut with_words, MINIMUM, true);
            dedupe_all(&mut of_read, MINIMUM, true);
            with_words.iter_mut().flat_map(|set| &mut set.items).for_each(forget);
            prop_assert_eq!(with_words, of_read);
        }

        #[test]
        fn the_order_of_results_does_not_count(items in pool().prop_flat_map(|items| (Just(items.clone()), Just(items).prop_shuffle()))) {
            let (mut sets, mut shuffled) = (in_sets(&items.0), in_sets(&items.1));
            dedupe_all(&mut sets, MINIMUM, true);
            dedupe_all(&mut shuffled, MINIMUM, true);
            prop_assert_eq!(groups_of(&sets), groups_of(&shuffled));
        }
    }
}
