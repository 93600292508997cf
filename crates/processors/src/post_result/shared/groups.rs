//! Groups of results that are one document: the best of each stays, the others are listed under it or deleted.

use domain::corpus::Badge;
use domain::ids::ProviderId;
use domain::ports::{Outcome, PostResultContext};
use domain::result::{DUPLICATE_BODY_CHARS_MAX, Duplicate, ResultItem, ResultSet};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use syntax::highlights::unmarked;

/// The position of a result: its set, and its index in it.
pub type Place = (usize, usize);

/// The listed results, best first. Results of a block are not part of the list.
pub fn best_first(sets: &[ResultSet]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for (number, set) in sets.iter().enumerate() {
        let listed = set.items.iter().enumerate().filter(|(_, item)| item.result_block.is_none());
        places.extend(listed.map(|(place, _)| (number, place)));
    }
    places.sort_by_cached_key(|place| order_of(sets, *place));
    places
}

/// The results that are compared with each other, best first. If versions are clustered afterwards, documents of the
/// semantic cache are left out: a version removed here could never win.
pub fn compared(sets: &[ResultSet], cx: &PostResultContext<'_>) -> Vec<Place> {
    let mut places = best_first(sets);
    if cx.finds_versions {
        places.retain(|place| sets[place.0].items[place.1].cache.is_none());
    }
    places
}

/// Removes every result of `bests` from the list, and lists it under the given one if `lists` is set. Otherwise it is
/// deleted.
pub fn settle(sets: &mut [ResultSet], bests: &HashMap<Place, Place>, lists: bool) -> Outcome {
    let mut moved: Vec<(Place, ResultItem)> = Vec::with_capacity(bests.len());
    // The indexes of the removed results in their set, ascending.
    let mut removed: HashMap<usize, Vec<usize>> = HashMap::new();
    for (number, place) in bests.keys() {
        removed.entry(*number).or_default().push(*place);
    }
    for (number, set) in sets.iter_mut().enumerate() {
        let Some(removed) = removed.get_mut(&number) else { continue };
        removed.sort_unstable();
        let items = std::mem::take(&mut set.items);
        set.items.reserve_exact(items.len().saturating_sub(removed.len()));
        for (place, item) in items.into_iter().enumerate() {
            match bests.get(&(number, place)) {
                Some(best) => moved.push((*best, item)),
                None => set.items.push(item),
            }
        }
    }
    let count = moved.len();
    if !lists {
        return Outcome::deleted(count);
    }
    let mut groups: HashMap<Place, Vec<ResultItem>> = HashMap::new();
    for (best, item) in moved {
        groups.entry(best).or_default().push(item);
    }
    for ((number, place), items) in groups {
        // The remaining results moved up.
        let before =
            removed.get(&number).map_or(0, |removed| removed.partition_point(|other| *other < place));
        if let Some(best) = sets[number].items.get_mut(place - before) {
            list_under(best, items);
        }
    }
    Outcome::grouped(count)
}

/// Results that are not new first, so that an update removes none; then what is pinned for the query, confidence,
/// score, the earlier provider, the earlier position.
fn order_of(sets: &[ResultSet], (number, place): Place) -> Order {
    let (set, item) = (&sets[number], &sets[number].items[place]);
    let (confidence, score) = (descending(item.swirl_confidence_score), descending(item.swirl_score));
    (item.new.is_some(), !is_pinned(item), confidence, score, (set.provider, place, number))
}

/// The less, the better.
type Order = (bool, bool, Reverse<i64>, Reverse<i64>, (ProviderId, usize, usize));

/// Somebody pinned it as the answer to this query: no better score of another source hides it.
fn is_pinned(item: &ResultItem) -> bool {
    item.cache.as_ref().is_some_and(|mark| mark.badge == Badge::Pinned)
}

/// A score that is not a number is the worst.
fn descending(score: f64) -> Reverse<i64> {
    let score = if score.is_nan() { f64::NEG_INFINITY } else { score + 0.0 };
    // A number in the order of `f64::total_cmp`: the more negative a score, the greater its other bits.
    let bits = score.to_bits().cast_signed();
    Reverse(if bits < 0 { bits ^ i64::MAX } else { bits })
}

