//! Compares the facts of a sentence with those of the sources that it cites.

use super::dates::PartialDate;
use super::names::{Name, names};
use super::negation::{Clause, clauses, is_denied};
use super::quantities::Facts;
use super::quantity::Quantity;
use super::units::{Dimension, Unit};
use super::weekdays::weekdays;
use relevancy::Language;
use relevancy::background_frequencies::idf;
use relevancy::tokens::{lower, tokens};
use std::collections::BTreeSet;

/// A rounded number differs by at most this share if the sentence says so.
const APPROXIMATE_MAX: f64 = 0.1;
/// Digits of a number that a sentence may round to without saying so.
const ROUNDED_DIGITS_MIN: i32 = 2;
/// Words that are at least this rare can be names. More frequent ones, as in "River Elbe", only describe.
const NAME_IDF_MIN: f64 = 4.5;
/// Minimum length of the common beginning of a name and its derivation, as in "Hamburg" and "Hamburger".
const COMMON_PREFIX_MIN: usize = 5;
const SECONDS_OF_MONTH: f64 = 2_629_800.0;
/// Months have different lengths.
const MONTH_LENGTH_DIFFERENCE: f64 = 0.05;
/// Maximum number of points that a sentence may count without a source, as in "for two reasons".
const COUNTED_MAX: f64 = 5.0;

/// What a sentence says differently from its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mismatch {
    Number,
    Date,
    Name,
    Negation,
}

/// The facts of a sentence that has to be supported.
pub(crate) struct ClaimFacts<'a> {
    pub facts: Facts,
    names: Vec<Name<'a>>,
    weekdays: BTreeSet<u32>,
    clauses: Vec<Clause>,
    counted: BTreeSet<usize>,
}

/// The parts of the sources that a sentence cites.
#[derive(Default)]
pub(crate) struct SourceParts<'s> {
    /// Those that are about the sentence, and the fields of the sources. They may have its numbers and dates.
    pub near: Vec<&'s SourceFacts>,
    /// All of them. They may have its names.
    pub all: Vec<&'s SourceFacts>,
    /// Those that share many of its words, and may deny it.
    pub related: Vec<&'s SourceFacts>,
}

/// The facts of a part of a source.
pub(crate) struct SourceFacts {
    pub facts: Facts,
    words: BTreeSet<String>,
    weekdays: BTreeSet<u32>,
    initials: String,
    clauses: Vec<Clause>,
}

impl SourceFacts {
    pub fn read(language: Language, text: &str) -> Self {
        let words: Vec<&str> = tokens(text).map(|token| token.text).collect();
        let capitals =
            words.iter().filter_map(|word| word.chars().next().filter(|first| first.is_uppercase()));
        Self {
            facts: Facts::read(language, text),
            words: words.iter().map(|word| lower(word).into_owned()).collect(),
            weekdays: weekdays(text),
            initials: capitals.collect(),
            clauses: clauses(language, text),
        }
    }

    fn says_quantity(&self, claimed: &Quantity) -> bool {
        self.facts.quantities.iter().any(|known| is_same_quantity(claimed, known))
            || (claimed.is_year && self.has_year(claimed.value as i32))
    }

    fn has_year(&self, year: i32) -> bool {
        self.facts
            .dates
            .iter()
            .any(|(date, _)| date.years.as_ref().is_some_and(|years| *years == (year..=year)))
    }

    fn says_date(&self, claimed: &PartialDate) -> bool {
        self.facts.dates.iter().any(|(known, _)| claimed.is_said_by(known))
            || (claimed.month.is_none() && self.has_year_among(claimed))
    }

    /// A year without a month is read as a number.
    fn has_year_among(&self, claimed: &PartialDate) -> bool {
        let years = claimed.years.as_ref();
        years.is_some_and(|years| {
            self.facts.quantities.iter().any(|one| one.is_year && years.contains(&(one.value as i32)))
        })
    }

