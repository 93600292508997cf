//! US social security numbers: `219-09-9999`. Without hyphens they count only after a word that announces them.

use super::Kind;
use super::context::is_after;
use super::digits::{Number, each_number};
use std::ops::Range;

pub const KIND: Kind = Kind { word: "US_SSN", find };

const WORDS: &[&str] = &["ssn", "ssns", "social", "security"];

fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    each_number(text, |number| {
        let is_ssn = has_form(text, number) && can_be_issued(&number.digits());
        found.extend(is_ssn.then(|| number.range()));
        is_ssn
    });
    found
}

fn has_form(text: &str, number: &Number<'_>) -> bool {
    let between: Vec<&str> = number.between().collect();
    match (number.lengths().as_slice(), between.as_slice()) {
        ([3, 2, 4], ["-", "-"]) => number.opening().is_empty(),
        ([3, 2, 4], [" ", " "]) | ([9], []) => is_after(text, number.range().start, WORDS),
        _ => false,
    }
}

/// Areas 000, 666 and 900 to 999, group 00 and serial 0000 are never assigned.
fn can_be_issued(digits: &str) -> bool {
    let (area, group, serial) = (&digits[..3], &digits[3..5], &digits[5..]);
    area != "000" && area != "666" && area < "900" && group != "00" && serial != "0000"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn finds_numbers() {
        let table: &[(&str, &[&str])] = &[
            ("219-09-9999", &["219-09-9999"]),
            ("Her SSN is 219 09 9999, mine 219099999", &["219 09 9999"]),
            ("social security number: 219099999.", &["219099999"]),
            ("219 09 9999 219099999", &[]),
            ("000-12-3456 666-12-3456 900-12-3456 123-00-4567 123-45-0000", &[]),
            ("219-09-99999 2190-9-9999 x219-09-9999 219-09-9999-1", &[]),
            ("2021-03-04", &[]),
        ];
        for (text, want) in table {
            assert_eq!(found(text), *want, "{text}");
        }
    }
}
