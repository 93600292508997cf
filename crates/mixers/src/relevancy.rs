//! RelevancyMixer: by `swirl_score`, best first.

use crate::shared::{order, promotion};
use domain::ports::{Candidate, MixContext, MixedOrder, Mixer, MixerKind};

struct RelevancyMixer;

impl Mixer for RelevancyMixer {
    fn arrange<'a>(&self, mut candidates: Vec<Candidate<'a>>, cx: &MixContext<'_>) -> MixedOrder<'a> {
        order::by_relevancy(&mut candidates);
        promotion::promote(&mut candidates, cx);
        MixedOrder { order: candidates, notices: Vec::new() }
    }
}

pub const KIND: MixerKind = MixerKind {
    name: "RelevancyMixer",
    summary: "By swirl_score, best first; equal scores by the source's own rank, then by date.",
    by_date: false,
    by_relevancy: true,
    shows_only_new: false,
    shows_groups: false,
    is_common: true,
    mixer: &RelevancyMixer,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{arranged, stacks};

    #[test]
    fn the_best_score_comes_first() {
        assert_eq!(arranged(&KIND, &stacks()), (vec![5, 4, 3, 2, 1], vec![]));
    }
}
