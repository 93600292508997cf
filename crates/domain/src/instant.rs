//! Points in time in the format of the API.

use chrono::{DateTime, Datelike, SubsecRound, Timelike, Utc};
use std::fmt;

/// A point in time in UTC, truncated to microseconds: the precision of both databases.
pub type Instant = DateTime<Utc>;

/// Truncates to microseconds, so that a time reads back equal from either database.
pub fn to_micros(time: Instant) -> Instant {
    time.trunc_subsecs(6)
}

/// The format of `date_retrieved` and of the brackets in `messages`.
pub const DISPLAY_FORMAT: &str = "%Y-%m-%d %H:%M:%S%.6f";

/// A time in [`DISPLAY_FORMAT`].
pub fn display(time: Instant) -> String {
    DisplayTime(time).to_string()
}

/// Shows a time in [`DISPLAY_FORMAT`].
pub struct DisplayTime(pub Instant);

impl fmt::Display for DisplayTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match common_digits(self.0) {
            Some(text) => f.write_str(std::str::from_utf8(&text).map_err(|_not_ascii| fmt::Error)?),
            None => self.0.format(DISPLAY_FORMAT).fmt(f),
        }
    }
}

/// A time in [`DISPLAY_FORMAT`]; None for a leap second, or a year without four digits. Every search shows dozens of
/// times, and chrono parses the format for each of them.
fn common_digits(time: Instant) -> Option<[u8; 26]> {
    let time = time.naive_utc();
    let year = u32::try_from(time.year()).ok().filter(|year| *year <= 9_999)?;
    let micros = Some(time.nanosecond() / 1_000).filter(|micros| *micros < 1_000_000)?;
    let mut text = *b"0000-00-00 00:00:00.000000";
    for (mut number, place) in [
        (year, 0..4),
        (time.month(), 5..7),
        (time.day(), 8..10),
        (time.hour(), 11..13),
        (time.minute(), 14..16),
        (time.second(), 17..19),
        (micros, 20..26),
    ] {
        for digit in text[place].iter_mut().rev() {
            *digit += u8::try_from(number % 10).unwrap_or_default();
            number /= 10;
        }
    }
    Some(text)
}

/// Seconds rounded to 0.1, the format of `federation_time` and `search_time`.
pub fn tenths(duration: std::time::Duration) -> f64 {
    (duration.as_secs_f64() * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{NaiveDate, TimeZone};

    #[test]
    fn times_are_shown_in_the_format() {
        let leap_second =
            NaiveDate::from_ymd_opt(2016, 12, 31).unwrap().and_hms_micro_opt(23, 59, 59, 1_000_001);
        let first = |year: i32| Utc.with_ymd_and_hms(year, 1, 1, 0, 0, 0).unwrap();
        let times = [
            (Instant::UNIX_EPOCH, "1970-01-01 00:00:00.000000"),
            (Utc.timestamp_nanos(1_795_000_000_123_456_789), "2026-11-18 11:06:40.123456"),
            (Utc.timestamp_nanos(-1), "1969-12-31 23:59:59.999999"),
            (first(0), "0000-01-01 00:00:00.000000"),
            (first(9_999), "9999-01-01 00:00:00.000000"),
            (first(10_000), "+10000-01-01 00:00:00.000000"),
            (first(-1), "-0001-01-01 00:00:00.000000"),
            (leap_second.unwrap().and_utc(), "2016-12-31 23:59:60.000001"),
        ];
        for (time, expected) in times {
            assert_eq!(display(time), expected);
            assert_eq!(time.format(DISPLAY_FORMAT).to_string(), expected);
        }
    }
}
