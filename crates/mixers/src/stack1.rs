//! Stack1Mixer: the best result of each provider, then the second best of each, and so on.

use crate::shared::stack::stacked;
use domain::ports::{Candidate, MixContext, MixedOrder, Mixer, MixerKind};

struct Stack1Mixer;

impl Mixer for Stack1Mixer {
    fn arrange<'a>(&self, candidates: Vec<Candidate<'a>>, _cx: &MixContext<'_>) -> MixedOrder<'a> {
        stacked(candidates, 1)
    }
}

pub const KIND: MixerKind = MixerKind {
    name: "Stack1Mixer",
    summary: "One result of each provider in turn, best first.",
    by_date: false,
    by_relevancy: false,
    shows_only_new: false,
    shows_groups: false,
    is_common: false,
    mixer: &Stack1Mixer,
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
