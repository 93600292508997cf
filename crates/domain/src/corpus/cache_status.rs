//! `cache` of a result: its document in the semantic cache, and how reliable it is.

use super::{ClusterMark, DecidedBy, Liveness, MemberRole, Signal, SignalState, VersionStatus};
use crate::ids::{RunId, SignalId};
use crate::instant::Instant;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// The badge of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub enum Badge {
    #[default]
    Cached,
    /// Pinned by a user for this very query.
    Pinned,
    /// It won the election among its versions.
    #[serde(rename = "Auto-selected")]
    AutoSelected,
    /// Another version counts.
    Alternate,
}

/// The status of the document of a result from the semantic cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CacheMark)]
pub struct CacheStatus {
    pub signal_id: SignalId,
    pub state: SignalState,
    pub badge: Badge,
    /// Its versions among the results; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterMark>,
    /// The election that chose among them, or the approved one behind a pin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// When the copy was last known to match the source.
    pub last_verified: Option<DateTime<Utc>>,
    pub liveness: Liveness,
    /// True if that was longer ago than `SVC_CACHE_LIVENESS_RECHECK_SECONDS`.
    pub stale: bool,
    /// It is known that somebody sent it to an external recipient.
    pub shared_externally: bool,
    pub matter_tags: Vec<String>,
}

/// The current status of documents by id. Documents that are not visible are omitted.
type CacheStatuses = BTreeMap<SignalId, CacheStatus>;

/// Whether current statuses tell which documents are pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinInfo {
    /// They were requested with the topic of the search.
    Known,
    Unknown,
}

impl CacheStatus {
    /// The current status of a document, outside of any search.
    pub fn of(signal: &Signal, now: Instant, recheck: Duration) -> Self {
        let age = |verified: Instant| (now - verified).to_std().unwrap_or_default();
        Self {
            signal_id: signal.signal_id,
            state: signal.state,
            badge: Badge::Cached,
            cluster: None,
            run_id: None,
            last_verified: signal.last_verified,
            liveness: signal.liveness,
            stale: signal.last_verified.is_none_or(|verified| age(verified) > recheck),
            shared_externally: false,
            matter_tags: signal.matter_tags.clone(),
        }
    }

    /// Sets its status in one search.
    pub fn set_version_status(&mut self, version_status: VersionStatus) {
        self.badge = version_status.badge;
        self.cluster = version_status.cluster;
        self.run_id = version_status.run_id;
    }

    pub fn version_status(&self) -> VersionStatus {
        VersionStatus { badge: self.badge, cluster: self.cluster.clone(), run_id: self.run_id }
    }

    /// Every document that the status mentions: its own, and its other versions.
    pub fn signals(&self) -> impl Iterator<Item = SignalId> + '_ {
        let versions = self.cluster.iter().flat_map(|cluster| &cluster.members);
        std::iter::once(self.signal_id).chain(versions.map(|member| member.signal_id))
    }

    /// Another version counts, and this one is listed under it.
    pub fn is_alternate(&self) -> bool {
        self.badge == Badge::Alternate
    }

    /// The election that chose among its versions, if there was one.
    pub fn elected_by(&self) -> Option<RunId> {
        let cluster = self.cluster.as_ref()?;
        self.run_id.filter(|_| cluster.decided_by == Some(DecidedBy::Election))
    }

    /// Clears a rejected election: its versions are undecided until the next one.
    pub fn clear_election(&mut self) {
        let Some(cluster) = &mut self.cluster else { return };
        (cluster.role, cluster.winner_signal_id, cluster.decided_by) = (None, None, None);
        (self.badge, self.run_id) = (Badge::Cached, None);
    }

    /// Updates the saved status to the current one; false if its document is not among `statuses`.
    ///
    /// Versions that are not visible are removed. A pin that was made since then decides; if a pin was removed, or the
    /// winner is not visible, the versions are undecided until the next search.
    pub fn refresh(&mut self, statuses: &CacheStatuses, pins: PinInfo) -> bool {
        let Some(now) = statuses.get(&self.signal_id) else { return false };
        let saved = std::mem::replace(self, now.clone());
        if saved.badge == Badge::Pinned && pins == PinInfo::Unknown {
            (self.badge, self.run_id) = (Badge::Pinned, saved.run_id);
        }
        let Some(mut cluster) = saved.cluster else { return true };
        cluster.members.retain(|member| statuses.contains_key(&member.signal_id));
        cluster.size = u32::try_from(cluster.members.len()).unwrap_or(u32::MAX);
        if cluster.size < 2 {
            return true;
        }
        redecide(&mut cluster, statuses, pins);
        let (is_winner, decided_by) = (cluster.winner_signal_id == Some(self.signal_id), cluster.decided_by);
        cluster.role = decided_by.map(|_| match cluster.role {
            _ if is_winner => MemberRole::Winner,
            Some(MemberRole::Ineligible) => MemberRole::Ineligible,
            _ => MemberRole::Alternate,
        });
        self.badge = match decided_by {
            None => Badge::Cached,
            Some(DecidedBy::Pin) if is_winner => Badge::Pinned,
            Some(DecidedBy::Election) if is_winner => Badge::AutoSelected,
            Some(_) => Badge::Alternate,
        };
        self.run_id = match decided_by {
            None => None,
            // The pin may differ from the one at the time of the search, and so may the election behind it.
            Some(DecidedBy::Pin) if pins == PinInfo::Known => {
                cluster.winner_signal_id.and_then(|id| statuses.get(&id)?.run_id)
            }
            Some(_) => saved.run_id,
        };
        self.cluster = Some(cluster);
        true
    }
}

