//! Formats dates for the interface: `YYYY-MM-DD HH:MM:SS[.ffffff][+HH:MM]`.

use chrono::{Datelike, NaiveDateTime, Timelike};

/// Bytes of `2021-03-04 05:06:07.123456+01:00`.
const DATE_BYTES_MAX: usize = 32;

/// Formats a date and its offset from UTC in minutes, if it is known. Fractions of a second are written only if there
/// are any. The year has at most four digits.
pub(crate) fn format_date(time: NaiveDateTime, offset_min: Option<i32>) -> String {
    let (date, clock) = (time.date(), time.time());
    let mut out = String::with_capacity(DATE_BYTES_MAX);
    // Every date of every result is written here: digit by digit, which takes a tenth of a format text's time.
    push_digits(&mut out, date.year().unsigned_abs(), 1000);
    for (mark, number) in [
        ('-', date.month()),
        ('-', date.day()),
        (' ', clock.hour()),
        (':', clock.minute()),
        (':', clock.second()),
    ] {
        out.push(mark);
        push_digits(&mut out, number, 10);
    }
    let micros = time.and_utc().timestamp_subsec_micros();
    if micros > 0 {
        out.push('.');
        push_digits(&mut out, micros, 100_000);
    }
    if let Some(offset) = offset_min {
        out.push(if offset < 0 { '-' } else { '+' });
        push_digits(&mut out, offset.unsigned_abs() / 60, 10);
        out.push(':');
        push_digits(&mut out, offset.unsigned_abs() % 60, 10);
    }
    out
}

/// A number with all its digits from that of `unit` on, a power of ten.
fn push_digits(out: &mut String, number: u32, unit: u32) {
    let mut unit = unit;
    while unit > 0 {
        // A digit is below ten.
        out.push(char::from(b'0' + (number / unit % 10) as u8));
        unit /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn dates_are_written_as_a_format_text_writes_them(
            seconds in -62_135_596_800_i64..=253_402_300_799, micros in prop_oneof![Just(0_u32), 0..1_000_000_u32],
            offset in prop::option::of(-1439..=1439_i32),
        ) {
            let time = DateTime::from_timestamp(seconds, micros * 1_000).unwrap_or_default().naive_utc();
            let mut expected = time.format(if micros > 0 { "%Y-%m-%d %H:%M:%S%.6f" } else { "%Y-%m-%d %H:%M:%S" }).to_string();
            if let Some(offset) = offset {
                let sign = if offset < 0 { '-' } else { '+' };
                expected.push_str(&format!("{sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60));
            }
            prop_assert_eq!(format_date(time, offset), expected);
        }
    }
}
