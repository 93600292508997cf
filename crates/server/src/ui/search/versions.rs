//! Versions of a cached document: the winner, the others, and the rows folded under it.

use super::copy::Copy;
use super::result_text::{shortened, web_link};
use super::view_context::ViewContext;
use domain::corpus::{CacheStatus, ClusterMark, ClusterMember, DecidedBy};
use domain::ids::{ResultId, SignalId};
use serde::Serialize;

/// Most versions listed under a result; the election page lists all.
const OTHERS_MAX: usize = 24;

/// In templates: `result.cached.versions`.
#[derive(Debug, Serialize)]
pub struct Versions {
    size: u32,
    /// Position by age, starting at 1 for the oldest; None if the dates are not conclusive.
    place: Option<usize>,
    /// Such as `v2 spec`; may be empty.
    label: String,
    decided_by: Option<DecidedBy>,
    /// Whether another version is the winner.
    is_alternate: bool,
    others: Vec<Version>,
    /// Number of versions not listed.
    left_out: usize,
}

/// Another version.
#[derive(Debug, Serialize)]
struct Version {
    signal: SignalId,
    title: String,
    href: Option<String>,
    label: String,
    date: String,
    /// Whether it is the winner.
    is_winner: bool,
    /// Its row, if it is folded here.
    row: Option<Row>,
}

/// Values of the row of a version.
#[derive(Debug, Serialize)]
pub struct Row {
    pub id: ResultId,
    pub confidence: String,
    pub is_gone: bool,
    pub is_shared_externally: bool,
    pub live: Vec<Copy>,
}

impl Versions {
    pub fn of(mark: &CacheStatus, view_context: &ViewContext<'_>) -> Option<Self> {
        let cluster = mark.cluster.as_ref()?;
        let own = cluster.members.iter().find(|member| member.signal_id == mark.signal_id);
        let label = own.map(|member| member.version_label.clone()).unwrap_or_default();
        let others = cluster.members.iter().filter(|member| member.signal_id != mark.signal_id);
        Some(Self {
            size: cluster.size,
            place: own.and_then(|own| place(own, cluster)),
            label,
            decided_by: cluster.decided_by,
            is_alternate: mark.is_alternate(),
            left_out: others.clone().count().saturating_sub(OTHERS_MAX),
            others: others
                .take(OTHERS_MAX)
                .map(|member| Version::of(member, cluster, view_context))
                .collect(),
        })
    }

    /// Adds the row of another version; false if that version is not listed.
    pub fn fold_in(&mut self, signal: SignalId, row: Row) -> bool {
        let version = self.others.iter_mut().find(|version| version.signal == signal);
        version.map(|version| version.row = Some(row)).is_some()
    }
}

impl Version {
    fn of(member: &ClusterMember, cluster: &ClusterMark, view_context: &ViewContext<'_>) -> Self {
        let title = if member.title.trim().is_empty() { &member.url } else { &member.title };
        Self {
            signal: member.signal_id,
            title: shortened(title),
            href: web_link(&member.url),
            label: member.version_label.clone(),
            date: view_context.date(&member.date, "").text,
            is_winner: cluster.winner_signal_id == Some(member.signal_id),
            row: None,
        }
    }
}

/// Position by age. None if a date is missing or ambiguous, or if a label such as `v3` contradicts the dates.
fn place(own: &ClusterMember, cluster: &ClusterMark) -> Option<usize> {
    let days: Vec<&str> = cluster.members.iter().map(|member| day(&member.date)).collect::<Option<_>>()?;
    let mine = day(&own.date)?;
    if days.iter().filter(|one| **one == mine).count() > 1 {
        return None;
    }
    let place = days.iter().filter(|one| **one < mine).count() + 1;
    let named = own.version_label.strip_prefix('v').map(|rest| rest.split([' ', '.']).next().unwrap_or(rest));
    match named.and_then(|number| number.parse::<usize>().ok()) {
        Some(number) if number != place => None,
        _ => Some(place),
    }
}

/// The day of a date such as `2024-05-06…`.
fn day(date: &str) -> Option<&str> {
    date.get(..10).filter(|day| day.bytes().next().is_some_and(|first| first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(id: i64, label: &str, date: &str) -> ClusterMember {
        ClusterMember {
            signal_id: SignalId(id),
            title: format!("Document {id}"),
            url: String::new(),
            version_label: label.to_owned(),
            date: date.to_owned(),
        }
    }

    #[test]
    fn versions_are_ordered_by_age() {
        let dates = ["2024-03-01 10:00:00", "2022-01-01", "2023-05-05"];
        let table = [
            (0, "", dates, Some(3)),
            (1, "draft", dates, Some(1)),
            (2, "v2", dates, Some(2)),
            (2, "v2.1 final", dates, Some(2)),
            (2, "v7", dates, None),
            (0, "", ["2024-03-01", "2024-03-01 12:00:00", "2022-01-01"], None),
            (0, "", ["2024-03-01", "unknown", "2022-01-01"], None),
            (0, "", ["", "", ""], None),
        ];
        for (own, label, dates, expected) in table {
            let mut members: Vec<ClusterMember> =
                (1..).zip(dates).map(|(id, date)| member(id, "", date)).collect();
            members[own].version_label = label.to_owned();
            let cluster = ClusterMark {
                key: SignalId(1),
                size: 3,
                role: None,
                winner_signal_id: None,
                decided_by: None,
                members: members.clone(),
            };
            assert_eq!(place(&members[own], &cluster), expected, "{label} {dates:?}");
        }
    }
}
