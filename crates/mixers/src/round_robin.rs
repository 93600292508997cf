//! RoundRobinMixer: one result of each provider in turn, as `Stack1Mixer`; the interface names both.

use crate::shared::stack::stacked;
use domain::contracts::{Arrangement, Candidate, MixContext, Mixer, MixerKind};

struct RoundRobinMixer;

impl Mixer for RoundRobinMixer {
    fn arrange<'a>(&self, candidates: Vec<Candidate<'a>>, _cx: &MixContext<'_>) -> Arrangement<'a> {
        stacked(candidates, 1)
    }
}

pub const KIND: MixerKind = MixerKind {
    name: "RoundRobinMixer",
    summary: "One result of each provider in turn, best first; the same as Stack1Mixer.",
    mixer: &RoundRobinMixer,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::samples::{arranged, stacks};

    #[test]
    fn one_of_each_in_turn() {
        assert_eq!(arranged(&KIND, &stacks()).0, [5, 3, 4, 2, 1]);
    }
}
