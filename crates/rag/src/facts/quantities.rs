//! The numbers and dates of a text.

use super::dates::{DateReader, PartialDate};
use super::lexemes::lexemes;
use super::quantity::Quantity;
use super::quantity_reader::QuantityReader;
use relevancy::Language;
use std::ops::Range;

/// Maximum number of quantities and dates of a text.
const FACTS_MAX: usize = 300;

/// The numbers and dates of a text, in its order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Facts {
    pub quantities: Vec<Quantity>,
    pub dates: Vec<(PartialDate, Range<usize>)>,
}

impl Facts {
    pub fn read(language: Language, text: &str) -> Self {
        let lexemes = lexemes(text);
        let dates = DateReader::new(language, &lexemes);
        let mut numbers = QuantityReader::new(language, &lexemes);
        let mut facts = Self::default();
        let mut at = 0;
        while at < lexemes.len() && facts.quantities.len() + facts.dates.len() < FACTS_MAX {
            let start = lexemes[at].start;
            let place = |end: usize| start..lexemes[end - 1].end;
            if let Some((date, end)) = dates.date_at(at) {
                facts.dates.push((date, place(end)));
                at = end;
            } else if let Some((quantity, end)) = numbers.quantity_at(at) {
                facts.quantities.push(Quantity { place: place(end), ..quantity });
                at = end;
            } else {
                at += 1;
            }
        }
        facts
    }

    /// Whether this part of the text belongs to a number or a date.
    pub fn covers(&self, byte: usize) -> bool {
        self.quantities.iter().any(|one| one.place.contains(&byte))
            || self.dates.iter().any(|(_, place)| place.contains(&byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::units::Dimension;

    fn read(language: &str, text: &str) -> Vec<(f64, Option<Dimension>)> {
        let facts = Facts::read(Language::named(language), text);
        let sized = |one: &Quantity| {
            (one.value * one.unit.map_or(1.0, |unit| unit.factor), one.unit.map(|unit| unit.dimension))
        };
        facts.quantities.iter().map(sized).collect()
    }

    #[test]
    fn numbers_with_their_units() {
        use Dimension::*;
        for (language, text, expected) in [
            ("english", "It weighs thirty-nine thousand tonnes.", vec![(39e6, Some(Mass))]),
            ("english", "one hundred and twenty thousand people", vec![(120e3, None)]),
            ("english", "nine and a half hours", vec![(34_200.0, Some(Time))]),
            ("english", "an hour and a half", vec![(5_400.0, Some(Time))]),
            ("english", "the first quarter of an hour", vec![(1.0, Some(Ordinal)), (900.0, Some(Time))]),
            ("english", "half an hour, then 90 minutes", vec![(1_800.0, Some(Time)), (5_400.0, Some(Time))]),
            ("english", "a quarter of the salmon", vec![(25.0, Some(Percent))]),
            ("english", "three quarters of them", vec![(75.0, Some(Percent))]),
            ("english", "18 % or eighteen percent", vec![(18.0, Some(Percent)), (18.0, Some(Percent))]),
            ("english", "£2,350 and €340 thousand", vec![(2350.0, Some(Pound)), (340e3, Some(Euro))]),
            ("english", "four and a half billion years", vec![(54e9, Some(Calendar))]),
            ("english", "at half past six or 6:30", vec![(390.0, Some(Clock)), (390.0, Some(Clock))]),
            ("english", "his 2nd title, the second", vec![(2.0, Some(Ordinal)), (2.0, Some(Ordinal))]),
            ("english", "a decade", vec![(120.0, Some(Calendar))]),
            ("english", "two dozen", vec![(24.0, None)]),
            (
                "german",
                "fünfunddreißig Minuten, 1,25 Millionen Euro",
                vec![(2100.0, Some(Time)), (1.25e6, Some(Euro))],
            ),
            ("german", "drei Viertel der Mitglieder", vec![(75.0, Some(Percent))]),
            ("french", "cent vingt places", vec![(120.0, None)]),
            ("spanish", "doscientas toneladas", vec![(200e3, Some(Mass))]),
            ("english", "nothing of it", vec![]),
        ] {
            assert_eq!(read(language, text), expected, "{text}");
        }
        assert_eq!(read("english", &"7, ".repeat(FACTS_MAX + 9)).len(), FACTS_MAX);
    }

    #[test]
    fn years_and_estimates_are_marked() {
        let facts = Facts::read(Language::ENGLISH, "In 1932 about 500 of the 2,000 men left");
        let marks: Vec<(bool, bool)> =
            facts.quantities.iter().map(|one| (one.is_year, one.is_approximate)).collect();
        assert_eq!(marks, [(true, false), (false, true), (false, false)]);
        assert!(facts.covers(3) && !facts.covers(0));
    }
}