    fn has_name_word(&self, word: &str) -> bool {
        let is_acronym = word.len() > 1 && word.chars().all(char::is_uppercase);
        let word = lower(word);
        let word = word.strip_suffix("'s").unwrap_or(&word);
        self.words.contains(word)
            || self.words.iter().any(|known| is_derived(known, word))
            || (is_acronym && self.initials.to_lowercase().contains(word))
    }
}

impl<'a> ClaimFacts<'a> {
    /// The language is that of the source.
    pub fn read(language: Language, sentence: &'a str) -> Self {
        let own = language_of_claim(sentence, language);
        let facts = Facts::read(own, sentence);
        let counted =
            facts.quantities.iter().enumerate().filter(|(_, one)| is_count_of_points(one, sentence));
        let counted = counted.map(|(place, _)| place).collect();
        let weekdays = weekdays(sentence);
        Self { names: names(own, sentence), weekdays, clauses: clauses(language, sentence), counted, facts }
    }

    /// What the sources do not say, or deny.
    pub fn mismatches(&self, parts: &SourceParts<'_>) -> BTreeSet<Mismatch> {
        let SourceParts { near, all, .. } = parts;
        let mut found = BTreeSet::new();
        for (place, claimed) in self.facts.quantities.iter().enumerate() {
            if !self.counted.contains(&place) && !near.iter().any(|part| part.says_quantity(claimed)) {
                found.insert(if claimed.is_year { Mismatch::Date } else { Mismatch::Number });
            }
        }
        for (claimed, _) in &self.facts.dates {
            if !near.iter().any(|part| part.says_date(claimed)) {
                found.insert(Mismatch::Date);
            }
        }
        // Several days may be the ends of a range.
        let weekdays: BTreeSet<u32> = near.iter().flat_map(|part| part.weekdays.iter().copied()).collect();
        if weekdays.len() == 1 && !self.weekdays.is_subset(&weekdays) {
            found.insert(Mismatch::Date);
        }
        let is_unknown = |word: &&&str| {
            idf(&Language::ENGLISH.stem(&lower(word))) >= NAME_IDF_MIN
                && !all.iter().any(|part| part.has_name_word(word))
        };
        if self.names.iter().any(|name| name.words.iter().any(|word| is_unknown(&word))) {
            found.insert(Mismatch::Name);
        }
        let clauses: Vec<Clause> =
            parts.related.iter().flat_map(|part| part.clauses.iter().cloned()).collect();
        if self.clauses.iter().any(|clause| is_denied(clause, &clauses)) {
            found.insert(Mismatch::Negation);
        }
        found
    }

    /// How many numbers and dates it has.
    pub fn count(&self) -> usize {
        self.facts.quantities.len() + self.facts.dates.len()
    }

    /// How many of its numbers and dates one of these parts says.
    pub fn said_by(&self, parts: &[&SourceFacts]) -> usize {
        let is_said = |one: &&Quantity| parts.iter().any(|part| part.says_quantity(one));
        let is_date_said = |date: &PartialDate| parts.iter().any(|part| part.says_date(date));
        let quantities = self.facts.quantities.iter().filter(is_said).count();
        quantities + self.facts.dates.iter().filter(|(date, _)| is_date_said(date)).count()
    }
}

/// The language of a sentence: that of its source, unless clearly more of its words are stopwords of another one.
fn language_of_claim(sentence: &str, source: Language) -> Language {
    let stopwords = |language: Language| {
        tokens(sentence).filter(|token| language.is_stopword(&lower(token.text))).count()
    };
    let is_certain = |own: &Language| stopwords(*own) > stopwords(source) + 1;
    Language::of_text(sentence).filter(is_certain).unwrap_or(source)
}

/// "One", "an hour" and "for two reasons" are no facts.
fn is_count_of_points(one: &Quantity, sentence: &str) -> bool {
    let counts_points = || {
        let next = tokens(&sentence[one.place.end..]).take(3);
        one.value <= COUNTED_MAX && next.into_iter().any(|token| POINTS.contains(&&*lower(token.text)))
    };
    one.is_article || (one.value - 1.0).abs() < 1e-9 || (one.unit.is_none() && counts_points())
}

