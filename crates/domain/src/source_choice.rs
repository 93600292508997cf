//! Learned choice of sources: the earlier searches that are nearest to a query vote for the sources that are asked first.

use crate::ids::ProviderId;
use std::collections::BTreeMap;

/// Without this many earlier searches, there is no vote.
pub const PAST_SEARCHES_MIN: usize = 10;
/// Maximum number of earlier searches that vote: the nearest.
pub const VOTERS_MAX: usize = 30;
/// Weight of the mean of all earlier searches, which decides where the nearest ones do not.
const MEAN_WEIGHT: f64 = 0.1;
/// Products that are added up side by side, for which the compiler can use vector instructions.
const LANES: usize = 8;

/// What is remembered of an earlier search. It contains no text.
#[derive(Debug, Clone, PartialEq)]
pub struct PastSearch {
    /// The embedding of its query: a unit vector.
    pub embedding: Box<[f32]>,
    /// The share of each source in its first page of results. Sources without a result there are left out.
    pub shares: Vec<(ProviderId, f32)>,
}

/// The outcome of a vote.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Vote {
    /// Number of earlier searches that voted.
    pub voters: usize,
    scores: BTreeMap<ProviderId, f64>,
}

impl Vote {
    /// Lets the earlier searches nearest to a query vote, each for its sources, with its similarity as weight. None if
    /// there are too few of them.
    pub fn of<'a>(embedding: &[f32], past: impl ExactSizeIterator<Item = &'a PastSearch>) -> Option<Self> {
        let count = past.len();
        if count < PAST_SEARCHES_MIN {
            return None;
        }
        let mut scores = BTreeMap::new();
        let mut voters: Vec<(f64, &PastSearch)> = Vec::with_capacity(count);
        for search in past {
            search.add_shares(MEAN_WEIGHT / count as f64, &mut scores);
            // A search about something else has no vote, and none against a source.
            voters.push((similarity(embedding, &search.embedding).max(0.0), search));
        }
        if voters.len() > VOTERS_MAX {
            voters.select_nth_unstable_by(VOTERS_MAX, |(one, _), (other, _)| other.total_cmp(one));
            voters.truncate(VOTERS_MAX);
        }
        let weights: f64 = voters.iter().map(|(weight, _)| weight).sum();
        if weights > 0.0 {
            for (weight, search) in &voters {
                search.add_shares(weight / weights, &mut scores);
            }
        }
        Some(Self { voters: voters.len(), scores })
    }

    /// The sources with the highest scores, best first; of equal ones, those with the lower ids.
    pub fn best(&self, sources: impl IntoIterator<Item = ProviderId>, count: usize) -> Vec<ProviderId> {
        let score = |id: ProviderId| self.scores.get(&id).copied().unwrap_or_default();
        let mut ranked: Vec<(f64, ProviderId)> = sources.into_iter().map(|id| (score(id), id)).collect();
        ranked.sort_by(|(one, id), (other, other_id)| other.total_cmp(one).then(id.cmp(other_id)));
        ranked.into_iter().map(|(_, id)| id).take(count).collect()
    }
}

impl PastSearch {
    fn add_shares(&self, weight: f64, scores: &mut BTreeMap<ProviderId, f64>) {
        for (source, share) in &self.shares {
            *scores.entry(*source).or_default() += weight * f64::from(*share);
        }
    }
}

/// The cosine of two unit vectors.
fn similarity(one: &[f32], other: &[f32]) -> f64 {
    let mut sums = [0.0_f32; LANES];
    let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
    let rest: f32 = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in ones.zip(others) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    f64::from(sums.iter().sum::<f32>() + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIVERS: [f32; 2] = [1.0, 0.0];
    const TICKETS: [f32; 2] = [0.0, 1.0];

    fn past(embedding: [f32; 2], shares: &[(i64, f32)]) -> PastSearch {
        let shares = shares.iter().map(|(id, share)| (ProviderId(*id), *share)).collect();
        PastSearch { embedding: embedding.into(), shares }
    }

    fn best(embedding: &[f32], past: &[PastSearch], count: usize) -> Vec<i64> {
        let vote = Vote::of(embedding, past.iter()).expect("enough searches");
        vote.best((1..=4).map(ProviderId), count).into_iter().map(|id| id.0).collect()
    }

    /// Nine searches about rivers, found in source 3, and nine about tickets, found in 2 and 4.
    fn two_topics() -> Vec<PastSearch> {
        let pair = || [past(RIVERS, &[(3, 1.0)]), past(TICKETS, &[(2, 0.4), (4, 0.6)])];
        (0..9).flat_map(|_| pair()).collect()
    }

    #[test]
    fn similar_searches_decide() {
        let all = two_topics();
        assert_eq!(best(&RIVERS, &all, 1), [3]);
        assert_eq!(best(&TICKETS, &all, 2), [4, 2]);
        assert_eq!(best(&[0.8, 0.6], &all, 4), [3, 4, 2, 1], "nearer to rivers");
        assert_eq!(best(&RIVERS, &all, 3), [3, 4, 2], "the mean of all decides on the others");
        assert_eq!(best(&RIVERS, &all, 9), [3, 4, 2, 1], "a source that was never useful is the last");
    }

    #[test]
    fn a_query_without_known_words_follows_the_mean() {
        let all: Vec<PastSearch> =
            (0..12).map(|number| past(RIVERS, &[(if number < 8 { 2 } else { 1 }, 1.0)])).collect();
        assert_eq!(best(&[0.0, 0.0], &all, 2), [2, 1]);
        assert_eq!(best(&[-1.0, 0.0], &all, 2), [2, 1], "searches about the opposite have no vote");
    }

    #[test]
    fn sources_without_votes_are_in_the_order_of_their_ids() {
        let all = vec![past(RIVERS, &[]); PAST_SEARCHES_MIN];
        assert_eq!(best(&RIVERS, &all, 2), [1, 2]);
    }

    #[test]
    fn few_searches_do_not_vote() {
        let all = vec![past(RIVERS, &[(1, 1.0)]); PAST_SEARCHES_MIN];
        assert!(Vote::of(&RIVERS, all[1..].iter()).is_none());
        assert_eq!(Vote::of(&RIVERS, all.iter()).map(|vote| vote.voters), Some(PAST_SEARCHES_MIN));
    }

    #[test]
    fn only_the_nearest_vote() {
        let far = vec![past([0.6, 0.8], &[(1, 1.0)]); 10 * VOTERS_MAX];
        let near = vec![past(RIVERS, &[(2, 0.4)]); VOTERS_MAX];
        let all: Vec<PastSearch> = far.into_iter().chain(near).collect();
        // All searches together would prefer source 1.
        assert_eq!(best(&RIVERS, &all, 1), [2]);
        assert_eq!(Vote::of(&RIVERS, all.iter()).map(|vote| vote.voters), Some(VOTERS_MAX));
    }

    #[test]
    fn vectors_of_every_length_are_compared() {
        for length in [0, 1, LANES - 1, LANES, 2 * LANES + 3, 256] {
            let one: Vec<f32> = (0..length).map(|place| place as f32 / 10.0).collect();
            let expected: f64 = one.iter().map(|value| f64::from(value * value)).sum();
            assert!((similarity(&one, &one) - expected).abs() <= expected * 1e-5, "{length}");
        }
    }
}
