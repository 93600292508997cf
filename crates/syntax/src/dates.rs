//! Parses dates as sources write them into the interface's format: `YYYY-MM-DD HH:MM:SS[.ffffff][+HH:MM]`.

use crate::date_format::format_date;
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Utc};

/// The normal form of a missing date.
pub const DATE_UNKNOWN: &str = "unknown";
/// Longer texts are not dates.
const DATE_BYTES_MAX: usize = 64;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const FILLERS: [&str; 8] = ["t", "at", "of", "the", "st", "nd", "rd", "th"];
/// Time zone names in mail dates, in minutes from UTC.
const ZONES: [(&str, i32); 11] = [
    ("z", 0),
    ("utc", 0),
    ("gmt", 0),
    ("est", -300),
    ("edt", -240),
    ("cst", -360),
    ("cdt", -300),
    ("mst", -420),
    ("mdt", -360),
    ("pst", -480),
    ("pdt", -420),
];

/// The date in the interface's format; empty, `None` and `null` are unknown; other texts are unchanged.
pub fn normalize_date(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || ["none", "null", DATE_UNKNOWN].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return DATE_UNKNOWN.to_owned();
    }
    parse_date(text).unwrap_or_else(|| text.to_owned())
}

/// The date in the interface's format, if the text is a date.
///
/// With numbers only, the month comes before the day (`3/4/2021` is March 4), unless that is impossible and the year comes
/// last. Missing parts default to the first of their kind: `March 2020` is March 1.
pub fn parse_date(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > DATE_BYTES_MAX {
        return None;
    }
    match common_form(text) {
        Some(CommonForm { time, offset_min }) => Some(format_date(time, offset_min)),
        None => parse_any_form(text),
    }
}

fn parse_any_form(text: &str) -> Option<String> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return from_digits(text);
    }
    if let Some(date) = from_epoch_fraction(text) {
        return Some(date);
    }
    Fields::read(text)?.resolve()
}

/// The point in time of a `date_published`; UTC if it has no offset.
pub fn instant(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if let Ok(time) =
        DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_str(text, "%F %T%.f%z"))
    {
        return Some(time.to_utc());
    }
    let time = NaiveDateTime::parse_from_str(text, "%F %T%.f").or_else(|_| text.parse::<NaiveDateTime>());
    let midnight = || NaiveDate::parse_from_str(text, "%F").ok()?.and_hms_opt(0, 0, 0);
    time.ok().or_else(midnight).map(|time| time.and_utc())
}

/// What [`common_form`] reads.
struct CommonForm {
    time: NaiveDateTime,
    offset_min: Option<i32>,
}

/// `2021-03-04` and `2021-03-04T05:06:07Z`, as most sources write dates: without the list of parts that other forms
/// need. `None` for any other form, and for a month or a day that is impossible.
fn common_form(text: &str) -> Option<CommonForm> {
    let bytes = text.as_bytes();
    let (date, clock) = bytes.split_first_chunk::<10>()?;
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = *date else { return None };
    let date = day(number([y0, y1, y2, y3])?, number([m0, m1])?, number([d0, d1])?)?;
    match *clock {
        [] => Some(CommonForm { time: date, offset_min: None }),
        [b'T', h0, h1, b':', m0, m1, b':', s0, s1, b'Z'] => {
            let time = hours(number([h0, h1])?, number([m0, m1])?, number([s0, s1])?)?;
            Some(CommonForm { time: date.date().and_time(time), offset_min: Some(0) })
        }
        _ => None,
    }
}

/// The number with these digits.
fn number<const DIGITS: usize>(digits: [u8; DIGITS]) -> Option<i64> {
    let mut number = 0;
    for digit in digits {
        number = number * 10 + i64::from(digit.checked_sub(b'0').filter(|digit| *digit <= 9)?);
    }
    Some(number)
}

/// Digits only: a year, a compact date, or the time since 1970 in seconds or finer.
fn from_digits(text: &str) -> Option<String> {
    let number: i64 = text.parse().ok()?;
    let compact = |date: Option<NaiveDateTime>| date.map(|date| format_date(date, None));
    match text.len() {
        4 => compact(day(number, 1, 1)),
        6 => compact(day(number / 100, number % 100, 1)),
        8 => compact(day(number / 10_000, number / 100 % 100, number % 100)),
        14 if (1900..=2100).contains(&(number / 10_000_000_000)) => {
            let time = hours(number / 10_000 % 100, number / 100 % 100, number % 100)?;
            let date = day(number / 10_000_000_000, number / 100_000_000 % 100, number / 1_000_000 % 100)?;
            compact(Some(date.date().and_time(time)))
        }
        9..=12 => epoch(number.checked_mul(1_000_000)?),
        13..=15 => epoch(number.checked_mul(1_000)?),
        16..=18 => epoch(number),
        19 => epoch(number / 1_000),
        _ => None,
    }
}

