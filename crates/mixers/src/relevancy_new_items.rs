//! RelevancyNewItemsMixer: only results that the last update added, by `swirl_score`.

use crate::shared::{order, promotion};
use domain::notice::NoticeKind;
use domain::ports::{Candidate, MixContext, MixedOrder, Mixer, MixerKind};

struct RelevancyNewItemsMixer;

impl Mixer for RelevancyNewItemsMixer {
    fn arrange<'a>(&self, mut candidates: Vec<Candidate<'a>>, cx: &MixContext<'_>) -> MixedOrder<'a> {
        let hidden = order::keep(&mut candidates, order::is_new);
        order::by_relevancy(&mut candidates);
        promotion::promote(&mut candidates, cx);
        let remark = if candidates.is_empty() {
            NoticeKind::no_new_results(KIND.name)
        } else {
            NoticeKind::hid_old(KIND.name, hidden)
        };
        MixedOrder { order: candidates, notices: vec![remark] }
    }
}

pub const KIND: MixerKind = MixerKind {
    name: "RelevancyNewItemsMixer",
    summary: "Only results that an update added, by swirl_score, best first.",
    by_date: false,
    by_relevancy: true,
    shows_only_new: true,
    shows_groups: false,
    is_common: false,
    mixer: &RelevancyNewItemsMixer,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{Sample, arranged, set};

    #[test]
    fn only_new_results_are_shown() {
        let sample = |id, score, is_new| Sample { id, score, is_new, ..Sample::default() };
        let sets = [set(1, &[sample(1, 9.0, false), sample(2, 1.0, true)]), set(2, &[sample(3, 5.0, true)])];
        let expected = (vec![3, 2], vec!["RelevancyNewItemsMixer hid 1 old results".to_owned()]);
        assert_eq!(arranged(&KIND, &sets), expected);
        let expected = (vec![], vec!["RelevancyNewItemsMixer found 0 new results".to_owned()]);
        assert_eq!(arranged(&KIND, &[set(1, &[sample(1, 9.0, false)])]), expected);
    }
}
