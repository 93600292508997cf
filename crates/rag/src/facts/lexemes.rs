//! Splits a text into words, numerals and signs.

use regex::Regex;
use relevancy::tokens::lower;
use std::sync::LazyLock;

/// Maximum number of lexemes of a text.
const LEXEMES_MAX: usize = 2_000;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// In lower case.
    Word(String),
    /// A numeral in digits. The other reading is that of a country with the other decimal sign.
    Numeral { value: f64, other: Option<f64>, is_plain: bool },
    /// Year, month, day; 0 if unknown.
    Date(i32, u32, u32),
    /// Minutes since midnight.
    Clock(u32),
    /// A sign of a unit or a punctuation mark.
    Sign(char),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lexeme {
    pub kind: Kind,
    pub is_capitalized: bool,
    /// In the text, in bytes.
    pub start: usize,
    pub end: usize,
}

impl Lexeme {
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    pub fn is_sign(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }
}

#[expect(clippy::expect_used, reason = "a constant that the tests compile")]
static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?x)
        (?P<iso>\b\d{4}-\d{2}-\d{2})
        |(?P<day>\b\d{1,2}[./]\d{1,2}[./]\d{4}\b)
        |(?P<clock>\b\d{1,2}:\d{2}\b)
        |(?P<numeral>\d+(?:[.,]\d+)*(?:['’\u{a0}\u{202f}]\d{3}\b)*(?:[.,]\d+)?)
        |(?P<word>\p{L}[\p{L}\p{M}]*(?:['’]\p{L}+)*)
        |(?P<sign>[^\s\w])";
    Regex::new(pattern).expect("a valid pattern")
});

pub(super) fn lexemes(text: &str) -> Vec<Lexeme> {
    let found = PATTERN.captures_iter(text).take(LEXEMES_MAX);
    found.filter_map(|captures| lexeme(&captures)).collect()
}

fn lexeme(captures: &regex::Captures<'_>) -> Option<Lexeme> {
    let whole = captures.get(0)?;
    let text = whole.as_str();
    let kind = if captures.name("iso").is_some() {
        iso_date(text)
    } else if captures.name("day").is_some() {
        day_date(text)
    } else if captures.name("clock").is_some() {
        clock(text)
    } else if captures.name("numeral").is_some() {
        numeral(text)
    } else if captures.name("word").is_some() {
        Some(Kind::Word(lower(text).into_owned()))
    } else {
        text.chars().next().map(Kind::Sign)
    };
    let is_capitalized = text.starts_with(char::is_uppercase);
    Some(Lexeme {
        kind: kind.or_else(|| numeral(text))?,
        is_capitalized,
        start: whole.start(),
        end: whole.end(),
    })
}

fn iso_date(text: &str) -> Option<Kind> {
    let mut parts = text.split('-');
    let year = parts.next()?.parse().ok()?;
    let (month, day) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some(Kind::Date(year, month, day))
}

/// `14.03.2023`, `3/14/2023` or `14/3/2023`. If both orders are possible, the day is first.
fn day_date(text: &str) -> Option<Kind> {
    let mut parts = text.split(['.', '/']);
    let (first, second): (u32, u32) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let year = parts.next()?.parse().ok()?;
    let (day, month) = if second > 12 { (second, first) } else { (first, second) };
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some(Kind::Date(year, month, day))
}

fn clock(text: &str) -> Option<Kind> {
    let (hours, minutes) = text.split_once(':')?;
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 25 && minutes < 60).then_some(Kind::Clock(hours * 60 + minutes))
}

/// `39,000` is read as thousands, and `1.250` as a decimal with the other reading 1250.
fn numeral(text: &str) -> Option<Kind> {
    let digits: String = text.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.len() == text.len();
    let joined = |text: &str| text.replace([',', '.'], "").parse::<f64>().ok();
    let Some(last) = digits.rfind(['.', ',']) else {
        return digits.parse().ok().map(|value| Kind::Numeral { value, other: None, is_plain });
    };
    let (head, tail) = (&digits[..last], &digits[last + 1..]);
    let decimal = format!("{}.{tail}", head.replace([',', '.'], "")).parse::<f64>().ok();
    let separator = &digits[last..=last];
    let is_repeated = head.contains(separator);
    let (value, other) = match (tail.len() == 3, is_repeated) {
        (true, true) => (joined(&digits)?, None),
        (true, false) if separator == "," => (joined(&digits)?, decimal),
        (true, false) => (decimal?, joined(&digits)),
        _ => (decimal?, None),
    };
    Some(Kind::Numeral { value, other, is_plain })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_of_several_countries() {
        for (text, value, other) in [
            ("1932", 1932.0, None),
            ("39,000", 39_000.0, Some(39.0)),
            ("1.250", 1.25, Some(1250.0)),
            ("1.250.000", 1_250_000.0, None),
            ("1,250,000.5", 1_250_000.5, None),
            ("6,4", 6.4, None),
            ("41.7", 41.7, None),
            ("2\u{202f}350", 2350.0, None),
            ("2'350", 2350.0, None),
        ] {
            let found = lexemes(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            let Kind::Numeral { value: read, other: other_read, .. } = found[0].kind else {
                panic!("{found:?}")
            };
            assert_eq!((read, other_read), (value, other), "{text}");
        }
    }

    #[test]
    fn dates_and_times_in_digits() {
        for (text, expected) in [
            ("2023-11-08", Kind::Date(2023, 11, 8)),
            ("14.03.2023", Kind::Date(2023, 3, 14)),
            ("3/14/2023", Kind::Date(2023, 3, 14)),
            ("6:30", Kind::Clock(390)),
        ] {
            assert_eq!(lexemes(text)[0].kind, expected, "{text}");
        }
        assert!(matches!(lexemes("44.99.2023")[0].kind, Kind::Numeral { .. }));
        assert_eq!(lexemes(&"a ".repeat(LEXEMES_MAX + 5)).len(), LEXEMES_MAX);
    }
}
