//! The update of a search: it runs again, and keeps what it has. What a source gives that was not there before is
//! added with the mark `new`.

use crate::{Federation, FederationError, tasks};
use domain::contracts::QueueName;
use domain::message;
use domain::notation::canonical_url::canonical;
use domain::notation::markup::readable;
use domain::result::{NEW, ResultItem, ResultSet};
use domain::search::Search;
use domain::status::ProviderStatus;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most results of one provider that updates keep; the oldest go first.
const SET_ITEMS_MAX: usize = 2_000;
/// Most messages of one provider that updates keep; the oldest go first.
const SET_MESSAGES_MAX: usize = 200;

impl Federation {
    /// Runs the search again and keeps its results. A run that is under way is as fresh as an update would be, so
    /// it is not disturbed.
    pub async fn update(&self, search: &Search) -> Result<Search, FederationError> {
        if !search.status.is_final() {
            return Ok(search.clone());
        }
        let _admitted = self.admit_again(search.owner).await?;
        self.update_unlimited(search).await
    }

    /// An update that the service makes of itself. There are no more of them than subscribed searches.
    pub(crate) async fn update_unlimited(&self, search: &Search) -> Result<Search, FederationError> {
        let now = self.context.clock.now();
        let note = message::at(now, message::update_requested());
        let search = self.store.update_search(search.id, note, now, tasks::run_search).await?;
        self.queue.nudge(QueueName::Search);
        Ok(search)
    }

    /// What is saved of the search, with what an update brought. The saved results are read here, after the sources
    /// have answered, so that as little as can be changes in between.
    pub(crate) async fn with_saved(
        &self,
        search: &Search,
        fresh: Vec<ResultSet>,
    ) -> Result<Vec<ResultSet>, FederationError> {
        let saved = self.store.result_sets(search.id).await?;
        Ok(self.merged(saved, fresh))
    }

    pub(crate) fn merged(&self, saved: Vec<ResultSet>, fresh: Vec<ResultSet>) -> Vec<ResultSet> {
        merge(saved, fresh, |line| self.stamped(line))
    }
}

/// What tells a result from the others of its provider.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Url(String),
    /// Of a result without an address.
    Text(String, String),
}

impl Key {
    fn of(url: &str, title: &str, body: &str) -> Self {
        match canonical(url) {
            Some(url) => Self::Url(url),
            // Marks and markup come and go with the query and the settings.
            None => Self::Text(readable(title).into_owned(), readable(body).into_owned()),
        }
    }

    fn of_item(item: &ResultItem) -> Self {
        Self::of(&item.url, &item.title, &item.body)
    }
}

/// One set for each provider, in the order of their ids. Those that were not asked this time stay as they are.
fn merge(saved: Vec<ResultSet>, fresh: Vec<ResultSet>, stamped: impl Fn(&str) -> String) -> Vec<ResultSet> {
    let grouped = grouped_elsewhere(&saved);
    let mut sets: BTreeMap<_, _> = saved.into_iter().map(|set| (set.provider, set)).collect();
    for mut set in fresh {
        let old = sets.remove(&set.provider);
        let was_grouped = grouped.get(&set.provider_name);
        let known: HashSet<Key> = old.iter().flat_map(|old| &old.items).map(Key::of_item).collect();
        set.items.retain(|item| {
            let key = Key::of_item(item);
            !known.contains(&key) && !was_grouped.is_some_and(|keys| keys.contains(&key))
        });
        sets.insert(set.provider, with_old(old, set, &stamped));
    }
    sets.into_values().collect()
}

/// What each provider, by its name, gave before and is now listed as a duplicate of another result.
fn grouped_elsewhere(saved: &[ResultSet]) -> HashMap<String, HashSet<Key>> {
    let mut keys: HashMap<String, HashSet<Key>> = HashMap::new();
    for one in saved.iter().flat_map(|set| &set.items).flat_map(|item| &item.duplicates) {
        let of_provider = keys.entry(one.searchprovider.clone()).or_default();
        of_provider.insert(Key::of(&one.url, &one.title, &one.body));
    }
    keys
}

/// The saved set with what is new in `fresh`. A failure takes nothing away: what the provider gave before stays, and
/// the failure is noted.
fn with_old(old: Option<ResultSet>, fresh: ResultSet, stamped: &impl Fn(&str) -> String) -> ResultSet {
    match (old, fresh.status.has_delivered()) {
        (old, true) => grown(old, fresh, stamped),
        (Some(old), false) => failed_now(old, fresh),
        (None, false) => fresh,
    }
}

