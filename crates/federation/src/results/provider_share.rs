//! Limits of what a response says about each of its providers: the more providers, the less about each. The response
//! for one provider, at its `filter_url`, has the most.

use domain::notice::{Notice, NoticeKind};
use domain::result::ProviderError;

/// Bytes of one text of every provider together, for example of all queries.
const TEXT_BYTES_OF_ALL: usize = 40 * 1024;
/// Bytes of such a text of one provider, in any case. An ordinary query, request or error is shorter.
const TEXT_BYTES_MIN: usize = 200;
/// Bytes of such a text, if there are few providers: the longest query that transforms make.
const TEXT_BYTES_MAX: usize = 8 * 1024;
/// Notices of every provider together. Three for each of a hundred providers, which is what a provider without
/// failures has.
const NOTICES_OF_ALL: usize = 300;
/// Notices of one provider, in any case.
const NOTICES_MIN: usize = 1;
/// Notices of one provider, if there are few. A stored result set has no more.
const NOTICES_MAX: usize = 200;
/// The end of a text or list that was cut.
const CUT: &str = "…";

/// What a response may say about one provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProviderShare {
    /// Of one text, or of the names of one list together.
    text_bytes_max: usize,
    notices_max: usize,
}

impl ProviderShare {
    /// The share of each of so many providers.
    pub(super) fn of(providers: usize) -> Self {
        let share = |all: usize, least: usize, most: usize| (all / providers.max(1)).clamp(least, most);
        Self {
            text_bytes_max: share(TEXT_BYTES_OF_ALL, TEXT_BYTES_MIN, TEXT_BYTES_MAX),
            notices_max: share(NOTICES_OF_ALL, NOTICES_MIN, NOTICES_MAX),
        }
    }

    /// The beginning of a text, whole if it is short enough.
    pub(super) fn cut(self, text: &str) -> String {
        if text.len() <= self.text_bytes_max {
            return text.to_owned();
        }
        let end = text.floor_char_boundary(self.text_bytes_max - CUT.len());
        format!("{}{CUT}", &text[..end])
    }

    pub(super) fn cut_error(self, error: &ProviderError) -> ProviderError {
        ProviderError { code: error.code.clone(), message: self.cut(&error.message) }
    }

    /// The first names of a list, all if they are short enough.
    pub(super) fn cut_names(self, names: &[String]) -> Vec<String> {
        let bytes: usize = names.iter().map(String::len).sum();
        if bytes <= self.text_bytes_max {
            return names.to_vec();
        }
        let mut left = self.text_bytes_max - CUT.len();
        let fits = |name: &&String| left.checked_sub(name.len()).inspect(|rest| left = *rest).is_some();
        names.iter().take_while(fits).map(String::as_str).chain([CUT]).map(str::to_owned).collect()
    }

    /// The most important notices in their order, all if they are few enough, each with texts that are cut.
    pub(super) fn select_notices(self, notices: &[Notice]) -> Vec<Notice> {
        if notices.len() <= self.notices_max {
            return notices.iter().map(|notice| self.cut_notice(notice)).collect();
        }
        let mut chosen: Vec<usize> = (0..notices.len()).collect();
        // Of equally important ones, the newest.
        chosen.sort_by_key(|&place| (Importance::of(&notices[place].kind), notices.len() - place));
        chosen.truncate(self.notices_max);
        chosen.sort_unstable();
        chosen.into_iter().map(|place| self.cut_notice(&notices[place])).collect()
    }

    fn cut_notice(self, notice: &Notice) -> Notice {
        let mut notice = notice.clone();
        notice.kind.change_texts(|text| {
            if text.len() > self.text_bytes_max {
                *text = self.cut(text);
            }
        });
        notice
    }
}

/// How much a notice of a provider is worth if there is no place for all, the most first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Importance {
    Failure,
    Count,
    Other,
}

