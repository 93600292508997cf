//! An election among the versions of a document: thresholds, factors and weights in, ranks and reasons out. It asks nobody and
//! remembers nothing.
//!
//! Everything that a place follows from is cut to six digits before it is used and stands on the member, so that the same
//! outcome, to the digit, follows from what is stored.
//!
//! | Module | What lives there |
//! |---|---|
//! | `factors` | what is known of each version becomes seven numbers |
//! | `format` | which format a version has |
//! | `naming` | what a version says of itself in its name |
//! | `thresholds` | which versions can be elected |
//! | `replay` | the same again from what is stored |

mod factors;
mod format;
mod naming;
mod replay;
mod thresholds;

pub use factors::{Facts, candidates};
pub use replay::replay;

use chrono::{DateTime, Utc};
use domain::corpus::{Factors, Member, MemberRole, Reason, Thresholds, Weights};
use domain::ids::SignalId;
use std::cmp::Ordering;

/// Digits behind the point that count.
const SCALE: f64 = 1e6;

/// A version that stands for election. Its numbers have six digits behind the point at most.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub signal_id: SignalId,
    pub relevance: f64,
    pub is_gone: bool,
    pub dated: Option<DateTime<Utc>>,
    pub factors: Factors,
    /// What the factors follow from.
    pub reasons: Vec<Reason>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Election {
    /// By rank.
    pub members: Vec<Member>,
    /// None: nobody could be elected.
    pub winner: Option<SignalId>,
    /// By how much the winner is ahead; 0 where nobody else could be elected.
    pub margin: f64,
}

/// Holds the election. `weights` and `thresholds` have six digits behind the point at most, as [`exact`] makes them.
pub fn hold(candidates: Vec<Candidate>, weights: &Weights, thresholds: &Thresholds) -> Election {
    let best = candidates.iter().map(|one| one.relevance).fold(0.0, f64::max);
    let mut members: Vec<Member> = candidates
        .into_iter()
        .map(|one| {
            let mut reasons = thresholds::obstacles(one.relevance, best, one.is_gone, thresholds);
            let eligible = reasons.is_empty();
            reasons.extend(one.reasons);
            Member {
                signal_id: one.signal_id,
                relevance: one.relevance,
                is_gone: one.is_gone,
                dated: one.dated,
                eligible,
                reasons,
                factors: one.factors,
                score: score(weights, &one.factors),
                rank: 0,
                role: MemberRole::Ineligible,
            }
        })
        .collect();
    members.sort_by(order);
    for (rank, member) in (1..).zip(&mut members) {
        member.rank = rank;
        member.role = match (member.eligible, rank) {
            (false, _) => MemberRole::Ineligible,
            (true, 1) => MemberRole::Winner,
            (true, _) => MemberRole::Alternate,
        };
    }
    let mut elected = members.iter().filter(|member| member.eligible);
    let (winner, second) = (elected.next(), elected.next());
    let margin = winner.zip(second).map_or(0.0, |(winner, second)| round(winner.score - second.score));
    Election { winner: winner.map(|member| member.signal_id), margin, members }
}

/// What each factor adds to the score: weight times factor.
pub fn contributions(weights: &Weights, factors: &Factors) -> Factors {
    let (weights, factors) = (weights.0.values(), factors.values());
    Factors::of(std::array::from_fn(|place| round(weights[place] * factors[place])))
}

/// Weights and thresholds as an election counts with them.
pub fn exact(weights: &Weights, thresholds: &Thresholds) -> (Weights, Thresholds) {
    let thresholds = Thresholds {
        relevance_min: round(thresholds.relevance_min),
        relevance_ratio: round(thresholds.relevance_ratio),
    };
    (Weights(Factors::of(weights.0.values().map(round))), thresholds)
}

/// Six digits behind the point, and no minus before a zero. What is no number is 0.
pub fn round(number: f64) -> f64 {
    if number.is_finite() { (number * SCALE).round() / SCALE + 0.0 } else { 0.0 }
}

/// The sum of the contributions as they are shown.
fn score(weights: &Weights, factors: &Factors) -> f64 {
    round(contributions(weights, factors).values().iter().sum())
}

