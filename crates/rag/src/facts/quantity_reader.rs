//! Reads the numbers of a text: in digits or in words, with their units.

use super::lexemes::{Kind, Lexeme};
use super::number_words::{NumberWord, number_word};
use super::quantity::Quantity;
use super::units::Unit;
use relevancy::Language;

/// Larger numbers are no facts: with infinity, every number would be about the same.
const NUMBER_MAX: f64 = 1e100;

/// Reads numbers in digits or in words, with their units.
pub(super) struct QuantityReader<'a> {
    language: Language,
    lexemes: &'a [Lexeme],
    at: usize,
}

/// A number without its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Amount {
    value: f64,
    other: Option<f64>,
    /// In digits only, without a separator.
    is_plain: bool,
}

impl Amount {
    fn of(value: f64) -> Self {
        Self { value, other: None, is_plain: false }
    }

    fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, other: self.other.map(|other| other * factor), is_plain: false }
    }
}

impl<'a> QuantityReader<'a> {
    pub fn new(language: Language, lexemes: &'a [Lexeme]) -> Self {
        Self { language, lexemes, at: 0 }
    }

    /// The number that begins here, and where it ends.
    pub fn quantity_at(&mut self, at: usize) -> Option<(Quantity, usize)> {
        self.at = at;
        let quantity = self.quantity()?;
        Some((quantity, self.at))
    }

    fn word(&self, ahead: usize) -> Option<&str> {
        self.lexemes.get(self.at + ahead)?.word()
    }

    fn is_word(&self, ahead: usize, words: &[&str]) -> bool {
        self.word(ahead).is_some_and(|word| words.contains(&word))
    }

    fn number_word(&self, ahead: usize) -> Option<NumberWord> {
        number_word(self.language, self.word(ahead)?)
    }

    fn quantity(&mut self) -> Option<Quantity> {
        let is_approximate = self.is_approximate();
        let first = self.at;
        let currency = self.currency();
        let mut is_article = false;
        let (amount, unit) = match self.special() {
            Some((amount, unit)) => (amount, Some(unit)),
            None => {
                if let Some(amount) = self.amount() {
                    let is_ordinal = self.ordinal_mark();
                    (amount, if is_ordinal { Some(Unit::ORDINAL) } else { self.unit().or(currency) })
                } else if let Some(unit) = self.article_duration() {
                    is_article = true;
                    (Amount::of(1.0), Some(unit))
                } else {
                    self.at = first;
                    return None;
                }
            }
        };
        let (amount, unit) = self.and_a_half(amount, unit);
        let is_year = unit.is_none() && amount.is_plain && (1000.0..=2100.0).contains(&amount.value);
        let Amount { value, other, .. } = amount;
        if value > NUMBER_MAX {
            return None;
        }
        let other = other.filter(|other| *other <= NUMBER_MAX);
        Some(Quantity { value, other, unit, is_approximate, is_year, is_article, place: 0..0 })
    }

    /// The sign of a currency that precedes its number.
    fn currency(&mut self) -> Option<Unit> {
        let Kind::Sign(sign) = self.lexemes.get(self.at)?.kind else { return None };
        let unit = Unit::of_sign(sign).filter(|unit| unit.dimension.is_money())?;
        self.at += 1;
        Some(unit)
    }

    /// Whether one of the two words before says that the number is not exact.
    fn is_approximate(&self) -> bool {
        (1..=2).any(|back| {
            let before = self.at.checked_sub(back).and_then(|at| self.lexemes.get(at)).and_then(Lexeme::word);
            before.is_some_and(|word| APPROXIMATE.contains(&word))
        })
    }

    /// Ordinals, fractions and times of day, which have no other unit.
    fn special(&mut self) -> Option<(Amount, Unit)> {
        if let Kind::Clock(minutes) = self.lexemes.get(self.at)?.kind {
            self.at += 1;
            return Some((Amount::of(f64::from(minutes)), Unit::CLOCK));
        }
        self.clock_in_words().or_else(|| self.fraction()).or_else(|| self.ordinal_word())
    }

