//! Converts values that vendors send as strings to native JSON values.

use chrono::{DateTime, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use domain::bounded_json::parse_answer;
use serde_json::Value;

const NANOS: i64 = 1_000_000_000;

/// A number of any size; one that JSON cannot represent stays a string.
pub fn number(text: &str) -> Value {
    if let Ok(whole) = text.parse::<i64>() {
        return whole.into();
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => number.into(),
        _ => text.into(),
    }
}

pub fn boolean(text: &str) -> Value {
    matches!(text, "true" | "TRUE" | "1").into()
}

/// Embedded JSON; anything else stays a string.
pub fn json(text: &str) -> Value {
    parse_answer(text.as_bytes()).unwrap_or_else(|_| text.into())
}

/// Days since 1970-01-01.
pub fn date(text: &str) -> Option<NaiveDate> {
    let days: i64 = text.parse().ok()?;
    let start = NaiveDate::default();
    match days {
        0.. => start.checked_add_days(Days::new(days.unsigned_abs())),
        _ => start.checked_sub_days(Days::new(days.unsigned_abs())),
    }
}

/// Seconds since 1970-01-01 with a fraction, or in exponent notation as some vendors write large numbers.
pub fn instant(text: &str) -> Option<DateTime<Utc>> {
    let (seconds, nanos) = if text.contains(['e', 'E']) { of_exponent(text)? } else { of_decimal(text)? };
    DateTime::from_timestamp(seconds, nanos)
}

/// An [`instant`] without a time zone.
pub fn local(text: &str) -> Option<NaiveDateTime> {
    Some(instant(text)?.naive_utc())
}

/// Seconds since midnight.
pub fn time(text: &str) -> Option<NaiveTime> {
    let (seconds, nanos) = of_decimal(text)?;
    NaiveTime::from_num_seconds_from_midnight_opt(u32::try_from(seconds).ok()?, nanos)
}

/// An [`instant`] in the zone this many minutes east of UTC.
pub fn zoned(text: &str, minutes_east: i32) -> Option<DateTime<FixedOffset>> {
    let zone = FixedOffset::east_opt(minutes_east.checked_mul(60)?)?;
    Some(instant(text)?.with_timezone(&zone))
}

fn of_decimal(text: &str) -> Option<(i64, u32)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let seconds: i64 = whole.parse().ok()?;
    let nanos: i64 = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    // The fraction of a time before 1970 counts backwards.
    if whole.starts_with('-') && nanos > 0 {
        Some((seconds.checked_sub(1)?, u32::try_from(NANOS - nanos).ok()?))
    } else {
        Some((seconds, u32::try_from(nanos).ok()?))
    }
}

/// A floating-point number is precise enough for microseconds.
fn of_exponent(text: &str) -> Option<(i64, u32)> {
    let micros = text.parse::<f64>().ok()? * 1e6;
    if !micros.is_finite() || micros.abs() > 1e18 {
        return None;
    }
    let micros = micros.round() as i64;
    Some((micros.div_euclid(1_000_000), u32::try_from(micros.rem_euclid(1_000_000)).ok()? * 1000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn numbers_are_native() {
        let table = [
            ("12", json!(12)),
            ("-3", json!(-3)),
            ("1.50", json!(1.5)),
            ("1E3", json!(1000.0)),
            ("NaN", json!("NaN")),
            ("inf", json!("inf")),
            ("x", json!("x")),
        ];
        for (text, want) in table {
            assert_eq!(number(text), want, "{text}");
        }
        assert_eq!(
            [boolean("true"), boolean("1"), boolean("false")],
            [json!(true), json!(true), json!(false)]
        );
        assert_eq!([super::json("[1]"), super::json("a b")], [json!([1]), json!("a b")]);
    }

    #[test]
    fn times_are_read() {
        let table = [
            ("1704067200.123000000", Some("2024-01-01T00:00:00.123+00:00")),
            ("1704067200", Some("2024-01-01T00:00:00+00:00")),
            ("1.7040672E9", Some("2024-01-01T00:00:00+00:00")),
            ("1.704067200000001E9", Some("2024-01-01T00:00:00.000001+00:00")),
            ("-0.5", Some("1969-12-31T23:59:59.500+00:00")),
            ("-1.250000000", Some("1969-12-31T23:59:58.750+00:00")),
            ("99999999999999999", None),
            ("1e300", None),
            ("1.x", None),
            ("", None),
        ];
        for (text, want) in table {
            assert_eq!(instant(text).map(|time| time.to_rfc3339()).as_deref(), want, "{text}");
        }
        assert_eq!(date("19723").map(|date| date.to_string()).as_deref(), Some("2024-01-01"));
        assert_eq!(date("-1").map(|date| date.to_string()).as_deref(), Some("1969-12-31"));
        assert_eq!(date("99999999999"), None);
        assert_eq!(time("82919.5").map(|time| time.to_string()).as_deref(), Some("23:01:59.500"));
        let zoned = zoned("1616173619.000000000", -480).map(|time| time.to_rfc3339());
        assert_eq!(zoned.as_deref(), Some("2021-03-19T09:06:59-08:00"));
    }

    proptest! {
        #[test]
        fn never_panics(text in "[-0-9.eE+]{0,30}|.{0,20}", zone in any::<i32>()) {
            let _ = (number(&text), date(&text), instant(&text), time(&text), zoned(&text, zone), json(&text));
        }
    }
}
