//! Dates and periods in names and texts: `12 March 2025`, `2025-03`, `Q2 2024`, `week 21`, `2024-25`.

use super::months::month_of;
use super::words::Word;
use std::ops::RangeInclusive;

const YEARS: RangeInclusive<u32> = 1900..=2099;
const ORDINALS: [&str; 4] = ["first", "second", "third", "fourth"];
const WEEKS: [&str; 4] = ["week", "kw", "cw", "woche"];
/// A month of so few characters does not stand alone.
const SHORT_CHARS_MAX: usize = 3;
/// Words between a day and its month, or a period and its year.
const LINKS: [&str; 3] = ["of", "de", "in"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Quarter(u32),
    Half(u32),
    Week(u32),
    /// A school or business year that begins in the year.
    TwoYears,
}

/// What is known of a date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DateMark {
    pub year: Option<u32>,
    pub month: Option<u32>,
    pub day: Option<u32>,
    pub part: Option<Part>,
}

impl DateMark {
    /// Names a day.
    pub fn is_day(&self) -> bool {
        self.day.is_some()
    }

    /// Names a year and nothing else.
    pub fn is_year(&self) -> bool {
        self.month.is_none() && matches!(self.part, None | Some(Part::TwoYears))
    }

    /// Both name the same unit of time differently.
    pub fn disagrees(&self, other: &Self) -> bool {
        fn differ<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
            one.zip(other).is_some_and(|(one, other)| one != other)
        }
        differ(self.year, other.year)
            || differ(self.month, other.month)
            || differ(self.day, other.day)
            || differ(self.part, other.part)
    }

    /// Names no less than the other, and agrees with it.
    pub fn covers(&self, other: &Self) -> bool {
        !self.disagrees(other)
            && (other.month.is_none() || self.month.is_some())
            && (other.day.is_none() || self.day.is_some())
            && (other.part.is_none() || self.part == other.part)
            && (!other.is_year() || self.year.is_some())
    }
}

/// The date that begins at this word, and the number of its words. In a name, a month may stand alone.
pub fn date_at(words: &[Word], in_name: bool) -> Option<(DateMark, usize)> {
    let first = words.first()?;
    compact(first)
        .or_else(|| year_first(words))
        .or_else(|| day_first(words))
        .or_else(|| numbers(words))
        .or_else(|| month_first(words, in_name))
        .or_else(|| part_first(words))
}

/// `20250312`
fn compact(word: &Word) -> Option<(DateMark, usize)> {
    let number = word.number().filter(|_| word.text.len() == 8)?;
    full(number / 10_000, number / 100 % 100, number % 100).map(|date| (date, 1))
}

fn full(year: u32, month: u32, day: u32) -> Option<DateMark> {
    let is_date = YEARS.contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then_some(DateMark { year: Some(year), month: Some(month), day: Some(day), part: None })
}

/// `2025-03-12`, `2025-03`, `2025 March`, `2024-25`, `2024 Q1`, `2025`; not `2025-0117`, which is a number.
fn year_first(words: &[Word]) -> Option<(DateMark, usize)> {
    let year = year_of(words.first()?)?;
    let date = DateMark { year: Some(year), ..DateMark::default() };
    let Some(next) = words.get(1) else { return Some((date, 1)) };
    let is_joined = matches!(next.before, Some('-' | '_' | '.' | '/'));
    if let Some(month) = month_of(next) {
        return Some((DateMark { month: Some(month), ..date }, 2));
    }
    if let Some((part, used)) = part_of(&words[1..]) {
        return Some((DateMark { part: Some(part), ..date }, 1 + used));
    }
    match next.number().filter(|_| is_joined) {
        Some(number) if next.text.len() <= 2 => {
            let joined = |word: &&Word| word.before == next.before && word.text.len() <= 2;
            let day = words.get(2).filter(joined).and_then(Word::number);
            if let Some(date) = day.and_then(|day| full(year, number, day)) {
                return Some((date, 3));
            }
            if (1..=12).contains(&number) {
                return Some((DateMark { month: Some(number), ..date }, 2));
            }
            let is_range = number == (year + 1) % 100;
            Some(if is_range { (DateMark { part: Some(Part::TwoYears), ..date }, 2) } else { (date, 1) })
        }
        Some(next_year) if next_year == year + 1 => {
            Some((DateMark { part: Some(Part::TwoYears), ..date }, 2))
        }
        Some(_) if matches!(next.before, Some('-' | '/')) => None,
        _ => Some((date, 1)),
    }
}

