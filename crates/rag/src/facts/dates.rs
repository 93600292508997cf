//! Dates of a text, complete or not, in the forms of several languages.

use super::lexemes::{Kind, Lexeme};
use super::number_words::{NumberWord, number_word};
use relevancy::Language;
use std::ops::RangeInclusive;

/// The known parts of a date.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PartialDate {
    /// More than one for a decade or a century.
    pub years: Option<RangeInclusive<i32>>,
    pub month: Option<u32>,
    pub day: Option<u32>,
}

impl PartialDate {
    /// Whether another date says this one. A date without a year may be of any.
    pub fn is_said_by(&self, other: &Self) -> bool {
        let years = match (&self.years, &other.years) {
            (Some(own), Some(other)) => own.contains(other.start()) && own.contains(other.end()),
            _ => true,
        };
        let part = |own: Option<u32>, other: Option<u32>| own.is_none() || own == other;
        years && part(self.month, other.month) && part(self.day, other.day)
    }
}

pub(super) struct DateReader<'a> {
    language: Language,
    lexemes: &'a [Lexeme],
}

impl<'a> DateReader<'a> {
    pub fn new(language: Language, lexemes: &'a [Lexeme]) -> Self {
        Self { language, lexemes }
    }

    /// The date that begins here, and where it ends.
    pub fn date_at(&self, start: usize) -> Option<(PartialDate, usize)> {
        self.whole_date(start)
            .or_else(|| self.span_of_years(start))
            .or_else(|| self.day_and_month(start))
            .or_else(|| self.month_first(start))
    }

    fn word(&self, at: usize) -> Option<&str> {
        self.lexemes.get(at)?.word()
    }

    fn is_word(&self, at: usize, words: &[&str]) -> bool {
        self.word(at).is_some_and(|word| words.contains(&word))
    }

    fn is_sign(&self, at: usize, sign: char) -> bool {
        self.lexemes.get(at).is_some_and(|lexeme| lexeme.is_sign(sign))
    }

    fn plain_number(&self, at: usize) -> Option<f64> {
        match self.lexemes.get(at)?.kind {
            Kind::Numeral { value, is_plain: true, .. } => Some(value),
            _ => None,
        }
    }

    fn whole_date(&self, at: usize) -> Option<(PartialDate, usize)> {
        let Kind::Date(year, month, day) = self.lexemes.get(at)?.kind else { return None };
        Some((PartialDate { years: Some(year..=year), month: Some(month), day: Some(day) }, at + 1))
    }

    /// `the 1990s`, `19th century`, `13. Jahrhundert`.
    fn span_of_years(&self, at: usize) -> Option<(PartialDate, usize)> {
        let years = |years: RangeInclusive<i32>| PartialDate { years: Some(years), ..PartialDate::default() };
        let number = self.plain_number(at).or_else(|| self.ordinal_word(at))?;
        let number = number as i32;
        let is_attached = self.lexemes.get(at + 1).is_some_and(|next| next.start == self.lexemes[at].end);
        if is_attached
            && self.is_word(at + 1, &["s", "er"])
            && number % 10 == 0
            && (1000..2100).contains(&number)
        {
            return Some((years(number..=number + 9), at + 2));
        }
        let mark = usize::from(self.is_word(at + 1, ORDINAL_MARKS) || self.is_sign(at + 1, '.'));
        let is_century = self.is_word(at + 1 + mark, &["century", "jahrhundert", "jahrhunderts", "siècle"]);
        (is_century && (1..=21).contains(&number))
            .then(|| (years((number - 1) * 100..=number * 100), at + mark + 2))
    }

    /// `8 November 2023`, `14. März`, `the third of August`, `9 de abril de 2018`.
    fn day_and_month(&self, at: usize) -> Option<(PartialDate, usize)> {
        let day = self.plain_number(at).or_else(|| self.ordinal_word(at))?;
        let mut next = at + 1;
        if self.is_word(next, ORDINAL_MARKS) || self.is_sign(next, '.') {
            next += 1;
        }
        if self.is_word(next, &["of", "de"]) {
            next += 1;
        }
        let month = self.month(next)?;
        let day = day_of(day)?;
        let (years, end) = self.year(next + 1);
        Some((PartialDate { years, month: Some(month), day: Some(day) }, end))
    }

    /// `November 8, 2023`, `June 1932`, `in March`.
    fn month_first(&self, at: usize) -> Option<(PartialDate, usize)> {
        let month = self.month(at)?;
        let day = self.plain_number(at + 1).and_then(day_of);
        if let Some(day) = day {
            let mark = usize::from(self.is_word(at + 2, ORDINAL_MARKS));
            let (years, end) = self.year(at + 2 + mark);
            return Some((PartialDate { years, month: Some(month), day: Some(day) }, end));
        }
        let (years, end) = self.year(at + 1);
        let is_ambiguous = self.is_word(at, AMBIGUOUS);
        let follows_preposition = at.checked_sub(1).is_some_and(|before| self.is_word(before, BEFORE_MONTHS));
        (years.is_some() || !is_ambiguous || follows_preposition)
            .then_some((PartialDate { years, month: Some(month), day: None }, end))
    }

