//! Number formats of XLSX: which cells show a date or a time, and which one.

use crate::package::Package;
use crate::text_builder::{ExtractResult, TextBuilder};
use crate::xml::{Node, walk};
use chrono::{Days, NaiveDate};
use std::collections::HashMap;

const STYLES: &str = "xl/styles.xml";
/// Most number formats of a workbook; spreadsheet programs allow a few hundred.
const FORMATS_MAX: usize = 10_000;
const SECONDS_PER_DAY: f64 = 86_400.0;
/// The day after 9999-12-31, the last day that a spreadsheet can show.
const SERIAL_END: f64 = 2_958_466.0;

/// What a number means in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    Number,
    Date,
    DateAndTime,
    Time,
    /// Hours, minutes and seconds, which may be more than a day.
    Duration,
}

/// The first day of the serial numbers of a workbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Epoch {
    Of1900,
    Of1904,
}

/// What the numbers of cells mean, by the number of their style.
pub struct NumberFormats(Vec<Meaning>);

impl NumberFormats {
    pub fn read(package: &mut Package, builder: &mut TextBuilder) -> ExtractResult<Self> {
        let Some(text) = package.part(STYLES, builder)? else { return Ok(Self(Vec::new())) };
        let (mut by_id, mut styles, mut is_of_cells) = (HashMap::new(), Vec::new(), false);
        walk(&text, builder, |node, _| {
            match node {
                Node::Open(element) => match element.name {
                    "numFmt" if by_id.len() < FORMATS_MAX => {
                        if let (Some(id), Some(code)) =
                            (element.attribute("numFmtId"), element.attribute("formatCode"))
                        {
                            by_id.insert(id, Meaning::of_code(&code));
                        }
                    }
                    "cellXfs" => is_of_cells = true,
                    "xf" if is_of_cells => {
                        let id = element.attribute("numFmtId").unwrap_or_default();
                        let meaning = by_id.get(&id).copied().unwrap_or_else(|| Meaning::of_built_in(&id));
                        styles.push(meaning);
                    }
                    _ => {}
                },
                Node::Close("cellXfs") => is_of_cells = false,
                Node::Close(_) | Node::Text(_) => {}
            }
            Ok(())
        })?;
        Ok(Self(styles))
    }

    /// What a number in a cell of this style means.
    pub fn meaning(&self, style: Option<&str>) -> Meaning {
        let place = style.map_or(Some(0), |style| style.parse::<usize>().ok());
        place.and_then(|place| self.0.get(place).copied()).unwrap_or(Meaning::Number)
    }
}

impl Meaning {
    /// Formats that need no code in the file. Those from 27 are of East Asian languages.
    fn of_built_in(id: &str) -> Self {
        match id.parse::<u32>() {
            Ok(14..=17 | 27..=31 | 36 | 50..=54 | 57 | 58) => Self::Date,
            Ok(18..=21 | 32..=35 | 45 | 47 | 55 | 56) => Self::Time,
            Ok(22) => Self::DateAndTime,
            Ok(46) => Self::Duration,
            _ => Self::Number,
        }
    }

    /// According to a format code such as `yyyy-mm-dd hh:mm` or `#,##0.00 "days"`.
    fn of_code(code: &str) -> Self {
        let (mut has_day, mut has_month, mut has_time) = (false, false, false);
        let mut chars = code.chars();
        while let Some(c) = chars.next() {
            match c.to_ascii_lowercase() {
                // Only the first section, for positive numbers, is read.
                ';' => break,
                '"' => {
                    chars.by_ref().find(|c| *c == '"');
                }
                '\\' | '_' | '*' => {
                    chars.next();
                }
                '[' => {
                    let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                    let unit = inside.to_ascii_lowercase();
                    if !unit.is_empty() && ["h", "m", "s"].iter().any(|one| unit.replace(one, "").is_empty())
                    {
                        return Self::Duration;
                    }
                }
                'y' | 'd' => has_day = true,
                'm' => has_month = true,
                'h' | 's' => has_time = true,
                // `General`
                'g' if code.len() == "General".len() => return Self::Number,
                _ => {}
            }
        }
        match (has_day || (has_month && !has_time), has_time) {
            (true, false) => Self::Date,
            (true, true) => Self::DateAndTime,
            (false, true) => Self::Time,
            (false, false) => Self::Number,
        }
    }

