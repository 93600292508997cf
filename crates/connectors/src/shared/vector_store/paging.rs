//! Paging through nearest documents, and sorting them by date.

use super::Paging;
use super::config::path_name;
use chrono::{DateTime, NaiveDateTime};
use domain::ports::{Capability, ConnectorError, ProviderQuery};
use domain::search::Sort;
use serde_json::Value;
use syntax::dates::parse_date;
use syntax::query_mappings::QueryMappings;

/// Documents per request, unless `limit_max` is set.
const LIMIT_MAX: u32 = 100;
/// Most documents of any request.
pub const NEAREST_MAX: u32 = 1000;
/// When sorting by date, this many times the wanted number of nearest documents is fetched first.
const NEAREST_FACTOR: u32 = 4;

#[derive(Debug, Clone)]
pub struct PagePlan {
    paging: Paging,
    limit_max: u32,
    /// The date field of a document; dots lead into objects.
    date: Option<String>,
}

/// A range of the list of nearest documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub offset: u32,
    pub limit: u32,
}

/// The distance metric of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    Cosine,
    L2,
    Dot,
}

impl PagePlan {
    pub fn of(mappings: &QueryMappings, paging: Paging) -> Result<Self, ConnectorError> {
        let usual = if paging == Paging::Offset { LIMIT_MAX } else { NEAREST_MAX };
        let limit_max = match mappings.get("limit_max") {
            None => usual,
            Some(text) => {
                let number = text.trim().parse().ok().filter(|number| (1..=NEAREST_MAX).contains(number));
                number.ok_or_else(|| {
                    ConnectorError::in_field(
                        "query_mappings",
                        format!("limit_max is a number from 1 to {NEAREST_MAX}."),
                    )
                })?
            }
        };
        let date = mappings.get("sort_by_date").map(|name| path_name("sort_by_date", name)).transpose()?;
        Ok(Self { paging, limit_max, date })
    }

    pub fn capability(&self) -> Capability {
        Capability {
            page: self.paging == Paging::Offset,
            date_sort: self.date.is_some(),
            not: false, // vector search has no negation
        }
    }

    pub fn pages(&self, results_wanted: u32) -> u32 {
        match self.paging {
            Paging::Offset => results_wanted.div_ceil(self.limit_max).max(1),
            Paging::OneAnswer => 1,
        }
    }

    /// Whether the results are sorted by date.
    pub fn is_by_date(&self, sort: Sort) -> bool {
        sort == Sort::Date && self.date.is_some()
    }

    /// The range to request; `None` if earlier pages covered everything. Sorted by date, everything comes in one
    /// request, because later documents would have to be merged.
    pub fn window(&self, query: &ProviderQuery<'_>) -> Option<Window> {
        let wanted = query.results_wanted.clamp(1, NEAREST_MAX);
        if self.is_by_date(query.sort) {
            let limit = wanted.saturating_mul(NEAREST_FACTOR).min(NEAREST_MAX);
            return (query.page == 0).then_some(Window { offset: 0, limit });
        }
        let offset = query.page.saturating_mul(self.limit_max);
        let limit = wanted.saturating_sub(offset).min(self.limit_max);
        (limit > 0).then_some(Window { offset, limit })
    }

    /// Sorts by date, newest first; documents without a date last, the nearer one first among equals.
    pub fn newest_first(&self, mut items: Vec<Value>) -> Vec<Value> {
        let Some(date) = &self.date else { return items };
        items.sort_by_cached_key(|item| std::cmp::Reverse(date_at(item, date)));
        items
    }
}

impl Metric {
    pub fn of(mappings: &QueryMappings) -> Result<Self, ConnectorError> {
        let name = mappings.get("distance").unwrap_or("cosine");
        Self::named(name)
            .ok_or_else(|| ConnectorError::in_field("query_mappings", "distance is cosine, l2 or dot."))
    }

    /// Parses the name that a store uses.
    pub fn named(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "cosine" => Some(Self::Cosine),
            "l2" | "l2-squared" | "euclid" | "euclidean" => Some(Self::L2),
            "dot" | "ip" | "inner_product" | "dotproduct" => Some(Self::Dot),
            _ => None,
        }
    }

    /// The similarity for the score of a store that scores by similarity if the metric is one, and else by distance.
    pub fn similarity_of_score(self, score: f64) -> f64 {
        match self {
            Self::Cosine | Self::Dot => score,
            Self::L2 => self.similarity(score),
        }
    }

    /// 1 for identical vectors, less for larger distances.
    pub fn similarity(self, distance: f64) -> f64 {
        match self {
            Self::Cosine | Self::Dot => 1.0 - distance,
            Self::L2 => 1.0 / (1.0 + distance.max(0.0)),
        }
    }
}

