//! Repeats an election from its stored inputs.

use super::candidate::Candidate;
use super::factors::{newest, recency};
use super::outcome::run_election;
use domain::corpus::{Member, Run};

/// How the outcome differs from the stored one, in sentences; empty: it is identical.
pub fn replay(run: &Run) -> Vec<String> {
    let newest = newest(run.members.iter().map(|member| member.dated));
    let candidates = run.members.iter().map(|member| Candidate {
        signal_id: member.signal_id,
        relevance: member.relevance,
        is_gone: member.is_gone,
        dated: member.dated,
        factors: member.factors,
        reasons: Vec::new(),
    });
    let again = run_election(candidates.collect(), &run.weights, &run.thresholds);
    let mut found = Vec::new();
    if again.winner != Some(run.winner_signal_id) {
        let winner = again.winner.map_or_else(|| "nobody".to_owned(), |winner| winner.to_string());
        found.push(format!("The winner is {winner}, not {}.", run.winner_signal_id));
    }
    if again.margin != run.margin {
        found.push(format!("The margin is {}, not {}.", again.margin, run.margin));
    }
    if run.members.iter().map(|member| member.signal_id).min() != Some(run.cluster_key) {
        found.push(format!("The cluster is not that of {}.", run.cluster_key));
    }
    for (member, stored) in again.members.iter().zip(&run.members) {
        found.extend(difference(member, stored));
        if recency(stored.dated, newest) != stored.factors.recency {
            found.push(format!("The recency of {} does not follow from its date.", stored.signal_id));
        }
    }
    found
}

fn difference(again: &Member, stored: &Member) -> Option<String> {
    let outcome = |member: &Member| {
        let Member { signal_id, eligible, score, rank, role, .. } = member;
        format!("{signal_id} at rank {rank} with score {score}, {} ({eligible})", role.as_str())
    };
    let (again, stored) = (outcome(again), outcome(stored));
    (again != stored).then(|| format!("It is {again}, not {stored}."))
}

#[cfg(test)]
mod tests {
    use super::super::factors::{Facts, candidates};
    use super::super::rounding::exact;
    use super::*;
    use crate::versions::fixtures::signal;
    use chrono::DateTime;
    use domain::corpus::{Factors, Liveness, RunStatus, Scope, Signal, SourceKind, Thresholds, Weights};
    use domain::ids::{RunId, SearchId};
    use proptest::prelude::*;
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    fn run_of(candidates: Vec<Candidate>, weights: Weights, thresholds: Thresholds) -> Option<Run> {
        let election = run_election(candidates, &weights, &thresholds);
        Some(Run {
            run_id: RunId(1),
            query: "lease".to_owned(),
            query_key: "lease".to_owned(),
            scope: Scope::Firm,
            cluster_key: election.members.iter().map(|member| member.signal_id).min()?,
            status: RunStatus::AutoElected,
            auto: true,
            winner_signal_id: election.winner?,
            margin: election.margin,
            members: election.members,
            weights,
            thresholds,
            created_at: DateTime::default(),
            decided_by: None,
            decided_at: None,
            reject_reason: None,
            comment: String::new(),
            search_id: SearchId(1),
            search_owner: None,
        })
    }

    fn through_json<T: Serialize + DeserializeOwned>(value: &T) -> T {
        // As PostgreSQL stores it: parsed and rewritten.
        let parsed: serde_json::Value =
            serde_json::from_str(&serde_json::to_string(value).expect("json")).expect("json");
        serde_json::from_str(&parsed.to_string()).expect("the same type")
    }

    fn documents() -> impl Strategy<Value = Vec<(Signal, f64, [u8; 4])>> {
        let title =
            prop_oneof![Just("Lease"), Just("Lease v2 draft"), Just("Lease v7.3 final"), Just("Lease (3)")];
        let date = prop_oneof![
            Just("unknown".to_owned()),
            (0..20_000_i64).prop_map(|day| {
                DateTime::from_timestamp(day * 86_400 + day, 0).unwrap_or_default().to_rfc3339()
            })
        ];
        let kind = proptest::sample::select(SourceKind::ALL);
        let one = (title, date, kind, any::<bool>(), 0.0..=1.0_f64, any::<[u8; 4]>());
        proptest::collection::vec(one, 1..12).prop_map(|all| {
            let document = |(id, (title, date, kind, is_gone, relevance, said))| {
                let one = Signal {
                    date_published: date,
                    source_kind: kind,
                    liveness: if is_gone { Liveness::Gone } else { Liveness::Alive },
                    ..signal(id, title)
                };
                (one, relevance, said)
            };
            (1..).zip(all).map(document).collect()
        })
    }

