//! Test fixtures: results.

use domain::result::{ResultItem, ResultSet};
use domain::result_group::GroupMembers;
pub use testkit::builders::search;
use testkit::builders::{self, result_set};

pub fn set(provider: i64, query: &str, items: Vec<ResultItem>) -> ResultSet {
    result_set(provider).query(query).items(items).build()
}

pub fn item(title: &str, url: &str, confidence: f64, score: f64) -> ResultItem {
    builders::item(title).url(url).confidence(confidence).score(score).build()
}

/// The listed titles of each set, each with those of its duplicates.
pub fn listed(sets: &[ResultSet]) -> Vec<Vec<String>> {
    let members = GroupMembers::of(sets);
    let shown = |item: &ResultItem| {
        let stored = item.duplicates.iter().map(|duplicate| duplicate.title.as_str());
        let others = members.others(item.group).map(|other| other.title.as_str());
        format!("{}[{}]", item.title, stored.chain(others).collect::<Vec<_>>().join(" "))
    };
    let of_set = |set: &ResultSet| set.items.iter().filter(|item| !item.is_copy()).map(shown).collect();
    sets.iter().map(of_set).collect()
}
