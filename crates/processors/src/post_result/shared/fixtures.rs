//! Test fixtures: results.

use domain::result::{ResultItem, ResultSet};
pub use testkit::samples::{search, set};

pub fn item(title: &str, url: &str, confidence: f64, score: f64) -> ResultItem {
    ResultItem {
        title: title.to_owned(),
        url: url.to_owned(),
        swirl_confidence_score: confidence,
        swirl_score: score,
        ..ResultItem::default()
    }
}

/// The remaining titles of each set, each with the titles listed under it.
pub fn listed(sets: &[ResultSet]) -> Vec<Vec<String>> {
    let shown = |item: &ResultItem| {
        let under: Vec<&str> = item.duplicates.iter().map(|duplicate| duplicate.title.as_str()).collect();
        format!("{}[{}]", item.title, under.join(" "))
    };
    sets.iter().map(|set| set.items.iter().map(shown).collect()).collect()
}
