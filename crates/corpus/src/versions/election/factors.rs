//! The factors of each version: seven numbers from 0 to 1, each with its reason.

use super::candidate::Candidate;
use super::format::format;
use super::naming::{Name, Span, span};
use super::rounding::round;
use chrono::{DateTime, TimeDelta, Utc};
use domain::corpus::{Factors, Liveness, Reason, Signal, SourceKind};
use domain::instant::{Instant, to_micros};
use syntax::dates;

/// Days after which recency is halved.
const HALF_LIFE_DAYS: f64 = 180.0;
const DAY_S: f64 = 86_400.0;
/// A date further in the future is a mistake.
const AHEAD_MAX: TimeDelta = TimeDelta::days(1);
/// Weight of a rejection for another query.
const REJECTION_ELSEWHERE: f64 = 0.25;

/// The facts about one version.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    pub signal: &'a Signal,
    /// Confidence for the query.
    pub relevance: f64,
    /// As configured for its source.
    pub authority: Option<f64>,
    /// Known to have been sent to an external recipient.
    pub is_shared: bool,
    /// Pinned for another query.
    pub is_pinned_elsewhere: bool,
    /// Rejected for this query.
    pub is_rejected: bool,
    /// Number of rejections for other queries.
    pub rejections_elsewhere: u32,
}