fn grown(old: Option<ResultSet>, mut fresh: ResultSet, stamped: &impl Fn(&str) -> String) -> ResultSet {
    let added = fresh.items.len();
    fresh.retrieved = added as u64;
    fresh.items.iter_mut().for_each(|item| item.new = Some(NEW));
    fresh.messages.push(stamped(&message::retrieved_new(added, &fresh.provider_name)));
    if let Some(mut old) = old {
        fresh.found = fresh.found.max(old.found);
        fresh.retrieved += old.retrieved;
        fresh.time_s = tenths_together(old.time_s, fresh.time_s);
        fresh.date_created = old.date_created;
        old.items.append(&mut fresh.items);
        old.messages.append(&mut fresh.messages);
        (fresh.items, fresh.messages) = (old.items, old.messages);
    }
    if drop_oldest(&mut fresh.items, SET_ITEMS_MAX) {
        fresh.messages.push(stamped(&message::kept_newest(SET_ITEMS_MAX, &fresh.provider_name)));
    }
    drop_oldest(&mut fresh.messages, SET_MESSAGES_MAX);
    if !fresh.items.is_empty() {
        fresh.status = ProviderStatus::Ok;
    }
    fresh
}

fn failed_now(mut old: ResultSet, fresh: ResultSet) -> ResultSet {
    old.messages.extend(fresh.messages);
    drop_oldest(&mut old.messages, SET_MESSAGES_MAX);
    ResultSet {
        status: fresh.status,
        error: fresh.error,
        time_s: tenths_together(old.time_s, fresh.time_s),
        date_updated: fresh.date_updated,
        ..old
    }
}

/// True when there were too many.
fn drop_oldest<T>(list: &mut Vec<T>, max: usize) -> bool {
    let too_many = list.len().saturating_sub(max);
    list.drain(..too_many);
    too_many > 0
}

