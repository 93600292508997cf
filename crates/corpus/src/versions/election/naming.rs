//! Version information in a name: stage, number, and whether it is a copy.

use crate::lineage::{Named, named};
use domain::corpus::Reason;

/// Words of a finished version.
const DONE: [&str; 5] = ["final", "approved", "executed", "signed", "published"];
/// Words of an unfinished or replaced version.
const UNDONE: [&str; 5] = ["draft", "wip", "redline", "old", "backup"];
const COPY: &str = "copy";
/// The factor of a name without information.
const START: f64 = 0.5;
const DONE_WORTH: f64 = 0.3;
const NUMBER_WORTH: f64 = 0.2;
const UNDONE_WORTH: f64 = -0.3;
const COPY_WORTH: f64 = -0.15;
/// Minor numbers count as thousandths: 2.10 is above 2.9.
const MINOR_PARTS: f64 = 1000.0;

/// A name as an election uses it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Name(Named);

/// The lowest and the highest number among the versions of a document.
pub type Span = Option<(f64, f64)>;

impl Name {
    /// From title and URL.
    pub fn of(title: &str, url: &str) -> Self {
        Self(named(title, url))
    }

    fn number(&self) -> Option<f64> {
        self.0.version.map(|(major, minor)| f64::from(major) + f64::from(minor) / MINOR_PARTS)
    }

    fn says(&self, words: &[&str]) -> bool {
        self.0.stages.iter().any(|stage| words.contains(stage))
    }

    /// 0 to 1.
    pub fn worth(&self, span: Span) -> f64 {
        let mut worth = START;
        if self.says(&DONE) {
            worth += DONE_WORTH;
        }
        if self.says(&UNDONE) {
            worth += UNDONE_WORTH;
        }
        if self.0.is_numbered_copy || self.says(&[COPY]) {
            worth += COPY_WORTH;
        }
        if let (Some(number), Some((lowest, highest))) = (self.number(), span)
            && highest > lowest
        {
            worth += NUMBER_WORTH * (number - lowest) / (highest - lowest);
        }
        worth.clamp(0.0, 1.0)
    }

    /// None if the name has no information.
    pub fn reason(&self) -> Option<Reason> {
        let counts = |stage: &&&str| DONE.contains(stage) || UNDONE.contains(stage) || **stage == COPY;
        let stages: Vec<String> =
            self.0.stages.iter().filter(counts).map(|stage| stage.to_string()).collect();
        let is_numbered_copy = self.0.is_numbered_copy;
        let version = self.0.version.map(|(major, minor)| match minor {
            0 => major.to_string(),
            minor => format!("{major}.{minor}"),
        });
        let says_something = !stages.is_empty() || is_numbered_copy || version.is_some();
        says_something.then_some(Reason::Name { stages, is_numbered_copy, version })
    }
}

pub fn span<'a>(names: impl Iterator<Item = &'a Name>) -> Span {
    let numbers = names.filter_map(Name::number);
    numbers.fold(None, |span: Span, number| {
        let (lowest, highest) = span.unwrap_or((number, number));
        Some((lowest.min(number), highest.max(number)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::election::rounding::round;

    #[test]
    fn names_are_worth() {
        let table = [
            ("Lease", "", 0.5),
            ("Lease FINAL", "", 0.8),
            ("Lease approved", "", 0.8),
            ("Lease executed", "", 0.8),
            ("Lease (signed)", "", 0.8),
            ("Lease published", "", 0.8),
            ("Lease final signed", "", 0.8),
            ("Lease draft", "", 0.2),
            ("Lease WIP", "", 0.2),
            ("Lease redline", "", 0.2),
            ("Lease_old", "", 0.2),
            ("Lease backup", "", 0.2),
            ("Lease draft old", "", 0.2),
            ("Lease final draft", "", 0.5),
            ("Copy of Lease", "", 0.35),
            ("Lease (2)", "", 0.35),
            ("Copy of Lease (2)", "", 0.35),
            ("Copy of Lease draft", "", 0.05),
            ("Lease (2026)", "", 0.5),
            ("Lease final2", "", 0.8),
            ("Lease v1", "", 0.5),
            ("Lease v3", "", 0.6),
            ("Lease v5", "", 0.7),
            ("Lease v5 final", "", 1.0),
            ("Lease", "https://a.example/lease_v5_signed.pdf", 1.0),
            ("Lease v5", "https://a.example/lease_v1_signed.pdf", 1.0),
            ("Lease", "https://a.example/lease%20(1).pdf", 0.35),
            ("Lease", "https://a.example/lease%20%281%29.pdf", 0.35),
            ("Lease", "https://a.example/draft/lease.pdf", 0.5),
        ];
        for (title, url, expected) in table {
            let worth = round(Name::of(title, url).worth(Some((1.0, 5.0))));
            assert_eq!(worth, expected, "{title} {url}");
        }
    }

    #[test]
    fn numbers_count_among_their_own() {
        let names = ["A v2.9", "A v2.10", "A", "A v2"].map(|title| Name::of(title, ""));
        let span = span(names.iter());
        assert_eq!(span, Some((2.0, 2.01)));
        let worth = names.each_ref().map(|name| round(name.worth(span)));
        assert_eq!(worth, [0.68, 0.7, 0.5, 0.5]);
        // A single number is neither high nor low.
        assert_eq!(Name::of("A v7", "").worth(Some((7.0, 7.0))), 0.5);
        assert_eq!(Name::of("A v7", "").worth(None), 0.5);
    }

    #[test]
    fn what_a_name_says_is_told() {
        let told = |title| Name::of(title, "").reason().map(|reason| reason.to_string());
        assert_eq!(told("Lease of 4 Main Street"), None);
        let expected = "Its name says 'final', 'draft', a number in brackets, as copies have, version 2.1.";
        assert_eq!(told("Lease final draft v2.1 (3)").as_deref(), Some(expected));
    }
}
