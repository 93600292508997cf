//! DateNewItemsMixer: only dated results that the last update added, newest first.

use crate::shared::order;
use domain::notice::NoticeKind;
use domain::ports::{Candidate, MixContext, MixedOrder, Mixer, MixerKind};

struct DateNewItemsMixer;

impl Mixer for DateNewItemsMixer {
    fn arrange<'a>(&self, mut candidates: Vec<Candidate<'a>>, _cx: &MixContext<'_>) -> MixedOrder<'a> {
        let old = order::keep(&mut candidates, order::is_new);
        if candidates.is_empty() {
            return MixedOrder { order: candidates, notices: vec![NoticeKind::no_new_results(KIND.name)] };
        }
        let undated = order::keep(&mut candidates, order::is_dated);
        order::by_date(&mut candidates);
        let notices = vec![NoticeKind::hid_old(KIND.name, old), NoticeKind::hid_undated(KIND.name, undated)];
        MixedOrder { order: candidates, notices }
    }
}

pub const KIND: MixerKind = MixerKind {
    name: "DateNewItemsMixer",
    summary: "Only dated results that an update added, newest first.",
    by_date: true,
    by_relevancy: false,
    shows_only_new: true,
    shows_groups: false,
    is_common: false,
    mixer: &DateNewItemsMixer,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{Sample, arranged, set};

    #[test]
    fn new_and_dated() {
        let sample = |id, date, is_new| Sample { id, date, is_new, ..Sample::default() };
        let samples = [
            sample(1, "2024-05-03 00:00:00", false),
            sample(2, "2024-05-01 00:00:00", true),
            sample(3, "unknown", true),
            sample(4, "2024-05-02 00:00:00", true),
        ];
        let (ids, messages) = arranged(&KIND, &[set(1, &samples)]);
        assert_eq!(ids, [4, 2]);
        let expected = [
            "DateNewItemsMixer hid 1 old results",
            "DateNewItemsMixer hid 1 results with date_published='unknown'",
        ];
        assert_eq!(messages, expected);
        let old = set(1, &samples[..1]);
        assert_eq!(
            arranged(&KIND, &[old]),
            (vec![], vec!["DateNewItemsMixer found 0 new results".to_owned()])
        );
    }
}
