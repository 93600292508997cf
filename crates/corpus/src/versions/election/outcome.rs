//! The outcome of an election: scores, ranks and the winner.

use super::candidate::Candidate;
use super::rounding::round;
use super::thresholds;
use domain::corpus::{Factors, Member, MemberRole, Thresholds, Weights};
use domain::ids::SignalId;
use std::cmp::Ordering;

#[derive(Debug, Clone, PartialEq)]
pub struct Election {
    /// By rank.
    pub members: Vec<Member>,
    /// None: no version was eligible.
    pub winner: Option<SignalId>,
    /// The winner's lead; 0 if no other version was eligible.
    pub margin: f64,
}

/// Runs the election. `weights` and `thresholds` have at most six decimal digits, as
/// [`exact`](super::rounding::exact) makes them.
pub fn run_election(candidates: Vec<Candidate>, weights: &Weights, thresholds: &Thresholds) -> Election {
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
    Factors::of(std::array::from_fn(|index| round(weights[index] * factors[index])))
}

/// The sum of the rounded contributions.
fn score(weights: &Weights, factors: &Factors) -> f64 {
    round(contributions(weights, factors).values().iter().sum())
}

/// Eligible versions first; then higher score, higher relevance, newer date, lower id.
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
    use chrono::DateTime;
    use domain::corpus::Reason;

    const THRESHOLDS: Thresholds = Thresholds { relevance_min: 0.1, relevance_ratio: 0.6 };

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
            // The version with the better score is not eligible, so there is no margin.
            (vec![candidate(1, 0.9, None, 0.2), candidate(2, 0.2, None, 1.0)], "1:winner 2:ineligible", 0.0),
            (
                vec![candidate(1, 0.05, None, 0.2), candidate(2, 0.01, None, 1.0)],
                "2:ineligible 1:ineligible",
                0.0,
            ),
        ];
        for (candidates, expected, margin) in table {
            let election = run_election(candidates, &Weights::default(), &THRESHOLDS);
            assert_eq!((told(&election).as_str(), election.margin), (expected, margin));
            let first = election.members.first().filter(|member| member.eligible);
            assert_eq!(election.winner, first.map(|member| member.signal_id));
        }
        assert_eq!(run_election(Vec::new(), &Weights::default(), &THRESHOLDS).winner, None);
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
}
