//! DedupeByFieldPostResultProcessor: results with the same address are one entry of the list. The best of them stays
//! and lists the others as its `duplicates`; nothing that a source gave is thrown away.

use super::shared::canonical_url::canonical;
use async_trait::async_trait;
use domain::contracts::{
    Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError,
};
use domain::result::{DUPLICATE_BODY_CHARS_MAX, Duplicate, ResultItem, ResultSet};
use std::cmp::Ordering;
use std::collections::HashMap;

struct DedupeByFieldPostResultProcessor;

#[async_trait]
impl PostResultProcessor for DedupeByFieldPostResultProcessor {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        _cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        Ok(Outcome::grouped(group(sets)))
    }
}

/// Where a result stands: its set, and its place in it.
type Place = (usize, usize);

/// Groups over all sets, and gives the number of results that are now listed under another one.
fn group(sets: &mut [ResultSet]) -> usize {
    let bests = best_of_groups(sets);
    let mut moved: Vec<(Place, ResultItem)> = Vec::new();
    // Those that stay move up to where others left.
    let mut stands_now: HashMap<Place, usize> = HashMap::new();
    for (number, set) in sets.iter_mut().enumerate() {
        for (place, item) in std::mem::take(&mut set.items).into_iter().enumerate() {
            match bests.get(&(number, place)) {
                Some(best) => moved.push((*best, item)),
                None => {
                    stands_now.insert((number, place), set.items.len());
                    set.items.push(item);
                }
            }
        }
    }
    let grouped = moved.len();
    for (best, item) in moved {
        let now = stands_now.get(&best).copied().unwrap_or_default();
        if let Some(best) = sets[best.0].items.get_mut(now) {
            list_under(best, item);
        }
    }
    grouped
}

/// For each result that is not the best of its group, the place of the best.
fn best_of_groups(sets: &[ResultSet]) -> HashMap<Place, Place> {
    let mut groups: HashMap<String, Vec<Place>> = HashMap::new();
    for (number, set) in sets.iter().enumerate() {
        for (place, item) in set.items.iter().enumerate().filter(|(_, item)| item.result_block.is_none()) {
            if let Some(key) = canonical(&item.url) {
                groups.entry(key).or_default().push((number, place));
            }
        }
    }
    let mut bests = HashMap::new();
    for places in groups.into_values() {
        let best = places.iter().copied().min_by(|a, b| better_first(sets, *a, *b));
        for place in places {
            if let Some(best) = best.filter(|best| *best != place) {
                bests.insert(place, best);
            }
        }
    }
    bests
}

/// What is not new, so that an update takes no result away; then confidence, score, the earlier provider, the
/// earlier place.
fn better_first(sets: &[ResultSet], a: Place, b: Place) -> Ordering {
    let item = |place: Place| &sets[place.0].items[place.1];
    let order = |place: Place| (sets[place.0].provider, place.1);
    (item(a).new.is_some().cmp(&item(b).new.is_some()))
        .then_with(|| descending(item(a).swirl_confidence_score, item(b).swirl_confidence_score))
        .then_with(|| descending(item(a).swirl_score, item(b).swirl_score))
        .then_with(|| order(a).cmp(&order(b)))
}

/// A score that is no number is the worst.
fn descending(a: f64, b: f64) -> Ordering {
    let number = |score: f64| if score.is_nan() { f64::NEG_INFINITY } else { score + 0.0 };
    number(b).total_cmp(&number(a))
}

/// Lists a result, and what was listed under it before, once each.
fn list_under(best: &mut ResultItem, item: ResultItem) {
    let own = Duplicate {
        searchprovider: item.searchprovider,
        title: item.title,
        url: item.url,
        body: item.body.chars().take(DUPLICATE_BODY_CHARS_MAX).collect(),
        date_published: item.date_published,
    };
    for duplicate in std::iter::once(own).chain(item.duplicates) {
        if !best.duplicates.contains(&duplicate) {
            best.duplicates.push(duplicate);
        }
    }
}

