//! AlphabeticalMixer: by title, ignoring case.

use domain::ports::{Candidate, MixContext, MixedOrder, Mixer, MixerKind};

struct AlphabeticalMixer;

impl Mixer for AlphabeticalMixer {
    fn arrange<'a>(&self, mut candidates: Vec<Candidate<'a>>, _cx: &MixContext<'_>) -> MixedOrder<'a> {
        // The provider and the id make the order total.
        candidates.sort_by_cached_key(|candidate| {
            (candidate.item.title.to_lowercase(), candidate.set.provider, candidate.item.swirl_id)
        });
        MixedOrder { order: candidates, notices: Vec::new() }
    }
}

pub const KIND: MixerKind = MixerKind {
    name: "AlphabeticalMixer",
    summary: "By title, ignoring case.",
    by_date: false,
    shows_only_new: false,
    shows_groups: false,
    is_common: false,
    mixer: &AlphabeticalMixer,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::arranged;
    use testkit::builders::{item, result_set};

    #[test]
    fn titles_are_in_alphabetical_order() {
        let first = result_set(1).item(item("Rivers").id(1)).item(item("canals").id(2)).build();
        let second = result_set(2).item(item("Canals").id(3)).item(item("bridges").id(4)).build();
        assert_eq!(arranged(&KIND, &[second, first]), (vec![4, 2, 3, 1], vec![]));
    }
}
