//! Merges the results of an update with the saved ones. New results are added and marked `new`.

use domain::notice::{Notice, NoticeKind};
use domain::result::{NEW, ResultItem, ResultSet};
use domain::status::ProviderStatus;
use std::collections::{BTreeMap, HashMap, HashSet};
use syntax::canonical_url::canonical;
use syntax::strip_html::readable;

/// Most results that updates keep per provider; the oldest are removed first.
const SET_ITEMS_MAX: usize = 2_000;
/// Most notices that updates keep per provider; the oldest are removed first.
const SET_NOTICES_MAX: usize = 200;

/// Identifies a result among those of its provider.
#[derive(PartialEq, Eq, Hash)]
enum ItemKey {
    Url(String),
    /// Title and body, for a result without a URL.
    Text(String, String),
}

impl ItemKey {
    fn of(url: &str, title: &str, body: &str) -> Self {
        match canonical(url) {
            Some(url) => Self::Url(url),
            // Highlights and markup depend on the query and the settings.
            None => Self::Text(readable(title).into_owned(), readable(body).into_owned()),
        }
    }

    fn of_item(item: &ResultItem) -> Self {
        Self::of(&item.url, &item.title, &item.body)
    }
}

/// One result set per provider, ordered by provider id. Sets of providers that were not queried this time stay as they
/// are.
pub(crate) fn merge(
    saved: Vec<ResultSet>,
    fresh: Vec<ResultSet>,
    notice: impl Fn(NoticeKind) -> Notice,
) -> Vec<ResultSet> {
    let grouped = duplicate_keys(&saved);
    let mut sets: BTreeMap<_, _> = saved.into_iter().map(|set| (set.provider, set)).collect();
    for mut set in fresh {
        let old = sets.remove(&set.provider);
        let was_grouped = grouped.get(&set.provider_name);
        let known: HashSet<ItemKey> = old.iter().flat_map(|old| &old.items).map(ItemKey::of_item).collect();
        set.items.retain(|item| {
            let key = ItemKey::of_item(item);
            !known.contains(&key) && !was_grouped.is_some_and(|keys| keys.contains(&key))
        });
        sets.insert(set.provider, merge_set(old, set, &notice));
    }
    sets.into_values().collect()
}

/// The results of each provider, by its name, that are already listed as duplicates of other results.
fn duplicate_keys(saved: &[ResultSet]) -> HashMap<String, HashSet<ItemKey>> {
    let mut keys: HashMap<String, HashSet<ItemKey>> = HashMap::new();
    for one in saved.iter().flat_map(|set| &set.items).flat_map(|item| &item.duplicates) {
        let of_provider = keys.entry(one.searchprovider.clone()).or_default();
        of_provider.insert(ItemKey::of(&one.url, &one.title, &one.body));
    }
    keys
}

/// Merges a saved set with a fresh one. A failure removes nothing: the saved results stay, and the failure is recorded.
fn merge_set(old: Option<ResultSet>, fresh: ResultSet, notice: &impl Fn(NoticeKind) -> Notice) -> ResultSet {
    match (old, fresh.status.has_responded()) {
        (old, true) => add_new_items(old, fresh, notice),
        (Some(old), false) => record_failure(old, fresh),
        (None, false) => fresh,
    }
}

fn add_new_items(
    old: Option<ResultSet>,
    mut fresh: ResultSet,
    notice: &impl Fn(NoticeKind) -> Notice,
) -> ResultSet {
    let added = fresh.items.len();
    fresh.retrieved = added as u64;
    fresh.items.iter_mut().for_each(|item| item.new = Some(NEW));
    let provider = fresh.provider_name.clone();
    fresh.notices.push(notice(NoticeKind::RetrievedNew { count: added, provider }));
    if let Some(mut old) = old {
        fresh.found = fresh.found.max(old.found);
        fresh.retrieved += old.retrieved;
        fresh.time_s = add_tenths(old.time_s, fresh.time_s);
        fresh.date_created = old.date_created;
        old.items.append(&mut fresh.items);
        old.notices.append(&mut fresh.notices);
        (fresh.items, fresh.notices) = (old.items, old.notices);
    }
    if drop_oldest(&mut fresh.items, SET_ITEMS_MAX) {
        let provider = fresh.provider_name.clone();
        fresh.notices.push(notice(NoticeKind::KeptNewest { kept: SET_ITEMS_MAX, provider }));
    }
    drop_oldest(&mut fresh.notices, SET_NOTICES_MAX);
    if !fresh.items.is_empty() && fresh.status.has_delivered() {
        fresh.status = ProviderStatus::Ok;
    }
    fresh
}