/// Tenths stay tenths: 0.1 and 0.2 are 0.3.
fn tenths_together(a: f64, b: f64) -> f64 {
    ((a + b) * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{ProviderId, ResultId, SearchId};
    use domain::instant::Instant;
    use domain::result::{Duplicate, ProviderFault};

    fn item(id: i64, url: &str) -> ResultItem {
        ResultItem {
            swirl_id: ResultId(id),
            title: format!("of {url}"),
            url: url.into(),
            ..Default::default()
        }
    }

    fn set(provider: i64, items: Vec<ResultItem>) -> ResultSet {
        let count = items.len() as u64;
        ResultSet {
            search: SearchId(1),
            provider: ProviderId(provider),
            provider_name: format!("P{provider}"),
            status: if items.is_empty() { ProviderStatus::NoResults } else { ProviderStatus::Ok },
            error: None,
            found: count,
            retrieved: count,
            query_string_to_provider: "q".into(),
            query_to_provider: String::new(),
            query_processors: Vec::new(),
            result_processors: Vec::new(),
            messages: vec![format!("run of P{provider}")],
            time_s: 0.1,
            items,
            date_created: Instant::UNIX_EPOCH,
            date_updated: Instant::UNIX_EPOCH,
        }
    }

    fn failed(provider: i64) -> ResultSet {
        let fault = ProviderFault { code: "unavailable".into(), message: "it is down".into() };
        ResultSet { status: ProviderStatus::Error, error: Some(fault), ..set(provider, vec![]) }
    }

    fn merged(saved: Vec<ResultSet>, fresh: Vec<ResultSet>) -> Vec<ResultSet> {
        merge(saved, fresh, |line| line.to_owned())
    }

    /// `url` of the old ones with their ids, of the new ones with a star.
    fn shown(set: &ResultSet) -> String {
        let one = |item: &ResultItem| match item.new {
            Some(_) => format!("{}*", item.url),
            None => format!("{}#{}", item.url, item.swirl_id),
        };
        set.items.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_was_not_there_is_added_and_marked() {
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
            let sets = merged(vec![set(7, old)], vec![set(7, given)]);
            assert_eq!((sets.len(), shown(&sets[0]).as_str()), (1, expected));
            assert_eq!(sets[0].retrieved, retrieved, "{expected}");
        }
    }

    #[test]
    fn results_without_an_address_are_told_apart_by_their_text() {
        let text = |title: &str| ResultItem { title: title.into(), ..item(0, "") };
        let fresh = vec![text("<em>rain</em>"), text("snow")];
        let sets = merged(vec![set(1, vec![text("rain")])], vec![set(1, fresh)]);
        let titles: Vec<_> = sets[0].items.iter().map(|item| (item.title.as_str(), item.new)).collect();
        assert_eq!(titles, [("rain", None), ("snow", Some(1))]);
    }

    #[test]
    fn counts_times_and_messages_are_added_up() {
        let old = ResultSet { found: 40, time_s: 0.1, ..set(1, vec![item(1, "a"), item(2, "b")]) };
        let fresh = ResultSet { found: 30, time_s: 0.2, ..set(1, vec![item(0, "b"), item(0, "c")]) };
        let sets = merged(vec![old], vec![fresh]);
        assert_eq!((sets[0].found, sets[0].retrieved, sets[0].time_s), (40, 3, 0.3));
        assert_eq!(sets[0].messages, ["run of P1", "run of P1", "Retrieved 1 new results from: P1"]);
    }

    #[test]
    fn a_mark_stays_until_somebody_reads() {
        let unread = ResultItem { new: Some(NEW), ..item(5, "a") };
        let sets = merged(vec![set(1, vec![unread])], vec![set(1, vec![item(0, "a")])]);
        assert_eq!((sets[0].items.len(), sets[0].items[0].new, sets[0].items[0].swirl_id.0), (1, Some(1), 5));
    }

    #[test]
    fn a_failure_keeps_what_is_there() {
        let sets =
            merged(vec![set(1, vec![item(1, "a")]), set(2, vec![])], vec![failed(1), failed(2), failed(3)]);
        let ends: Vec<_> = sets.iter().map(|set| (set.status, set.error.is_some(), set.retrieved)).collect();
        let error = ProviderStatus::Error;
        assert_eq!(ends, [(error, true, 1), (error, true, 0), (error, true, 0)]);
        assert_eq!(shown(&sets[0]), "a#1");
        assert_eq!((sets[0].messages.len(), sets[0].time_s), (2, 0.2));
    }

    #[test]
    fn an_earlier_failure_is_over_when_the_source_answers() {
        let sets = merged(vec![failed(1)], vec![set(1, vec![])]);
        assert_eq!((sets[0].status, &sets[0].error), (ProviderStatus::NoResults, &None));
    }

    #[test]
    fn providers_that_are_not_asked_stay() {
        let sets = merged(vec![set(2, vec![item(1, "a")])], vec![set(1, vec![item(0, "b")])]);
        assert_eq!(sets.iter().map(shown).collect::<Vec<_>>(), ["b*", "a#1"]);
    }

    #[test]
    fn what_is_listed_as_a_duplicate_is_known() {
        let copy = |provider: &str| Duplicate {
            searchprovider: provider.into(),
            url: "a".into(),
            ..Default::default()
        };
        let best = ResultItem { duplicates: vec![copy("P2")], ..item(1, "a") };
        let saved = || vec![set(1, vec![best.clone()]), set(2, vec![])];
        let sets = merged(saved(), vec![set(2, vec![item(0, "a")]), set(3, vec![item(0, "a")])]);
        assert_eq!(sets.iter().map(shown).collect::<Vec<_>>(), ["a#1", "", "a*"]);
    }

    #[test]
    fn updates_do_not_grow_without_end() {
        let many =
            |from: usize, count: usize| (from..from + count).map(|n| item(1, &format!("u{n}"))).collect();
        let mut old = set(1, many(0, SET_ITEMS_MAX));
        old.messages = vec!["line".to_owned(); SET_MESSAGES_MAX];
        let sets = merged(vec![old], vec![set(1, many(SET_ITEMS_MAX, 3))]);
        let set = &sets[0];
        assert_eq!((set.items.len(), set.messages.len()), (SET_ITEMS_MAX, SET_MESSAGES_MAX));
        assert_eq!((set.items[0].url.as_str(), set.items[SET_ITEMS_MAX - 1].new), ("u3", Some(1)));
        assert_eq!(set.messages[SET_MESSAGES_MAX - 1], "Kept the newest 2000 results from: P1");
    }
}
