//! Days of the week in a text.

use relevancy::tokens::{lower, tokens};
use std::collections::BTreeSet;

/// The days of the week that a text names, from 0 for Monday.
pub(super) fn weekdays(text: &str) -> BTreeSet<u32> {
    tokens(text).filter_map(|token| weekday(&lower(token.text))).collect()
}

fn weekday(word: &str) -> Option<u32> {
    let names = |word: &str| NAMES.iter().position(|names| names.split(' ').any(|name| name == word));
    let place = names(word).or_else(|| names(word.strip_suffix('s')?))?;
    u32::try_from(place).ok()
}

/// In English, German, French and Spanish.
const NAMES: [&str; 7] = [
    "monday montag lundi lunes",
    "tuesday dienstag mardi martes",
    "wednesday mittwoch mercredi miércoles",
    "thursday donnerstag jeudi jueves",
    "friday freitag vendredi viernes",
    "saturday samstag sonnabend samedi sábado",
    "sunday sonntag dimanche domingo",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_names() {
        for (text, expected) in [
            ("On Monday and on Sundays", vec![0, 6]),
            ("Dienstags und am Sonnabend", vec![1, 5]),
            ("ouvert le vendredi, cerrado los lunes", vec![0, 4]),
            ("on weekdays", vec![]),
        ] {
            assert_eq!(weekdays(text), BTreeSet::from_iter(expected), "{text}");
        }
    }
}
