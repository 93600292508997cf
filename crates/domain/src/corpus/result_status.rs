//! Cached documents among the results of a search: the candidates for versions, and the status of results afterwards.

use super::{Badge, CacheStatus, VersionStatus};
use crate::ids::SignalId;
use crate::result::{ResultItem, ResultSet};
use crate::result_group::retain_firsts;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Maximum number of documents of one search that are examined for versions. Pinned ones come first, then the best
/// confidence.
pub const CANDIDATES_MAX: usize = 100;

/// The cached documents in the list, each once with its best confidence. Results in a block are not part of the list.
pub fn candidates(sets: &[ResultSet]) -> Vec<(SignalId, f64)> {
    let mut best: BTreeMap<SignalId, (bool, f64)> = BTreeMap::new();
    let mut listed: Vec<&ResultItem> = sets.iter().flat_map(|set| &set.items).collect();
    retain_firsts(&mut listed, |item| item.group);
    for item in listed {
        let Some(status) = cache_status(item) else { continue };
        let confidence = item.swirl_confidence_score;
        let confidence = if confidence.is_finite() { confidence } else { 0.0 };
        let known = best.entry(status.signal_id).or_default();
        *known = (known.0 || status.badge == Badge::Pinned, known.1.max(confidence));
    }
    let mut all: Vec<(SignalId, (bool, f64))> = best.into_iter().collect();
    // The sort is stable: equal ones stay ordered by id.
    all.sort_by(|(_, a), (_, b)| Reverse(a.0).cmp(&Reverse(b.0)).then_with(|| b.1.total_cmp(&a.1)));
    all.into_iter().take(CANDIDATES_MAX).map(|(signal, (_, confidence))| (signal, confidence)).collect()
}

/// Sets the version status of the results; returns how many of them have versions. Results without a status are not
/// changed.
pub fn apply_version_statuses(
    sets: &mut [ResultSet],
    version_statuses: &BTreeMap<SignalId, VersionStatus>,
) -> usize {
    let mut told = 0;
    for item in sets.iter_mut().flat_map(|set| &mut set.items).filter(|item| item.result_block.is_none()) {
        let Some(status) = &mut item.cache else { continue };
        let Some(version_status) = version_statuses.get(&status.signal_id) else { continue };
        status.set_version_status(version_status.clone());
        told += usize::from(status.cluster.is_some());
    }
    told
}

/// The status of a cached result in the list.
fn cache_status(item: &ResultItem) -> Option<&CacheStatus> {
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
        let status = CacheStatus {
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
        ResultItem { cache: Some(Box::new(status)), swirl_confidence_score, ..ResultItem::default() }
    }

    fn pinned(signal: i64, confidence: f64) -> ResultItem {
        let mut item = cached(signal, confidence);
        item.cache.iter_mut().for_each(|status| status.badge = Badge::Pinned);
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
            notices: Vec::new(),
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
        let version_status = |badge, cluster| VersionStatus { badge, cluster, run_id: Some(RunId(7)) };
        let version_statuses = BTreeMap::from([
            (SignalId(1), version_status(Badge::AutoSelected, Some(cluster(1)))),
            (SignalId(2), version_status(Badge::Alternate, Some(cluster(1)))),
            (SignalId(3), version_status(Badge::Pinned, None)),
        ]);
        let mut sets = [set(vec![cached(1, 0.5), cached(3, 0.5)]), set(vec![cached(2, 0.5), pinned(4, 0.5)])];
        assert_eq!(apply_version_statuses(&mut sets, &version_statuses), 2);
        let badges: Vec<(Badge, Option<RunId>)> = sets
            .iter()
            .flat_map(|set| &set.items)
            .filter_map(|item| item.cache.as_ref().map(|status| (status.badge, status.run_id)))
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