    /// `half past six`, `halb sieben`.
    fn clock_in_words(&mut self) -> Option<(Amount, Unit)> {
        let is_past = self.is_word(1, &["past"]);
        let hour = |found: Option<NumberWord>| match found {
            Some(NumberWord::Value(hour)) if hour <= 24.0 => Some(hour),
            _ => None,
        };
        let (minutes, length) = if self.is_word(0, &["half"]) && is_past {
            (hour(self.number_word(2))? * 60.0 + 30.0, 3)
        } else if self.is_word(0, &["quarter"]) && is_past {
            (hour(self.number_word(2))? * 60.0 + 15.0, 3)
        } else if self.is_word(0, &["quarter"]) && self.is_word(1, &["to"]) {
            (hour(self.number_word(2))? * 60.0 - 15.0, 3)
        } else if self.is_word(0, &["halb"]) {
            (hour(self.number_word(1))? * 60.0 - 30.0, 2)
        } else {
            return None;
        };
        self.at += length;
        Some((Amount::of(minutes), Unit::CLOCK))
    }

    /// `a quarter of the men` is a share, `half an hour` a duration.
    fn fraction(&mut self) -> Option<(Amount, Unit)> {
        let parts = match self.number_word(0) {
            Some(NumberWord::Value(parts)) if parts < 10.0 => Some(parts),
            _ if self.is_word(0, ARTICLES) => Some(1.0),
            _ => None,
        };
        let name = usize::from(parts.is_some());
        let share = self.word(name).and_then(|word| {
            FRACTIONS
                .iter()
                .find(|(_, words)| words.split(' ').any(|known| known == word))
                .map(|(share, _)| *share)
        })?;
        let after_ordinal =
            self.at.checked_sub(1).and_then(|before| self.lexemes.get(before)).and_then(Lexeme::word);
        let after_ordinal = after_ordinal.and_then(|word| number_word(self.language, word));
        if matches!(after_ordinal, Some(NumberWord::Ordinal(_))) && !self.is_word(name + 1, &["of"]) {
            return None;
        }
        let mut length = name + 1;
        let amount = Amount::of(parts.unwrap_or(1.0) * share);
        while self.is_word(length, &["of", "an", "a", "de", "d"]) {
            length += 1;
        }
        let unit = self.word(length).and_then(Unit::named);
        if let Some(unit) = unit {
            self.at += length + 1;
            return Some((amount, unit));
        }
        // "The third of August" and "every quarter" are no shares, "the first half" is a part of a year.
        if parts.is_none() && (!is_equal(share, 0.5) || after_ordinal.is_some()) {
            return None;
        }
        self.at += name + 1;
        Some((amount.times(100.0), Unit::PERCENT))
    }

    fn ordinal_word(&mut self) -> Option<(Amount, Unit)> {
        let Some(NumberWord::Ordinal(place)) = self.number_word(0) else { return None };
        self.at += 1;
        Some((Amount::of(place), Unit::ORDINAL))
    }

    /// `nd` of `2nd`.
    fn ordinal_mark(&mut self) -> bool {
        let is_attached = self.at > 0
            && self.lexemes.get(self.at).is_some_and(|next| next.start == self.lexemes[self.at - 1].end);
        let is_mark = is_attached && self.is_word(0, &["st", "nd", "rd", "th", "er", "ème", "e"]);
        self.at += usize::from(is_mark);
        is_mark
    }

    /// `an hour`, `a decade`.
    fn article_duration(&mut self) -> Option<Unit> {
        let unit = self.word(1).filter(|word| *word != "second").and_then(Unit::named);
        let unit = unit.filter(|unit| unit.dimension.is_duration() && self.is_word(0, ARTICLES))?;
        self.at += 2;
        Some(unit)
    }

    /// A number in digits or words, with its scale: `1.2 million`, `one hundred and twenty thousand`.
    fn amount(&mut self) -> Option<Amount> {
        if let Kind::Numeral { value, other, is_plain } = self.lexemes.get(self.at)?.kind {
            self.at += 1;
            let mut amount = Amount { value, other, is_plain };
            while let Some(NumberWord::Scale(scale)) = self.number_word(0) {
                amount = amount.times(scale);
                self.at += 1;
            }
            return Some(amount);
        }
        self.amount_in_words()
    }