/// Decides again which of the versions counts. That one comes first.
fn redecide(cluster: &mut ClusterMark, statuses: &CacheStatuses, pins: PinInfo) {
    let ids = || cluster.members.iter().map(|member| member.signal_id);
    let is_pinned = |id: &SignalId| statuses.get(id).is_some_and(|status| status.badge == Badge::Pinned);
    let before = cluster.winner_signal_id.filter(|winner| statuses.contains_key(winner));
    let (winner, by) = match ids().find(is_pinned) {
        Some(pinned) => (Some(pinned), Some(DecidedBy::Pin)),
        None if pins == PinInfo::Known && cluster.decided_by == Some(DecidedBy::Pin) => (None, None),
        None => (before, cluster.decided_by.filter(|_| before.is_some())),
    };
    cluster.winner_signal_id = winner;
    cluster.decided_by = by;
    cluster.members.sort_by_key(|member| Some(member.signal_id) != winner);
}

#[cfg(test)]
mod tests {
    use super::super::ClusterMember;
    use super::PinInfo::{Known, Unknown};
    use super::*;

    fn status(id: i64, badge: Badge) -> CacheStatus {
        CacheStatus {
            signal_id: SignalId(id),
            state: SignalState::Indexed,
            badge,
            cluster: None,
            run_id: None,
            last_verified: None,
            liveness: Liveness::Unknown,
            stale: true,
            shared_externally: false,
            matter_tags: Vec::new(),
        }
    }

    /// Document `id` of the versions 1, 2 and 3, of which 1 was chosen; 3 could not be.
    fn saved(id: i64, by: DecidedBy) -> CacheStatus {
        let member = |id| ClusterMember {
            signal_id: SignalId(id),
            title: format!("secret {id}"),
            url: String::new(),
            version_label: String::new(),
            date: String::new(),
        };
        let role = [MemberRole::Winner, MemberRole::Alternate, MemberRole::Ineligible][id as usize - 1];
        let badge = match (id, by) {
            (1, DecidedBy::Pin) => Badge::Pinned,
            (1, DecidedBy::Election) => Badge::AutoSelected,
            _ => Badge::Alternate,
        };
        let cluster = ClusterMark {
            key: SignalId(1),
            size: 3,
            role: Some(role),
            winner_signal_id: Some(SignalId(1)),
            decided_by: Some(by),
            members: vec![member(1), member(2), member(3)],
        };
        CacheStatus { cluster: Some(cluster), run_id: Some(RunId(9)), stale: false, ..status(id, badge) }
    }

    fn told(status: &CacheStatus) -> String {
        assert!(status.stale, "what stands on the document is that of now");
        let Some(cluster) = &status.cluster else { return format!("{:?} alone", status.badge) };
        let ids: Vec<String> = cluster.members.iter().map(|one| one.signal_id.to_string()).collect();
        assert_eq!(cluster.size as usize, ids.len());
        format!("{:?} {:?} of {}", status.badge, cluster.role, ids.join(","))
    }

