//! Versions of one document in a list by relevancy: the winner takes the best position of any of them, and the others
//! follow it. What is pinned for the query comes first.

use domain::corpus::{Badge, CacheStatus, ClusterMark, Liveness};
use domain::ids::SignalId;
use domain::ports::{Candidate, MixContext};
use std::collections::BTreeMap;

/// Moves versions to their positions, if the setting is on. The previous order must be total; then so is the new one.
pub fn promote(candidates: &mut Vec<Candidate<'_>>, cx: &MixContext<'_>) {
    if !cx.promotes || candidates.iter().all(|candidate| candidate.item.cache.is_none()) {
        return;
    }
    let mut order: Vec<Option<Candidate<'_>>> = std::mem::take(candidates).into_iter().map(Some).collect();
    let mut clusters: BTreeMap<SignalId, Vec<usize>> = BTreeMap::new();
    for (place, candidate) in order.iter().flatten().enumerate() {
        if let Some(cluster) = cluster_of(candidate) {
            clusters.entry(cluster.key).or_default().push(place);
        }
    }
    for places in clusters.values_mut() {
        if !follow_the_winner(places, &order) {
            demote_gone(places, &mut order);
            places.clear();
        }
    }
    // Results that stay together; most are alone.
    let mut groups: Vec<Vec<Candidate<'_>>> = Vec::with_capacity(order.len());
    for place in 0..order.len() {
        let Some(candidate) = order[place] else { continue }; // follows its winner
        let cluster = cluster_of(&candidate).and_then(|cluster| clusters.get(&cluster.key));
        let places = cluster.filter(|places| !places.is_empty()).cloned().unwrap_or_else(|| vec![place]);
        groups.push(places.into_iter().filter_map(|place| order[place].take()).collect());
    }
    groups.sort_by_key(|group| !group.iter().any(is_pinned));
    candidates.extend(groups.into_iter().flatten());
}

/// The positions of a decided cluster, the winner first and the others by their rank in the election. False if nothing
/// is decided or the winner is not in the list.
fn follow_the_winner(places: &mut [usize], order: &[Option<Candidate<'_>>]) -> bool {
    let mark = |place: usize| order[place].as_ref().and_then(mark_of);
    let Some(cluster) = mark(places[0]).and_then(|mark| mark.cluster.as_ref()) else { return false };
    let is_winner = |place: usize| mark(place).map(|mark| mark.signal_id) == cluster.winner_signal_id;
    if cluster.winner_signal_id.is_none() || !places.iter().any(|place| is_winner(*place)) {
        return false;
    }
    let rank = |signal: SignalId| cluster.members.iter().position(|member| member.signal_id == signal);
    // Versions that are not in the list of members come last.
    let last = cluster.members.len();
    let ranked = |place: usize| mark(place).and_then(|mark| rank(mark.signal_id)).unwrap_or(last);
    places.sort_by_key(|place| (!is_winner(*place), ranked(*place), *place));
    true
}

/// While nothing is decided, the versions keep their positions, but those that are gone at their sources get the last
/// ones.
fn demote_gone<'a>(places: &[usize], order: &mut [Option<Candidate<'a>>]) {
    let mut held: Vec<Option<Candidate<'a>>> = places.iter().map(|place| order[*place].take()).collect();
    held.sort_by_key(|candidate| candidate.as_ref().is_some_and(is_gone));
    for (place, candidate) in places.iter().zip(held) {
        order[*place] = candidate;
    }
}

fn mark_of<'a>(candidate: &Candidate<'a>) -> Option<&'a CacheStatus> {
    candidate.item.cache.as_deref()
}

fn cluster_of<'a>(candidate: &Candidate<'a>) -> Option<&'a ClusterMark> {
    mark_of(candidate)?.cluster.as_ref()
}

fn is_pinned(candidate: &Candidate<'_>) -> bool {
    mark_of(candidate).is_some_and(|mark| mark.badge == Badge::Pinned)
}

fn is_gone(candidate: &Candidate<'_>) -> bool {
    mark_of(candidate).is_some_and(|mark| mark.liveness == Liveness::Gone)
}

#[cfg(test)]
mod tests {
    use crate::CATALOGUE;
    use crate::shared::fixtures::{Sample, arranged_as, set};
    use domain::corpus::{Badge, DecidedBy, Liveness};
    use domain::ids::SignalId;
    use domain::result::ResultSet;
    use testkit::versions::{VersionStatuses, alone, decided, mark, undecided};