/// `12 March 2025`, `5. März`, `12th of March`
fn day_first(words: &[Word]) -> Option<(DateMark, usize)> {
    let day = day_of(words.first()?)?;
    let link = usize::from(words.get(1).is_some_and(|word| LINKS.contains(&word.text.as_str())));
    let month = month_of(words.get(1 + link)?)?;
    let date = DateMark { day: Some(day), month: Some(month), ..DateMark::default() };
    Some(with_year(date, words, 2 + link))
}

/// `12.03.2025`, `12/03/2025`, `04/2025`
fn numbers(words: &[Word]) -> Option<(DateMark, usize)> {
    let [first, second, rest @ ..] = words else { return None };
    let mark = second.before.filter(|mark| matches!(mark, '.' | '/' | '-'))?;
    let (one, other) = (first.number()?, second.number()?);
    if let Some(year) = year_of(second).filter(|_| (1..=12).contains(&one) && mark != '.') {
        return Some((DateMark { year: Some(year), month: Some(one), ..DateMark::default() }, 2));
    }
    let year = year_of(rest.first().filter(|word| word.before == Some(mark))?)?;
    // The order of day and month is unknown after a slash.
    let (day, month) = if other > 12 { (other, one) } else { (one, other) };
    full(year, month, day).map(|date| (date, 3))
}

/// `March 2025`, `March 12, 2025`, and in a name `March`
fn month_first(words: &[Word], in_name: bool) -> Option<(DateMark, usize)> {
    let first = words.first()?;
    let date = DateMark { month: Some(month_of(first)?), ..DateMark::default() };
    let (date, used) = match words.get(1).and_then(day_of) {
        Some(day) => with_year(DateMark { day: Some(day), ..date }, words, 2),
        None => with_year(date, words, 1),
    };
    // Short forms are also names and verbs.
    let is_plain =
        first.text.chars().count() > SHORT_CHARS_MAX || (first.text == "may" && first.is_capitalized);
    (used > 1 || (in_name && is_plain)).then_some((date, used))
}

/// `Q1 2024`, `first half of 2025`, `week 21`
fn part_first(words: &[Word]) -> Option<(DateMark, usize)> {
    let (part, used) = part_of(words)?;
    Some(with_year(DateMark { part: Some(part), ..DateMark::default() }, words, used))
}

fn part_of(words: &[Word]) -> Option<(Part, usize)> {
    let first = words.first()?;
    let next = words.get(1);
    let attached = |prefix: &str| first.text.strip_prefix(prefix).and_then(|rest| rest.parse::<u32>().ok());
    if let Some(quarter) = attached("q").filter(|quarter| (1..=4).contains(quarter)) {
        return Some((Part::Quarter(quarter), 1));
    }
    if let Some(half) = attached("h").filter(|half| (1..=2).contains(half)) {
        return Some((Part::Half(half), 1));
    }
    let is_week = |week: &u32| (1..=53).contains(week);
    if let Some(week) = ["kw", "cw", "w"].into_iter().find_map(attached).filter(is_week) {
        return Some((Part::Week(week), 1));
    }
    if WEEKS.contains(&first.text.as_str()) {
        return Some((Part::Week(next?.number().filter(is_week)?), 2));
    }
    let ordinal = ORDINALS.iter().position(|word| *word == first.text);
    let ordinal = ordinal.and_then(|place| u32::try_from(place + 1).ok()).or_else(|| day_of(first))?;
    match next?.text.as_str() {
        "quarter" | "quartal" if ordinal <= 4 => Some((Part::Quarter(ordinal), 2)),
        "half" | "halbjahr" if ordinal <= 2 => Some((Part::Half(ordinal), 2)),
        _ => None,
    }
}