    #[test]
    fn what_was_decided_is_brought_up_to_now() {
        use Badge::{Cached, Pinned};
        use DecidedBy::{Election, Pin};
        let all = |pinned: i64| [1, 2, 3].map(|id| (id, if id == pinned { Pinned } else { Cached })).to_vec();
        let table = [
            (1, Election, all(0), Known, "AutoSelected Some(Winner) of 1,2,3"),
            (2, Election, all(0), Known, "Alternate Some(Alternate) of 1,2,3"),
            (3, Election, all(0), Known, "Alternate Some(Ineligible) of 1,2,3"),
            (1, Election, all(2), Known, "Alternate Some(Alternate) of 2,1,3"),
            (2, Election, all(2), Known, "Pinned Some(Winner) of 2,1,3"),
            (1, Pin, all(1), Known, "Pinned Some(Winner) of 1,2,3"),
            (1, Pin, all(0), Known, "Cached None of 1,2,3"),
            (2, Pin, all(0), Known, "Cached None of 1,2,3"),
            (1, Pin, all(0), Unknown, "Pinned Some(Winner) of 1,2,3"),
            (2, Pin, all(0), Unknown, "Alternate Some(Alternate) of 1,2,3"),
            (2, Election, vec![(2, Cached), (3, Cached)], Known, "Cached None of 2,3"),
            (2, Election, vec![(2, Cached)], Known, "Cached alone"),
            (2, Pin, vec![(2, Cached), (3, Pinned)], Known, "Alternate Some(Alternate) of 3,2"),
            (1, Election, vec![(1, Cached), (3, Cached)], Known, "AutoSelected Some(Winner) of 1,3"),
        ];
        for (id, by, now, pins, expected) in table {
            let statuses: CacheStatuses =
                now.iter().map(|(id, badge)| (SignalId(*id), status(*id, *badge))).collect();
            let mut one = saved(id, by);
            assert!(one.refresh(&statuses, pins));
            assert_eq!(told(&one), expected, "{id} {by:?} {now:?} {pins:?}");
        }
        assert!(!saved(1, Election).refresh(&CacheStatuses::from([(SignalId(2), status(2, Cached))]), Known));
    }

    #[test]
    fn a_document_without_versions() {
        let pinned = CacheStatus { run_id: Some(RunId(9)), ..status(1, Badge::Pinned) };
        for (now, of_pin, pins, expected, run) in [
            (Badge::Pinned, Some(RunId(9)), Known, Badge::Pinned, Some(RunId(9))),
            (Badge::Pinned, None, Known, Badge::Pinned, None),
            (Badge::Cached, None, Known, Badge::Cached, None),
            (Badge::Cached, None, Unknown, Badge::Pinned, Some(RunId(9))),
        ] {
            let mut one = pinned.clone();
            let now = CacheStatus { run_id: of_pin, ..status(1, now) };
            assert!(one.refresh(&CacheStatuses::from([(SignalId(1), now.clone())]), pins));
            assert_eq!((one.badge, one.run_id), (expected, run), "{now:?} {pins:?}");
        }
    }

    #[test]
    fn the_election_behind_a_decision_is_that_of_now() {
        use DecidedBy::{Election, Pin};
        let all = |pinned: i64, of_pin: Option<i64>| -> CacheStatuses {
            let one = |id| {
                if id == pinned {
                    CacheStatus { run_id: of_pin.map(RunId), ..status(id, Badge::Pinned) }
                } else {
                    status(id, Badge::Cached)
                }
            };
            [1, 2, 3].map(|id| (SignalId(id), one(id))).into()
        };
        let table = [
            (Election, all(0, None), Known, Some(9)),
            (Election, all(2, None), Known, None),
            (Election, all(2, Some(11)), Known, Some(11)),
            (Pin, all(1, Some(9)), Known, Some(9)),
            (Pin, all(1, None), Known, None),
            (Pin, all(0, None), Known, None),
            (Pin, all(0, None), Unknown, Some(9)),
        ];
        for (number, (by, statuses, pins, expected)) in table.into_iter().enumerate() {
            for id in 1..=3 {
                let mut one = saved(id, by);
                assert!(one.refresh(&statuses, pins));
                assert_eq!(one.run_id, expected.map(RunId), "row {number}, document {id}");
            }
        }
    }

    #[test]
    fn a_rejected_election_leaves_the_versions_undecided() {
        assert_eq!(saved(2, DecidedBy::Election).elected_by(), Some(RunId(9)));
        assert_eq!(saved(2, DecidedBy::Pin).elected_by(), None, "a pin is no election");
        assert_eq!(status(1, Badge::Cached).elected_by(), None);
        for (pinned, expected) in [
            (0, ["Cached None", "Cached None", "Cached None"]),
            (2, ["Alternate Some(Alternate)", "Pinned Some(Winner)", "Alternate Some(Alternate)"]),
        ] {
            let badge = |id| if id == pinned { Badge::Pinned } else { Badge::Cached };
            let statuses: CacheStatuses = [1, 2, 3].map(|id| (SignalId(id), status(id, badge(id)))).into();
            for (id, expected) in (1..).zip(expected) {
                let mut one = saved(id, DecidedBy::Election);
                one.clear_election();
                assert!(one.refresh(&statuses, Known));
                assert!(told(&one).starts_with(expected), "{}", told(&one));
                assert_eq!(one.run_id, None);
            }
        }
    }
}
