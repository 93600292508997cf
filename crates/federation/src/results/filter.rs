//! Filter of mixed results: providers, author, date, starred, new.

use super::attributes::{AUTHOR_SEPARATOR, Attributes, fold_name};
use chrono::{NaiveDate, TimeDelta};
use domain::ids::ProviderId;
use domain::instant::Instant;
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

const WEEK: TimeDelta = TimeDelta::days(7);
const MONTH: TimeDelta = TimeDelta::days(30);
const YEAR: TimeDelta = TimeDelta::days(365);

/// Which results are shown. The default shows all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResultFilter {
    /// Only results of these providers; empty means all.
    pub providers: Vec<ProviderId>,
    /// No results of these providers.
    pub not_providers: Vec<ProviderId>,
    /// Only results of one of these authors, ignoring case; empty means all. A result may have others as well.
    pub authors: Vec<String>,
    pub date: Option<DateFilter>,
    /// Only results with a star.
    pub starred: bool,
    /// Only results that an update added.
    pub new: bool,
}

/// Publication date. `Week`, `Month` and `Year` count back from now, and each includes the shorter ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateFilter {
    Week,
    Month,
    Year,
    /// More than a year ago.
    Older,
    /// No known date.
    Undated,
    /// Days, inclusive; None is unbounded.
    Between(Option<NaiveDate>, Option<NaiveDate>),
}

/// Why a text is not a [`DateFilter`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DateFilterError {
    #[error("Use week, month, year, older, undated, or days such as 2024-05-01..2024-05-31.")]
    Unknown,
    #[error("The last day is before the first one.")]
    Reversed,
}

/// A part of a filter, which its own facet ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FilterPart {
    Source,
    Author,
    Date,
    Starred,
    New,
}

impl DateFilter {
    /// The named filters, in display order.
    pub const NAMED: [Self; 5] = [Self::Week, Self::Month, Self::Year, Self::Older, Self::Undated];

    pub(super) fn keeps(self, published: Option<Instant>, now: Instant) -> bool {
        let Some(published) = published else { return self == Self::Undated };
        let since = |span| published >= now - span;
        match self {
            Self::Week => since(WEEK),
            Self::Month => since(MONTH),
            Self::Year => since(YEAR),
            Self::Older => !since(YEAR),
            Self::Undated => false,
            Self::Between(from, to) => {
                let day = published.date_naive();
                from.is_none_or(|from| day >= from) && to.is_none_or(|to| day <= to)
            }
        }
    }
}

impl ResultFilter {
    /// True if all results pass.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Prepares the filter for a list of results.
    pub(super) fn prepare(&self, now: Instant) -> PreparedFilter<'_> {
        let author_keys = self.authors.iter().map(|name| fold_name(name)).collect();
        PreparedFilter { filter: self, author_keys, now }
    }

    /// The URL parameters of this filter, as pairs of names and values.
    pub fn parameters(&self) -> Vec<(&'static str, String)> {
        let ids = |list: &[ProviderId]| list.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let mut pairs = Vec::new();
        if !self.providers.is_empty() {
            pairs.push(("providers", ids(&self.providers)));
        }
        if !self.not_providers.is_empty() {
            pairs.push(("not_providers", ids(&self.not_providers)));
        }
        if !self.authors.is_empty() {
            pairs.push(("author", self.authors.join(AUTHOR_SEPARATOR)));
        }
        pairs.extend(self.date.map(|date| ("date", date.to_string())));
        pairs.extend(self.starred.then(|| ("starred", "true".to_owned())));
        pairs.extend(self.new.then(|| ("new", "true".to_owned())));
        pairs
    }

    /// True if results of the provider pass.
    pub(super) fn keeps_source(&self, provider: ProviderId) -> bool {
        (self.providers.is_empty() || self.providers.contains(&provider))
            && !self.not_providers.contains(&provider)
    }
}

/// A filter at a point in time. The names of its authors are folded once, not for each result.
pub(super) struct PreparedFilter<'a> {
    filter: &'a ResultFilter,
    author_keys: HashSet<String>,
    now: Instant,
}

