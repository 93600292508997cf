//! Authorizes saved results on every read.
//!
//! A result from the corpus was found with the permissions of that time; each read checks the current ones. A result
//! that may no longer be seen is left out as if it had never been found: from the list, from duplicates, from counts,
//! and from every summary based on it.

use crate::federation_store::FederationStore;
use domain::chat::{ChatMessage, MessageContent};
use domain::corpus::{CacheStatus, PinInfo, Topic};
use domain::ids::{ProviderId, ResultId, RunId, RunNumber, SignalId, UserId};
use domain::notice::reason;
use domain::owner_scope::OwnerScope;
use domain::ports::{Page, PluginContext, PluginRegistry, ResultOrigin, StoreError, chain};
use domain::result::{Duplicate, GuardedResult, ResultItem, ResultSet, SavedResult};
use domain::result_group::GroupMembers;
use domain::search::Search;
use domain::search_run::RunEntry;
use domain::status::ProviderStatus;
use domain::summary::StoredSummary;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use syntax::script_url::is_script_url;

/// Current status of documents; documents that may not be seen are missing.
type CacheStatuses = BTreeMap<SignalId, CacheStatus>;

/// Most documents of one page that are rechecked at their sources.
const RECHECKED_MAX: usize = 100;
/// Newest runs of a user with corpus results that are searched for hidden results; those of older runs are left out of
/// a page but still counted.
const GUARDED_SETS_MAX: u64 = 2_000;

/// Reads saved results, summaries and chat messages as their owner may see them now.
pub struct ResultReader {
    pub(crate) store: Arc<dyn FederationStore>,
    pub(crate) plugins: PluginRegistry,
    pub(crate) context: PluginContext,
}

impl ResultReader {
    /// The saved results of a search that its owner may see now.
    pub async fn saved_sets(&self, search: &Search) -> Result<Vec<ResultSet>, StoreError> {
        let sets = self.store.result_sets(search.id).await?;
        Ok(self.authorize_sets(search, sets).await)
    }

    /// A saved result with its search; `NotFound` if the owner may no longer see it.
    pub async fn saved_result(&self, id: ResultId) -> Result<(SavedResult, Search), StoreError> {
        let mut saved = self.store.result(id).await?;
        let search = self.store.search(saved.search).await?;
        self.take_back_rejected(vec![&mut saved.item]).await;
        let statuses =
            self.load_statuses(search.owner, Some(search.topic()), document_ids(&saved.item)).await;
        if refresh_or_hide(&mut saved.item, &statuses, PinInfo::Known) {
            Ok((saved, search))
        } else {
            Err(StoreError::NotFound)
        }
    }

    /// Lists the other results for the same document under a saved result.
    pub async fn list_duplicates(&self, saved: &mut SavedResult) -> Result<(), StoreError> {
        let Some(_) = saved.item.group else { return Ok(()) };
        let search = self.store.search(saved.search).await?;
        let sets = self.saved_sets(&search).await?;
        let members = GroupMembers::of(&sets);
        saved.item.duplicates.extend(members.others(saved.item.group).map(Duplicate::of));
        Ok(())
    }

    /// The saved results of a user's searches, newest first. Hidden results are neither listed nor counted, within
    /// `GUARDED_SETS_MAX`.
    pub async fn saved_results(
        &self,
        owner: UserId,
        offset: u64,
        limit: u64,
    ) -> Result<Page<SavedResult>, StoreError> {
        let hidden = self.hidden_positions(owner).await?;
        let (from, to) =
            (visible_position(&hidden, offset), visible_position(&hidden, offset.saturating_add(limit)));
        let mut page = self.store.results(OwnerScope::Only(owner), from, to - from).await?;
        page.total = page.total.saturating_sub(hidden.len() as u64);
        self.take_back_rejected(page.items.iter_mut().map(|saved| &mut saved.item).collect()).await;
        let signals = page.items.iter().flat_map(|saved| document_ids(&saved.item));
        let statuses = self.load_statuses(owner, None, signals).await;
        page.items.retain_mut(|saved| refresh_or_hide(&mut saved.item, &statuses, PinInfo::Unknown));
        Ok(page)
    }

    /// Positions of hidden results in the list of all saved results of a user, in ascending order.
    async fn hidden_positions(&self, owner: UserId) -> Result<Vec<u64>, StoreError> {
        let mut others = self.store.providers().await?;
        others.retain(|provider| !self.plugins.is_from(ResultOrigin::Corpus, provider));
        let others: Vec<ProviderId> = others.iter().map(|provider| provider.id).collect();
        let guarded = self.store.guarded_results(owner, &others, GUARDED_SETS_MAX).await?;
        let statuses =
            self.load_statuses(owner, None, guarded.iter().flat_map(|one| one.signals.clone())).await;
        let is_hidden = |one: &GuardedResult| !one.signals.iter().any(|signal| statuses.contains_key(signal));
        Ok(guarded.iter().filter(|one| is_hidden(one)).map(|one| one.place).collect())
    }