fn with_year(date: DateMark, words: &[Word], used: usize) -> (DateMark, usize) {
    let link = usize::from(words.get(used).is_some_and(|word| LINKS.contains(&word.text.as_str())));
    match words.get(used + link).and_then(year_of) {
        Some(year) => (DateMark { year: Some(year), ..date }, used + link + 1),
        None => (date, used),
    }
}

fn year_of(word: &Word) -> Option<u32> {
    word.number().filter(|year| word.text.len() == 4 && YEARS.contains(year))
}

fn day_of(word: &Word) -> Option<u32> {
    let bare = ["st", "nd", "rd", "th"].into_iter().find_map(|end| word.text.strip_suffix(end));
    let digits = bare.unwrap_or(&word.text);
    let is_day = digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_day.then(|| digits.parse().ok()).flatten().filter(|day| (1..=31).contains(day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::words::words;

    #[test]
    fn dates_are_read() {
        let told = |text: &str, in_name| {
            let (date, used) = date_at(&words(text, 20), in_name)?;
            let number = |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
            let part = date.part.map_or(String::new(), |part| format!(" {part:?}"));
            Some(format!("{} {} {}{part}, {used}", number(date.year), number(date.month), number(date.day)))
        };
        let table = [
            ("2025-03-12", Some("2025 3 12, 3")),
            ("2025_03_12", Some("2025 3 12, 3")),
            ("20250312", Some("2025 3 12, 1")),
            ("20259912", None),
            ("12 March 2025", Some("2025 3 12, 3")),
            ("12th of March", Some("- 3 12, 3")),
            ("March 12, 2025", Some("2025 3 12, 3")),
            ("5. März 2025", Some("2025 3 5, 3")),
            ("12.03.2025", Some("2025 3 12, 3")),
            ("03/25/2025", Some("2025 3 25, 3")),
            ("04/2025", Some("2025 4 -, 2")),
            ("2025-03", Some("2025 3 -, 2")),
            ("March 2025", Some("2025 3 -, 2")),
            ("2025 mars", Some("2025 3 -, 2")),
            ("March", Some("- 3 -, 1")),
            ("may agree", None),
            ("2025", Some("2025 - -, 1")),
            ("2024-25", Some("2024 - - TwoYears, 2")),
            ("2024/2025", Some("2024 - - TwoYears, 2")),
            ("2025-0117", None),
            ("2025-017", None),
            ("Q2 2024", Some("2024 - - Quarter(2), 2")),
            ("2024-q2", Some("2024 - - Quarter(2), 2")),
            ("second quarter of 2024", Some("2024 - - Quarter(2), 4")),
            ("first half of 2025", Some("2025 - - Half(1), 4")),
            ("week 21", Some("- - - Week(21), 2")),
            ("w21", Some("- - - Week(21), 1")),
            ("2. Halbjahr 2024", Some("2024 - - Half(2), 3")),
            ("week of plenty", None),
            ("1041", None),
            ("v2", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(told(text, true).as_deref(), expected, "{text}");
        }
        assert_eq!(told("March", false), None, "it may be a verb");
        assert_eq!(told("12 March", false).as_deref(), Some("- 3 12, 2"));
    }

    #[test]
    fn dates_agree_as_far_as_they_go() {
        let date = |text: &str| date_at(&words(text, 9), true).expect("a date").0;
        for (one, other, disagree, covers) in [
            ("12 March 2025", "March 2025", false, true),
            ("March 2025", "12 March 2025", false, false),
            ("12 March 2025", "12 April 2025", true, false),
            ("2025", "week 21", false, false),
            ("week 21", "week 22", true, false),
            ("2024-25", "2024-25", false, true),
            ("12 March", "2025", false, false),
        ] {
            let (left, right) = (date(one), date(other));
            assert_eq!((left.disagrees(&right), left.covers(&right)), (disagree, covers), "{one} {other}");
        }
    }
}