    fn amount_in_words(&mut self) -> Option<Amount> {
        let start = self.at;
        // The sum of finished thousands, the part that is being read, and what the next word has to be below.
        let (mut whole, mut part, mut below): (f64, f64, f64) = (0.0, 0.0, f64::INFINITY);
        if self.is_word(0, ARTICLES) && matches!(self.number_word(1), Some(NumberWord::Scale(_))) {
            self.at += 1;
        }
        let mut end = start;
        loop {
            match self.number_word(0) {
                // Four times twenty is French.
                Some(NumberWord::Value(value)) if is_equal(part, 4.0) && is_equal(value, 20.0) => {
                    (part, below) = (80.0, 20.0);
                }
                Some(NumberWord::Value(value)) if value < below => {
                    part += value;
                    below = below_next(value);
                }
                Some(NumberWord::Scale(scale)) if scale < 1e3 => {
                    (part, below) = (part.max(1.0) * scale, 100.0);
                }
                Some(NumberWord::Scale(scale)) => {
                    whole += part.max(1.0) * scale;
                    (part, below) = (0.0, 1e3);
                }
                _ => break,
            }
            self.at += 1;
            end = self.at;
            let is_joined = self.lexemes.get(self.at).is_some_and(|next| next.is_sign('-'))
                || self.is_word(0, &["et", "y"])
                || (self.is_word(0, &["and", "und"]) && below >= 100.0);
            let goes_on = match self.number_word(1) {
                Some(NumberWord::Value(value)) => {
                    value < below || is_equal(value, 20.0) && is_equal(part, 4.0)
                }
                Some(NumberWord::Scale(_)) => self.lexemes.get(self.at).is_some_and(|next| next.is_sign('-')),
                _ => false,
            };
            self.at += usize::from(is_joined && goes_on);
        }
        self.at = end;
        (end > start).then(|| Amount::of(whole + part))
    }

    fn unit(&mut self) -> Option<Unit> {
        let at = self.at;
        // `ten-minute`, `18 %`.
        if self.lexemes.get(self.at).is_some_and(|next| next.is_sign('-'))
            && self.word(1).and_then(Unit::named).is_some()
        {
            self.at += 1;
        }
        let next = self.lexemes.get(self.at)?;
        if let Kind::Sign(sign) = next.kind
            && let Some(unit) = Unit::of_sign(sign)
        {
            self.at += 1;
            self.at += usize::from(sign == '°' && self.is_word(0, &["c", "f"]));
            return Some(unit);
        }
        let is_share = self.is_word(0, &["per", "pour", "por"]) && self.is_word(1, &["cent", "ciento"]);
        if is_share {
            self.at += 2;
            return Some(Unit::PERCENT);
        }
        if self.is_word(0, &["o'clock", "o’clock", "uhr"]) {
            return None;
        }
        let unit = self.word(0).and_then(Unit::named);
        self.at = if unit.is_some() { self.at + 1 } else { at };
        unit
    }

    /// `an hour and a half`, `two and a half litres`.
    fn and_a_half(&mut self, amount: Amount, unit: Option<Unit>) -> (Amount, Option<Unit>) {
        if !(self.is_word(0, &["and"]) && self.is_word(1, &["a"]) && self.is_word(2, &["half"])) {
            return (amount, unit);
        }
        self.at += 3;
        let amount = Amount::of(amount.value + 0.5);
        // `four and a half billion`.
        let scale = match self.number_word(0) {
            Some(NumberWord::Scale(scale)) => {
                self.at += 1;
                scale
            }
            _ => 1.0,
        };
        let unit = unit.or_else(|| self.unit());
        (amount.times(scale), unit)
    }
}

/// What the word after this one has to be below to belong to its number.
fn below_next(value: f64) -> f64 {
    match value {
        value if value >= 100.0 => 100.0,
        // "Soixante-dix" is seventy.
        60.0 | 80.0 => 20.0,
        value if value >= 20.0 => 10.0,
        _ => 0.0,
    }
}

fn is_equal(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

const ARTICLES: &[&str] = &["a", "an", "one", "ein", "eine", "einer", "einem", "einen", "un", "une", "una"];
const FRACTIONS: &[(f64, &str)] = &[
    (
        0.5,
        "half halved halves halving halbiert halbierte halbe halben halber halbes hälfte moitié demi mitad",
    ),
    (0.25, "quarter quarters viertel quart cuarto"),
    (1.0 / 3.0, "third thirds drittel tiers tercio tercios"),
];
const APPROXIMATE: &[&str] = &[
    "about",
    "around",
    "roughly",
    "approximately",
    "approx",
    "nearly",
    "almost",
    "some",
    "circa",
    "over",
    "under",
    "than",
    "rund",
    "etwa",
    "ungefähr",
    "knapp",
    "fast",
    "zirka",
    "ca",
    "gut",
    "über",
    "als",
    "environ",
    "près",
    "presque",
    "plus",
    "unos",
    "unas",
    "cerca",
    "aproximadamente",
    "casi",
    "más",
];