/// Those that can be elected first; then the higher score, the higher relevance, the newer date, the lower id.
fn order(one: &Member, other: &Member) -> Ordering {
    let by_choice = other.eligible.cmp(&one.eligible).then_with(|| other.score.total_cmp(&one.score));
    by_choice
        .then_with(|| other.relevance.total_cmp(&one.relevance))
        .then_with(|| other.dated.cmp(&one.dated))
        .then_with(|| one.signal_id.cmp(&other.signal_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATES: Thresholds = Thresholds { relevance_min: 0.1, relevance_ratio: 0.6 };

    fn candidate(id: i64, relevance: f64, day: Option<i64>, authority: f64) -> Candidate {
        Candidate {
            signal_id: SignalId(id),
            relevance,
            is_gone: false,
            dated: day.and_then(|day| DateTime::from_timestamp(day * 86_400, 0)),
            factors: Factors { source_authority: authority, ..Factors::default() },
            reasons: vec![Reason::Newest],
        }
    }

    /// `id:role` by rank.
    fn told(election: &Election) -> String {
        let one = |member: &Member| format!("{}:{}", member.signal_id, member.role.as_str());
        election.members.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_highest_score_wins_and_ties_have_an_order() {
        let table: [(Vec<Candidate>, &str, f64); 7] = [
            (vec![candidate(1, 0.5, None, 0.2), candidate(2, 0.5, None, 1.0)], "2:winner 1:alternate", 2.4),
            (vec![candidate(1, 0.5, None, 0.2), candidate(2, 0.6, None, 0.2)], "2:winner 1:alternate", 0.0),
            (
                vec![candidate(1, 0.5, Some(1), 0.2), candidate(2, 0.5, Some(2), 0.2)],
                "2:winner 1:alternate",
                0.0,
            ),
            (
                vec![candidate(1, 0.5, None, 0.2), candidate(2, 0.5, Some(2), 0.2)],
                "2:winner 1:alternate",
                0.0,
            ),
            (vec![candidate(2, 0.5, None, 0.2), candidate(1, 0.5, None, 0.2)], "1:winner 2:alternate", 0.0),
            // The better score cannot be elected: its margin is no margin.
            (vec![candidate(1, 0.9, None, 0.2), candidate(2, 0.2, None, 1.0)], "1:winner 2:ineligible", 0.0),
            (
                vec![candidate(1, 0.05, None, 0.2), candidate(2, 0.01, None, 1.0)],
                "2:ineligible 1:ineligible",
                0.0,
            ),
        ];
        for (candidates, expected, margin) in table {
            let election = hold(candidates, &Weights::default(), &GATES);
            assert_eq!((told(&election).as_str(), election.margin), (expected, margin));
            let first = election.members.first().filter(|member| member.eligible);
            assert_eq!(election.winner, first.map(|member| member.signal_id));
        }
        assert_eq!(hold(Vec::new(), &Weights::default(), &GATES).winner, None);
    }

    #[test]
    fn contributions_add_up_to_the_score() {
        let factors = Factors::of([0.7, 0.633_333, 0.123_457, 0.8, 1.0, 0.0, 0.25]);
        let weights = Weights::default();
        let parts = contributions(&weights, &factors);
        let expected = Factors::of([2.1, 1.266_666, 0.246_914, 0.8, 1.5, 0.0, -1.0]);
        assert_eq!(parts, expected);
        assert_eq!(score(&weights, &factors), 4.91358);
    }

    #[test]
    fn numbers_have_six_digits() {
        for (number, expected) in
            [(0.123_456_7, 0.123_457), (-0.000_000_1, 0.0), (f64::NAN, 0.0), (1.0 / 3.0, 0.333_333)]
        {
            assert_eq!(round(number), expected);
        }
        assert!(round(-0.0).is_sign_positive());
        let weights = Weights(Factors { pin: 1.0 / 3.0, ..Weights::default().0 });
        let thresholds = Thresholds { relevance_min: 1.0 / 3.0, relevance_ratio: 2.0 / 3.0 };
        let (weights, thresholds) = exact(&weights, &thresholds);
        assert_eq!(
            (weights.0.pin, thresholds.relevance_min, thresholds.relevance_ratio),
            (0.333_333, 0.333_333, 0.666_667)
        );
    }
}
