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
    pub language: Language,
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
    /// For display.
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
        let form = if self.language.code == "de" { "%d.%m.%Y" } else { "%-d %b %Y" };
        match day {
            Some(day) => ShownDate { day: day.to_string(), text: day.format(form).to_string() },
            None => ShownDate { day: String::new(), text: published.to_owned() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::i18n::LANGUAGES;

    #[test]
    fn dates_use_the_format_of_the_language() {
        let ids = BTreeMap::new();
        let shown = |language, date: &str| {
            let now = Instant::default();
            ViewContext { language, ids: &ids, now, topic: Topic::default() }.date(date, "long ago")
        };
        let pair = |day: &str, text: &str| ShownDate { day: day.to_owned(), text: text.to_owned() };
        assert_eq!(shown(LANGUAGES[0], "2023-03-02 10:00:00"), pair("2023-03-02", "2 Mar 2023"));
        assert_eq!(shown(LANGUAGES[1], "2023-03-02 10:00:00+02:00"), pair("2023-03-02", "02.03.2023"));
        assert_eq!(shown(LANGUAGES[0], "unknown"), pair("", "long ago"));
        assert_eq!(shown(LANGUAGES[0], "someday é soon"), pair("", "someday é soon"));
    }
}
