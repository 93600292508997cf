//! What results are shown with: the language, the colors of sources, and the query.

use super::sources::color;
use crate::ui::i18n::Language;
use chrono::NaiveDate;
use domain::corpus::Topic;
use domain::ids::ProviderId;
use domain::instant::Instant;
use domain::result::DATE_UNKNOWN;
use std::collections::BTreeMap;

/// Context for rendering results.
pub struct ViewContext<'a> {
    pub language: &'a Language,
    /// The ids of sources by their names.
    pub ids: &'a BTreeMap<String, ProviderId>,
    pub now: Instant,
    /// The query and its tags.
    pub topic: Topic<'a>,
}

/// The date of a result.
#[derive(Debug, PartialEq, Eq)]
pub struct ShownDate {
    /// Machine-readable; empty if unknown.
    pub day: String,
    /// For display; a text such as `Spring 2022` as the source has it.
    pub text: String,
}

impl ViewContext<'_> {
    pub fn color(&self, source: &str) -> i64 {
        color(self.ids.get(source).copied().unwrap_or_default())
    }

    pub fn date(&self, published: &str, display: &str) -> ShownDate {
        if published == DATE_UNKNOWN || published.is_empty() {
            return ShownDate { day: String::new(), text: display.to_owned() };
        }
        let day = published.get(..10).and_then(|day| NaiveDate::parse_from_str(day, "%Y-%m-%d").ok());
        match day {
            Some(day) => ShownDate { day: day.to_string(), text: self.language.format.date(day) },
            None => {
                let text = if names_time(published) { published } else { display };
                ShownDate { day: String::new(), text: text.to_owned() }
            }
        }
    }
}

/// Whether a text that is not a date may still name a time, as `Spring 2022` does. `not a date` does not.
fn names_time(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days_are_formatted() {
        let (ids, language) = (BTreeMap::new(), Language::default());
        let shown = |date: &str| {
            let (now, topic) = (Instant::default(), Topic::default());
            ViewContext { language: &language, ids: &ids, now, topic }.date(date, "long ago")
        };
        let pair = |day: &str, text: &str| ShownDate { day: day.to_owned(), text: text.to_owned() };
        assert_eq!(shown("2023-03-02 10:00:00+02:00"), pair("2023-03-02", "2 Mar 2023"));
        assert_eq!(shown("unknown"), pair("", "long ago"));
        assert_eq!(shown("Spring 2022, é"), pair("", "Spring 2022, é"));
        assert_eq!(shown("not a date"), pair("", "long ago"));
    }
}
