//! What of the saved may be shown now. A result from the semantic cache was found by the rights of that moment; every read
//! asks for those of this moment. What may no longer be seen is left out, as if it had never been found: its row, its
//! place among duplicates, its part in counts, and every answer that was made from it.

use crate::Federation;
use domain::answer::StoredAnswer;
use domain::chat::{ChatMessage, MessageContent};
use domain::contracts::{Page, StoreError};
use domain::corpus::{CONNECTOR_NAME, CacheMark, Topic};
use domain::ids::{ProviderId, ResultId, SignalId, UserId};
use domain::message;
use domain::result::{GuardedResult, ResultItem, ResultSet, SavedResult};
use domain::search::Search;
use domain::search_run::RunEntry;
use domain::status::ProviderStatus;
use std::collections::{BTreeMap, BTreeSet};

/// How documents of the cache stand; one that may not be seen is not among them.
type Marks = BTreeMap<SignalId, CacheMark>;

/// Most documents of one page whose sources are asked whether they are still there.
const RECHECKED_MAX: usize = 100;
/// Runs of a person that found documents of the cache, the newest ones, in which is looked for what may not be seen before the
/// results of all of them are counted.
const GUARDED_SETS_MAX: u64 = 2_000;

impl Federation {
    /// The saved results of a search, as far as its owner may see them now.
    pub async fn saved_sets(&self, search: &Search) -> Result<Vec<ResultSet>, StoreError> {
        let sets = self.store.result_sets(search.id).await?;
        Ok(self.seen_sets(search, sets).await)
    }

    /// One saved result with its search. What may no longer be seen is not found.
    pub async fn saved_result(&self, id: ResultId) -> Result<(SavedResult, Search), StoreError> {
        let mut saved = self.store.result(id).await?;
        let search = self.store.search(saved.search).await?;
        self.take_back_rejected(vec![&mut saved.item]).await;
        let marks = self.marks_of(search.owner, Some(search.topic()), signals_of(&saved.item)).await;
        match is_shown(&mut saved.item, &marks, true) {
            true => Ok((saved, search)),
            false => Err(StoreError::NotFound),
        }
    }

    /// The saved results of a person's searches, newest first. What may not be seen has no place among them and is not
    /// counted, as far as it is looked for.
    pub async fn saved_results(
        &self,
        owner: UserId,
        offset: u64,
        limit: u64,
    ) -> Result<Page<SavedResult>, StoreError> {
        let hidden = self.hidden_places(owner).await?;
        let (from, to) = (shown_place(&hidden, offset), shown_place(&hidden, offset.saturating_add(limit)));
        let mut page = self.store.results(Some(owner), from, to - from).await?;
        page.total = page.total.saturating_sub(hidden.len() as u64);
        self.take_back_rejected(page.items.iter_mut().map(|saved| &mut saved.item).collect()).await;
        let signals = page.items.iter().flat_map(|saved| signals_of(&saved.item));
        let marks = self.marks_of(owner, None, signals).await;
        page.items.retain_mut(|saved| is_shown(&mut saved.item, &marks, false));
        Ok(page)
    }

    /// Where in the list of all that is saved of a person stands what may not be seen, in the order of the list.
    async fn hidden_places(&self, owner: UserId) -> Result<Vec<u64>, StoreError> {
        let mut others = self.store.providers().await?;
        others.retain(|provider| provider.spec.connector != CONNECTOR_NAME);
        let others: Vec<ProviderId> = others.iter().map(|provider| provider.id).collect();
        let guarded = self.store.guarded_results(owner, &others, GUARDED_SETS_MAX).await?;
        let marks = self.marks_of(owner, None, guarded.iter().flat_map(|one| one.signals.clone())).await;
        let is_hidden = |one: &GuardedResult| !one.signals.iter().any(|signal| marks.contains_key(signal));
        Ok(guarded.iter().filter(|one| is_hidden(one)).map(|one| one.place).collect())
    }

    /// The answer to a search; none when it was made from something that its owner may no longer see.
    pub async fn saved_answer(&self, search: &Search) -> Result<Option<StoredAnswer>, StoreError> {
        let answer = self.store.answer(search.id).await?;
        Ok(self.seen_answer(search.owner, answer).await)
    }

    /// The entries of a run of a search; None when the run is not kept.
    pub async fn saved_entries(
        &self,
        search: &Search,
        run: i64,
    ) -> Result<Option<Vec<RunEntry>>, StoreError> {
        let Some(mut entries) = self.store.run_entries(search.id, run).await? else { return Ok(None) };
        let marks =
            self.marks_of(search.owner, None, entries.iter().filter_map(|entry| entry.signal_id)).await;
        entries.retain(|entry| is_open(entry.signal_id, &marks));
        Ok(Some(entries))
    }

