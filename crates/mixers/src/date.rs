//! DateMixer: newest first. Results without a date are left out, and their number is reported.

use crate::shared::order;
use domain::notice::NoticeKind;
use domain::ports::{Candidate, MixContext, MixedOrder, Mixer, MixerKind};

struct DateMixer;

impl Mixer for DateMixer {
    fn arrange<'a>(&self, mut candidates: Vec<Candidate<'a>>, _cx: &MixContext<'_>) -> MixedOrder<'a> {
        let hidden = order::keep(&mut candidates, order::is_dated);
        order::by_date(&mut candidates);
        MixedOrder { order: candidates, notices: vec![NoticeKind::hid_undated(KIND.name, hidden)] }
    }
}

pub const KIND: MixerKind = MixerKind {
    name: "DateMixer",
    summary: "Newest first; results without a date are left out.",
    by_date: true,
    by_relevancy: false,
    shows_only_new: false,
    shows_groups: false,
    is_common: true,
    mixer: &DateMixer,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{Sample, arranged, set};

    #[test]
    fn instants_are_compared_and_unknown_dates_left_out() {
        let sample = |id, date| Sample { id, date, ..Sample::default() };
        let first =
            [sample(1, "2024-05-01 00:30:00+02:00"), sample(2, "2024-05-01 00:00:00"), sample(3, "unknown")];
        let second = [sample(4, "2024-05-02 00:00:00"), sample(5, "Spring 2022"), sample(6, "")];
        let (ids, messages) = arranged(&KIND, &[set(1, &first), set(2, &second)]);
        assert_eq!(ids, [4, 2, 1, 5], "a date that cannot be read is kept, after all others");
        assert_eq!(messages, ["DateMixer hid 2 results with date_published='unknown'"]);
        assert_eq!(arranged(&KIND, &[]).1, ["DateMixer hid 0 results with date_published='unknown'"]);
    }
}
