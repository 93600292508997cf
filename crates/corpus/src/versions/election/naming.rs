//! Version information in a name: stage, number, and whether it is a copy.

use crate::names::{self, Mark, Stage, VersionNumber, file_of};
use domain::corpus::Reason;

/// The factor of a name without information.
const START: f64 = 0.5;
const DONE_WORTH: f64 = 0.3;
const NUMBER_WORTH: f64 = 0.2;
const UNDONE_WORTH: f64 = -0.3;
const COPY_WORTH: f64 = -0.15;
/// Minor numbers count as thousandths: 2.10 is above 2.9.
const MINOR_PARTS: f64 = 1000.0;

/// What title and file name say; a version number of the title comes before one of the file name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Name(Vec<Mark>);

/// The lowest and the highest number among the versions of a document.
pub type Span = Option<(f64, f64)>;

impl Name {
    /// From title and URL.
    pub fn of(title: &str, url: &str) -> Self {
        let mut marks = names::Name::of(title).marks;
        for mark in names::Name::of(&file_of(url)).marks {
            if !marks.contains(&mark) {
                marks.push(mark);
            }
        }
        Self(marks)
    }

    fn version(&self) -> Option<VersionNumber> {
        self.0.iter().find_map(|mark| if let Mark::Number(number) = mark { Some(*number) } else { None })
    }

    fn number(&self) -> Option<f64> {
        self.version().map(|number| f64::from(number.major) + f64::from(number.minor) / MINOR_PARTS)
    }

    fn says(&self, wanted: Stage) -> bool {
        self.0.iter().any(|mark| matches!(mark, Mark::Stage(_, stage) if *stage == wanted))
    }

    fn is_numbered_copy(&self) -> bool {
        self.0.contains(&Mark::CopyNumber)
    }

    /// 0 to 1.
    pub fn worth(&self, span: Span) -> f64 {
        let mut worth = START;
        if self.says(Stage::Done) {
            worth += DONE_WORTH;
        }
        if self.says(Stage::Undone) {
            worth += UNDONE_WORTH;
        }
        if self.is_numbered_copy() || self.says(Stage::Copy) {
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
        let word = |mark: &Mark| match mark {
            Mark::Stage(word, stage) if *stage != Stage::Other => Some((*word).to_owned()),
            _ => None,
        };
        let stages: Vec<String> = self.0.iter().filter_map(word).collect();
        let is_numbered_copy = self.is_numbered_copy();
        let version = self.version().map(|number| number.to_string());
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
            ("Lease execution version", "", 0.8),
            ("Lease superseded", "", 0.2),
            ("Lease (current)", "", 0.5),
            ("Lease to be signed", "", 0.5),
            ("Mietvertrag Entwurf", "", 0.2),
            ("Lease rev A", "", 0.5),
            ("Lease rev C", "", 0.6),
            ("Lease rev. 5", "", 0.7),
            ("Lease, 5th edition", "", 0.7),
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