    fn year(&self, at: usize) -> (Option<RangeInclusive<i32>>, usize) {
        let skipped = usize::from(self.is_sign(at, ',') || self.is_word(at, &["of", "de", "del"]));
        match self.plain_number(at + skipped) {
            Some(year) if (1000.0..=2100.0).contains(&year) => {
                (Some(year as i32..=year as i32), at + skipped + 1)
            }
            _ => (None, at),
        }
    }

    fn ordinal_word(&self, at: usize) -> Option<f64> {
        match number_word(self.language, self.word(at)?) {
            Some(NumberWord::Ordinal(place)) => Some(place),
            _ => None,
        }
    }

    /// The month with this name. Except in French and Spanish, its name begins with a capital.
    fn month(&self, at: usize) -> Option<u32> {
        let lexeme = self.lexemes.get(at)?;
        let word = lexeme.word()?;
        let code = self.language.known().map_or("en", |known| known.code);
        let is_written_so = lexeme.is_capitalized || matches!(code, "fr" | "es" | "it" | "pt");
        is_written_so.then(|| months(word)).flatten()
    }
}

fn day_of(number: f64) -> Option<u32> {
    (1.0..=31.0).contains(&number).then_some(number as u32)
}

/// The number of a month, by its name in lower case.
pub(crate) fn months(name: &str) -> Option<u32> {
    let place = MONTHS.iter().position(|names| names.split(' ').any(|known| known == name))?;
    u32::try_from(place + 1).ok()
}

const ORDINAL_MARKS: &[&str] = &["st", "nd", "rd", "th", "er"];
/// Names of months that are also other words.
const AMBIGUOUS: &[&str] = &["may", "march", "mar", "jan", "mars", "sept", "dec", "abril"];
const BEFORE_MONTHS: &[&str] = &[
    "in", "of", "since", "until", "till", "from", "to", "and", "by", "early", "late", "mid", "im", "seit",
    "bis", "ab", "anfang", "mitte", "ende", "vom", "zum", "en", "de", "depuis", "this", "next", "last",
    "every", "each", "between", "during", "before", "after", "through",
];
const MONTHS: [&str; 12] = [
    "january jan januar jänner janvier enero",
    "february feb februar février febrero",
    "march mar märz mars marzo",
    "april apr avril abril",
    "may mai mayo",
    "june jun juni juin junio",
    "july jul juli juillet julio",
    "august aug août agosto",
    "september sept sep septembre septiembre",
    "october oct oktober okt octobre octubre",
    "november nov novembre noviembre",
    "december dec dezember dez décembre diciembre",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Facts;

    fn read(language: &str, text: &str) -> Vec<(Option<i32>, Option<u32>, Option<u32>)> {
        let facts = Facts::read(Language::named(language), text);
        let parts =
            |date: &PartialDate| (date.years.as_ref().map(|years| *years.start()), date.month, date.day);
        facts.dates.iter().map(|(date, _)| parts(date)).collect()
    }

    #[test]
    fn dates_in_many_forms() {
        for (language, text, expected) in [
            ("english", "on 8 November 2023", vec![(Some(2023), Some(11), Some(8))]),
            ("english", "on November 8, 2023", vec![(Some(2023), Some(11), Some(8))]),
            ("english", "on the third of August 1911", vec![(Some(1911), Some(8), Some(3))]),
            ("english", "before 31 March.", vec![(None, Some(3), Some(31))]),
            ("english", "March 31st", vec![(None, Some(3), Some(31))]),
            ("english", "in June 1932", vec![(Some(1932), Some(6), None)]),
            ("english", "in May", vec![(None, Some(5), None)]),
            ("english", "They may march. May I?", vec![]),
            ("english", "2023-11-08", vec![(Some(2023), Some(11), Some(8))]),
            (
                "english",
                "the 19th century and the 1990s",
                vec![(Some(1800), None, None), (Some(1990), None, None)],
            ),
            (
                "german",
                "am 14. März 2023, im 13. Jahrhundert",
                vec![(Some(2023), Some(3), Some(14)), (Some(1200), None, None)],
            ),
            ("german", "Seit Mai 2021", vec![(Some(2021), Some(5), None)]),
            ("spanish", "el 9 de abril de 2018", vec![(Some(2018), Some(4), Some(9))]),
            ("french", "le 1er mars 2020", vec![(Some(2020), Some(3), Some(1))]),
        ] {
            assert_eq!(read(language, text), expected, "{text}");
        }
    }

    #[test]
    fn a_date_says_a_less_exact_one() {
        let date = |years: Option<RangeInclusive<i32>>, month, day| PartialDate { years, month, day };
        let whole = date(Some(1911..=1911), Some(8), Some(3));
        for (claim, expected) in [
            (date(Some(1911..=1911), None, None), true),
            (date(None, Some(8), None), true),
            (date(Some(1900..=2000), None, None), true),
            (date(Some(1912..=1912), Some(8), None), false),
            (date(None, Some(8), Some(4)), false),
            (whole.clone(), true),
        ] {
            assert_eq!(claim.is_said_by(&whole), expected, "{claim:?}");
        }
        assert!(!whole.is_said_by(&date(Some(1911..=1911), Some(8), None)), "the day is not known");
    }
}