    proptest! {
        #[test]
        fn every_election_comes_out_the_same_again(
            documents in documents(),
            weights in proptest::array::uniform7(-1000.0..1000.0_f64),
            thresholds in (0.0..=1.0_f64, 0.0..=1.0_f64),
        ) {
            let facts: Vec<Facts<'_>> = documents.iter().map(|(signal, relevance, said)| Facts {
                signal,
                relevance: *relevance,
                authority: (said[0] > 100).then(|| f64::from(said[0]) / 333.0),
                is_shared: said[1] > 128,
                is_pinned_elsewhere: said[2] > 128,
                is_rejected: said[3] > 200,
                rejections_elsewhere: u32::from(said[3]) % 6,
            }).collect();
            let thresholds = Thresholds { relevance_min: thresholds.0 / 4.0, relevance_ratio: thresholds.1 };
            let (weights, thresholds) = exact(&Weights(Factors::of(weights)), &thresholds);
            let now = DateTime::from_timestamp(1_767_323_045, 0).unwrap_or_default();
            let candidates = candidates(&facts, now);
            for factor in candidates.iter().flat_map(|one| one.factors.values()) {
                prop_assert!((0.0..=1.0).contains(&factor));
            }
            let mut other_way = candidates.clone();
            other_way.reverse();
            let Some(run) = run_of(candidates, weights, thresholds) else { return Ok(()) };
            prop_assert_eq!(replay(&run), Vec::<String>::new());
            let stored = Run {
                members: through_json(&run.members),
                weights: through_json(&run.weights),
                thresholds: through_json(&run.thresholds),
                margin: through_json(&run.margin),
                ..run.clone()
            };
            prop_assert_eq!(&stored, &run, "it reads back as it was written");
            prop_assert_eq!(replay(&stored), Vec::<String>::new());
            prop_assert_eq!(run_of(other_way, weights, thresholds), Some(run), "the order of the documents says nothing");
        }
    }

    #[test]
    fn what_was_changed_is_seen() {
        let documents = [("Lease v1", "2024-01-01"), ("Lease v2", "2025-01-01")];
        let signals: Vec<Signal> = (1..)
            .zip(documents)
            .map(|(id, (title, date))| Signal { date_published: date.to_owned(), ..signal(id, title) })
            .collect();
        let facts: Vec<Facts<'_>> = signals
            .iter()
            .map(|signal| Facts {
                signal,
                relevance: 0.5,
                authority: None,
                is_shared: false,
                is_pinned_elsewhere: false,
                is_rejected: false,
                rejections_elsewhere: 0,
            })
            .collect();
        let thresholds = Thresholds { relevance_min: 0.1, relevance_ratio: 0.6 };
        let now = DateTime::from_timestamp(1_767_323_045, 0).unwrap_or_default();
        let run = run_of(candidates(&facts, now), Weights::default(), thresholds).expect("a winner");
        let changes: [fn(&mut Run); 9] = [
            |run| run.winner_signal_id = run.members[1].signal_id,
            |run| run.margin += 1e-6,
            |run| run.members[0].score += 1e-6,
            |run| run.members[1].rank = 1,
            |run| run.members[1].factors.naming -= 1e-6,
            |run| run.members[1].dated = None,
            |run| run.members[0].is_gone = true,
            |run| run.weights.0.naming += 1.0,
            |run| run.thresholds.relevance_min = 0.6,
        ];
        assert_eq!(replay(&run), Vec::<String>::new());
        for (number, change) in changes.iter().enumerate() {
            let mut changed = run.clone();
            change(&mut changed);
            assert_ne!(replay(&changed), Vec::<String>::new(), "change {number}");
        }
    }
}
