//! Stack3Mixer: three results of each provider in turn.

use crate::shared::stack::stacked;
use domain::ports::{Candidate, MixContext, MixedOrder, Mixer, MixerKind};

struct Stack3Mixer;

impl Mixer for Stack3Mixer {
    fn arrange<'a>(&self, candidates: Vec<Candidate<'a>>, _cx: &MixContext<'_>) -> MixedOrder<'a> {
        stacked(candidates, 3)
    }
}

pub const KIND: MixerKind = MixerKind {
    name: "Stack3Mixer",
    summary: "Three results of each provider in turn, best first.",
    by_date: false,
    by_relevancy: false,
    shows_only_new: false,
    shows_groups: false,
    is_common: false,
    mixer: &Stack3Mixer,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{arranged, stacks};

    #[test]
    fn three_of_each_in_turn() {
        assert_eq!(arranged(&KIND, &stacks()).0, [5, 4, 1, 3, 2]);
    }
}