impl Importance {
    fn of(kind: &NoticeKind) -> Self {
        // The outcome is more than the attempts before it.
        if kind.explains_absence() && !matches!(kind, NoticeKind::ProviderRetried { .. }) {
            Self::Failure
        } else if matches!(kind, NoticeKind::Retrieved { .. } | NoticeKind::RetrievedNew { .. }) {
            Self::Count
        } else {
            Self::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::Outcome;

    fn share(text_bytes_max: usize, notices_max: usize) -> ProviderShare {
        ProviderShare { text_bytes_max, notices_max }
    }

    fn retrieved(count: u64) -> NoticeKind {
        NoticeKind::Retrieved { retrieved: count, found: count, provider: "Rivers".to_owned() }
    }

    fn processed() -> NoticeKind {
        Outcome::updated(10).notice("Mapping", Some("Rivers")).unwrap()
    }

    fn notices(kinds: Vec<NoticeKind>) -> Vec<Notice> {
        kinds.into_iter().map(|kind| Notice::new(Default::default(), kind)).collect()
    }

    #[test]
    fn the_share_shrinks_with_the_number_of_providers() {
        for (providers, expected) in [
            (0, share(8192, 200)),
            (1, share(8192, 200)),
            (5, share(8192, 60)),
            (10, share(4096, 30)),
            (100, share(409, 3)),
            (204, share(200, 1)),
            (300, share(200, 1)),
            (100_000, share(200, 1)),
        ] {
            assert_eq!(ProviderShare::of(providers), expected, "{providers} providers");
        }
    }

    #[test]
    fn a_text_has_at_most_its_share_of_bytes() {
        let share = share(10, 1);
        for (text, expected) in [
            ("", ""),
            ("0123456789", "0123456789"),
            ("01234567890", "0123456…"),
            // The character at the limit is kept whole or not at all.
            ("012345äöü", "012345…"),
            ("äöüäöü", "äöü…"),
        ] {
            assert_eq!(share.cut(text), expected);
            assert!(share.cut(text).len() <= 10, "{text}");
        }
        let long = ProviderError { code: "unavailable".to_owned(), message: "x".repeat(1000) };
        let cut = share.cut_error(&long);
        assert_eq!((cut.code.as_str(), cut.message.as_str()), ("unavailable", "xxxxxxx…"));
    }

    #[test]
    fn the_names_of_a_list_share_its_bytes() {
        let names = |list: &[&str]| -> Vec<String> { list.iter().map(|name| (*name).to_owned()).collect() };
        let share = share(10, 1);
        for (list, expected) in [
            (&["01234", "56789"][..], &["01234", "56789"][..]),
            (&[], &[]),
            (&["01234", "567890"], &["01234", "…"]),
            (&["01", "23", "45", "67", "89", "0"], &["01", "23", "45", "…"]),
            // The order is that of the steps: nothing after the first name that is left out.
            (&["0", "12345678901", "2"], &["0", "…"]),
        ] {
            assert_eq!(share.cut_names(&names(list)), expected, "{list:?}");
        }
    }

    #[test]
    fn failures_stay_before_counts_and_counts_before_the_rest() {
        let failed = || NoticeKind::provider_failed("Rivers", "500");
        let retried = |attempt| NoticeKind::ProviderRetried {
            provider: "Rivers".to_owned(),
            attempt,
            reason: "500".to_owned(),
        };
        let all = notices(vec![processed(), retried(1), failed(), retrieved(3), processed()]);
        for (most, expected) in [
            (1, vec![failed()]),
            (2, vec![failed(), retrieved(3)]),
            (3, vec![failed(), retrieved(3), processed()]),
            (4, vec![retried(1), failed(), retrieved(3), processed()]),
            (5, all.iter().map(|notice| notice.kind.clone()).collect()),
        ] {
            assert_eq!(share(100, most).select_notices(&all), notices(expected), "{most}");
        }
        let newest = notices(vec![retrieved(1), processed(), retrieved(2), processed()]);
        assert_eq!(share(100, 1).select_notices(&newest), notices(vec![retrieved(2)]));
        assert!(share(100, 1).select_notices(&[]).is_empty());
    }

    #[test]
    fn the_texts_of_a_notice_are_cut() {
        let long = notices(vec![NoticeKind::provider_failed("Rivers", "x".repeat(1000)), processed()]);
        let expected = notices(vec![NoticeKind::provider_failed("Rivers", "xxxxxxx…"), processed()]);
        assert_eq!(share(10, 2).select_notices(&long), expected);
    }
}
