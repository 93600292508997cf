//! Comparison of the counts of a search with the recorded ones. A higher count is a regression; a lower one is
//! recorded, so that a later regression is noticed.

use super::record::{Measurement, Record};
use anyhow::{Context, ensure};
use std::path::Path;

/// A count, and how far it may be from its record.
struct Tolerance {
    /// Of the figure.
    id: &'static str,
    /// Relative to the record.
    share: f64,
    /// Allowed in any case: for counts that are small, or zero.
    least: f64,
}

const TOLERANCES: [Tolerance; 5] = [
    Tolerance { id: "search_instructions", share: 0.05, least: 0.0 },
    Tolerance { id: "search_allocations", share: 0.05, least: 0.0 },
    // A statement more or less in every search is a change; a heartbeat now and then is not.
    Tolerance { id: "search_statements", share: 0.05, least: 0.5 },
    Tolerance { id: "search_reprepared", share: 0.05, least: 0.1 },
    // They depend on the load of the machine.
    Tolerance { id: "search_context_switches", share: 0.25, least: 0.0 },
];

impl Tolerance {
    fn allowed(&self, recorded: f64) -> f64 {
        (recorded * self.share).max(self.least)
    }

    /// The difference from the record, if it is too large.
    fn difference(&self, recorded: &Measurement, fresh: f64) -> Option<String> {
        let Measurement { value, commit, date, .. } = recorded;
        let allowed = self.allowed(*value);
        let change = fresh - value;
        // A number that is none is not within anything.
        let is_within = change.abs() <= allowed;
        (!is_within).then(|| {
            format!(
                "{} is {fresh:.2}, recorded is {value:.2} ({commit}, {date}), allowed are ± {allowed:.2}",
                self.id
            )
        })
    }
}

/// The recorded counts of a search.
pub struct RecordedCounts(Record);

impl RecordedCounts {
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        Ok(Self(Record::parse(&text).with_context(|| path.display().to_string())?))
    }

    /// Compares counts, which have the ids of their figures; the error lists all differences. A missing count is a
    /// difference.
    pub fn compare(&self, fresh: &[(&str, Option<f64>)]) -> anyhow::Result<()> {
        let mut differences = Vec::new();
        for tolerance in &TOLERANCES {
            let id = tolerance.id;
            let recorded = self.0.figures.get(id).with_context(|| format!("{id} was never measured"))?;
            let counted = fresh.iter().find(|(name, _)| *name == id).and_then(|(_, count)| *count);
            differences.extend(match counted {
                Some(count) => tolerance.difference(recorded, count),
                None => Some(format!("{id} was not counted; it needs Linux and a program with symbols")),
            });
        }
        ensure!(
            differences.is_empty(),
            "{} count(s) of a search differ from the record: {}. If this is intended, record them again with \
             scripts/figures.sh counts",
            differences.len(),
            differences.join("; ")
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Machine;
    use super::*;

    const FRESH: [(&str, Option<f64>); 5] = [
        ("search_instructions", Some(42.0)),
        ("search_allocations", Some(30_000.0)),
        ("search_statements", Some(24.0)),
        ("search_reprepared", Some(0.0)),
        ("search_context_switches", Some(160.0)),
    ];

    fn recorded(change: impl FnOnce(&mut Record)) -> RecordedCounts {
        let measurement = |value: f64| Measurement {
            value,
            min: None,
            method: None,
            commit: "8c5648c".to_owned(),
            date: "2026-11-15".to_owned(),
            machine: Machine { cores: 2, memory: String::new(), cpu: String::new(), os: String::new() },
        };
        let figures = FRESH.iter().map(|(id, count)| ((*id).to_owned(), measurement(count.unwrap())));
        let mut record = Record { figures: figures.collect() };
        change(&mut record);
        RecordedCounts(record)
    }

    /// The differences after the record of this figure was changed to this value.
    fn doctored(id: &str, value: f64) -> Result<(), String> {
        let record = recorded(|record| record.figures.get_mut(id).unwrap().value = value);
        record.compare(&FRESH).map_err(|error| error.to_string())
    }

    #[test]
    fn equal_counts_do_not_differ() {
        assert!(recorded(|_| ()).compare(&FRESH).is_ok());
    }

    #[test]
    fn a_doctored_record_is_noticed_in_both_directions() {
        // The id, the values that are still accepted, and the values that are not.
        let table = [
            ("search_instructions", [40.1, 44.1], [39.9, 44.3]),
            ("search_allocations", [28_600.0, 31_500.0], [28_500.0, 31_600.0]),
            ("search_statements", [22.9, 25.2], [22.8, 25.3]),
            ("search_reprepared", [0.0, 0.1], [0.2, 1.0]),
            ("search_context_switches", [128.1, 213.0], [127.0, 214.0]),
        ];
        assert_eq!(table.map(|(id, ..)| id), FRESH.map(|(id, _)| id));
        for (id, accepted, refused) in table {
            for value in accepted {
                assert_eq!(doctored(id, value), Ok(()), "{id} with {value}");
            }
            for value in refused {
                let error = doctored(id, value).unwrap_err();
                assert!(
                    error.starts_with(&format!("1 count(s) of a search differ from the record: {id} is "))
                );
                assert!(error.contains("8c5648c") && error.contains("scripts/figures.sh counts"), "{error}");
            }
        }
    }

    #[test]
    fn every_difference_is_listed() {
        let all = recorded(|record| record.figures.values_mut().for_each(|figure| figure.value += 1e6));
        let error = all.compare(&FRESH).unwrap_err().to_string();
        assert!(error.starts_with("5 count(s)"), "{error}");
        assert!(FRESH.iter().all(|(id, _)| error.contains(id)), "{error}");
    }

    #[test]
    fn a_missing_count_or_record_is_an_error() {
        let mut fresh = FRESH;
        fresh[1].1 = None;
        let error = recorded(|_| ()).compare(&fresh).unwrap_err().to_string();
        assert!(error.contains("search_allocations was not counted"), "{error}");
        assert!(recorded(|_| ()).compare(&FRESH[1..]).is_err());
        fresh[1].1 = Some(f64::NAN);
        assert!(recorded(|_| ()).compare(&fresh).is_err());
        let without = recorded(|record| drop(record.figures.remove("search_reprepared")));
        let error = without.compare(&FRESH).unwrap_err().to_string();
        assert!(error.contains("search_reprepared was never measured"), "{error}");
    }
}
