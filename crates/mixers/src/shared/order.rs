//! Total orders of results: two different results are never equal.

use chrono::{DateTime, Utc};
use domain::ports::Candidate;
use domain::result::DATE_UNKNOWN;
use std::cell::OnceCell;
use std::cmp::{Ordering, Reverse};
use syntax::dates::instant;

/// By `swirl_score`, best first; then the source's own rank, then newest first.
pub fn by_relevancy(candidates: &mut Vec<Candidate<'_>>) {
    sort(candidates, |key, other| key.score.compare(other.score).then_with(|| key.compare_ties(other)));
}

/// By `swirl_confidence_score`, then like [`by_relevancy`].
pub fn by_confidence(candidates: &mut Vec<Candidate<'_>>) {
    sort(candidates, |key, other| {
        let confidence = key.confidence.compare(other.confidence);
        confidence.then_with(|| key.score.compare(other.score)).then_with(|| key.compare_ties(other))
    });
}

/// Newest first, then like [`by_relevancy`].
pub fn by_date(candidates: &mut Vec<Candidate<'_>>) {
    sort(candidates, |key, other| {
        key.newest_first()
            .cmp(&other.newest_first())
            .then_with(|| key.score.compare(other.score).then_with(|| key.compare_ties(other)))
    });
}

/// Whether the source gave a date, parsable or not.
pub fn is_dated(candidate: &Candidate<'_>) -> bool {
    !matches!(candidate.item.date_published.trim(), "" | DATE_UNKNOWN)
}

/// Whether an update added it.
pub fn is_new(candidate: &Candidate<'_>) -> bool {
    candidate.item.new.is_some()
}

/// Keeps what `wanted` accepts, and returns the number of the others.
pub fn keep(candidates: &mut Vec<Candidate<'_>>, wanted: fn(&Candidate<'_>) -> bool) -> usize {
    let before = candidates.len();
    candidates.retain(wanted);
    before - candidates.len()
}

/// A score; higher is better. One that is not a number is the worst.
#[derive(Clone, Copy)]
struct Score(f64);

impl Score {
    fn compare(self, other: Self) -> Ordering {
        let number = |score: f64| if score.is_nan() { f64::NEG_INFINITY } else { score + 0.0 };
        number(other.0).total_cmp(&number(self.0))
    }
}

/// The sort key of a result.
struct Key<'a> {
    score: Score,
    confidence: Score,
    /// Parsed at most once, and only if it decides.
    published: OnceCell<Option<DateTime<Utc>>>,
    candidate: Candidate<'a>,
}

impl<'a> Key<'a> {
    fn of(candidate: Candidate<'a>) -> Self {
        Self {
            score: Score(candidate.item.swirl_score),
            confidence: Score(candidate.item.swirl_confidence_score),
            published: OnceCell::new(),
            candidate,
        }
    }

    /// Unknown dates come last.
    fn newest_first(&self) -> Reverse<Option<DateTime<Utc>>> {
        Reverse(*self.published.get_or_init(|| instant(&self.candidate.item.date_published)))
    }

    /// After the scores: source rank, date, provider, and the order in which results were stored, which is that of
    /// their ids. Unsaved results have no ids, so their texts decide.
    fn compare_ties(&self, other: &Self) -> Ordering {
        let rank = |candidate: &Candidate<'a>| candidate.item.searchprovider_rank;
        let last = |candidate: &Candidate<'a>| (candidate.set.provider, candidate.item.swirl_id);
        let text =
            |candidate: &Candidate<'a>| (&candidate.item.url, &candidate.item.title, &candidate.item.body);
        rank(&self.candidate)
            .cmp(&rank(&other.candidate))
            .then_with(|| self.newest_first().cmp(&other.newest_first()))
            .then_with(|| last(&self.candidate).cmp(&last(&other.candidate)))
            .then_with(|| text(&self.candidate).cmp(&text(&other.candidate)))
    }
}

fn sort<'a>(candidates: &mut Vec<Candidate<'a>>, compare: impl Fn(&Key<'a>, &Key<'a>) -> Ordering) {
    let mut keys: Vec<Key<'a>> = std::mem::take(candidates).into_iter().map(Key::of).collect();
    keys.sort_by(compare);
    candidates.extend(keys.into_iter().map(|key| key.candidate));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{Sample, ids, set};
    use domain::result::ResultSet;

    fn candidates(sets: &[ResultSet]) -> Vec<Candidate<'_>> {
        sets.iter().flat_map(|set| set.items.iter().map(move |item| Candidate { set, item })).collect()
    }

    #[test]
    fn scores_that_are_no_numbers_come_last() {
        let sample = |id, score| Sample { id, score, ..Sample::default() };
        let samples = [sample(1, f64::NAN), sample(2, 1.0), sample(3, f64::INFINITY), sample(4, -1.0)];
        let sets = [set(1, &samples)];
        let mut order = candidates(&sets);
        by_relevancy(&mut order);
        assert_eq!(ids(&order), [3, 2, 4, 1]);
    }

    #[test]
    fn ties_are_broken_in_turn() {
        let base =
            Sample { score: 5.0, confidence: 0.5, rank: 2, date: "2024-05-01 00:00:00", ..Sample::default() };
        let first = [
            Sample { id: 1, rank: 1, date: "unknown", ..base },
            Sample { id: 2, ..base },
            Sample { id: 3, ..base },
            Sample { id: 4, rank: 1, ..base },
            // The same instant is 2024-04-30 22:30 in UTC: older, though its text is later.
            Sample { id: 5, date: "2024-05-01 00:30:00+02:00", ..base },
            Sample { id: 6, score: 6.0, date: "unknown", ..base },
            Sample { id: 7, score: 1.0, confidence: 0.9, ..base },
        ];
        let second = [Sample { id: 8, ..base }];
        let sets = [set(2, &second), set(1, &first)];
        let mut order = candidates(&sets);
        by_relevancy(&mut order);
        assert_eq!(ids(&order), [6, 4, 1, 2, 3, 8, 5, 7]);
        by_confidence(&mut order);
        assert_eq!(ids(&order), [7, 6, 4, 1, 2, 3, 8, 5]);
        by_date(&mut order);
        assert_eq!(ids(&order), [4, 2, 3, 8, 7, 5, 6, 1]);
    }

    #[test]
    fn unsaved_results_are_ordered_by_their_texts() {
        let samples = [Sample { url: "b", ..Sample::default() }, Sample { url: "a", ..Sample::default() }];
        let sets = [set(1, &samples)];
        let mut order = candidates(&sets);
        by_relevancy(&mut order);
        assert_eq!(order[0].item.url, "a");
    }
}
