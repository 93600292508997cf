//! The status of each version after the decision, as shown in its result.

use crate::names::version_label;
use domain::corpus::{Badge, ClusterMark, ClusterMember, DecidedBy, MemberRole, Signal, VersionStatus};
use domain::ids::{RunId, SignalId};
use syntax::dates::normalize_date;

/// The decision on the versions of one document.
pub struct Decision {
    pub by: DecidedBy,
    pub winner: SignalId,
    /// Versions that were not eligible.
    pub ineligible: Vec<SignalId>,
}

/// `versions` are two or more, the winner first, then by rank. `run_id` is the election that decided, the approved one
/// behind a pin, or an undecided one.
pub fn statuses(
    versions: &[&Signal],
    decision: Option<&Decision>,
    run_id: Option<RunId>,
) -> Vec<(SignalId, VersionStatus)> {
    let Some(key) = versions.iter().map(|one| one.signal_id).min() else { return Vec::new() };
    let members: Vec<ClusterMember> = versions.iter().map(|one| member(one)).collect();
    let status = |one: &&Signal| {
        let id = one.signal_id;
        let role = decision.map(|decision| match decision {
            Decision { winner, .. } if *winner == id => MemberRole::Winner,
            Decision { ineligible, .. } if ineligible.contains(&id) => MemberRole::Ineligible,
            _ => MemberRole::Alternate,
        });
        let badge = match (role, decision.map(|decision| decision.by)) {
            (Some(MemberRole::Winner), Some(DecidedBy::Pin)) => Badge::Pinned,
            (Some(MemberRole::Winner), _) => Badge::AutoSelected,
            (Some(_), _) => Badge::Alternate,
            (None, _) => Badge::Cached,
        };
        let cluster = ClusterMark {
            key,
            size: u32::try_from(members.len()).unwrap_or(u32::MAX),
            role,
            winner_signal_id: decision.map(|decision| decision.winner),
            decided_by: decision.map(|decision| decision.by),
            members: members.clone(),
        };
        (id, VersionStatus { badge, cluster: Some(cluster), run_id })
    };
    versions.iter().map(status).collect()
}

/// A document without other versions.
pub fn alone(is_pinned: bool, run_id: Option<RunId>) -> VersionStatus {
    let badge = if is_pinned { Badge::Pinned } else { Badge::Cached };
    VersionStatus { badge, cluster: None, run_id: run_id.filter(|_| is_pinned) }
}

fn member(signal: &Signal) -> ClusterMember {
    let label = if signal.version_label.is_empty() {
        version_label(&signal.title, &signal.url)
    } else {
        signal.version_label.clone()
    };
    ClusterMember {
        signal_id: signal.signal_id,
        title: signal.title.clone(),
        url: signal.url.clone(),
        version_label: label,
        date: normalize_date(&signal.date_published),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::fixtures::signal;

    #[test]
    fn every_version_tells_what_was_decided() {
        let signals = [signal(4, "A v2"), signal(3, "A v1"), signal(9, "A")];
        let versions: Vec<&Signal> = signals.iter().collect();
        let by = |by| Decision { by, winner: SignalId(4), ineligible: vec![SignalId(9)] };
        let table = [
            (
                Some(by(DecidedBy::Election)),
                "4 AutoSelected winner, 3 Alternate alternate, 9 Alternate ineligible",
            ),
            (Some(by(DecidedBy::Pin)), "4 Pinned winner, 3 Alternate alternate, 9 Alternate ineligible"),
            (None, "4 Cached -, 3 Cached -, 9 Cached -"),
        ];
        for (decision, expected) in table {
            let found = statuses(&versions, decision.as_ref(), Some(RunId(7)));
            let told = |(id, status): &(SignalId, VersionStatus)| {
                let cluster = status.cluster.as_ref().expect("versions");
                assert_eq!((cluster.key, cluster.size), (SignalId(3), 3));
                let ids: Vec<i64> = cluster.members.iter().map(|one| one.signal_id.0).collect();
                assert_eq!(ids, [4, 3, 9]);
                assert_eq!(status.run_id, Some(RunId(7)));
                assert_eq!(cluster.decided_by, decision.as_ref().map(|one| one.by));
                assert_eq!(cluster.winner_signal_id.is_some(), decision.is_some());
                format!("{id} {:?} {}", status.badge, cluster.role.map_or("-", MemberRole::as_str))
            };
            assert_eq!(found.iter().map(told).collect::<Vec<_>>().join(", "), expected);
            let cluster = found[0].1.cluster.as_ref().expect("versions");
            assert_eq!(cluster.members[0].version_label, "v2");
            assert_eq!(cluster.members[0].date, "unknown");
        }
    }
}