impl PreparedFilter<'_> {
    /// True if the result passes; `except` is ignored.
    pub(super) fn keeps(&self, attributes: &Attributes<'_>, except: Option<FilterPart>) -> bool {
        let Self { filter, now, .. } = self;
        let ignores = |part| except == Some(part);
        (ignores(FilterPart::Source) || filter.keeps_source(attributes.candidate.set.provider))
            && (ignores(FilterPart::Author) || self.keeps_author(attributes))
            && (ignores(FilterPart::Date)
                || filter.date.is_none_or(|date| date.keeps(attributes.published, *now)))
            && (ignores(FilterPart::Starred) || !filter.starred || attributes.is_starred)
            && (ignores(FilterPart::New) || !filter.new || attributes.is_new)
    }

    fn keeps_author(&self, attributes: &Attributes<'_>) -> bool {
        self.author_keys.is_empty()
            || attributes.authors.iter().any(|author| self.author_keys.contains(&author.key))
    }
}

impl fmt::Display for DateFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let day = |day: &Option<NaiveDate>| day.map(|day| day.to_string()).unwrap_or_default();
        match self {
            Self::Week => f.write_str("week"),
            Self::Month => f.write_str("month"),
            Self::Year => f.write_str("year"),
            Self::Older => f.write_str("older"),
            Self::Undated => f.write_str("undated"),
            Self::Between(from, to) => write!(f, "{}..{}", day(from), day(to)),
        }
    }
}

impl FromStr for DateFilter {
    type Err = DateFilterError;

    fn from_str(text: &str) -> Result<Self, DateFilterError> {
        let text = text.trim();
        if let Some(named) = Self::NAMED.into_iter().find(|named| named.to_string() == text) {
            return Ok(named);
        }
        let (from, to) = text.split_once("..").ok_or(DateFilterError::Unknown)?;
        let day = |text: &str| match text.trim() {
            "" => Ok(None),
            text => {
                NaiveDate::parse_from_str(text, "%Y-%m-%d").map(Some).map_err(|_| DateFilterError::Unknown)
            }
        };
        match (day(from)?, day(to)?) {
            (None, None) => Err(DateFilterError::Unknown),
            (Some(from), Some(to)) if to < from => Err(DateFilterError::Reversed),
            (from, to) => Ok(Self::Between(from, to)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::dates::instant;

    #[test]
    fn date_filters_round_trip() {
        for text in [
            "week",
            "month",
            "year",
            "older",
            "undated",
            "2024-05-01..2024-05-31",
            "2024-05-01..",
            "..2024-05-31",
        ] {
            assert_eq!(text.parse::<DateFilter>().map(|date| date.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "..", "day", "2024-05-01", "2024-13-01..", "2024-05-02..2024-05-01", "a..b", "WEEK"]
        {
            assert!(text.parse::<DateFilter>().is_err(), "{text}");
        }
    }

    #[test]
    fn spans_are_counted_back_from_now() {
        let now = instant("2024-05-31 12:00:00").expect("a time");
        let between = "2024-05-01..2024-05-24".parse().expect("days");
        let cases = [
            ("2024-05-31 11:00:00", "week month year"),
            ("2024-06-15 00:00:00", "week month year"),
            ("2024-05-24 12:00:00", "week month year days"),
            ("2024-05-24 11:59:59", "month year days"),
            ("2024-05-01 00:00:00", "year days"),
            ("2023-05-01 00:00:00", "older"),
            ("unknown", "undated"),
            ("Spring", "undated"),
        ];
        for (text, expected) in cases {
            let kept = DateFilter::NAMED.iter().filter(|date| date.keeps(instant(text), now));
            let mut kept: Vec<String> = kept.map(ToString::to_string).collect();
            kept.extend(DateFilter::keeps(between, instant(text), now).then(|| "days".to_owned()));
            assert_eq!(kept.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_filter_becomes_parameters() {
        let filter = ResultFilter {
            providers: vec![ProviderId(1), ProviderId(4)],
            not_providers: vec![ProviderId(3)],
            authors: vec!["Ann Lee".into(), "Ray, Bob".into()],
            date: Some(DateFilter::Month),
            starred: true,
            new: true,
        };
        let pairs: Vec<String> =
            filter.parameters().into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        let expected = [
            "providers=1,4",
            "not_providers=3",
            "author=Ann Lee;Ray, Bob",
            "date=month",
            "starred=true",
            "new=true",
        ];
        assert_eq!(pairs, expected);
        assert!(ResultFilter::default().parameters().is_empty() && ResultFilter::default().is_none());
    }
}