    /// The number as people see it, with dates in ISO form. None if it is to be shown as it is.
    pub fn text(self, number: &str, epoch: Epoch) -> Option<String> {
        if self == Self::Number {
            return plain(number);
        }
        let serial = number.parse::<f64>().ok().filter(|serial| (0.0..SERIAL_END).contains(serial))?;
        if self == Self::Date {
            // Not the next day: its time is not shown.
            return Some(epoch.date(serial as u64)?.to_string());
        }
        let all_seconds = (serial * SECONDS_PER_DAY).round();
        let (days, seconds) =
            (all_seconds.div_euclid(SECONDS_PER_DAY), all_seconds.rem_euclid(SECONDS_PER_DAY));
        // Both are within their range: the number is.
        let (days, seconds) = (days as u64, seconds as u64);
        let time = |hours: u64| format!("{hours:02}:{:02}:{:02}", seconds / 60 % 60, seconds % 60);
        match self {
            Self::Duration => Some(time(days * 24 + seconds / 3600)),
            Self::Time => Some(time(seconds / 3600)),
            Self::Date | Self::DateAndTime | Self::Number => {
                Some(format!("{} {}", epoch.date(days)?, time(seconds / 3600)))
            }
        }
    }
}

/// A decimal number in its shortest form: 1.1 may be stored as `1.1000000000000001`.
fn plain(number: &str) -> Option<String> {
    let is_decimal =
        number.contains('.') && number.bytes().all(|byte| byte.is_ascii_digit() || b"-.".contains(&byte));
    is_decimal.then(|| number.parse::<f64>().ok()).flatten().map(|number| number.to_string())
}

impl Epoch {
    fn date(self, days: u64) -> Option<NaiveDate> {
        let (year, month, day, days) = match self {
            Self::Of1904 => (1904, 1, 1, days),
            // In the calendar of spreadsheets, 1900 is a leap year: day 60 is a day that never was.
            Self::Of1900 if days < 60 => (1899, 12, 31, days),
            Self::Of1900 => (1899, 12, 30, days),
        };
        NaiveDate::from_ymd_opt(year, month, day)?.checked_add_days(Days::new(days))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_tell_dates_from_numbers() {
        for (code, want) in [
            ("General", Meaning::Number),
            ("0.00", Meaning::Number),
            ("#,##0 \"days\"", Meaning::Number),
            ("0\\d", Meaning::Number),
            ("[Red]0.0;[Blue]yyyy", Meaning::Number),
            ("0.00E+00", Meaning::Number),
            ("[$€-407]#,##0", Meaning::Number),
            ("yyyy-mm-dd", Meaning::Date),
            ("[$-409]mmmm yyyy;@", Meaning::Date),
            ("mmm", Meaning::Date),
            ("d. m. yy h:mm AM/PM", Meaning::DateAndTime),
            ("hh:mm:ss", Meaning::Time),
            ("mm:ss.0", Meaning::Time),
            ("[h]:mm", Meaning::Duration),
            ("[mm]:ss", Meaning::Duration),
            ("", Meaning::Number),
            ("\"open", Meaning::Number),
            ("[open", Meaning::Number),
        ] {
            assert_eq!(Meaning::of_code(code), want, "{code}");
        }
    }

    #[test]
    fn numbers_become_dates() {
        use Epoch::{Of1900, Of1904};
        for (meaning, number, epoch, want) in [
            (Meaning::Date, "45352", Of1900, Some("2024-03-01")),
            (Meaning::Date, "1", Of1900, Some("1900-01-01")),
            (Meaning::Date, "61", Of1900, Some("1900-03-01")),
            (Meaning::Date, "0", Of1904, Some("1904-01-01")),
            (Meaning::Date, "43890", Of1904, Some("2024-03-01")),
            (Meaning::Date, "2958465", Of1900, Some("9999-12-31")),
            (Meaning::Date, "2958466", Of1900, None),
            (Meaning::Date, "45352.999999", Of1900, Some("2024-03-01")),
            (Meaning::Date, "2958465.999999", Of1900, Some("9999-12-31")),
            (Meaning::Date, "-1", Of1900, None),
            (Meaning::Date, "NaN", Of1900, None),
            (Meaning::Date, "soon", Of1900, None),
            (Meaning::DateAndTime, "45352.6041666667", Of1900, Some("2024-03-01 14:30:00")),
            (Meaning::DateAndTime, "45351.999999999", Of1900, Some("2024-03-01 00:00:00")),
            (Meaning::Time, "0.25", Of1900, Some("06:00:00")),
            (Meaning::Duration, "1.25", Of1900, Some("30:00:00")),
            (Meaning::Number, "1.1000000000000001", Of1900, Some("1.1")),
            (Meaning::Number, "45352", Of1900, None),
            (Meaning::Number, "1.5E+300", Of1900, None),
        ] {
            assert_eq!(meaning.text(number, epoch).as_deref(), want, "{meaning:?} {number}");
        }
    }
}
