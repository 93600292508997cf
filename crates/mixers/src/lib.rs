//! Mixers: pure functions that put the saved results of several providers in one order, one file each.

mod date;
mod date_new_items;
mod relevancy;
mod relevancy_confidence;
mod relevancy_new_items;
mod round_robin;
mod shared;
mod stack1;
mod stack2;
mod stack3;
mod stack_n;

use domain::ports::MixerKind;

/// All mixers, in the order of the manual.
pub const CATALOGUE: &[MixerKind] = &[
    relevancy_confidence::KIND,
    relevancy::KIND,
    date::KIND,
    round_robin::KIND,
    stack1::KIND,
    stack2::KIND,
    stack3::KIND,
    stack_n::KIND,
    relevancy_new_items::KIND,
    date_new_items::KIND,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{arranged, samples, search};
    use crate::shared::order;
    use domain::ports::{Candidate, MixContext};
    use proptest::prelude::*;

    #[test]
    fn names_are_unique_and_say_what_they_are() {
        let mut names: Vec<&str> = CATALOGUE.iter().map(|kind| kind.name).collect();
        assert!(names.iter().all(|name| name.ends_with("Mixer")));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CATALOGUE.len());
        assert!(
            names.contains(&domain::search::DEFAULT_MIXER) && names.contains(&domain::search::FALLBACK_MIXER)
        );
    }

    #[test]
    fn flags_say_what_is_left_out() {
        let (sets, search) = (samples(), search());
        let cx = MixContext { search: &search, page_size: 10, promotes: true };
        for kind in CATALOGUE {
            let all = sets.iter().flat_map(|set| set.items.iter().map(move |item| Candidate { set, item }));
            let order = kind.mixer.arrange(all.collect(), &cx).order;
            assert_eq!(order.iter().all(order::is_dated), kind.by_date, "{}", kind.name);
            assert_eq!(order.iter().all(order::is_new), kind.shows_only_new, "{}", kind.name);
        }
    }

    /// `PluginRegistry::new_items_mixer` relies on it.
    #[test]
    fn new_results_can_be_shown_in_both_orders() {
        for by_date in [true, false] {
            let found = CATALOGUE.iter().filter(|kind| kind.shows_only_new && kind.by_date == by_date);
            assert_eq!(found.count(), 1, "{by_date}");
        }
    }

    #[test]
    fn nothing_in_nothing_out() {
        for kind in CATALOGUE {
            assert!(arranged(kind, &[]).0.is_empty(), "{}", kind.name);
        }
    }

    proptest! {
        /// The order of the candidates does not affect the list.
        #[test]
        fn the_input_order_does_not_matter(
            order in Just((0..24).collect::<Vec<usize>>()).prop_shuffle(),
            page_size in 1..30usize,
        ) {
            let sets = samples();
            let search = search();
            let cx = MixContext { search: &search, page_size, promotes: true };
            let all: Vec<Candidate<'_>> =
                sets.iter().flat_map(|set| set.items.iter().map(move |item| Candidate { set, item })).collect();
            prop_assert_eq!(all.len(), order.len());
            for kind in CATALOGUE {
                let ids = |candidates: Vec<Candidate<'_>>| -> Vec<i64> {
                    kind.mixer.arrange(candidates, &cx).order.iter().map(|c| c.item.swirl_id.0).collect()
                };
                let shuffled = order.iter().map(|place| all[*place]).collect();
                prop_assert_eq!(ids(all.clone()), ids(shuffled), "{}", kind.name);
            }
        }

        /// A mixer never repeats or invents a result.
        #[test]
        fn each_result_stands_once_at_most(page_size in 1..30usize) {
            let sets = samples();
            let search = search();
            let all: Vec<Candidate<'_>> =
                sets.iter().flat_map(|set| set.items.iter().map(move |item| Candidate { set, item })).collect();
            for kind in CATALOGUE {
                let arrangement = kind.mixer.arrange(all.clone(), &MixContext { search: &search, page_size, promotes: true });
                let mut ids: Vec<i64> = arrangement.order.iter().map(|c| c.item.swirl_id.0).collect();
                let count = ids.len();
                ids.sort_unstable();
                ids.dedup();
                prop_assert_eq!(ids.len(), count, "{}", kind.name);
                let hides = kind.by_date || kind.shows_only_new;
                prop_assert!(hides || count == all.len(), "{} loses results", kind.name);
            }
        }
    }
}
