//! What limits a value: `at least`, `per month`, `planned`. Only values with the same limits are compared.

use super::clause::Clause;
use super::vocabulary::{
    ABOVE, ARTICLES, BELOW, DIFFERENCE_AFTER, DIFFERENCE_BEFORE, EACH, MAXIMUM, MINIMUM, PAST, PER, PLANNED,
    PRESENT, SINCE, UNTIL,
};
use super::words::Word;
use crate::facts::Unit;
use std::collections::BTreeSet;
use std::ops::Range;

/// A limit of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Minimum,
    Maximum,
}

/// The time of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    Past,
    Present,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Qualifiers {
    pub bound: Option<Bound>,
    /// `year` of `per year`; units have their names, so that `a year` is the same.
    pub rates: BTreeSet<String>,
    pub is_planned: bool,
    /// None if it is not certain.
    pub tense: Option<Tense>,
}

impl Qualifiers {
    /// Whether values with these limits can be compared. A date has no tense: "opened in 1932" and "is from 1935".
    pub fn fit(&self, other: &Self, is_date: bool) -> bool {
        let is_other_time = self.tense.is_some() && other.tense.is_some() && self.tense != other.tense;
        self.bound == other.bound
            && self.rates == other.rates
            && self.is_planned == other.is_planned
            && (is_date || !is_other_time)
    }
}

/// The words around a value.
pub(super) struct Surroundings<'w> {
    pub words: &'w [Word],
    pub clause: &'w Clause,
    /// In the sentence, in bytes.
    pub value: &'w Range<usize>,
    pub is_date: bool,
}

