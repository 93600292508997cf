//! Groups of results that are one document: the best of each is listed, the others are grouped under it or deleted.

use domain::corpus::Badge;
use domain::ids::ProviderId;
use domain::ports::{Outcome, PostResultContext};
use domain::result::{Duplicate, ResultItem, ResultSet};
use domain::result_group::{GroupPlace, retain_firsts};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// The position of a result: its set, and its index in it.
pub type Place = (usize, usize);

/// The listed results, best first. Results of a block and duplicates are not part of the list.
pub fn best_first(sets: &[ResultSet]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for (number, set) in sets.iter().enumerate() {
        let listed = set.items.iter().enumerate().filter(|(_, item)| item.result_block.is_none());
        places.extend(listed.map(|(place, _)| (number, place)));
    }
    retain_firsts(&mut places, |place| sets[place.0].items[place.1].group);
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

/// Takes every result of `bests` out of the list: groups it under the given one if `lists` is set, otherwise deletes it.
pub fn settle(sets: &mut [ResultSet], bests: &HashMap<Place, Place>, lists: bool) -> Outcome {
    if bests.is_empty() {
        return Outcome::default();
    }
    if lists {
        group(sets, bests);
        Outcome::grouped(bests.len())
    } else {
        delete(sets, bests);
        Outcome::deleted(bests.len())
    }
}

/// Appends results to the groups of their bests, in the order of the list. The members of a group of their own come
/// along.
fn group(sets: &mut [ResultSet], bests: &HashMap<Place, Place>) {
    let mut groups = Groups::of(sets);
    let mut moved: Vec<(Place, Place)> = bests.iter().map(|(place, best)| (*place, *best)).collect();
    moved.sort_by_cached_key(|(place, _)| order_of(sets, *place));
    for (place, best) in moved {
        let own = sets[place.0].items[place.1].group;
        let members = own.and_then(|own| groups.members.remove(&own.group)).unwrap_or_else(|| vec![place]);
        let number = match sets[best.0].items[best.1].group {
            Some(of_best) => of_best.group,
            None => groups.begin(sets, best),
        };
        for member in members {
            groups.append(sets, number, member);
        }
        // As earlier versions stored them.
        let listed = std::mem::take(&mut sets[place.0].items[place.1].duplicates);
        list_under(&mut sets[best.0].items[best.1], listed);
    }
}

/// The members of each group of a search.
struct Groups {
    members: HashMap<u32, Vec<Place>>,
    next: u32,
}

impl Groups {
    fn of(sets: &[ResultSet]) -> Self {
        let mut members: HashMap<u32, Vec<Place>> = HashMap::new();
        for (number, set) in sets.iter().enumerate() {
            for (place, item) in set.items.iter().enumerate() {
                if let Some(own) = item.group {
                    members.entry(own.group).or_default().push((number, place));
                }
            }
        }
        for places in members.values_mut() {
            places.sort_by_key(|place| sets[place.0].items[place.1].group.map(|own| own.place));
        }
        let next = members.keys().max().map_or(1, |last| last.saturating_add(1));
        Self { members, next }
    }

    /// A group whose first member is this result.
    fn begin(&mut self, sets: &mut [ResultSet], first: Place) -> u32 {
        let number = self.next;
        self.next = number.saturating_add(1);
        self.append(sets, number, first);
        number
    }

    fn append(&mut self, sets: &mut [ResultSet], group: u32, member: Place) {
        let members = self.members.entry(group).or_default();
        let last = members.last().and_then(|place| sets[place.0].items[place.1].group);
        let item = &mut sets[member.0].items[member.1];
        item.group = Some(GroupPlace { group, place: last.map_or(0, |last| last.place.saturating_add(1)) });
        if item.is_copy() {
            // Its document was there before, or is marked itself.
            item.new = None;
        }
        members.push(member);
    }
}

/// Deletes results and the groups that they lead.
fn delete(sets: &mut [ResultSet], bests: &HashMap<Place, Place>) {
    let led = bests.keys().filter_map(|place| sets[place.0].items[place.1].group).map(|own| own.group);
    let led: HashSet<u32> = led.collect();
    for (number, set) in sets.iter_mut().enumerate() {
        let mut place = 0;
        set.items.retain(|item| {
            let is_deleted = bests.contains_key(&(number, place))
                || item.group.is_some_and(|own| led.contains(&own.group));
            place += 1;
            !is_deleted
        });
    }
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

/// Lists duplicates that earlier versions stored, once each.
fn list_under(best: &mut ResultItem, duplicates: Vec<Duplicate>) {
    if duplicates.is_empty() {
        return;
    }
    let mut listed: HashSet<Duplicate> = best.duplicates.iter().cloned().collect();
    best.duplicates.extend(duplicates.into_iter().filter(|duplicate| listed.insert(duplicate.clone())));
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
    fn duplicates_stay_with_their_provider() {
        let items = vec![item("worst", "", 0.1, 0.0), item("best", "", 0.9, 0.0)];
        let other = ResultItem { new: Some(1), ..item("other", "", 0.5, 0.0) };
        let mut sets = [set(1, "q", items), set(2, "q", vec![other])];
        let bests = under(&[((0, 0), (0, 1)), ((1, 0), (0, 1))]);
        assert_eq!(settle(&mut sets, &bests, true), Outcome::grouped(2));
        assert_eq!(
            listed(&sets),
            [vec!["best[worst other]".to_owned()], vec![]],
            "what was there comes first"
        );
        assert_eq!((sets[0].items.len(), sets[1].items.len()), (2, 1));
        assert_eq!(sets[1].items[0].new, None, "a listed duplicate is not new");
        // Without the first one, the next one is the first.
        sets[0].items.remove(1);
        let firsts: Vec<Place> = best_first(&sets);
        assert_eq!(firsts, [(0, 0)]);
    }

    #[test]
    fn groups_of_earlier_turns_are_kept_together() {
        let titles = ["a", "b", "c", "d", "e"];
        let items = titles.iter().zip([0.5, 0.4, 0.9, 0.8, 0.1]);
        let mut sets =
            [set(1, "q", items.map(|(title, confidence)| item(title, "", confidence, 0.0)).collect())];
        settle(&mut sets, &under(&[((0, 1), (0, 0)), ((0, 3), (0, 2))]), true);
        assert_eq!(listed(&sets), [["a[b]", "c[d]", "e[]"]]);
        settle(&mut sets, &under(&[((0, 4), (0, 2)), ((0, 0), (0, 2))]), true);
        assert_eq!(listed(&sets), [["c[d a b e]"]]);
        assert_eq!(settle(&mut sets, &HashMap::new(), true), Outcome::default());
    }

    #[test]
    fn duplicates_of_earlier_versions_are_listed_once() {
        let older = Duplicate { title: "older".to_owned(), ..Duplicate::default() };
        let mut old = item("old", "https://a.example", 0.5, 0.0);
        old.duplicates = vec![older.clone(), Duplicate { title: "oldest".to_owned(), ..older.clone() }];
        let mut best = item("best", "https://a.example", 0.9, 0.0);
        best.duplicates = vec![older];
        let mut sets = [set(1, "q", vec![old]), set(2, "q", vec![best])];
        settle(&mut sets, &under(&[((0, 0), (1, 0))]), true);
        assert_eq!(listed(&sets), [vec![], vec!["best[older oldest old]".to_owned()]]);
    }

    #[test]
    fn duplicates_are_deleted_if_that_is_wanted() {
        let items = || vec![item("a", "", 0.1, 0.0), item("b", "", 0.9, 0.0), item("c", "", 0.5, 0.0)];
        let mut sets = [set(1, "q", items())];
        let bests = under(&[((0, 0), (0, 1))]);
        assert_eq!(settle(&mut sets, &bests, false), Outcome::deleted(1));
        assert_eq!(listed(&sets), [["b[]", "c[]"]]);
        assert_eq!(sets[0].retrieved, 3, "what the source gave is still told");
        let mut sets = [set(1, "q", items())];
        settle(&mut sets, &under(&[((0, 0), (0, 2))]), true);
        settle(&mut sets, &under(&[((0, 2), (0, 1))]), false);
        assert_eq!(listed(&sets), [["b[]"]], "with what was grouped under them");
    }
}