/// Microseconds since 1970 as a date, for four-digit years.
fn epoch(micros: i64) -> Option<String> {
    let time = DateTime::from_timestamp_micros(micros).filter(|time| time.year() <= 9999)?;
    Some(format_date(time.naive_utc(), Some(0)))
}

/// `1700000000.25`: seconds since 1970 with a fraction.
fn from_epoch_fraction(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !(9..=11).contains(&whole.len()) || !digits(whole) || !digits(fraction) {
        return None;
    }
    let micros = whole.parse::<i64>().ok()?.checked_mul(1_000_000)?.checked_add(micros_of(fraction)?)?;
    epoch(micros)
}

/// The digits after a decimal point as microseconds; finer ones are truncated.
fn micros_of(fraction: &str) -> Option<i64> {
    let cut: String = fraction.chars().chain("000000".chars()).take(6).collect();
    cut.parse().ok()
}

fn day(year: i64, month: i64, day: i64) -> Option<NaiveDateTime> {
    let year = i32::try_from(year).ok().filter(|year| (1..=9999).contains(year))?;
    let date = NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?)?;
    Some(date.and_time(NaiveTime::MIN))
}

fn hours(hour: i64, minute: i64, second: i64) -> Option<NaiveTime> {
    let part = |number: i64| u32::try_from(number).ok();
    NaiveTime::from_hms_opt(part(hour)?, part(minute)?, part(second)?)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Number(&'a str),
    Word(&'a str),
    Sign(char),
}

/// Runs of digits, runs of alphabetic characters, and single other characters, separated by white space.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let same_kind = |c: char| {
            (first.is_ascii_digit() && c.is_ascii_digit()) || (first.is_alphabetic() && c.is_alphabetic())
        };
        let length = rest.find(|c| !same_kind(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (run, after) = rest.split_at(length);
        if first.is_ascii_digit() {
            found.push(Token::Number(run));
        } else if first.is_alphabetic() {
            found.push(Token::Word(run));
        } else if !first.is_whitespace() {
            found.push(Token::Sign(first));
        }
        rest = after;
    }
    found
}

/// The parts of a date found in a text.
#[derive(Debug, Default)]
struct Fields<'a> {
    numbers: Vec<&'a str>,
    month: Option<i64>,
    time: Option<NaiveTime>,
    offset_min: Option<i32>,
}