fn record_failure(mut old: ResultSet, fresh: ResultSet) -> ResultSet {
    old.notices.extend(fresh.notices);
    drop_oldest(&mut old.notices, SET_NOTICES_MAX);
    ResultSet {
        status: fresh.status,
        error: fresh.error,
        time_s: add_tenths(old.time_s, fresh.time_s),
        date_updated: fresh.date_updated,
        ..old
    }
}

/// Removes the first entries above the limit; true if there were any.
fn drop_oldest<T>(list: &mut Vec<T>, max: usize) -> bool {
    let too_many = list.len().saturating_sub(max);
    list.drain(..too_many);
    too_many > 0
}

/// Adds tenths without floating-point error: 0.1 + 0.2 is 0.3.
fn add_tenths(a: f64, b: f64) -> f64 {
    ((a + b) * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::result::{Duplicate, ProviderError};
    use testkit::builders::{self, notice, result_set};

    fn item(id: i64, url: &str) -> ResultItem {
        builders::item(format!("of {url}")).id(id).url(url).build()
    }

    fn set(provider: i64, items: Vec<ResultItem>) -> ResultSet {
        let status = if items.is_empty() { ProviderStatus::NoResults } else { ProviderStatus::Ok };
        let set = result_set(provider).named(&format!("P{provider}")).items(items);
        ResultSet { status, time_s: 0.1, ..set.notice(&format!("run of P{provider}")).build() }
    }

    fn failed(provider: i64) -> ResultSet {
        let fault = ProviderError { code: "unavailable".into(), message: "it is down".into() };
        ResultSet { status: ProviderStatus::Error, error: Some(fault), ..set(provider, vec![]) }
    }

    fn merge_sets(saved: Vec<ResultSet>, fresh: Vec<ResultSet>) -> Vec<ResultSet> {
        merge(saved, fresh, |kind| Notice::new(Default::default(), kind))
    }

    /// `url#id` of old items, `url*` of new ones.
    fn shown(set: &ResultSet) -> String {
        let one = |item: &ResultItem| match item.new {
            Some(_) => format!("{}*", item.url),
            None => format!("{}#{}", item.url, item.swirl_id),
        };
        set.items.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn new_results_are_added_and_marked() {
        let (a, b, c) = ("https://x.example/a", "https://x.example/b", "https://x.example/c");
        let table = [
            (vec![], vec![], "", 0),
            (vec![], vec![a], "https://x.example/a*", 1),
            (vec![a], vec![], "https://x.example/a#1", 1),
            (vec![a], vec![a], "https://x.example/a#1", 1),
            (vec![a], vec!["https://X.example/a/?utm_source=mail#top"], "https://x.example/a#1", 1),
            (vec![a], vec![b, a, c], "https://x.example/a#1 https://x.example/b* https://x.example/c*", 3),
        ];
        for (old, given, expected, retrieved) in table {
            let old = old.iter().zip(1..).map(|(url, id)| item(id, url)).collect();
            let given = given.iter().map(|url| item(0, url)).collect();
            let sets = merge_sets(vec![set(7, old)], vec![set(7, given)]);
            assert_eq!((sets.len(), shown(&sets[0]).as_str()), (1, expected));
            assert_eq!(sets[0].retrieved, retrieved, "{expected}");
        }
    }

    #[test]
    fn results_without_a_url_are_identified_by_their_text() {
        let text = |title: &str| ResultItem { title: title.into(), ..item(0, "") };
        let fresh = vec![text("<em>rain</em>"), text("snow")];
        let sets = merge_sets(vec![set(1, vec![text("rain")])], vec![set(1, fresh)]);
        let titles: Vec<_> = sets[0].items.iter().map(|item| (item.title.as_str(), item.new)).collect();
        assert_eq!(titles, [("rain", None), ("snow", Some(1))]);
    }

    #[test]
    fn counts_times_and_messages_are_added_up() {
        let old = ResultSet { found: 40, time_s: 0.1, ..set(1, vec![item(1, "a"), item(2, "b")]) };
        let fresh = ResultSet { found: 30, time_s: 0.2, ..set(1, vec![item(0, "b"), item(0, "c")]) };
        let sets = merge_sets(vec![old], vec![fresh]);
        assert_eq!((sets[0].found, sets[0].retrieved, sets[0].time_s), (40, 3, 0.3));
        let added = NoticeKind::RetrievedNew { count: 1, provider: "P1".to_owned() };
        let before = notice("run of P1");
        assert_eq!(sets[0].notices, [before.clone(), before, Notice::new(Default::default(), added)]);
    }

    #[test]
    fn a_result_stays_new_until_it_is_read() {
        let unread = ResultItem { new: Some(NEW), ..item(5, "a") };
        let sets = merge_sets(vec![set(1, vec![unread])], vec![set(1, vec![item(0, "a")])]);
        assert_eq!((sets[0].items.len(), sets[0].items[0].new, sets[0].items[0].swirl_id.0), (1, Some(1), 5));
    }

    #[test]
    fn a_failure_keeps_the_saved_results() {
        let sets = merge_sets(
            vec![set(1, vec![item(1, "a")]), set(2, vec![])],
            vec![failed(1), failed(2), failed(3)],
        );
        let ends: Vec<_> = sets.iter().map(|set| (set.status, set.error.is_some(), set.retrieved)).collect();
        let error = ProviderStatus::Error;
        assert_eq!(ends, [(error, true, 1), (error, true, 0), (error, true, 0)]);
        assert_eq!(shown(&sets[0]), "a#1");
        assert_eq!((sets[0].notices.len(), sets[0].time_s), (2, 0.2));
    }

    #[test]
    fn a_partial_response_adds_its_results_and_its_failure() {
        let part = ResultSet { status: ProviderStatus::Partial, items: vec![item(0, "b")], ..failed(1) };
        let sets = merge_sets(vec![set(1, vec![item(1, "a")])], vec![part]);
        assert_eq!((sets[0].status, sets[0].error.is_some()), (ProviderStatus::Partial, true));
        assert_eq!((shown(&sets[0]).as_str(), sets[0].retrieved), ("a#1 b*", 2));
    }

    #[test]
    fn a_response_clears_an_earlier_failure() {
        let sets = merge_sets(vec![failed(1)], vec![set(1, vec![])]);
        assert_eq!((sets[0].status, &sets[0].error), (ProviderStatus::NoResults, &None));
    }

    #[test]
    fn providers_that_are_not_queried_stay() {
        let sets = merge_sets(vec![set(2, vec![item(1, "a")])], vec![set(1, vec![item(0, "b")])]);
        assert_eq!(sets.iter().map(shown).collect::<Vec<_>>(), ["b*", "a#1"]);
    }

    #[test]
    fn a_listed_duplicate_is_not_new() {
        let copy = |provider: &str| Duplicate {
            searchprovider: provider.into(),
            url: "a".into(),
            ..Default::default()
        };
        let best = ResultItem { duplicates: vec![copy("P2")], ..item(1, "a") };
        let saved = || vec![set(1, vec![best.clone()]), set(2, vec![])];
        let sets = merge_sets(saved(), vec![set(2, vec![item(0, "a")]), set(3, vec![item(0, "a")])]);
        assert_eq!(sets.iter().map(shown).collect::<Vec<_>>(), ["a#1", "", "a*"]);
    }

    #[test]
    fn the_size_of_updated_sets_is_bounded() {
        let many =
            |from: usize, count: usize| (from..from + count).map(|n| item(1, &format!("u{n}"))).collect();
        let mut old = set(1, many(0, SET_ITEMS_MAX));
        old.notices = vec![notice("line"); SET_NOTICES_MAX];
        let sets = merge_sets(vec![old], vec![set(1, many(SET_ITEMS_MAX, 3))]);
        let set = &sets[0];
        assert_eq!((set.items.len(), set.notices.len()), (SET_ITEMS_MAX, SET_NOTICES_MAX));
        assert_eq!((set.items[0].url.as_str(), set.items[SET_ITEMS_MAX - 1].new), ("u3", Some(1)));
        let last = NoticeKind::KeptNewest { kept: SET_ITEMS_MAX, provider: "P1".to_owned() };
        assert_eq!(set.notices[SET_NOTICES_MAX - 1].kind, last);
    }
}