const POINTS: &[&str] = &[
    "reasons",
    "factors",
    "ways",
    "points",
    "things",
    "aspects",
    "causes",
    "steps",
    "main",
    "key",
    "kinds",
    "types",
    "parts",
    "examples",
    "sources",
    "documents",
    "options",
    "gründe",
    "punkte",
    "arten",
    "quellen",
    "raisons",
    "sources",
];

/// Whether a number is the other one, perhaps in another unit or rounded.
pub(crate) fn is_same_quantity(claimed: &Quantity, known: &Quantity) -> bool {
    let readings = |one: &Quantity| [Some(one.value), one.other].into_iter().flatten().collect::<Vec<_>>();
    let (factor, known_factor) = match (claimed.unit, known.unit) {
        (Some(own), Some(other)) if own.dimension.is_duration() && own.dimension != other.dimension => {
            return is_same_duration(claimed, own, known, other);
        }
        (Some(own), Some(other)) if own.dimension == other.dimension => (own.factor, other.factor),
        (Some(own), Some(other)) if is_cents(own, other) => {
            let share = |unit: Unit| if unit.dimension == Dimension::Cent { 0.01 } else { unit.factor };
            (share(own), share(other))
        }
        // A place in an order may be written as a number, and a half past six as 6.30.
        (Some(own), Some(other)) if own.dimension != other.dimension => return false,
        (Some(own), None) if own.dimension == Dimension::Ordinal => return false,
        (Some(own), None) if own.dimension == Dimension::Clock => {
            return is_clock(claimed.value, known.value);
        }
        (None, Some(other)) if other.dimension == Dimension::Clock => {
            return is_clock(known.value, claimed.value);
        }
        _ => (1.0, 1.0),
    };
    let is_clock = claimed.unit.is_some_and(|unit| unit.dimension == Dimension::Clock);
    if is_clock {
        return (claimed.value - known.value).rem_euclid(720.0) < 0.5;
    }
    readings(claimed).iter().any(|own| {
        readings(known).iter().any(|other| {
            let (own, other) = (own * factor, other * known_factor);
            is_equal(own, other)
                || (!claimed.is_year && is_rounded(own, other))
                || (claimed.is_approximate && (own - other).abs() <= APPROXIMATE_MAX * other.abs())
        })
    })
}

/// Whether one amount of money is in cents and the other is not.
fn is_cents(one: Unit, other: Unit) -> bool {
    let (one, other) = (one.dimension, other.dimension);
    one.is_money() && other.is_money() && (one == Dimension::Cent) != (other == Dimension::Cent)
}

/// Sixty days are about two months.
fn is_same_duration(claimed: &Quantity, own: Unit, known: &Quantity, other: Unit) -> bool {
    let seconds = |one: &Quantity, unit: Unit| match unit.dimension {
        Dimension::Time => Some(one.value * unit.factor),
        Dimension::Calendar => Some(one.value * unit.factor * SECONDS_OF_MONTH),
        _ => None,
    };
    match (seconds(claimed, own), seconds(known, other)) {
        (Some(own), Some(other)) => (own - other).abs() <= MONTH_LENGTH_DIFFERENCE * other,
        _ => false,
    }
}

/// `6.30` and `6` are times of day.
fn is_clock(minutes: f64, written: f64) -> bool {
    let (hours, own_minutes) = (written.trunc(), (written.fract() * 100.0).round());
    let is_time = (0.0..=24.0).contains(&hours) && own_minutes < 60.0;
    is_time && (minutes - hours * 60.0 - own_minutes).rem_euclid(720.0) < 0.5
}

fn is_equal(own: f64, other: f64) -> bool {
    (own - other).abs() <= 1e-9 * other.abs().max(1.0)
}

