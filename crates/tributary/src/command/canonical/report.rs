//! Renders the diagnosis as text and as JSON.

use crate::command::cache::counted;
use corpus::canonical::Diagnosis;
use domain::corpus::{Factors, Member, Pin, Run};
use domain::ids::UserId;
use serde_json::{Value, json};
use std::fmt::Display;

/// Maximum number of entries per list in the text form.
const LISTED_MAX: usize = 100;

pub fn lines(found: &Diagnosis, run: Option<&Run>) -> Vec<String> {
    let states: Vec<String> =
        found.by_status.iter().map(|(status, count)| format!("{count} {}", status.as_str())).collect();
    let mut lines = vec![
        format!("{} in all.", counted(found.pins_total, "pin")),
        format!("Elections: {}.", if states.is_empty() { "none".to_owned() } else { states.join(", ") }),
    ];
    list(&mut lines, "Pinned, newest first:", &found.pins, pin_line);
    list(&mut lines, "Open elections, oldest first:", &found.open, run_line);
    if let Some(run) = run {
        lines.push(format!("Election {}, {}:", run.run_id, run.status.as_str()));
        lines.extend(explained(run));
    }
    list(&mut lines, "Elections that were not reproduced:", &found.differing, |one| {
        format!("election {}: {}", one.run_id, one.what.join(" "))
    });
    let same = match found.differing.len() {
        0 => "all reproduced".to_owned(),
        count => format!("{count} not reproduced"),
    };
    lines.push(format!("{} recomputed: {same}.", counted(found.replayed, "election")));
    lines
}

pub fn json(found: &Diagnosis, run: Option<&Run>) -> Value {
    let states = found.by_status.iter().map(|(status, count)| (status.as_str().to_owned(), json!(count)));
    let differing =
        found.differing.iter().map(|one| json!({"run_id": one.run_id, "what": one.what})).collect::<Vec<_>>();
    let mut report = json!({
        "pins_total": found.pins_total,
        "runs": states.collect::<serde_json::Map<String, Value>>(),
        "pins": found.pins,
        "open": found.open,
        "replayed": found.replayed,
        "differing": differing,
    });
    if let Some(run) = run {
        report["run"] = json!(run);
    }
    report
}

fn list<T>(lines: &mut Vec<String>, title: &str, all: &[T], line: impl Fn(&T) -> String) {
    if all.is_empty() {
        return;
    }
    lines.push(title.to_owned());
    lines.extend(all.iter().take(LISTED_MAX).map(|one| format!("  {}", line(one))));
    if all.len() > LISTED_MAX {
        lines.push(format!("  and {} more", all.len() - LISTED_MAX));
    }
}

fn pin_line(pin: &Pin) -> String {
    let approved = pin.run_id.map(|id| format!(" of election {id}")).unwrap_or_default();
    format!(
        "{:?} ({}): document {}, {}{approved}, by {}, {}",
        pin.query,
        pin.scope,
        pin.signal_id,
        pin.via.as_str(),
        person(pin.pinned_by),
        day(pin.pinned_at)
    )
}

fn run_line(run: &Run) -> String {
    format!(
        "election {}: {:?} ({}), {}, document {} of {}, ahead by {}, {}",
        run.run_id,
        run.query,
        run.scope,
        run.status.as_str(),
        run.winner_signal_id,
        run.members.len(),
        run.margin,
        day(run.created_at)
    )
}

/// All inputs of one election.
fn explained(run: &Run) -> Vec<String> {
    let mut lines = vec![
        format!("  {}", run_line(run)),
        format!(
            "  minimum relevance {}, at least {} of the best",
            run.thresholds.relevance_min, run.thresholds.relevance_ratio
        ),
        format!("  weights: {}", factors(&run.weights.0)),
    ];
    if let Some(at) = run.decided_at {
        let reason = run.reject_reason.map(|reason| format!(", {}", reason.as_str())).unwrap_or_default();
        lines.push(format!("  decided by {}, {}{reason}", person(run.decided_by), day(at)));
    }
    for member in &run.members {
        lines.push(member_line(member));
        lines.extend(member.reasons.iter().map(|reason| format!("        {reason}")));
    }
    lines
}

fn member_line(member: &Member) -> String {
    format!(
        "  {:>2}. document {}, {}, score {}, relevance {}; {}",
        member.rank,
        member.signal_id,
        member.role.as_str(),
        member.score,
        member.relevance,
        factors(&member.factors)
    )
}

fn factors(factors: &Factors) -> String {
    let named = Factors::NAMES.iter().zip(factors.values());
    named.map(|(name, value)| format!("{name} {value}")).collect::<Vec<String>>().join(", ")
}

