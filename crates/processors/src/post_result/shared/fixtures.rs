//! Test fixtures: results.

use domain::result::{ResultItem, ResultSet};
pub use testkit::builders::search;
use testkit::builders::{self, result_set};

pub fn set(provider: i64, query: &str, items: Vec<ResultItem>) -> ResultSet {
    result_set(provider).query(query).items(items).build()
}

pub fn item(title: &str, url: &str, confidence: f64, score: f64) -> ResultItem {
    builders::item(title).url(url).confidence(confidence).score(score).build()
}

/// The remaining titles of each set, each with the titles listed under it.
pub fn listed(sets: &[ResultSet]) -> Vec<Vec<String>> {
    let shown = |item: &ResultItem| {
        let under: Vec<&str> = item.duplicates.iter().map(|duplicate| duplicate.title.as_str()).collect();
        format!("{}[{}]", item.title, under.join(" "))
    };
    sets.iter().map(|set| set.items.iter().map(shown).collect()).collect()
}