    /// Results 1 to 8 in the order of their ids, from two sources; 2, 4, 6 and 8 are cached documents.
    fn sets(standings: &VersionStatuses, gone: &[i64]) -> [ResultSet; 2] {
        let sample = |id: i64| Sample {
            id,
            score: (9 - id) as f64,
            confidence: (9 - id) as f64 / 10.0,
            date: "2024-05-01 00:00:00",
            rank: id as u32,
            is_new: true,
            ..Sample::default()
        };
        let mut cache = set(1, &[2, 4, 6, 8].map(sample));
        for item in &mut cache.items {
            let id = item.swirl_id.0;
            let mut mark = mark(id);
            if gone.contains(&id) {
                mark.liveness = Liveness::Gone;
            }
            if let Some(standing) = standings.get(&SignalId(id)) {
                mark.set_version_status(standing.clone());
            }
            item.cache = Some(Box::new(mark));
        }
        [cache, set(2, &[1, 3, 5, 7].map(sample))]
    }

    /// Each version status, and the resulting order by relevancy.
    fn table() -> Vec<(&'static str, VersionStatuses, Vec<i64>, [i64; 8])> {
        let elected = |members: &[i64]| decided(members, DecidedBy::Election, 7);
        let pinned = |members: &[i64]| decided(members, DecidedBy::Pin, 7);
        let hidden = VersionStatuses::from_iter(elected(&[8, 2, 4]).into_iter().filter(|(id, _)| id.0 != 8));
        let both = elected(&[6, 2]).into_iter().chain(pinned(&[8, 4])).collect();
        let two = VersionStatuses::from([alone(6, Badge::Pinned), alone(8, Badge::Pinned)]);
        vec![
            ("nothing", VersionStatuses::new(), vec![], [1, 2, 3, 4, 5, 6, 7, 8]),
            ("elected", elected(&[6, 2]), vec![], [1, 6, 2, 3, 4, 5, 7, 8]),
            ("by rank", elected(&[8, 4, 6, 2]), vec![], [1, 8, 4, 6, 2, 3, 5, 7]),
            ("it is the best", elected(&[2, 8, 4]), vec![], [1, 2, 8, 4, 3, 5, 6, 7]),
            ("pinned", pinned(&[8, 4]), vec![], [8, 4, 1, 2, 3, 5, 6, 7]),
            (
                "pinned alone",
                VersionStatuses::from([alone(6, Badge::Pinned)]),
                vec![],
                [6, 1, 2, 3, 4, 5, 7, 8],
            ),
            ("two pinned", two, vec![], [6, 8, 1, 2, 3, 4, 5, 7]),
            ("one of each", both, vec![], [8, 4, 1, 6, 2, 3, 5, 7]),
            ("undecided", undecided(&[2, 4, 6]), vec![], [1, 2, 3, 4, 5, 6, 7, 8]),
            ("gone and undecided", undecided(&[2, 4, 6]), vec![2], [1, 4, 3, 6, 5, 2, 7, 8]),
            ("gone and alone", VersionStatuses::new(), vec![2], [1, 2, 3, 4, 5, 6, 7, 8]),
            ("the winner is not in the list", hidden, vec![2], [1, 4, 3, 2, 5, 6, 7, 8]),
        ]
    }

    #[test]
    fn by_relevancy_the_version_that_counts_comes_first() {
        for name in ["RelevancyConfidenceMixer", "RelevancyMixer", "RelevancyNewItemsMixer"] {
            let kind = CATALOGUE.iter().find(|kind| kind.name == name).expect("a mixer");
            for (case, standings, gone, expected) in table() {
                let sets = sets(&standings, &gone);
                assert_eq!(arranged_as(kind, &sets, true).0, expected, "{name}: {case}");
                let plain = [1, 2, 3, 4, 5, 6, 7, 8];
                assert_eq!(arranged_as(kind, &sets, false).0, plain, "{name}: {case}, switched off");
            }
        }
    }

    #[test]
    fn no_other_order_is_touched() {
        let others = CATALOGUE.iter().filter(|kind| !kind.name.starts_with("Relevancy"));
        let mut count = 0;
        for kind in others {
            count += 1;
            let plain = arranged_as(kind, &sets(&VersionStatuses::new(), &[]), false);
            for (case, standings, gone, _) in table() {
                assert_eq!(arranged_as(kind, &sets(&standings, &gone), true), plain, "{}: {case}", kind.name);
            }
        }
        assert_eq!(count, CATALOGUE.len() - 3);
    }
}