impl Surroundings<'_> {
    /// The word so many places before the value, from 1.
    fn before(&self, back: usize) -> &str {
        let first = self.words.iter().position(|word| word.place.end > self.value.start);
        let first = first.unwrap_or(self.words.len());
        first.checked_sub(back).and_then(|at| self.words.get(at)).map_or("", |word| word.lower.as_str())
    }

    /// The word so many places after the value, from 1.
    fn after(&self, ahead: usize) -> &str {
        let next = self.words.iter().filter(|word| word.place.start >= self.value.end).nth(ahead - 1);
        next.map_or("", |word| word.lower.as_str())
    }

    /// Whether the number is a difference, as in `15 minutes longer`.
    pub fn is_difference(&self) -> bool {
        if self.is_date {
            return false;
        }
        let is_by = self.before(1) == "by" || (self.before(1) == "um" && self.after(1) != "uhr");
        is_by
            || (1..=2).any(|ahead| DIFFERENCE_AFTER.contains(&self.after(ahead)))
            || (1..=2).any(|back| DIFFERENCE_BEFORE.contains(&self.before(back)))
    }

    /// The limits of the value, and which words express a rate.
    pub fn qualifiers(&self) -> (Qualifiers, BTreeSet<usize>) {
        let (rates, used) = self.rates();
        let is_planned = self.words.iter().any(|word| PLANNED.contains(&word.lower.as_str()));
        (Qualifiers { bound: self.bound(), rates, is_planned, tense: self.tense() }, used)
    }

    fn bound(&self) -> Option<Bound> {
        let limit = if self.is_date {
            let back = if ARTICLES.contains(&self.before(1)) { 2 } else { 1 };
            (UNTIL.contains(&self.before(back)), SINCE.contains(&self.before(back)))
        } else {
            let has = |list: &[&str], near: &[&str]| {
                (1..=2).any(|back| list.contains(&self.before(back))) || near.contains(&self.before(1))
            };
            let is_up_to = matches!((self.before(2), self.before(1)), ("up", "to") | ("bis", "zu"));
            let is_or_older = self.after(1) == "or" && matches!(self.after(2), "older" | "over");
            let is_maximum = matches!(self.after(1), "maximum" | "höchstens" | "maximal");
            let is_minimum = matches!(self.after(1), "minimum" | "mindestens");
            let maximum = has(MAXIMUM, BELOW) || is_up_to || is_maximum;
            (maximum, has(MINIMUM, ABOVE) || is_or_older || is_minimum)
        };
        match limit {
            (true, _) => Some(Bound::Maximum),
            (_, true) => Some(Bound::Minimum),
            _ => None,
        }
    }

    fn rates(&self) -> (BTreeSet<String>, BTreeSet<usize>) {
        let (mut rates, mut used) = (BTreeSet::new(), BTreeSet::new());
        for (at, pair) in self.words.windows(2).enumerate() {
            let [word, next] = pair else { continue };
            let is_value = self.value.contains(&next.place.start);
            let unit = Unit::named(&next.lower).filter(|unit| unit.dimension.is_duration());
            let name = word.lower.as_str();
            let is_counted = is_value && !matches!(name, "a" | "an" | "im" | "par");
            let is_each = EACH.contains(&name) && (is_counted || (unit.is_some() && !is_value));
            if !self.clause.contains(word.place.start) || !(is_each || PER.contains(&name)) {
                continue;
            }
            used.insert(at);
            rates.insert(match unit {
                _ if is_value => "each".to_owned(),
                Some(unit) => format!("{:?} {}", unit.dimension, unit.factor),
                None => next.stem.clone().unwrap_or_default(),
            });
            if !is_value {
                used.insert(at + 1);
            }
        }
        (rates, used)
    }

    fn tense(&self) -> Option<Tense> {
        let has = |list: &[&str]| {
            let is_one = |word: &Word| list.contains(&word.lower.as_str());
            self.words.iter().any(|word| self.clause.contains(word.place.start) && is_one(word))
        };
        match (has(PAST), has(PRESENT)) {
            (true, false) => Some(Tense::Past),
            (false, true) => Some(Tense::Present),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::clause::Parts;
    use super::super::words::words;
    use super::*;
    use crate::facts::Facts;
    use relevancy::Language;

    /// The limits of the first number or date of a text, and whether it is a difference.
    fn read(text: &str) -> (Qualifiers, bool) {
        let facts = Facts::read(Language::ENGLISH, text);
        let words = words(Language::ENGLISH, text);
        let date = facts.dates.first().map(|(_, place)| place.clone());
        let value = date.clone().or_else(|| facts.quantities.first().map(|one| one.place.clone())).unwrap();
        let clause = Parts::of(text, &facts, &words).clause_at(&words, value.start).unwrap();
        let around = Surroundings { words: &words, clause: &clause, value: &value, is_date: date.is_some() };
        (around.qualifiers().0, around.is_difference())
    }

    #[test]
    fn limits_of_values() {
        for (text, bound) in [
            ("Visitors must be at least 16 years old.", Some(Bound::Minimum)),
            ("Visitors must be 16 years or older.", Some(Bound::Minimum)),
            ("A stay of up to 14 days.", Some(Bound::Maximum)),
            ("It takes over 14 days.", Some(Bound::Minimum)),
            ("It takes 14 days.", None),
            ("A reply from support takes 3 days.", None),
            ("Hand it in by the 5 March.", Some(Bound::Maximum)),
            ("It is open since May 2021.", Some(Bound::Minimum)),
            ("It opened on 5 March.", None),
        ] {
            assert_eq!(read(text).0.bound, bound, "{text}");
        }
    }

    #[test]
    fn rates_plans_and_differences() {
        let rates = |text: &str| read(text).0.rates;
        assert_eq!(rates("It costs 10 euros per month."), rates("It costs 100 euros a month."));
        assert_ne!(rates("It costs 10 euros per month."), rates("It costs 100 euros per year."));
        assert_eq!(rates("Change it every 90 days."), rates("It changes every 180 days."));
        assert!(rates("It costs 10 euros in a shop.").is_empty());
        for (text, is_planned, tense) in [
            ("The planned cost is 12 euros.", true, Some(Tense::Present)),
            ("It will have 12 rows.", true, Some(Tense::Present)),
            ("It had 12 rows.", false, Some(Tense::Past)),
            ("It cost 12 euros.", false, None),
        ] {
            let found = read(text).0;
            assert_eq!((found.is_planned, found.tense), (is_planned, tense), "{text}");
        }
        for (text, expected) in [
            ("Sales rose by 12 percent.", true),
            ("It is 15 minutes longer.", true),
            ("It takes another 15 minutes.", true),
            ("It takes 15 minutes.", false),
        ] {
            assert_eq!(read(text).1, expected, "{text}");
        }
    }
}