/// Whether the first number is the second one, rounded to its own digits.
fn is_rounded(own: f64, other: f64) -> bool {
    if own <= 0.0 || other <= 0.0 {
        return false;
    }
    let magnitude = own.log10().floor() as i32;
    let digits = (1..=9).find(|digits| {
        let step = 10f64.powi(magnitude + 1 - digits);
        is_equal((own / step).round() * step, own)
    });
    digits.is_some_and(|digits| {
        let step = 10f64.powi(magnitude + 1 - digits);
        digits >= ROUNDED_DIGITS_MIN && is_equal((other / step).round() * step, own)
    })
}

/// Whether a word is another form of a name.
fn is_derived(known: &str, word: &str) -> bool {
    let shared = known.chars().zip(word.chars()).take_while(|(one, other)| one == other).count();
    let (known, word) = (known.chars().count(), word.chars().count());
    shared >= COMMON_PREFIX_MIN.min(word).max(4) && shared + 3 >= known.max(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mismatches(source: &str, claim: &str) -> Vec<Mismatch> {
        let source = SourceFacts::read(Language::ENGLISH, source);
        let claim = ClaimFacts::read(Language::ENGLISH, claim);
        let parts = SourceParts { near: vec![&source], all: vec![&source], related: vec![&source] };
        let found = claim.mismatches(&parts);
        found.into_iter().collect()
    }

    #[test]
    fn facts_that_the_source_does_not_have() {
        let source = "The Lennart Bridge was opened on a Saturday in June 1932. Its arch weighs thirty-nine thousand tonnes and spans 503 \
            metres. It cost 41.7 million pounds. Margit Oberlin designed it for the World Health Organization. The toll is 38 \
            cents. The tunnel halved its traffic.";
        for (claim, expected) in [
            ("The arch weighs 39,000 tonnes.", vec![]),
            ("The arch weighs 39 million kilograms.", vec![]),
            ("The arch weighs twelve tonnes.", vec![Mismatch::Number]),
            ("It spans about 500 metres and cost 42 million pounds.", vec![]),
            ("It cost 47.1 million pounds.", vec![Mismatch::Number]),
            ("The bridge was opened in 1847.", vec![Mismatch::Date]),
            ("The bridge was opened in July 1932.", vec![Mismatch::Date]),
            ("It was opened in the 1930s for two reasons.", vec![]),
            ("It was designed by Margit Oberlin for the WHO.", vec![]),
            ("It was designed by Karl Lindqvist.", vec![Mismatch::Name]),
            ("The Lennart Bridge was not opened in June 1932.", vec![Mismatch::Negation]),
            ("It was opened on a Saturday.", vec![]),
            ("It was opened on a Tuesday.", vec![Mismatch::Date]),
            ("The sum is 39,000 euros.", vec![Mismatch::Number]),
            ("The toll is 0.38 euros.", vec![]),
            ("The toll is 83 cents.", vec![Mismatch::Number]),
            ("Its traffic fell by 50 %.", vec![]),
        ] {
            assert_eq!(mismatches(source, claim), expected, "{claim}");
        }
    }

    #[test]
    fn times_of_day_in_words_and_digits() {
        for (source, claim, expected) in [
            ("It opens at half past six.", "It opens at 6:30.", vec![]),
            ("It opens at half past six.", "It opens at 6.30.", vec![]),
            ("It opens at 18:30.", "It opens at 6:30 pm.", vec![]),
            ("It opens at half past six.", "It opens at 7:30.", vec![Mismatch::Number]),
            ("It opens at 12:00.", "It has 36 beds.", vec![Mismatch::Number]),
        ] {
            assert_eq!(mismatches(source, claim), expected, "{claim}");
        }
    }

    #[test]
    fn numbers_that_are_too_large_are_no_facts() {
        let long = format!("It has {} beds.", "9".repeat(400));
        assert!(mismatches("It has 36 beds.", &long).is_empty());
        assert_eq!(mismatches(&long, "It has 36 beds."), [Mismatch::Number]);
    }
}