    /// The messages of a chat. One that cites what its owner may no longer see says so instead.
    pub async fn seen_messages(&self, owner: UserId, mut messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
        let cited = messages.iter().flat_map(|one| &one.body.citations).filter_map(|one| one.signal_id);
        let marks = self.marks_of(owner, None, cited).await;
        for one in &mut messages {
            if !one.body.citations.iter().all(|citation| is_open(citation.signal_id, &marks)) {
                let content = message::no_longer_yours().to_owned();
                let (ai_model, took) = (std::mem::take(&mut one.body.ai_model), one.body.took);
                one.body = MessageContent { content, ai_model, took, ..MessageContent::default() };
            }
        }
        messages
    }

    pub(crate) async fn seen_answer(
        &self,
        owner: UserId,
        answer: Option<StoredAnswer>,
    ) -> Option<StoredAnswer> {
        let answer = answer?;
        let sources = answer.row.additional_content.iter().flat_map(|details| &details.sources);
        let signals: Vec<SignalId> = sources.filter_map(|source| source.signal_id).collect();
        let marks = self.marks_of(owner, None, signals.iter().copied()).await;
        signals.iter().all(|signal| marks.contains_key(signal)).then_some(answer)
    }

    pub(crate) async fn seen_sets(&self, search: &Search, mut sets: Vec<ResultSet>) -> Vec<ResultSet> {
        self.take_back_rejected(sets.iter_mut().flat_map(|set| &mut set.items).collect()).await;
        let items = sets.iter().flat_map(|set| &set.items);
        let marks = self.marks_of(search.owner, Some(search.topic()), items.flat_map(signals_of)).await;
        sets.iter_mut().for_each(|set| show(set, &marks));
        sets
    }

    /// Asks for the documents of a page whether they are still there, as far as that is due.
    pub(crate) async fn recheck(&self, owner: UserId, results: &mut [ResultItem]) {
        let marked = results.iter().filter_map(|item| item.cache.as_deref()).take(RECHECKED_MAX);
        let mut marks: Marks = marked.map(|mark| (mark.signal_id, mark.clone())).collect();
        if marks.is_empty() {
            return;
        }
        self.context.corpus.recheck(owner, &mut marks).await;
        for mark in results.iter_mut().filter_map(|item| item.cache.as_deref_mut()) {
            if let Some(now) = marks.get(&mark.signal_id) {
                mark.clone_from(now);
            }
        }
    }

    /// When the cache cannot be asked, nothing of it is shown.
    async fn marks_of(
        &self,
        owner: UserId,
        topic: Option<Topic<'_>>,
        signals: impl IntoIterator<Item = SignalId>,
    ) -> Marks {
        let signals: BTreeSet<SignalId> = signals.into_iter().collect();
        if signals.is_empty() {
            return Marks::new();
        }
        let signals: Vec<SignalId> = signals.into_iter().collect();
        match self.context.corpus.marks(owner, topic, &signals).await {
            Ok(marks) => marks,
            Err(error) => {
                tracing::warn!("saved results from the cache are not shown: {error}");
                Marks::new()
            }
        }
    }
}

/// Where in a list with hidden places the shown one stands that has so many shown ones before it.
fn shown_place(hidden: &[u64], before: u64) -> u64 {
    hidden.iter().fold(before, |place, hidden| if *hidden <= place { place.saturating_add(1) } else { place })
}

fn signals_of(item: &ResultItem) -> Vec<SignalId> {
    let own = item.cache.iter().flat_map(|mark| mark.signals());
    own.chain(item.duplicates.iter().filter_map(|one| one.signal_id)).collect()
}

/// What is not of the cache is open.
fn is_open(signal: Option<SignalId>, marks: &Marks) -> bool {
    signal.is_none_or(|signal| marks.contains_key(&signal))
}

fn show(set: &mut ResultSet, marks: &Marks) {
    let before = set.items.len();
    set.items.retain_mut(|item| is_shown(item, marks, true));
    let hidden = (before - set.items.len()) as u64;
    if hidden == 0 {
        return;
    }
    set.found = set.found.saturating_sub(hidden);
    set.retrieved = set.retrieved.saturating_sub(hidden);
    if set.items.is_empty() && set.status == ProviderStatus::Ok {
        set.status = ProviderStatus::NoResults;
    }
}

/// The result with the marks of now; false when nothing of it may be shown.
fn is_shown(item: &mut ResultItem, marks: &Marks, knows_pins: bool) -> bool {
    item.duplicates.retain(|one| is_open(one.signal_id, marks));
    let Some(mark) = &mut item.cache else { return true };
    match mark.bring_up(marks, knows_pins) {
        true => true,
        false => give_way(item, marks),
    }
}