/// Lists results and their own duplicates, once each.
fn list_under(best: &mut ResultItem, items: Vec<ResultItem>) {
    let mut listed: HashSet<Duplicate> = best.duplicates.iter().cloned().collect();
    for item in items {
        let own = Duplicate {
            searchprovider: item.searchprovider,
            title: unmarked(&item.title).into_owned(),
            url: item.url,
            body: unmarked(&item.body).chars().take(DUPLICATE_BODY_CHARS_MAX).collect(),
            date_published: item.date_published,
            signal_id: item.cache.map(|mark| mark.signal_id),
        };
        for duplicate in std::iter::once(own).chain(item.duplicates) {
            if listed.insert(duplicate.clone()) {
                best.duplicates.push(duplicate);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_result::shared::fixtures::{item, listed, set};
    use domain::corpus::CacheStatus;

    fn under(bests: &[(Place, Place)]) -> HashMap<Place, Place> {
        bests.iter().copied().collect()
    }

    #[test]
    fn the_best_first() {
        let new = ResultItem { new: Some(1), ..item("new", "", 0.9, 9.0) };
        let block = ResultItem { result_block: Some("facts".to_owned()), ..item("block", "", 1.0, 9.0) };
        let first = vec![item("low", "", 0.1, 9.0), new, block, item("high", "", 0.5, 1.0)];
        let mark = CacheStatus { badge: Badge::Pinned, ..testkit::versions::mark(1) };
        let pinned = ResultItem { cache: Some(Box::new(mark)), ..item("pinned", "", 0.0, 0.0) };
        let second = vec![
            item("scored", "", 0.5, 2.0),
            item("none", "", f64::NAN, 9.0),
            pinned,
            item("same", "", 0.5, 1.0),
        ];
        let sets = [set(2, "q", first), set(1, "q", second)];
        let titles: Vec<&str> =
            best_first(&sets).iter().map(|place| sets[place.0].items[place.1].title.as_str()).collect();
        assert_eq!(titles, ["pinned", "scored", "same", "high", "low", "none", "new"]);
    }

    #[test]
    fn scores_descend() {
        let scores = [f64::INFINITY, 2.5, 1.0, f64::MIN_POSITIVE, 0.0, -0.25, -3.0, f64::NEG_INFINITY];
        assert!(scores.is_sorted_by_key(|score| descending(*score)));
        assert!(scores.windows(2).all(|pair| descending(pair[0]) != descending(pair[1])));
        assert_eq!(descending(-0.0), descending(0.0));
        assert_eq!(descending(f64::NAN), descending(f64::NEG_INFINITY));
    }

    #[test]
    fn a_duplicate_keeps_what_tells_it_apart() {
        let long = ResultItem {
            body: "é".repeat(DUPLICATE_BODY_CHARS_MAX + 1),
            date_published: "2024-05-01 00:00:00".to_owned(),
            searchprovider: "Library".to_owned(),
            ..item("long", "", 0.1, 0.0)
        };
        let mut sets = [set(1, "q", vec![item("best", "", 0.9, 0.0), long])];
        assert_eq!(settle(&mut sets, &under(&[((0, 1), (0, 0))]), true), Outcome::grouped(1));
        let duplicate = &sets[0].items[0].duplicates[0];
        assert_eq!(duplicate.body.chars().count(), DUPLICATE_BODY_CHARS_MAX);
        assert_eq!(
            (duplicate.searchprovider.as_str(), duplicate.date_published.as_str()),
            ("Library", "2024-05-01 00:00:00")
        );
    }

    #[test]
    fn groups_of_earlier_turns_are_kept_together() {
        let older = Duplicate { title: "older".to_owned(), ..Duplicate::default() };
        let mut old = item("old", "https://a.example", 0.5, 0.0);
        old.duplicates = vec![older.clone(), Duplicate { title: "oldest".to_owned(), ..older.clone() }];
        let mut best = item("best", "https://a.example", 0.9, 0.0);
        best.duplicates = vec![older];
        let mut sets = [set(1, "q", vec![old]), set(2, "q", vec![best])];
        settle(&mut sets, &under(&[((0, 0), (1, 0))]), true);
        assert_eq!(listed(&sets), [vec![], vec!["best[older old oldest]".to_owned()]]);
    }

    #[test]
    fn duplicates_are_deleted_if_that_is_wanted() {
        let items = || vec![item("a", "", 0.1, 0.0), item("b", "", 0.9, 0.0), item("c", "", 0.5, 0.0)];
        let mut sets = [set(1, "q", items())];
        let bests = under(&[((0, 0), (0, 1))]);
        assert_eq!(settle(&mut sets, &bests, false), Outcome::deleted(1));
        assert_eq!(listed(&sets), [["b[]", "c[]"]]);
        assert_eq!(sets[0].retrieved, 3, "what the source gave is still told");
    }
}
