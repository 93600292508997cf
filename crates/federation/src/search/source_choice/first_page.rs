//! The sources of the first page of results.

use domain::ids::ProviderId;
use domain::result::{ResultItem, ResultSet};
use std::collections::BTreeMap;

/// Results on the first page.
const PAGE: usize = 10;

/// The share of each source in the first page, in the order of the default mixer. Empty without results.
pub(super) fn shares(sets: &[ResultSet]) -> Vec<(ProviderId, f32)> {
    let of_set = |set: &ResultSet| -> Vec<(ProviderId, f64, f64)> {
        let is_listed = |item: &&ResultItem| item.result_block.is_none() && !item.is_copy();
        let listed = set.items.iter().filter(is_listed);
        listed.map(|item| (set.provider, item.swirl_confidence_score, item.swirl_score)).collect()
    };
    let mut listed: Vec<(ProviderId, f64, f64)> = sets.iter().flat_map(of_set).collect();
    listed.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.2.total_cmp(&one.2)));
    listed.truncate(PAGE);
    let each = 1.0 / listed.len() as f32;
    let mut shares: BTreeMap<ProviderId, f32> = BTreeMap::new();
    for (source, ..) in listed {
        *shares.entry(source).or_default() += each;
    }
    shares.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::builders::{item, result_set};

    #[test]
    fn only_the_best_results_count() {
        let scored = |score: f64| item("").score(score);
        let block = ResultItem { result_block: Some("ai_summary".to_owned()), ..scored(99.0).build() };
        let sets = [
            result_set(1).items([5.0, 1.0, 0.5].map(scored)).build(),
            result_set(2).item(block).items((2..10).map(|place| scored(f64::from(place)))).build(),
            result_set(3).build(),
        ];
        let shown: Vec<(i64, f32)> = shares(&sets).into_iter().map(|(id, share)| (id.0, share)).collect();
        let close = |one: f32, other: f32| (one - other).abs() < 1e-6;
        let [(1, first), (2, second)] = shown[..] else { panic!("{shown:?}") };
        assert!(close(first, 0.2) && close(second, 0.8), "{shown:?}");
        assert!(shares(&sets[2..]).is_empty());
    }
}