/// The candidates of an election among the versions of one document.
pub fn candidates(facts: &[Facts<'_>], now: Instant) -> Vec<Candidate> {
    let names: Vec<Name> = facts.iter().map(|one| Name::of(&one.signal.title, &one.signal.url)).collect();
    let span = span(names.iter());
    let dates: Vec<Dated> = facts.iter().map(|one| Dated::of(&one.signal.date_published, now)).collect();
    let newest = newest(dates.iter().map(|one| one.day));
    let each = facts.iter().zip(names.iter().zip(&dates));
    each.map(|(facts, (name, dated))| candidate(facts, name, span, dated, newest)).collect()
}

/// 1 for the newest, halved for every 180 days; 0 without a known date.
pub fn recency(dated: Option<Instant>, newest: Option<Instant>) -> f64 {
    let Some((dated, newest)) = dated.zip(newest) else { return 0.0 };
    round(0.5_f64.powf(days_between(dated, newest) / HALF_LIFE_DAYS))
}

pub fn newest(dates: impl Iterator<Item = Option<Instant>>) -> Option<Instant> {
    dates.flatten().max()
}

/// The date of publication, if plausible.
struct Dated {
    day: Option<DateTime<Utc>>,
    is_ahead: bool,
}

impl Dated {
    fn of(text: &str, now: Instant) -> Self {
        let said = dates::instant(&dates::normalize_date(text)).map(to_micros);
        let is_ahead = said.is_some_and(|said| said > now + AHEAD_MAX);
        Self { day: said.filter(|_| !is_ahead), is_ahead }
    }

    fn reason(&self, newest: Option<Instant>) -> Reason {
        match self.day.zip(newest) {
            Some((day, newest)) if day == newest => Reason::Newest,
            Some((day, newest)) => Reason::Older { days: tenths(days_between(day, newest)) },
            None if self.is_ahead => Reason::DateAhead,
            None => Reason::DateUnknown,
        }
    }
}

fn candidate(
    facts: &Facts<'_>,
    name: &Name,
    span: Span,
    dated: &Dated,
    newest: Option<Instant>,
) -> Candidate {
    let signal = facts.signal;
    let (authority, of_source) = authority(facts.authority, signal.source_kind);
    let (format, format_worth) = format(signal);
    let mut reasons = vec![of_source];
    reasons.extend(name.reason());
    reasons.push(dated.reason(newest));
    reasons.push(Reason::Format { format });
    if facts.is_shared {
        reasons.push(Reason::SharedOutside);
    }
    if facts.is_pinned_elsewhere {
        reasons.push(Reason::PinnedElsewhere);
    }
    let (rejection, of_rejection) = rejection(facts);
    reasons.extend(of_rejection);
    let factors = [
        authority,
        name.worth(span),
        recency(dated.day, newest),
        format_worth,
        f64::from(u8::from(facts.is_shared)),
        f64::from(u8::from(facts.is_pinned_elsewhere)),
        rejection,
    ];
    Candidate {
        signal_id: signal.signal_id,
        relevance: round(facts.relevance),
        is_gone: signal.liveness == Liveness::Gone,
        dated: dated.day,
        factors: Factors::of(factors.map(round)),
        reasons,
    }
}

/// As configured for its source, else by the kind of source.
fn authority(configured: Option<f64>, kind: SourceKind) -> (f64, Reason) {
    if let Some(said) = configured.filter(|said| said.is_finite()) {
        return (said.clamp(0.0, 1.0), Reason::AuthorityConfigured);
    }
    let worth = match kind {
        SourceKind::Dms => 1.0,
        SourceKind::Wiki => 0.8,
        SourceKind::Drive => 0.7,
        SourceKind::Db => 0.6,
        SourceKind::Chat | SourceKind::Mail => 0.3,
        SourceKind::Web => 0.2,
    };
    (worth, Reason::SourceKind { kind })
}

fn rejection(facts: &Facts<'_>) -> (f64, Option<Reason>) {
    match (facts.is_rejected, facts.rejections_elsewhere) {
        (true, _) => (1.0, Some(Reason::Rejected)),
        (false, 0) => (0.0, None),
        (false, times) => {
            let worth = (REJECTION_ELSEWHERE * f64::from(times)).min(1.0);
            (worth, Some(Reason::RejectedElsewhere { times }))
        }
    }
}

/// A tenth of a day is precise enough.
fn tenths(days: f64) -> f64 {
    (days * 10.0).round() / 10.0
}

fn days_between(earlier: Instant, later: Instant) -> f64 {
    (later - earlier).num_seconds() as f64 / DAY_S
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::fixtures::signal;

    fn now() -> Instant {
        DateTime::from_timestamp(1_767_323_045, 0).unwrap_or_default()
    }

    fn facts(signal: &Signal) -> Facts<'_> {
        Facts {
            signal,
            relevance: 0.5,
            authority: None,
            is_shared: false,
            is_pinned_elsewhere: false,
            is_rejected: false,
            rejections_elsewhere: 0,
        }
    }

    #[test]
    fn authority_by_configuration_and_by_kind() {
        for (kind, expected) in [
            (SourceKind::Dms, 1.0),
            (SourceKind::Wiki, 0.8),
            (SourceKind::Drive, 0.7),
            (SourceKind::Db, 0.6),
            (SourceKind::Chat, 0.3),
            (SourceKind::Mail, 0.3),
            (SourceKind::Web, 0.2),
        ] {
            assert_eq!(authority(None, kind).0, expected, "{kind:?}");
        }
        for (said, expected) in [(0.0, 0.0), (0.55, 0.55), (7.0, 1.0), (-1.0, 0.0), (f64::NAN, 0.2)] {
            assert_eq!(authority(Some(said), SourceKind::Web).0, expected, "{said}");
        }
    }

    #[test]
    fn recency_is_halved_every_180_days() {
        let dated = |date: &str| Signal { date_published: date.to_owned(), ..signal(1, "A") };
        let table = [
            ("2025-12-31", 1.0),
            ("2025-07-04", 0.5),
            ("2025-01-05", 0.25),
            ("2025-12-30T12:00:00Z", 0.998_076),
            ("unknown", 0.0),
            ("", 0.0),
            ("some time ago", 0.0),
            ("2099-01-01", 0.0),
        ];
        let documents: Vec<Signal> = table.iter().map(|(date, _)| dated(date)).collect();
        let facts: Vec<Facts<'_>> = documents.iter().map(facts).collect();
        for (found, (date, expected)) in candidates(&facts, now()).iter().zip(table) {
            assert_eq!(found.factors.recency, expected, "{date}");
        }
        let ahead = dated("2026-01-03");
        let today = candidates(&[super::tests::facts(&ahead)], now());
        assert_eq!(today[0].factors.recency, 1.0, "a zone of the world is ahead");
        assert!(candidates(&facts, now())[7].reasons.contains(&Reason::DateAhead));
    }

    #[test]
    fn what_people_said_counts() {
        let document = signal(1, "A");
        let base = facts(&document);
        let table = [
            (base.clone(), [0.0, 0.0, 0.0]),
            (Facts { is_shared: true, ..base.clone() }, [1.0, 0.0, 0.0]),
            (Facts { is_pinned_elsewhere: true, ..base.clone() }, [0.0, 1.0, 0.0]),
            (Facts { is_rejected: true, rejections_elsewhere: 1, ..base.clone() }, [0.0, 0.0, 1.0]),
            (Facts { rejections_elsewhere: 1, ..base.clone() }, [0.0, 0.0, 0.25]),
            (Facts { rejections_elsewhere: 3, ..base.clone() }, [0.0, 0.0, 0.75]),
            (Facts { rejections_elsewhere: 9, ..base.clone() }, [0.0, 0.0, 1.0]),
        ];
        for (facts, expected) in table {
            let factors = candidates(std::slice::from_ref(&facts), now())[0].factors;
            assert_eq!([factors.egress_external, factors.pin, factors.rejection], expected, "{facts:?}");
        }
    }

    #[test]
    fn a_candidate_says_what_its_factors_follow_from_and_nothing_of_its_text() {
        let document = Signal {
            date_published: "2025-12-01".to_owned(),
            ext: "pdf".to_owned(),
            liveness: Liveness::Gone,
            ..signal(4, "Secret merger final v2")
        };
        let all = Facts {
            relevance: 0.123_456_78,
            is_shared: true,
            is_pinned_elsewhere: true,
            rejections_elsewhere: 2,
            ..facts(&document)
        };
        let found = candidates(&[all], now()).remove(0);
        assert_eq!((found.relevance, found.is_gone), (0.123_457, true));
        let told = found.reasons.iter().map(Reason::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(
            told,
            "Its source is of the kind web. Its name says 'final', version 2. No version is newer. Its format is pdf. It was \
             shared outside. It is pinned for another query. It was rejected for other queries, 2 in number."
        );
    }
}
