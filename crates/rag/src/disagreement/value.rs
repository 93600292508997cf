//! The value of a fact, and whether two values differ.

use super::vocabulary::{CAPACITY, COST, DURATION, WEIGHT};
use super::words::Stems;
use crate::facts::{Dimension, PartialDate, Quantity, is_same_quantity};
use std::collections::BTreeSet;

/// Numbers that differ by a smaller share are read as rounded.
const ROUNDED_MAX: f64 = 0.015;
/// Minimum length of the common beginning of two forms of a name.
const NAME_START_MIN: usize = 4;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A number, and the stems of what it counts if it has no unit.
    Quantity {
        quantity: Quantity,
        counted: Stems,
    },
    Date(PartialDate),
    /// The words of the name of a person or a place, in lower case.
    Name {
        words: BTreeSet<String>,
        is_place: bool,
    },
}

impl Value {
    /// Whether both are of one kind, so that one fact cannot have both if they differ.
    pub fn is_comparable(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Quantity { quantity: one, counted },
                Self::Quantity { quantity: two, counted: other_counted },
            ) => match (one.unit, two.unit) {
                (Some(own), Some(other)) => {
                    own.dimension == other.dimension
                        || (own.dimension.is_duration() && other.dimension.is_duration())
                }
                (None, None) => {
                    counted == other_counted || counted.iter().any(|stem| other_counted.contains(stem))
                }
                _ => false,
            },
            (Self::Date(_), Self::Date(_)) => true,
            (Self::Name { is_place, .. }, Self::Name { is_place: other, .. }) => is_place == other,
            _ => false,
        }
    }

    /// Whether both are the same: rounded, in another unit, or less exact.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Quantity { quantity: one, .. }, Self::Quantity { quantity: two, .. }) => {
                is_same_quantity(one, two) || is_same_quantity(two, one) || is_nearly(one, two)
            }
            (Self::Date(one), Self::Date(two)) => one.is_said_by(two) || two.is_said_by(one),
            (Self::Name { words, .. }, Self::Name { words: others, .. }) => {
                words.iter().any(|word| others.iter().any(|other| is_same_name(word, other)))
            }
            _ => false,
        }
    }

    /// Whether a fact cannot have both.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        let differs = match (self, other) {
            (Self::Date(one), Self::Date(two)) => is_other_date(one, two),
            _ => true,
        };
        differs && self.is_comparable(other) && !self.is_same(other)
    }

    /// Both have years, and not the same.
    pub fn has_other_year(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Date(one), Self::Date(two)) => match (&one.years, &two.years) {
                (Some(own), Some(others)) => own.start() > others.end() || others.start() > own.end(),
                _ => false,
            },
            _ => false,
        }
    }

    /// The group of words that its unit implies: `costs 5 euros` says no more than `5 euros`.
    pub fn implied_group(&self) -> Option<&'static str> {
        let Self::Quantity { quantity, .. } = self else { return None };
        match quantity.unit?.dimension {
            dimension if dimension.is_money() => Some(COST),
            dimension if dimension.is_duration() => Some(DURATION),
            Dimension::Mass => Some(WEIGHT),
            Dimension::Volume => Some(CAPACITY),
            _ => None,
        }
    }

    /// The year, if it is a date of one year.
    pub fn year(&self) -> Option<i32> {
        let Self::Date(date) = self else { return None };
        let years = date.years.as_ref()?;
        (years.start() == years.end()).then(|| *years.start())
    }
}

/// `7,942` and `8,000`.
fn is_nearly(one: &Quantity, other: &Quantity) -> bool {
    let size = |quantity: &Quantity| match quantity.unit {
        Some(unit) if unit.dimension == Dimension::Clock => None,
        unit => {
            Some((quantity.value * unit.map_or(1.0, |unit| unit.factor), unit.map(|unit| unit.dimension)))
        }
    };
    match (size(one), size(other)) {
        (Some((own, dimension)), Some((other, other_dimension))) => {
            dimension == other_dimension && (own - other).abs() <= ROUNDED_MAX * own.abs().max(other.abs())
        }
        _ => false,
    }
}

fn is_same_name(one: &str, other: &str) -> bool {
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    one == other || (shared >= NAME_START_MIN && (one.starts_with(other) || other.starts_with(one)))
}

/// Whether two dates exclude each other: another year, or another day of the same year. Dates in different years that
/// also have other days are those of two events.
fn is_other_date(one: &PartialDate, other: &PartialDate) -> bool {
    let is_other_day = match (one.month, other.month) {
        (Some(own), Some(others)) if own != others => true,
        (Some(_), Some(_)) => matches!((one.day, other.day), (Some(own), Some(others)) if own != others),
        _ => false,
    };
    match (&one.years, &other.years) {
        (Some(own), Some(others)) if own.start() > others.end() || others.start() > own.end() => {
            !is_other_day
        }
        (Some(own), Some(others)) => own == others && is_other_day,
        (None, None) => is_other_day,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Facts;
    use relevancy::Language;

    /// The only value of a text.
    fn value(text: &str) -> Value {
        let facts = Facts::read(Language::ENGLISH, text);
        match (facts.quantities.as_slice(), facts.dates.as_slice()) {
            ([quantity], []) => Value::Quantity { quantity: quantity.clone(), counted: Stems::new() },
            ([], [(date, _)]) => Value::Date(date.clone()),
            _ => panic!("{facts:?}"),
        }
    }

    #[test]
    fn values_that_exclude_each_other() {
        for (one, other, expected) in [
            ("7 days", "10 days", true),
            ("7 days", "one week", false),
            ("two months", "60 days", false),
            ("three months", "four weeks", true),
            ("24 months", "five years", true),
            ("24 months", "two years", false),
            ("8 kilometres", "7,942 metres", false),
            ("20 days", "21 days", true),
            ("around 50,000", "48,213", false),
            ("12 euros", "12 dollars", false),
            ("12 euros", "14 dollars", false),
            ("12 euros", "14 percent", false),
            ("9:00", "10:00", true),
            ("6:30", "18:30", false),
            ("5 March", "12 March", true),
            ("5 March", "5 March 2024", false),
            ("5 March", "12 March 2024", false),
            ("in June 1932", "8 June 1932", false),
            ("in June 1932", "8 July 1932", true),
            ("8 June 1932", "8 June 1935", true),
            ("4 May 2023", "8 June 2024", false),
            ("the 1860s", "in May 1868", false),
            ("the 1860s", "in May 1871", true),
        ] {
            let (one, other) = (value(one), value(other));
            assert_eq!(one.conflicts_with(&other), expected, "{one:?} {other:?}");
            assert_eq!(other.conflicts_with(&one), expected, "{other:?} {one:?}");
        }
    }

    #[test]
    fn names_in_other_forms_are_the_same() {
        let name = |words: &[&str], is_place| Value::Name {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            is_place,
        };
        let oberlin = name(&["margit", "oberlin"], false);
        for (other, expected) in [
            (name(&["oberlin"], false), false),
            (name(&["oberlin's"], false), false),
            (name(&["karl", "lindqvist"], false), true),
            (name(&["leeds"], true), false),
        ] {
            assert_eq!(oberlin.conflicts_with(&other), expected, "{other:?}");
        }
    }
}