fn person(id: Option<UserId>) -> String {
    id.map_or_else(|| "a deleted user".to_owned(), |id| format!("user {id}"))
}

fn day(at: chrono::DateTime<chrono::Utc>) -> impl Display {
    at.format("%Y-%m-%d %H:%M UTC")
}

#[cfg(test)]
mod tests {
    use super::*;
    use corpus::canonical::Differing;
    use domain::corpus::{MemberRole, PinVia, Reason, RunStatus, Scope, Thresholds, Weights};
    use domain::ids::{PinId, RunId, SearchId, SignalId};

    fn pin(id: i64) -> Pin {
        Pin {
            id: PinId(id),
            query_key: "a \"b\"".to_owned(),
            query: "A \"b\"\u{1b}[2J".to_owned(),
            scope: Scope::parse("acme").unwrap(),
            signal_id: SignalId(7),
            pinned_by: Some(UserId(3)),
            pinned_at: chrono::DateTime::UNIX_EPOCH,
            via: PinVia::Approval,
            run_id: Some(RunId(12)),
        }
    }

    fn run() -> Run {
        Run {
            run_id: RunId(12),
            query: "msa".to_owned(),
            query_key: "msa".to_owned(),
            scope: Scope::Firm,
            cluster_key: SignalId(7),
            status: RunStatus::AutoElected,
            auto: true,
            winner_signal_id: SignalId(7),
            margin: 0.25,
            members: vec![Member {
                signal_id: SignalId(7),
                relevance: 0.5,
                is_gone: false,
                dated: None,
                eligible: true,
                reasons: vec![Reason::DateUnknown],
                factors: Factors { naming: 0.5, ..Factors::default() },
                score: 1.0,
                rank: 1,
                role: MemberRole::Winner,
            }],
            weights: Weights::default(),
            thresholds: Thresholds { relevance_min: 0.1, relevance_ratio: 0.6 },
            created_at: chrono::DateTime::UNIX_EPOCH,
            decided_by: None,
            decided_at: None,
            reject_reason: None,
            comment: String::new(),
            search_id: SearchId(1),
            search_owner: None,
        }
    }

    fn diagnosis(pins: usize, differing: bool) -> Diagnosis {
        let differs = Differing { run_id: RunId(12), what: vec!["The winner is 8, not 7.".to_owned()] };
        Diagnosis {
            by_status: vec![(RunStatus::AutoElected, 1), (RunStatus::Stale, 0)],
            pins_total: pins as u64,
            pins: (0..pins).map(|number| pin(number as i64)).collect(),
            open: vec![run()],
            replayed: 1,
            differing: if differing { vec![differs] } else { Vec::new() },
        }
    }

    #[test]
    fn the_text_form_has_all_lines() {
        let report = lines(&diagnosis(1, false), None).join("\n");
        for part in [
            "1 pin in all.",
            "Elections: 1 auto_elected, 0 stale.",
            "(matter:acme): document 7, approval of election 12, by user 3, 1970-01-01 00:00 UTC",
            "election 12: \"msa\" (firm), auto_elected, document 7 of 1, ahead by 0.25",
            "1 election recomputed: all reproduced.",
        ] {
            assert!(report.contains(part), "{part}: {report}");
        }
        assert!(!report.contains('\u{1b}'), "control characters in a query are escaped");
        let report = lines(&diagnosis(0, true), Some(&run())).join("\n");
        for part in [
            "weights: source_authority 3, naming 2",
            "1. document 7, winner, score 1, relevance 0.5; source_authority 0, naming 0.5",
            "Its date is not known.",
            "election 12: The winner is 8, not 7.",
            "1 not reproduced.",
        ] {
            assert!(report.contains(part), "{part}: {report}");
        }
    }

    #[test]
    fn lists_in_the_text_form_are_bounded() {
        for (count, said) in [(LISTED_MAX, None), (LISTED_MAX + 2, Some("  and 2 more"))] {
            let report = lines(&diagnosis(count, false), None);
            assert_eq!(report.iter().find(|line| line.starts_with("  and ")).map(String::as_str), said);
        }
    }

    #[test]
    fn the_json_form_is_complete() {
        let report = json(&diagnosis(LISTED_MAX + 2, true), Some(&run()));
        assert_eq!(report["pins"].as_array().map(Vec::len), Some(LISTED_MAX + 2));
        assert_eq!((&report["runs"]["auto_elected"], &report["runs"]["stale"]), (&json!(1), &json!(0)));
        assert_eq!(report["differing"][0]["run_id"], 12);
        assert_eq!(report["run"]["members"][0]["factors"]["naming"], 0.5);
    }
}
