//! Results that come before all others, in a given order.

use domain::ids::ResultId;
use domain::ports::Candidate;
use std::collections::HashMap;

/// Moves these results to the beginning. The others keep their order, and results that are not in the list are ignored.
pub(super) fn with_first<'a>(mut order: Vec<Candidate<'a>>, first: &[ResultId]) -> Vec<Candidate<'a>> {
    if !first.is_empty() {
        let places: HashMap<ResultId, usize> =
            first.iter().enumerate().map(|(place, id)| (*id, place)).collect();
        let place = |candidate: &Candidate<'_>| places.get(&candidate.item.swirl_id).copied();
        order.sort_by_key(|candidate| place(candidate).unwrap_or(usize::MAX));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::result::ResultItem;
    use testkit::builders::result_set;

    #[test]
    fn the_others_keep_their_order() {
        let item = |id: i64| ResultItem { swirl_id: ResultId(id), ..ResultItem::default() };
        let set = result_set(1).items((1..=5).map(item)).build();
        for (first, expected) in [
            (vec![], [1, 2, 3, 4, 5]),
            (vec![4, 2], [4, 2, 1, 3, 5]),
            (vec![9, 5], [5, 1, 2, 3, 4]),
            (vec![5, 4, 3, 2, 1], [5, 4, 3, 2, 1]),
        ] {
            let all = set.items.iter().map(|item| Candidate { set: &set, item }).collect();
            let first: Vec<ResultId> = first.into_iter().map(ResultId).collect();
            let found: Vec<i64> =
                with_first(all, &first).iter().map(|candidate| candidate.item.swirl_id.0).collect();
            assert_eq!(found, expected, "{first:?}");
        }
    }
}
