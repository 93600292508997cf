//! The sources that were asked after others, from the notices of the newest run.

use super::provider_share::ProviderShare;
use domain::mixed::{SourceNotAsked, SourceOrder};
use domain::notice::{Notice, NoticeKind, reason};
use domain::result::ResultSet;
use domain::status::ProviderStatus;
use std::collections::HashSet;

/// The order of these sources; None if all of them were asked at once.
pub(super) fn source_order(
    notices: &[Notice],
    sets: &[&ResultSet],
    share: ProviderShare,
) -> Option<SourceOrder> {
    let is_of_newest =
        |kind: &&NoticeKind| !matches!(kind, NoticeKind::UpdateRequested | NoticeKind::RerunRequested);
    let mut of_newest = notices.iter().rev().map(|notice| &notice.kind).take_while(is_of_newest);
    let (names, similar_searches) = of_newest.find_map(|kind| match kind {
        NoticeKind::SourcesAskedLater { names, searches } => Some((names, *searches)),
        _ => None,
    })?;
    let names: HashSet<&str> = names.iter().map(String::as_str).collect();
    let later = sets.iter().copied().filter(|set| names.contains(set.provider_name.as_str()));
    let (left_out, asked): (Vec<&ResultSet>, Vec<&ResultSet>) =
        later.partition(|set| set.status == ProviderStatus::Suspended);
    if left_out.is_empty() && asked.is_empty() {
        return None;
    }
    Some(SourceOrder {
        similar_searches,
        asked_later: asked.iter().map(|set| set.provider_name.clone()).collect(),
        reason: reason::fewer_results_in_similar_searches().to_owned(),
        not_asked: left_out.into_iter().map(|set| not_asked(set, share)).collect(),
    })
}

fn not_asked(set: &ResultSet, share: ProviderShare) -> SourceNotAsked {
    // After an update, the notices of earlier runs come first.
    let mut newest_first = set.notices.iter().rev().map(|notice| &notice.kind);
    let cause = newest_first.find(|kind| {
        matches!(kind, NoticeKind::ProviderNotAsked { .. } | NoticeKind::ProviderSuspended { .. })
    });
    let no_time = matches!(cause, Some(NoticeKind::ProviderNotAsked { .. }));
    let error = set.error.as_ref().map(|error| share.cut_error(error));
    let (code, reason) = error.map(|error| (error.code, error.message)).unwrap_or_default();
    let code = if no_time { SourceNotAsked::NO_TIME.to_owned() } else { code };
    SourceNotAsked { source: set.provider_name.clone(), code, reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::result::ProviderError;
    use testkit::builders::result_set;

    fn later(names: &[&str]) -> Notice {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Notice::new(Default::default(), NoticeKind::SourcesAskedLater { names, searches: 12 })
    }

    fn order(notices: &[Notice], sets: &[ResultSet]) -> Option<SourceOrder> {
        let sets: Vec<&ResultSet> = sets.iter().collect();
        source_order(notices, &sets, ProviderShare::of(sets.len()))
    }

    fn left_out(name: &str, reason: &str) -> ResultSet {
        let error = Some(ProviderError { code: "suspended".to_owned(), message: reason.to_owned() });
        ResultSet { status: ProviderStatus::Suspended, error, ..result_set(3).named(name).build() }
    }

    #[test]
    fn sources_that_were_asked_later_or_not_at_all_are_named() {
        let mut no_time = left_out("C", "no time");
        let (provider, reason) = ("C".to_owned(), "no time".to_owned());
        let kind = NoticeKind::ProviderNotAsked { provider, reason };
        no_time.notices.push(Notice::new(Default::default(), kind));
        let mut no_quota = left_out("D", "no quota");
        no_quota.notices.clone_from(&no_time.notices); // of an earlier run
        let kind = NoticeKind::provider_suspended("D", "no quota");
        no_quota.notices.push(Notice::new(Default::default(), kind));
        let sets = [
            result_set(1).named("A").build(),
            result_set(2).named("B").build(),
            no_time,
            no_quota,
            // It was asked first.
            left_out("E", "a pause"),
        ];
        let order = order(&[Notice::banner(), later(&["B", "C", "D"])], &sets).expect("an order");
        assert_eq!((order.similar_searches, order.asked_later), (12, vec!["B".to_owned()]));
        let not_asked: Vec<[&str; 3]> =
            order.not_asked.iter().map(|one| [&*one.source, &*one.code, &*one.reason]).collect();
        assert_eq!(not_asked, [["C", "no_time", "no time"], ["D", "suspended", "no quota"]]);
    }

    #[test]
    fn the_order_is_that_of_the_newest_run() {
        let sets = [result_set(1).named("A").build()];
        let updated = Notice::new(Default::default(), NoticeKind::UpdateRequested);
        let asked_later = |notices: &[Notice]| order(notices, &sets).map(|order| order.asked_later.len());
        assert_eq!(asked_later(&[]), None);
        assert_eq!(asked_later(&[later(&["A"])]), Some(1));
        assert_eq!(asked_later(&[later(&["A"]), updated.clone()]), None, "all were asked at once again");
        assert_eq!(asked_later(&[updated, later(&["A"])]), Some(1));
        assert_eq!(asked_later(&[later(&["B"])]), None, "a response about another source");
    }
}
