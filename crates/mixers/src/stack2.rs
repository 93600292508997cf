//! Stack2Mixer: two results of each provider in turn.

use crate::shared::stack::stacked;
use domain::ports::{Candidate, MixContext, MixedOrder, Mixer, MixerKind};

struct Stack2Mixer;

impl Mixer for Stack2Mixer {
    fn arrange<'a>(&self, candidates: Vec<Candidate<'a>>, _cx: &MixContext<'_>) -> MixedOrder<'a> {
        stacked(candidates, 2)
    }
}

pub const KIND: MixerKind = MixerKind {
    name: "Stack2Mixer",
    summary: "Two results of each provider in turn, best first.",
    by_date: false,
    by_relevancy: false,
    shows_only_new: false,
    shows_groups: false,
    is_common: false,
    mixer: &Stack2Mixer,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{arranged, stacks};

    #[test]
    fn two_of_each_in_turn() {
        assert_eq!(arranged(&KIND, &stacks()).0, [5, 4, 3, 2, 1]);
    }
}
