//! A better order of the best results of a list, by the second reader.
//!
//! It is made after the list, one at a time in a process and within a time limit, and remembered by the content of the
//! results. Pages offer it to the user, and requests to the API may ask for it; without a second reader, there is none.

mod passages;
mod ranking;

use crate::answerability::text_of;
use crate::context::RagDeps;
use crate::query::plain_query;
use crate::second_reader::{ContentCache, SecondReader, TEXTS_MAX};
use domain::ids::ResultId;
use domain::ports::{ReadPages, chain};
use domain::result::ResultItem;
use domain::search::{Search, Sort};
use domain::settings::Settings;
use federation::{Federation, FederationError, MixRequest};
use ranking::ranked;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Time limit for an order, with the wait for those of other lists.
const TIME_MAX: Duration = Duration::from_secs(10);
/// Maximum number of orders that are remembered.
const ORDERS_MAX: usize = 256;
/// A better order is offered if it brings another result among so many of the best ones.
const LEADERS: usize = 3;

/// The best results of a list in the order of the second reader.
#[derive(Debug, Clone, PartialEq)]
pub struct BetterOrder {
    pub ids: Vec<ResultId>,
    /// One of the first three results was not among the first three before.
    pub has_new_leaders: bool,
}

/// Makes and remembers the better orders of lists.
pub struct BetterOrders {
    reader: Arc<SecondReader>,
    federation: Arc<Federation>,
    settings: Arc<Settings>,
    /// Pages of sources; what is read is not cached.
    pages: Arc<dyn ReadPages>,
    /// One order at a time.
    slot: Semaphore,
    orders: Mutex<ContentCache<BetterOrder>>,
}

impl BetterOrders {
    /// `None` if the second reader is off.
    pub(crate) fn new(deps: &RagDeps) -> Option<Self> {
        Some(Self {
            reader: deps.second_reader.clone()?,
            federation: Arc::clone(&deps.federation),
            settings: Arc::clone(&deps.settings),
            pages: Arc::clone(&deps.live_pages),
            slot: Semaphore::new(1),
            orders: Mutex::new(ContentCache::new(ORDERS_MAX)),
        })
    }

    /// The better order of the list of this request, whichever page it asks for. `None` if the list is not ordered by
    /// relevancy or not complete, if it has less than two results, or if time is up.
    pub async fn find(&self, search: &Search, request: &MixRequest) -> Option<BetterOrder> {
        if !self.is_by_relevancy(search, request.mixer.as_deref()) || !search.status.is_final() {
            return None;
        }
        let order = timeout(TIME_MAX, self.known_or_new(search, request)).await;
        order.unwrap_or_else(|_late| {
            tracing::info!("no better order of the results of search {} was found in time", search.id);
            None
        })
    }

    /// The results of a page of the search's own list: the first of them in the order of the second reader, each with
    /// the rank of its new place. `None` if the list is not ordered by relevancy, or if time is up.
    pub async fn reordered(&self, search: &Search, results: &[ResultItem]) -> Option<Vec<ResultItem>> {
        if !self.is_by_relevancy(search, None) || results.len() < 2 {
            return None;
        }
        let texts: Vec<String> = results.iter().take(TEXTS_MAX).map(text_of).collect();
        let similarities = self.reader.similarities(&plain_query(search), &texts).await?;
        let order = ranked(results, &similarities);
        let moved = order.into_iter().zip(results);
        let mut page: Vec<ResultItem> = moved
            .map(|(from, to)| ResultItem { swirl_rank: to.swirl_rank, ..results[from].clone() })
            .collect();
        page.extend_from_slice(&results[page.len()..]);
        Some(page)
    }

    fn is_by_relevancy(&self, search: &Search, mixer: Option<&str>) -> bool {
        let mixer = self.federation.plugins.mixer(mixer.unwrap_or(&search.spec.result_mixer));
        mixer.is_some_and(|kind| kind.by_relevancy) && search.spec.sort != Sort::Date
    }

    async fn known_or_new(&self, search: &Search, request: &MixRequest) -> Option<BetterOrder> {
        let results = self.best_results(search, request).await?;
        let query = plain_query(search);
        let content = content_of(search, &query, &results);
        let known = self.orders().get(&content);
        if known.is_some() {
            return known;
        }
        let _one_at_a_time = self.slot.acquire().await.ok()?;
        let known = self.orders().get(&content);
        if known.is_some() {
            return known;
        }
        let texts = self.texts(search, &query, &results).await;
        // The first time, the model has to be loaded.
        let similarities = self.reader.read(&query, &texts).await?;
        let order = BetterOrder::of(&results, &similarities);
        self.orders().insert(&content, order.clone());
        Some(order)
    }

    /// The best results of the list in the order of its mixer, as the owner may see them now.
    async fn best_results(&self, search: &Search, request: &MixRequest) -> Option<Vec<ResultItem>> {
        let best = MixRequest {
            mixer: request.mixer.clone(),
            provider: request.provider,
            filter: request.filter.clone(),
            explain: Some(false),
            items: Some(TEXTS_MAX),
            ..MixRequest::default()
        };
        match self.federation.mixer.mix(search, &best).await {
            Ok(mixed) => (mixed.results.len() > 1).then_some(mixed.results),
            Err(FederationError::NotReady(_)) => None,
            Err(error) => {
                tracing::warn!("the results of search {} cannot be read: {}", search.id, chain(&error));
                None
            }
        }
    }

    fn orders(&self) -> MutexGuard<'_, ContentCache<BetterOrder>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BetterOrder {
    fn of(results: &[ResultItem], similarities: &[f64]) -> Self {
        let order = ranked(results, similarities);
        Self {
            has_new_leaders: order.iter().take(LEADERS).any(|place| *place >= LEADERS),
            ids: order.into_iter().map(|place| results[place].swirl_id).collect(),
        }
    }
}

/// What the order depends on, as one text.
fn content_of(search: &Search, query: &str, results: &[ResultItem]) -> String {
    let mut content = format!("{}\n{query}", search.id);
    for item in results {
        let confidence = item.swirl_confidence_score;
        let _ = write!(content, "\n{} {confidence} {}\n{}", item.swirl_id, item.url, text_of(item));
    }
    content
}
