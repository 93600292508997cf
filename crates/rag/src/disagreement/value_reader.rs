//! The values of a sentence.

use super::value::Value;
use super::vocabulary::{BEFORE_PLACES, BEFORE_YEARS, RANGE_WORDS};
use super::words::{Stems, Word};
use crate::facts::{Dimension, Facts, PartialDate, Quantity, Unit, names};
use relevancy::Language;
use relevancy::tokens::lower;
use std::ops::Range;

/// Maximum number of words after a number that may name what it counts.
const COUNTED_WORDS_MAX: usize = 2;

/// Which names can be values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamesWanted {
    Persons,
    Places,
    Neither,
}

/// A value and where it is in its sentence.
pub(super) struct FoundValue {
    pub value: Value,
    /// The number, date or name itself, in bytes.
    pub core: Range<usize>,
    /// The number, date or name with the word that it counts, in bytes.
    pub place: Range<usize>,
    /// False for a part of a range or a list, and for a place in an order.
    pub can_differ: bool,
}

/// The numbers, dates and names of a sentence, in this order.
pub(super) fn read_values(
    text: &str,
    words: &[Word],
    facts: &Facts,
    language: Language,
    names_wanted: NamesWanted,
    asked: &Stems,
) -> Vec<FoundValue> {
    let numbers = facts.quantities.iter().filter(|one| !is_trivial(one));
    let mut found: Vec<FoundValue> = numbers.map(|one| of_quantity(text, words, one)).collect();
    found.extend(facts.dates.iter().map(|(date, place)| FoundValue {
        value: Value::Date(date.clone()),
        core: place.clone(),
        place: place.clone(),
        can_differ: true,
    }));
    found.sort_by_key(|value| value.core.start);
    exclude_ranges(text, &mut found);
    found.extend(read_names(text, words, language, names_wanted, asked));
    found
}

/// "One" and "an hour" are no facts.
fn is_trivial(one: &Quantity) -> bool {
    one.is_article || (one.unit.is_none() && (one.value - 1.0).abs() < 1e-9)
}

fn of_quantity(text: &str, words: &[Word], quantity: &Quantity) -> FoundValue {
    let core = quantity.place.clone();
    let before = words.iter().rev().find(|word| word.place.end <= core.start);
    let after_preposition = before.is_some_and(|word| BEFORE_YEARS.contains(&word.lower.as_str()));
    let next: Vec<&Word> = following(text, words, core.end);
    if quantity.is_year && (after_preposition || next.is_empty()) {
        let year = quantity.value as i32;
        let date = PartialDate { years: Some(year..=year), ..PartialDate::default() };
        return FoundValue { value: Value::Date(date), place: core.clone(), core, can_differ: true };
    }
    let mut quantity = quantity.clone();
    let mut place = core.clone();
    if quantity.unit.is_none() {
        // "7 business days".
        let unit = next.get(1).and_then(|word| Some((Unit::named(&word.lower)?, word.place.end)));
        if let Some((unit, end)) = unit {
            (quantity.unit, place.end) = (Some(unit), end);
        } else if let Some(counted) = next.first() {
            place.end = counted.place.end;
        }
    }
    let is_ordinal = quantity.unit.is_some_and(|unit| unit.dimension == Dimension::Ordinal);
    let counted = if quantity.unit.is_some() {
        Stems::new()
    } else {
        next.iter().filter_map(|word| word.stem.clone()).collect()
    };
    FoundValue { value: Value::Quantity { quantity, counted }, core, place, can_differ: !is_ordinal }
}

/// The content words directly after a number, with only spaces or hyphens between them.
fn following<'w>(text: &str, words: &'w [Word], start: usize) -> Vec<&'w Word> {
    let after = words.iter().filter(|word| word.place.start >= start);
    let mut end = start;
    let mut found = Vec::new();
    for word in after.take(COUNTED_WORDS_MAX) {
        let is_adjacent = text[end..word.place.start].chars().all(|c| c.is_whitespace() || c == '-');
        let is_word = word.lower.chars().all(char::is_alphabetic);
        if !is_adjacent || !is_word || word.stem.is_none() {
            break;
        }
        end = word.place.end;
        found.push(word);
    }
    found
}

/// `3 to 5 days`, `between 5 and 7`, `2010–2012`.
fn exclude_ranges(text: &str, found: &mut [FoundValue]) {
    let joins = |pair: &[FoundValue]| match pair {
        [one, next] => {
            let between = text.get(one.core.end..next.core.start).unwrap_or_default();
            RANGE_WORDS.contains(&&*lower(between.trim()))
        }
        _ => false,
    };
    let joined: Vec<bool> = found.windows(2).map(joins).collect();
    for (at, value) in found.iter_mut().enumerate() {
        let is_joined = |place: Option<usize>| place.and_then(|place| joined.get(place)) == Some(&true);
        value.can_differ &= !is_joined(Some(at)) && !is_joined(at.checked_sub(1));
    }
}

/// The name of a person, or of a place after a preposition, that the question does not have. A clause with two of them
/// says nothing certain about either.
fn read_names(
    text: &str,
    words: &[Word],
    language: Language,
    wanted: NamesWanted,
    asked: &Stems,
) -> Vec<FoundValue> {
    if wanted == NamesWanted::Neither {
        return Vec::new();
    }
    let found = names(language, text).into_iter().filter_map(|name| {
        let own: Stems = name.words.iter().map(|word| lower(word).into_owned()).collect();
        let before = words.iter().rev().find(|word| word.place.end <= name.place.start);
        let is_place = before.is_some_and(|word| BEFORE_PLACES.contains(&word.lower.as_str()));
        let is_new = !own.iter().all(|word| asked.contains(word));
        (is_new && is_place == (wanted == NamesWanted::Places)).then(|| FoundValue {
            value: Value::Name { words: own, is_place },
            core: name.place.clone(),
            place: name.place,
            can_differ: true,
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn read(text: &str, wanted: NamesWanted) -> Vec<(String, bool)> {
        let language = Language::ENGLISH;
        let facts = Facts::read(language, text);
        let asked = Stems::from(["bridge".to_owned(), "lennart".to_owned()]);
        let found = read_values(text, &words(language, text), &facts, language, wanted, &asked);
        found.iter().map(|one| (text[one.place.clone()].to_owned(), one.can_differ)).collect()
    }

    #[test]
    fn values_of_sentences() {
        use NamesWanted::*;
        for (text, wanted, expected) in [
            ("It takes 7 business days.", Neither, vec![("7 business days", true)]),
            ("It has 120 beds in a row.", Neither, vec![("120 beds", true)]),
            ("It takes 3 to 5 days.", Neither, vec![("3", false), ("5 days", false)]),
            ("It takes an hour on the second day.", Neither, vec![("second", false)]),
            ("In 1932 it had 2000 rows.", Neither, vec![("1932", true), ("2000 rows", true)]),
            ("It opens at 9:00 on 5 March.", Neither, vec![("9:00", true), ("5 March", true)]),
            ("The Lennart Bridge is by Margit Oberlin.", Persons, vec![("Margit Oberlin", true)]),
            ("The Lennart Bridge is in Hull.", Places, vec![("Hull", true)]),
            ("The Lennart Bridge is in Hull.", Persons, vec![]),
            ("The Lennart Bridge is in Hull.", Neither, vec![]),
        ] {
            let found = read(text, wanted);
            let found: Vec<(&str, bool)> = found.iter().map(|(text, sure)| (text.as_str(), *sure)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