pub const KIND: PostResultProcessorKind = PostResultProcessorKind {
    name: "DedupeByFieldPostResultProcessor",
    summary: "Groups results with the same url: the best one stays and lists the others as its duplicates.",
    processor: &DedupeByFieldPostResultProcessor,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_result::shared::samples::set;

    fn item(title: &str, url: &str, confidence: f64, score: f64) -> ResultItem {
        ResultItem {
            title: title.to_owned(),
            url: url.to_owned(),
            swirl_confidence_score: confidence,
            swirl_score: score,
            ..ResultItem::default()
        }
    }

    /// The titles that stay in each set, each with the titles listed under it.
    fn listed(sets: &[ResultSet]) -> Vec<Vec<String>> {
        let shown = |item: &ResultItem| {
            let under: Vec<&str> = item.duplicates.iter().map(|duplicate| duplicate.title.as_str()).collect();
            format!("{}[{}]", item.title, under.join(" "))
        };
        sets.iter().map(|set| set.items.iter().map(shown).collect()).collect()
    }

    #[test]
    fn the_best_stays_and_lists_the_others() {
        let first = vec![
            item("a1", "https://a.example/", 0.5, 1.0),
            item("b1", "https://b.example", 0.5, 1.0),
            item("c1", "https://c.example", 0.5, 1.0),
            item("none", "", 0.1, 1.0),
        ];
        let second = vec![
            item("a2", "https://A.example?utm_source=x", 0.9, 1.0),
            item("b2", "https://b.example/", 0.5, 2.0),
            item("c2", "https://c.example#top", 0.5, 1.0),
            item("c3", "https://c.example/", f64::NAN, 1.0),
            item("none", "", 0.1, 1.0),
        ];
        let mut sets = [set(2, "q", second), set(1, "q", first)];
        assert_eq!(group(&mut sets), 4);
        let expected = [vec!["a2[a1]", "b2[b1]", "none[]"], vec!["c1[c2 c3]", "none[]"]];
        assert_eq!(
            listed(&sets),
            expected.map(|titles| titles.into_iter().map(str::to_owned).collect::<Vec<_>>())
        );
        assert_eq!(sets[0].retrieved, 5, "what the source gave is still told");
        assert_eq!(group(&mut sets), 0, "a second turn finds nothing");
    }

    #[test]
    fn a_duplicate_keeps_what_tells_it_apart() {
        let long = ResultItem {
            body: "é".repeat(DUPLICATE_BODY_CHARS_MAX + 1),
            date_published: "2024-05-01 00:00:00".to_owned(),
            searchprovider: "Library".to_owned(),
            ..item("long", "https://a.example", 0.1, 0.0)
        };
        let mut sets = [set(1, "q", vec![item("best", "https://a.example", 0.9, 0.0), long])];
        group(&mut sets);
        let duplicate = &sets[0].items[0].duplicates[0];
        assert_eq!(duplicate.body.chars().count(), DUPLICATE_BODY_CHARS_MAX);
        assert_eq!(
            (duplicate.searchprovider.as_str(), duplicate.date_published.as_str()),
            ("Library", "2024-05-01 00:00:00")
        );
    }

    #[test]
    fn an_update_does_not_replace_what_is_there() {
        let better = ResultItem { new: Some(1), ..item("new", "https://a.example", 0.9, 9.0) };
        let mut sets =
            [set(1, "q", vec![better]), set(2, "q", vec![item("old", "https://a.example", 0.1, 0.0)])];
        assert_eq!(group(&mut sets), 1);
        assert_eq!(listed(&sets), [vec![], vec!["old[new]".to_owned()]]);
    }

    #[test]
    fn groups_of_earlier_turns_are_kept_together() {
        let mut old = item("old", "https://a.example", 0.5, 0.0);
        old.duplicates = vec![Duplicate { title: "older".to_owned(), ..Duplicate::default() }];
        let mut sets =
            [set(1, "q", vec![old]), set(2, "q", vec![item("new", "https://a.example", 0.9, 0.0)])];
        assert_eq!(group(&mut sets), 1);
        assert_eq!(listed(&sets), [vec![], vec!["new[old older]".to_owned()]]);
    }

    #[test]
    fn results_of_a_block_stay_where_they_are() {
        let mut summary = item("summary", "https://a.example", 1.0, 0.0);
        summary.result_block = Some("ai_summary".to_owned());
        let mut sets = [set(1, "q", vec![summary, item("a", "https://a.example", 0.1, 0.0)])];
        assert_eq!(group(&mut sets), 0);
    }

    #[test]
    fn the_message_says_what_happened() {
        let line = |count| domain::message::processed(KIND.name, Outcome::grouped(count));
        assert_eq!(line(4).as_deref(), Some("DedupeByFieldPostResultProcessor grouped 4 duplicates"));
        assert_eq!(line(1).as_deref(), Some("DedupeByFieldPostResultProcessor grouped 1 duplicate"));
        assert_eq!(line(0), None);
    }
}