impl<'a> Fields<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let all = tokens(text);
        let mut fields = Self::default();
        let mut rest = all.as_slice();
        while let Some((first, after)) = rest.split_first() {
            rest = match *first {
                Token::Number(_) if matches!(after, [Token::Sign(':'), Token::Number(_), ..]) => {
                    fields.clock(rest)?
                }
                Token::Number(number) => {
                    fields.numbers.push(number);
                    after
                }
                Token::Word(word) => fields.word(word, after)?,
                Token::Sign('+' | '-') if fields.time.is_some() && fields.offset_min.is_none() => {
                    fields.offset(rest)?
                }
                Token::Sign('-' | '/' | '.' | ',' | '(' | ')') => after,
                Token::Sign(_) => return None,
            };
        }
        Some(fields)
    }

    /// `10:20`, `10:20:30`, `10:20:30.123`, each with or without am or pm.
    fn clock<'t>(&mut self, all: &'t [Token<'a>]) -> Option<&'t [Token<'a>]> {
        let [Token::Number(hour), Token::Sign(':'), Token::Number(minute), rest @ ..] = all else {
            return None;
        };
        let (mut second, mut micros, mut rest) = (0, 0, rest);
        if let [Token::Sign(':'), Token::Number(number), after @ ..] = rest {
            (second, rest) = (small(number)?, after);
            if let [Token::Sign('.' | ','), Token::Number(fraction), after @ ..] = rest {
                (micros, rest) = (micros_of(fraction)?, after);
            }
        }
        let mut hour = small(hour)?;
        if let [Token::Word(half), after @ ..] = rest {
            let (is_am, is_pm) = (half.eq_ignore_ascii_case("am"), half.eq_ignore_ascii_case("pm"));
            if is_am || is_pm {
                (1..=12).contains(&hour).then_some(())?;
                hour = hour % 12 + if is_pm { 12 } else { 0 };
                rest = after;
            }
        }
        self.set_time(hours(hour, small(minute)?, second)?, micros)?;
        Some(rest)
    }

    fn set_time(&mut self, time: NaiveTime, micros: i64) -> Option<()> {
        self.time.is_none().then_some(())?;
        self.time = time.overflowing_add_signed(chrono::Duration::microseconds(micros)).0.into();
        Some(())
    }

    fn word<'t>(&mut self, word: &str, after: &'t [Token<'a>]) -> Option<&'t [Token<'a>]> {
        let word = word.to_lowercase();
        if let Some(month) = named(&MONTHS, &word) {
            self.month.is_none().then_some(())?;
            self.month = Some(month);
        } else if let Some((_, minutes)) = ZONES.iter().find(|(name, _)| *name == word) {
            self.offset_min = Some(*minutes);
        } else if word == "t"
            && let [Token::Number(compact), rest @ ..] = after
            && matches!(compact.len(), 4 | 6)
            && !matches!(rest, [Token::Sign(':'), ..])
        {
            let number = small(compact)?;
            let number = if compact.len() == 4 { number * 100 } else { number };
            self.set_time(hours(number / 10_000, number / 100 % 100, number % 100)?, 0)?;
            return Some(rest);
        } else if named(&DAYS, &word).is_none() && !FILLERS.contains(&word.as_str()) {
            return None;
        }
        Some(after)
    }

    /// `+01:00`, `+0100`, `+01`.
    fn offset<'t>(&mut self, all: &'t [Token<'a>]) -> Option<&'t [Token<'a>]> {
        let [Token::Sign(sign), Token::Number(number), rest @ ..] = all else { return None };
        let (hours, minutes, rest) = match (number.len(), rest) {
            (1 | 2, [Token::Sign(':'), Token::Number(minutes), rest @ ..]) => {
                (small(number)?, small(minutes)?, rest)
            }
            (1 | 2, rest) => (small(number)?, 0, rest),
            (4, rest) => (small(number)? / 100, small(number)? % 100, rest),
            _ => return None,
        };
        let total = i32::try_from(hours * 60 + minutes).ok().filter(|_| hours < 24 && minutes < 60)?;
        self.offset_min = Some(if *sign == '-' { -total } else { total });
        Some(rest)
    }

    fn resolve(&self) -> Option<String> {
        let date = match (self.month, self.numbers.as_slice()) {
            (Some(month), [year]) if is_year(year) => day(small(year)?, month, 1),
            (Some(month), [first, second]) => {
                let (year, date) = if is_year(first) { (first, second) } else { (second, first) };
                day(full_year(year)?, month, small(date)?)
            }
            (None, [digits]) if digits.len() == 8 => {
                let number = small(digits)?;
                day(number / 10_000, number / 100 % 100, number % 100)
            }
            (None, [year, month]) if year.len() == 4 => day(small(year)?, small(month)?, 1),
            (None, [month, year]) if year.len() == 4 => day(small(year)?, small(month)?, 1),
            (None, [year, month, date]) if year.len() == 4 => day(small(year)?, small(month)?, small(date)?),
            (None, [a, b, year]) => either(full_year(year)?, small(a)?, small(b)?),
            _ => None,
        }?;
        Some(format_date(date.date().and_time(self.time.unwrap_or_default()), self.offset_min))
    }
}

/// Month and day, or day and month if the first is impossible.
fn either(year: i64, a: i64, b: i64) -> Option<NaiveDateTime> {
    day(year, a, b).or_else(|| day(year, b, a))
}

fn is_year(number: &str) -> bool {
    number.len() == 4 || small(number).is_some_and(|value| value > 31)
}

/// A two-digit year is in the hundred years that end in 2068.
fn full_year(number: &str) -> Option<i64> {
    let value = small(number)?;
    Some(match number.len() {
        1 | 2 if value < 69 => 2000 + value,
        1 | 2 => 1900 + value,
        4 => value,
        _ => return None,
    })
}

fn small(number: &str) -> Option<i64> {
    if number.len() > 8 { None } else { number.parse().ok() }
}

/// A name of the list, or its prefix of at least three characters, counted from 1.
fn named(names: &[&str], word: &str) -> Option<i64> {
    if word.chars().count() < 3 {
        return None;
    }
    let at = names.iter().position(|name| name.starts_with(word))?;
    i64::try_from(at + 1).ok()
}

#[cfg(test)]
#[path = "dates_tests.rs"]
mod tests;