    /// The summary of a search; None if it is based on a document that the owner may no longer see.
    pub async fn saved_summary(&self, search: &Search) -> Result<Option<StoredSummary>, StoreError> {
        let summary = self.store.summary(search.id).await?;
        Ok(self.authorize_summary(search.owner, summary).await)
    }

    /// The entries of a run of a search; None if the run is not stored.
    pub async fn saved_entries(
        &self,
        search: &Search,
        run: RunNumber,
    ) -> Result<Option<Vec<RunEntry>>, StoreError> {
        let Some(mut entries) = self.store.run_entries(search.id, run).await? else { return Ok(None) };
        let statuses =
            self.load_statuses(search.owner, None, entries.iter().filter_map(|entry| entry.signal_id)).await;
        entries.retain(|entry| is_visible(entry.signal_id, &statuses));
        // Earlier versions stored such URLs.
        entries
            .iter_mut()
            .map(|entry| &mut entry.url)
            .filter(|url| is_script_url(url))
            .for_each(String::clear);
        Ok(Some(entries))
    }

    /// The messages of a chat. The content of a message that cites a document which its owner may no longer see is
    /// replaced.
    pub async fn authorize_messages(
        &self,
        owner: UserId,
        mut messages: Vec<ChatMessage>,
    ) -> Vec<ChatMessage> {
        let cited = messages.iter().flat_map(|one| &one.body.citations).filter_map(|one| one.signal_id);
        let statuses = self.load_statuses(owner, None, cited).await;
        for one in &mut messages {
            if !one.body.citations.iter().all(|citation| is_visible(citation.signal_id, &statuses)) {
                let content = reason::no_longer_yours().to_owned();
                let (ai_model, took) = (std::mem::take(&mut one.body.ai_model), one.body.took);
                one.body = MessageContent { content, ai_model, took, ..MessageContent::default() };
            }
        }
        messages
    }

    pub(crate) async fn authorize_summary(
        &self,
        owner: UserId,
        summary: Option<StoredSummary>,
    ) -> Option<StoredSummary> {
        let summary = summary?;
        let sources = summary.row.additional_content.iter().flat_map(|details| &details.sources);
        let signals: Vec<SignalId> = sources.filter_map(|source| source.signal_id).collect();
        let statuses = self.load_statuses(owner, None, signals.iter().copied()).await;
        signals.iter().all(|signal| statuses.contains_key(signal)).then_some(summary)
    }

    pub(crate) async fn authorize_sets(&self, search: &Search, mut sets: Vec<ResultSet>) -> Vec<ResultSet> {
        self.take_back_rejected(sets.iter_mut().flat_map(|set| &mut set.items).collect()).await;
        let items = sets.iter().flat_map(|set| &set.items);
        let statuses =
            self.load_statuses(search.owner, Some(search.topic()), items.flat_map(document_ids)).await;
        sets.iter_mut().for_each(|set| authorize_set(set, &statuses));
        sets
    }

    /// Rechecks at their sources, where due, whether the documents of a page still exist.
    pub(crate) async fn recheck(&self, owner: UserId, results: &mut [ResultItem]) {
        let marked = results.iter().filter_map(|item| item.cache.as_deref()).take(RECHECKED_MAX);
        let mut statuses: CacheStatuses = marked.map(|status| (status.signal_id, status.clone())).collect();
        if statuses.is_empty() {
            return;
        }
        self.context.corpus.recheck(owner, &mut statuses).await;
        for status in results.iter_mut().filter_map(|item| item.cache.as_deref_mut()) {
            if let Some(now) = statuses.get(&status.signal_id) {
                status.clone_from(now);
            }
        }
    }

    /// Reverts the outcome of rejected elections. If the corpus cannot be read, the results stay as they are.
    async fn take_back_rejected(&self, items: Vec<&mut ResultItem>) {
        let cached = items.into_iter().filter_map(|item| item.cache.as_deref_mut());
        let mut elected: Vec<(RunId, &mut CacheStatus)> =
            cached.filter_map(|status| Some((status.elected_by()?, status))).collect();
        let runs: BTreeSet<RunId> = elected.iter().map(|(run, _)| *run).collect();
        if runs.is_empty() {
            return;
        }
        let runs: Vec<RunId> = runs.into_iter().collect();
        match self.context.corpus.rejected(&runs).await {
            Ok(rejected) => {
                let rejected_statuses = elected.iter_mut().filter(|(run, _)| rejected.contains(run));
                rejected_statuses.for_each(|(_, status)| status.clear_election());
            }
            Err(error) => tracing::warn!("cannot read which elections were rejected: {}", chain(&error)),
        }
    }

