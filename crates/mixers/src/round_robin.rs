//! RoundRobinMixer: one result of each provider in turn, like `Stack1Mixer`.

use crate::shared::stack::stacked;
use domain::ports::{Candidate, MixContext, MixedOrder, Mixer, MixerKind};

struct RoundRobinMixer;

impl Mixer for RoundRobinMixer {
    fn arrange<'a>(&self, candidates: Vec<Candidate<'a>>, _cx: &MixContext<'_>) -> MixedOrder<'a> {
        stacked(candidates, 1)
    }
}

pub const KIND: MixerKind = MixerKind {
    name: "RoundRobinMixer",
    summary: "One result of each provider in turn, best first; the same as Stack1Mixer.",
    by_date: false,
    by_relevancy: false,
    shows_only_new: false,
    shows_groups: false,
    is_common: false,
    mixer: &RoundRobinMixer,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{arranged, stacks};

    #[test]
    fn one_of_each_in_turn() {
        assert_eq!(arranged(&KIND, &stacks()).0, [5, 3, 4, 2, 1]);
    }
}