/// The date of a document in any known format; without an offset it is taken as UTC.
fn date_at(item: &Value, path: &str) -> Option<NaiveDateTime> {
    let whole = item.get(path);
    let value = whole.or_else(|| path.split('.').try_fold(item, |value, name| value.get(name)))?;
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let date = parse_date(&text)?;
    match DateTime::parse_from_str(&date, "%Y-%m-%d %H:%M:%S%.f%:z") {
        Ok(date) => Some(date.naive_utc()),
        Err(_no_offset) => NaiveDateTime::parse_from_str(&date, "%Y-%m-%d %H:%M:%S%.f").ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    fn plan(mappings: &str, paging: Paging) -> PagePlan {
        PagePlan::of(&QueryMappings::parse(mappings).expect("mappings"), paging).expect("a plan")
    }

    fn query(sort: Sort, page: u32, results_wanted: u32) -> ProviderQuery<'static> {
        ProviderQuery {
            text: "",
            sort,
            page,
            results_wanted,
            asker: domain::ids::UserId(1),
            topic: domain::corpus::Topic::default(),
            vector: None,
            time_max: Duration::ZERO,
        }
    }

    #[test]
    fn pages_cover_what_is_wanted_and_no_more() {
        let cases = [
            ("", Paging::Offset, Sort::Relevancy, 25, vec![(0, 25)]),
            ("", Paging::Offset, Sort::Relevancy, 250, vec![(0, 100), (100, 100), (200, 50)]),
            ("limit_max=10", Paging::Offset, Sort::Relevancy, 25, vec![(0, 10), (10, 10), (20, 5)]),
            ("limit_max=10", Paging::Offset, Sort::Date, 25, vec![(0, 10), (10, 10), (20, 5)]),
            ("limit_max=10,sort_by_date=d", Paging::Offset, Sort::Date, 25, vec![(0, 100)]),
            ("sort_by_date=d", Paging::OneAnswer, Sort::Date, 900, vec![(0, 1000)]),
            ("", Paging::OneAnswer, Sort::Relevancy, 900, vec![(0, 900)]),
            ("", Paging::OneAnswer, Sort::Relevancy, 5000, vec![(0, 1000)]),
        ];
        for (mappings, paging, sort, wanted, want) in cases {
            let plan = plan(mappings, paging);
            let windows = (0..plan.pages(wanted)).filter_map(|page| plan.window(&query(sort, page, wanted)));
            let windows: Vec<(u32, u32)> = windows.map(|window| (window.offset, window.limit)).collect();
            assert_eq!(windows, want, "{mappings} {wanted}");
        }
        assert_eq!(plan("", Paging::Offset).window(&query(Sort::Relevancy, 1, 25)), None);
    }

    #[test]
    fn dates_of_any_form_are_sorted() {
        let plan = plan("sort_by_date=at.day", Paging::OneAnswer);
        let items = [
            json!({"n": 1, "at": {"day": "2024-03-05"}}),
            json!({"n": 2}),
            json!({"n": 3, "at": {"day": 1_711_929_600}}), // 2024-04-01
            json!({"n": 4, "at": {"day": "2023-12-31T23:00:00Z"}}),
            json!({"n": 5, "at": {"day": "soon"}}),
            json!({"n": 6, "at.day": "2025-01-01"}),
            json!({"n": 7, "at": {"day": "2023-12-31T23:30:00+02:00"}}),
        ];
        let sorted = plan.newest_first(items.to_vec());
        let numbers: Vec<u64> = sorted.iter().filter_map(|item| item["n"].as_u64()).collect();
        assert_eq!(numbers, [6, 3, 1, 4, 7, 2, 5]);
    }

    #[test]
    fn mistakes_are_said() {
        for text in ["limit_max=0", "limit_max=1001", "limit_max=x", "sort_by_date=a/b"] {
            let mappings = QueryMappings::parse(text).expect("mappings");
            assert_eq!(
                PagePlan::of(&mappings, Paging::Offset).expect_err(text).field,
                Some("query_mappings")
            );
        }
        assert!(Metric::of(&QueryMappings::parse("distance=far").expect("mappings")).is_err());
    }

    #[test]
    fn nearer_is_more_alike() {
        for (name, near, far) in [("cosine", 0.1, 0.9), ("l2", 0.1, 7.0), ("dot", -3.0, 1.0)] {
            let metric = Metric::named(name).expect("a metric");
            assert!(metric.similarity(near) > metric.similarity(far), "{name}");
        }
        assert_eq!(Metric::named("cosine").map(|metric| metric.similarity(0.0)), Some(1.0));
        for (name, near, far) in [("Cosine", 0.9, 0.1), ("Euclid", 0.1, 7.0), ("dotproduct", 3.0, -1.0)] {
            let metric = Metric::named(name).expect("a metric");
            assert!(metric.similarity_of_score(near) > metric.similarity_of_score(far), "{name}");
        }
    }
}