/// A result that may not be shown leaves its place to the first of its duplicates that may.
fn give_way(item: &mut ResultItem, marks: &Marks) -> bool {
    if item.duplicates.is_empty() {
        return false;
    }
    let first = item.duplicates.remove(0);
    *item = ResultItem {
        swirl_id: item.swirl_id,
        swirl_rank: item.swirl_rank,
        swirl_score: item.swirl_score,
        swirl_confidence_score: item.swirl_confidence_score,
        searchprovider_rank: item.searchprovider_rank,
        date_retrieved: std::mem::take(&mut item.date_retrieved),
        new: item.new,
        result_block: item.result_block.take(),
        duplicates: std::mem::take(&mut item.duplicates),
        cache: first.signal_id.and_then(|signal| marks.get(&signal)).cloned().map(Box::new),
        searchprovider: first.searchprovider,
        title: first.title,
        url: first.url,
        body: first.body,
        date_published: first.date_published,
        ..ResultItem::default()
    };
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::corpus::{Badge, Liveness, SignalState};
    use domain::ids::SearchId;
    use domain::instant::Instant;
    use domain::result::Duplicate;

    fn mark(id: i64, stale: bool) -> CacheMark {
        CacheMark {
            signal_id: SignalId(id),
            state: SignalState::Indexed,
            badge: Badge::Cached,
            cluster: None,
            run_id: None,
            last_verified: None,
            liveness: Liveness::Unknown,
            stale,
            shared_externally: false,
            matter_tags: Vec::new(),
        }
    }

    fn copy(title: &str, signal: Option<i64>) -> Duplicate {
        Duplicate { title: title.to_owned(), signal_id: signal.map(SignalId), ..Duplicate::default() }
    }

    fn item(title: &str, signal: Option<i64>, duplicates: Vec<Duplicate>) -> ResultItem {
        let cache = signal.map(|id| Box::new(mark(id, false)));
        ResultItem {
            swirl_id: ResultId(9),
            title: title.to_owned(),
            body: format!("body of {title}"),
            payload: [("passages".to_owned(), title.into())].into_iter().collect(),
            cache,
            duplicates,
            ..ResultItem::default()
        }
    }

    /// `title=signal(duplicates)`; the document 1 may be seen, the document 2 may not.
    fn shown(mut item: ResultItem) -> String {
        let marks = Marks::from([(SignalId(1), mark(1, true))]);
        if !is_shown(&mut item, &marks, true) {
            return "-".to_owned();
        }
        assert!(item.cache.as_ref().is_none_or(|mark| mark.stale), "the mark is that of now");
        assert!(!serde_json::to_string(&item).expect("json").contains("secret"), "{item:?}");
        let duplicates: Vec<&str> = item.duplicates.iter().map(|one| one.title.as_str()).collect();
        format!("{}={:?}({})", item.title, item.cache.map(|mark| mark.signal_id.0), duplicates.join(" "))
    }

    #[test]
    fn what_may_not_be_seen_leaves_no_trace() {
        let cases = [
            (item("live", None, vec![]), "live=None()"),
            (item("mine", Some(1), vec![]), "mine=Some(1)()"),
            (item("secret", Some(2), vec![]), "-"),
            (item("live", None, vec![copy("secret", Some(2)), copy("b", None)]), "live=None(b)"),
            (item("live", None, vec![copy("mine", Some(1))]), "live=None(mine)"),
            (item("secret", Some(2), vec![copy("secret", Some(2))]), "-"),
            (item("secret", Some(2), vec![copy("live", None), copy("b", None)]), "live=None(b)"),
            (item("secret", Some(2), vec![copy("mine", Some(1))]), "mine=Some(1)()"),
        ];
        for (given, expected) in cases {
            let name = format!("{given:?}");
            assert_eq!(shown(given), expected, "{name}");
        }
    }

    #[test]
    fn hidden_places_are_passed_over() {
        let cases: [(&[u64], [u64; 5]); 5] = [
            (&[], [0, 1, 2, 3, 4]),
            (&[0], [1, 2, 3, 4, 5]),
            (&[0, 1, 4], [2, 3, 5, 6, 7]),
            (&[2], [0, 1, 3, 4, 5]),
            (&[9], [0, 1, 2, 3, 4]),
        ];
        for (hidden, expected) in cases {
            assert_eq!([0, 1, 2, 3, 4].map(|before| shown_place(hidden, before)), expected, "{hidden:?}");
        }
        assert_eq!(shown_place(&[3], u64::MAX), u64::MAX);
    }

    #[test]
    fn counts_shrink_with_the_rows() {
        let set = |items: Vec<ResultItem>| ResultSet {
            search: SearchId(1),
            provider: ProviderId(1),
            provider_name: "Cache".to_owned(),
            status: ProviderStatus::Ok,
            error: None,
            found: items.len() as u64,
            retrieved: items.len() as u64,
            query_string_to_provider: String::new(),
            query_to_provider: String::new(),
            query_processors: Vec::new(),
            result_processors: Vec::new(),
            messages: Vec::new(),
            time_s: 0.0,
            items,
            date_created: Instant::UNIX_EPOCH,
            date_updated: Instant::UNIX_EPOCH,
        };
        let marks = Marks::from([(SignalId(1), mark(1, true))]);
        let cases = [
            (vec![Some(1), None], (2, 2, ProviderStatus::Ok)),
            (vec![Some(1), Some(2)], (1, 1, ProviderStatus::Ok)),
            (vec![Some(2), Some(2)], (0, 0, ProviderStatus::NoResults)),
        ];
        for (signals, expected) in cases {
            let mut set = set(signals.iter().map(|signal| item("x", *signal, vec![])).collect());
            show(&mut set, &marks);
            assert_eq!((set.found, set.retrieved, set.status), expected, "{signals:?}");
        }
    }
}
