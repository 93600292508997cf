//! Dates and times that sources write as ISO 8601, in the format of a language.

use crate::ui::i18n::Language;
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};

/// Length of `2026-11-16`, and of the longest time: with nanoseconds and an offset.
const DAY_CHARS: usize = 10;
const TIME_CHARS_MAX: usize = 35;

/// `16 Nov 2026` or `16 Nov 2026, 05:54 UTC`; None if the text is anything else. A time keeps its time zone.
pub fn time_text(text: &str, language: &Language) -> Option<String> {
    let text = text.trim();
    let is_year_first = text.is_ascii() && text.as_bytes().get(4) == Some(&b'-');
    if !is_year_first || !(DAY_CHARS..=TIME_CHARS_MAX).contains(&text.len()) {
        return None;
    }
    if text.len() == DAY_CHARS {
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        return Some(language.format.date(day));
    }
    let text = text.replacen(' ', "T", 1);
    let shown =
        |day: NaiveDate, time: NaiveTime| format!("{}, {}", language.format.date(day), time.format("%H:%M"));
    if let Ok(time) = DateTime::parse_from_rfc3339(&text) {
        let zone = zone(*time.offset());
        return Some(format!("{} {zone}", shown(time.date_naive(), time.time())));
    }
    let time = NaiveDateTime::parse_from_str(&text, "%Y-%m-%dT%H:%M:%S%.f").ok()?;
    Some(shown(time.date(), time.time()))
}

/// `UTC` or `UTC+02:00`.
fn zone(offset: FixedOffset) -> String {
    if offset.local_minus_utc() == 0 { "UTC".to_owned() } else { format!("UTC{offset}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_dates_and_times_are_formatted() {
        let english = Language::default();
        let table = [
            ("2026-11-16", Some("16 Nov 2026")),
            ("2026-11-16 05:54:35", Some("16 Nov 2026, 05:54")),
            ("2026-11-16 05:54:35.226708", Some("16 Nov 2026, 05:54")),
            ("2026-11-16T05:54:35Z", Some("16 Nov 2026, 05:54 UTC")),
            ("2026-11-16 05:54:35.226708+00:00", Some("16 Nov 2026, 05:54 UTC")),
            ("2026-11-16T05:54:35+02:00", Some("16 Nov 2026, 05:54 UTC+02:00")),
            ("2026-13-16", None),
            ("2026-11-16 is the day", None),
            ("2026-11-1é", None),
            ("1234567890", None),
            ("16 Nov 2026", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(time_text(text, &english).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn they_have_the_format_of_the_language() {
        let german = br#"{"@language": {"name": "Deutsch", "date": "{dd}.{mm}.{yyyy}"}}"#;
        let german = Language::parse("de", german).expect("a language");
        assert_eq!(time_text("2026-03-02", &german).as_deref(), Some("02.03.2026"));
        assert_eq!(time_text("2026-03-02 05:54:35", &german).as_deref(), Some("02.03.2026, 05:54"));
    }
}
