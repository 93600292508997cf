//! Chooses the sources that a search asks first, and remembers searches for later choices.

use super::first_page::shares;
use super::memory::SearchMemory;
use crate::notice_now::notice_now;
use crate::results::ResultReader;
use crate::search::selector::has_tag;
use domain::ids::{ProviderId, UserId};
use domain::notice::{Notice, NoticeKind};
use domain::owner_scope::OwnerScope;
use domain::ports::{StoreError, chain};
use domain::provider::SearchProvider;
use domain::result::ResultSet;
use domain::search::{Search, SearchFilter};
use domain::source_choice::{PastSearch, Vote};
use std::sync::Arc;
use syntax::query_string;

/// The name of the built-in embedding model.
const BUILT_IN_MODEL: &str = "";
/// Stored searches of a user that are read after the user's first search in this process.
const STORED_SEARCHES_MAX: u64 = 20;

/// Chooses sources by the earlier searches of the same user.
pub(crate) struct SourceChooser {
    /// Number of sources that are asked first; 0: all are asked at once, and nothing is remembered.
    count: usize,
    reader: Arc<ResultReader>,
    memory: SearchMemory,
}

/// In which order the sources of a run are asked.
#[derive(Debug, Default)]
pub(crate) struct SourceChoice {
    /// The sources that are asked after the others.
    pub later: Vec<ProviderId>,
    /// The embedding of the query; None if the search is not remembered.
    embedding: Option<Vec<f32>>,
}

impl SourceChooser {
    pub fn new(count: u32, reader: Arc<ResultReader>) -> Self {
        Self { count: count as usize, reader, memory: SearchMemory::default() }
    }

    /// The order for these providers. All are asked at once if the search names sources itself or if there are too few
    /// earlier searches. `notices` say who is asked later.
    pub async fn choose(
        &self,
        search: &Search,
        query: &str,
        providers: &[SearchProvider],
        notices: &mut Vec<Notice>,
    ) -> SourceChoice {
        if self.count == 0 || names_sources(search, providers) {
            return SourceChoice::default();
        }
        let Some(embedding) = self.embed(query).await else { return SourceChoice::default() };
        let (later, kind) = self.find_later(search.owner, &embedding, providers).unzip();
        notices.extend(kind.map(|kind| notice_now(&self.reader.context, kind)));
        SourceChoice { later: later.unwrap_or_default(), embedding: Some(embedding) }
    }

    /// Remembers a run that has ended.
    pub async fn remember(&self, owner: UserId, past: Option<PastSearch>) {
        let Some(past) = past else { return };
        if self.memory.begin_loading(owner)
            && let Err(error) = self.load_stored(owner).await
        {
            tracing::debug!(user.id = owner.0, "earlier searches cannot be read: {}", chain(&error));
        }
        self.memory.remember(owner, past);
    }

    /// The sources that are asked later, and the notice about them.
    fn find_later(
        &self,
        owner: UserId,
        embedding: &[f32],
        providers: &[SearchProvider],
    ) -> Option<(Vec<ProviderId>, NoticeKind)> {
        if providers.len() <= self.count {
            return None;
        }
        let past = self.memory.searches_of(owner);
        let vote = Vote::of(embedding, past.iter().map(|search| &**search))?;
        let first = vote.best(providers.iter().map(|provider| provider.id), self.count);
        let later = providers.iter().filter(|provider| !first.contains(&provider.id));
        let (ids, names) = later.map(|provider| (provider.id, provider.spec.name.clone())).unzip();
        Some((ids, NoticeKind::SourcesAskedLater { names, searches: vote.voters }))
    }

    /// Remembers the newest stored searches of a user, so that a restart does not forget them all.
    async fn load_stored(&self, owner: UserId) -> Result<(), StoreError> {
        let filter = SearchFilter::owned_by(OwnerScope::Only(owner));
        let stored = self.reader.store.find_searches(&filter, 0, STORED_SEARCHES_MAX).await?;
        for search in stored.items.iter().rev().filter(|search| search.status.is_final()) {
            // Which of its sources had the tags then is not known.
            let is_named = !search.spec.searchprovider_list.is_empty()
                || !query_string::tags(&search.spec.query_string).is_empty();
            if is_named {
                continue;
            }
            let sets = self.reader.saved_sets(search).await?;
            let Some(embedding) = self.embed(&search.query_string_processed).await else { return Ok(()) };
            self.memory.remember(owner, past_search(embedding, &sets));
        }
        Ok(())
    }

    async fn embed(&self, query: &str) -> Option<Vec<f32>> {
        match self.reader.context.embedding_models.embed(BUILT_IN_MODEL, query).await {
            Ok(embedding) => Some(embedding),
            Err(error) => {
                tracing::debug!("all sources are asked at once: {}", chain(&error));
                None
            }
        }
    }
}

impl SourceChoice {
    /// What may be remembered of the run with these results; None if that is nothing.
    pub fn into_past_search(self, sets: &[ResultSet]) -> Option<PastSearch> {
        Some(past_search(self.embedding?, sets))
    }
}

fn past_search(embedding: Vec<f32>, sets: &[ResultSet]) -> PastSearch {
    PastSearch { embedding: embedding.into(), shares: shares(sets) }
}

/// Whether the search says itself which of these providers it asks: by its list, or by a tag in its query.
fn names_sources(search: &Search, providers: &[SearchProvider]) -> bool {
    if !search.spec.searchprovider_list.is_empty() {
        return true;
    }
    if search.spec.is_native() {
        return false;
    }
    let tags = query_string::tags(&search.spec.query_string);
    providers.iter().any(|provider| tags.iter().any(|tag| has_tag(provider, tag)))
}
