//! StackNMixer: as many results of each provider in turn as fit all providers on the first page.

use crate::shared::stack::{providers, stacked};
use domain::ports::{Candidate, MixContext, MixedOrder, Mixer, MixerKind};

struct StackNMixer;

impl Mixer for StackNMixer {
    fn arrange<'a>(&self, candidates: Vec<Candidate<'a>>, cx: &MixContext<'_>) -> MixedOrder<'a> {
        // With more providers than positions, each gives one; without providers there is nothing to share.
        let each = cx.page_size / providers(&candidates).max(1);
        stacked(candidates, each)
    }
}

pub const KIND: MixerKind = MixerKind {
    name: "StackNMixer",
    summary: "The page shared equally among the providers with results, best first.",
    by_date: false,
    by_relevancy: false,
    shows_only_new: false,
    shows_groups: true,
    is_common: true,
    mixer: &StackNMixer,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{ids, search, stacks};

    #[test]
    fn the_page_is_shared() {
        let sets = stacks();
        let search = search();
        let table = [(1, [5, 3, 4, 2, 1]), (4, [5, 4, 3, 2, 1]), (5, [5, 4, 3, 2, 1]), (10, [5, 4, 1, 3, 2])];
        for (page_size, expected) in table {
            let all = sets.iter().flat_map(|set| set.items.iter().map(move |item| Candidate { set, item }));
            let arrangement = StackNMixer
                .arrange(all.collect(), &MixContext { search: &search, page_size, promotes: true });
            assert_eq!(ids(&arrangement.order), expected, "{page_size}");
        }
    }
}