    /// If the corpus cannot be read, none of its results are shown.
    async fn load_statuses(
        &self,
        owner: UserId,
        topic: Option<Topic<'_>>,
        signals: impl IntoIterator<Item = SignalId>,
    ) -> CacheStatuses {
        let signals: BTreeSet<SignalId> = signals.into_iter().collect();
        if signals.is_empty() {
            return CacheStatuses::new();
        }
        let signals: Vec<SignalId> = signals.into_iter().collect();
        match self.context.corpus.cache_statuses(owner, topic, &signals).await {
            Ok(statuses) => statuses,
            Err(error) => {
                tracing::warn!("saved results from the corpus are hidden: {}", chain(&error));
                CacheStatuses::new()
            }
        }
    }
}

/// The position in the whole list of the visible result with so many visible ones before it.
fn visible_position(hidden: &[u64], before: u64) -> u64 {
    hidden.iter().fold(
        before,
        |position, hidden| if *hidden <= position { position.saturating_add(1) } else { position },
    )
}

fn document_ids(item: &ResultItem) -> Vec<SignalId> {
    let own = item.cache.iter().flat_map(|status| status.signals());
    own.chain(item.duplicates.iter().filter_map(|one| one.signal_id)).collect()
}

/// Results outside the corpus are visible.
fn is_visible(signal: Option<SignalId>, statuses: &CacheStatuses) -> bool {
    signal.is_none_or(|signal| statuses.contains_key(&signal))
}

fn authorize_set(set: &mut ResultSet, statuses: &CacheStatuses) {
    let before = set.items.len();
    set.items.retain_mut(|item| refresh_or_hide(item, statuses, PinInfo::Known));
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

/// Updates the status of a result and removes hidden duplicates; false if nothing of it may be shown.
fn refresh_or_hide(item: &mut ResultItem, statuses: &CacheStatuses, pins: PinInfo) -> bool {
    item.duplicates.retain(|one| is_visible(one.signal_id, statuses));
    let Some(status) = &mut item.cache else { return true };
    status.refresh(statuses, pins) || promote_duplicate(item, statuses)
}

/// Replaces a hidden result by its first visible duplicate; false if there is none.
fn promote_duplicate(item: &mut ResultItem, statuses: &CacheStatuses) -> bool {
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
        cache: first.signal_id.and_then(|signal| statuses.get(&signal)).cloned().map(Box::new),
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
    use testkit::builders::result_set;

    fn status(id: i64, stale: bool) -> CacheStatus {
        CacheStatus {
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
        let cache = signal.map(|id| Box::new(status(id, false)));
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

    /// `title=signal(duplicates)`; document 1 is visible, document 2 is not.
    fn shown(mut item: ResultItem) -> String {
        let statuses = CacheStatuses::from([(SignalId(1), status(1, true))]);
        if !refresh_or_hide(&mut item, &statuses, PinInfo::Known) {
            return "-".to_owned();
        }
        assert!(item.cache.as_ref().is_none_or(|status| status.stale), "the status is the current one");
        assert!(!serde_json::to_string(&item).expect("json").contains("secret"), "{item:?}");
        let duplicates: Vec<&str> = item.duplicates.iter().map(|one| one.title.as_str()).collect();
        format!("{}={:?}({})", item.title, item.cache.map(|status| status.signal_id.0), duplicates.join(" "))
    }

    #[test]
    fn a_hidden_result_leaves_no_trace() {
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
    fn hidden_positions_are_skipped() {
        let cases: [(&[u64], [u64; 5]); 5] = [
            (&[], [0, 1, 2, 3, 4]),
            (&[0], [1, 2, 3, 4, 5]),
            (&[0, 1, 4], [2, 3, 5, 6, 7]),
            (&[2], [0, 1, 3, 4, 5]),
            (&[9], [0, 1, 2, 3, 4]),
        ];
        for (hidden, expected) in cases {
            assert_eq!(
                [0, 1, 2, 3, 4].map(|before| visible_position(hidden, before)),
                expected,
                "{hidden:?}"
            );
        }
        assert_eq!(visible_position(&[3], u64::MAX), u64::MAX);
    }

    #[test]
    fn hidden_results_are_not_counted() {
        let statuses = CacheStatuses::from([(SignalId(1), status(1, true))]);
        let cases = [
            (vec![Some(1), None], (2, 2, ProviderStatus::Ok)),
            (vec![Some(1), Some(2)], (1, 1, ProviderStatus::Ok)),
            (vec![Some(2), Some(2)], (0, 0, ProviderStatus::NoResults)),
        ];
        for (signals, expected) in cases {
            let items = signals.iter().map(|signal| item("x", *signal, vec![]));
            let mut set = result_set(1).items(items).build();
            authorize_set(&mut set, &statuses);
            assert_eq!((set.found, set.retrieved, set.status), expected, "{signals:?}");
        }
    }
}
