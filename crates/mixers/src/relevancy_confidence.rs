//! RelevancyConfidenceMixer: by `swirl_confidence_score`, best first. The default.

use crate::shared::{order, promotion};
use domain::ports::{Candidate, MixContext, MixedOrder, Mixer, MixerKind};

struct RelevancyConfidenceMixer;

impl Mixer for RelevancyConfidenceMixer {
    fn arrange<'a>(&self, mut candidates: Vec<Candidate<'a>>, cx: &MixContext<'_>) -> MixedOrder<'a> {
        order::by_confidence(&mut candidates);
        promotion::promote(&mut candidates, cx);
        MixedOrder { order: candidates, notices: Vec::new() }
    }
}

pub const KIND: MixerKind = MixerKind {
    name: "RelevancyConfidenceMixer",
    summary: "By swirl_confidence_score, best first; equal ones like RelevancyMixer. The default.",
    by_date: false,
    by_relevancy: true,
    shows_only_new: false,
    shows_groups: false,
    is_common: true,
    mixer: &RelevancyConfidenceMixer,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{Sample, arranged, set};

    #[test]
    fn confidence_comes_before_score() {
        let sample = |id, confidence, score| Sample { id, confidence, score, ..Sample::default() };
        let sets = [set(1, &[sample(1, 0.5, 900.0), sample(2, 0.9, 1.0)]), set(2, &[sample(3, 0.9, 2.0)])];
        assert_eq!(arranged(&KIND, &sets), (vec![3, 2, 1], vec![]));
    }
}
