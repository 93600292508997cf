//! Documents of the cache among the results of a search: which of them are looked at for versions, and what the results say
//! afterwards.

use super::{Badge, CacheMark, Standing};
use crate::ids::SignalId;
use crate::result::{ResultItem, ResultSet};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Most documents of one search that are looked at for versions. What is pinned comes first, then the best confidence.
pub const CANDIDATES_MAX: usize = 100;

/// The documents of the cache in the list, each once with its best confidence. Results of a block are no part of the list.
pub fn candidates(sets: &[ResultSet]) -> Vec<(SignalId, f64)> {
    let mut best: BTreeMap<SignalId, (bool, f64)> = BTreeMap::new();
    for item in sets.iter().flat_map(|set| &set.items) {
        let Some(mark) = listed(item) else { continue };
        let confidence = item.swirl_confidence_score;
        let confidence = if confidence.is_finite() { confidence } else { 0.0 };
        let known = best.entry(mark.signal_id).or_default();
        *known = (known.0 || mark.badge == Badge::Pinned, known.1.max(confidence));
    }
    let mut all: Vec<(SignalId, (bool, f64))> = best.into_iter().collect();
    // Equal ones stay in the order of their ids.
    all.sort_by(|(_, a), (_, b)| Reverse(a.0).cmp(&Reverse(b.0)).then_with(|| b.1.total_cmp(&a.1)));
    all.into_iter().take(CANDIDATES_MAX).map(|(signal, (_, confidence))| (signal, confidence)).collect()
}

/// Writes the standings on the results; how many of these have versions. One of which nothing is said stays as it is.
pub fn stand(sets: &mut [ResultSet], standings: &BTreeMap<SignalId, Standing>) -> usize {
    let mut told = 0;
    for item in sets.iter_mut().flat_map(|set| &mut set.items).filter(|item| item.result_block.is_none()) {
        let Some(mark) = &mut item.cache else { continue };
        let Some(standing) = standings.get(&mark.signal_id) else { continue };
        mark.stand(standing.clone());
        told += usize::from(mark.cluster.is_some());
    }
    told
}

/// The mark of a result of the cache that stands in the list.
fn listed(item: &ResultItem) -> Option<&CacheMark> {
    item.cache.as_deref().filter(|_| item.result_block.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{ClusterMark, Liveness, SignalState};
    use crate::ids::{ProviderId, RunId, SearchId};
    use crate::instant::Instant;
    use crate::status::ProviderStatus;

    fn cached(signal: i64, confidence: f64) -> ResultItem {
        let mark = CacheMark {
            signal_id: SignalId(signal),
            state: SignalState::Indexed,
            badge: Badge::Cached,
            cluster: None,
            run_id: None,
            last_verified: None,
            liveness: Liveness::Alive,
            stale: false,
            shared_externally: false,
            matter_tags: Vec::new(),
        };
        let swirl_confidence_score = confidence;
        ResultItem { cache: Some(Box::new(mark)), swirl_confidence_score, ..ResultItem::default() }
    }

    fn pinned(signal: i64, confidence: f64) -> ResultItem {
        let mut item = cached(signal, confidence);
        item.cache.iter_mut().for_each(|mark| mark.badge = Badge::Pinned);
        item
    }

    fn set(items: Vec<ResultItem>) -> ResultSet {
        ResultSet {
            search: SearchId(1),
            provider: ProviderId(1),
            provider_name: String::new(),
            status: ProviderStatus::Ok,
            error: None,
            found: 0,
            retrieved: 0,
            query_string_to_provider: String::new(),
            query_to_provider: String::new(),
            query_processors: Vec::new(),
            result_processors: Vec::new(),
            messages: Vec::new(),
            time_s: 0.0,
            items,
            date_created: Instant::UNIX_EPOCH,
            date_updated: Instant::UNIX_EPOCH,
        }
    }

    #[test]
    fn each_document_once_with_its_best_confidence() {
        let block = ResultItem { result_block: Some("facts".to_owned()), ..cached(9, 1.0) };
        let first = vec![cached(3, 0.2), ResultItem::default(), cached(2, f64::NAN), block];
        let sets = [set(first), set(vec![cached(3, 0.6), cached(5, 0.6), pinned(4, 0.1)])];
        let found: Vec<(i64, f64)> = candidates(&sets).iter().map(|(id, r)| (id.0, *r)).collect();
        assert_eq!(found, [(4, 0.1), (3, 0.6), (5, 0.6), (2, 0.0)]);
    }

    #[test]
    fn no_more_than_the_most() {
        let last = CANDIDATES_MAX as i64;
        let mut items: Vec<ResultItem> = (0..=last).map(|id| cached(id, 1.0 - id as f64 / 1000.0)).collect();
        items.push(pinned(last + 1, 0.0));
        let found = candidates(&[set(items)]);
        let ids = (found[0].0.0, found[1].0.0, found[CANDIDATES_MAX - 1].0.0);
        assert_eq!((found.len(), ids), (CANDIDATES_MAX, (last + 1, 0, last - 2)));
    }

    #[test]
    fn results_say_how_they_stand() {
        let cluster = |key: i64| ClusterMark {
            key: SignalId(key),
            size: 2,
            role: None,
            winner_signal_id: None,
            decided_by: None,
            members: Vec::new(),
        };
        let standing = |badge, cluster| Standing { badge, cluster, run_id: Some(RunId(7)) };
        let standings = BTreeMap::from([
            (SignalId(1), standing(Badge::AutoSelected, Some(cluster(1)))),
            (SignalId(2), standing(Badge::Alternate, Some(cluster(1)))),
            (SignalId(3), standing(Badge::Pinned, None)),
        ]);
        let mut sets = [set(vec![cached(1, 0.5), cached(3, 0.5)]), set(vec![cached(2, 0.5), pinned(4, 0.5)])];
        assert_eq!(stand(&mut sets, &standings), 2);
        let badges: Vec<(Badge, Option<RunId>)> = sets
            .iter()
            .flat_map(|set| &set.items)
            .filter_map(|item| item.cache.as_ref().map(|mark| (mark.badge, mark.run_id)))
            .collect();
        let run = Some(RunId(7));
        let expected = [
            (Badge::AutoSelected, run),
            (Badge::Pinned, run),
            (Badge::Alternate, run),
            (Badge::Pinned, None),
        ];
        assert_eq!(badges, expected);
    }
}
