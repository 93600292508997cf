//! Searches that are kept for one user: old ones make space for new ones, and nothing that the user keeps is lost.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use domain::contracts::{
    Clock, FinishedRun, NoObserver, Nothing, PluginContext, PluginRegistry, Store, SystemClock,
};
use domain::ids::{SearchId, UserId};
use domain::search::{Search, SearchFilter, SearchSpec};
use domain::secret::Secret;
use domain::settings::Settings;
use domain::status::SearchStatus;
use domain::user::UserSpec;
use federation::{Federation, FederationError, FederationParts};
use futures_util::future::join_all;
use std::sync::Arc;
use store::{SealKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;

const MAX: u32 = 40;
/// A tenth of what may be kept.
const REMOVED_AT_ONCE: u64 = 4;

const PLUGINS: PluginRegistry = PluginRegistry {
    connectors: &[],
    query_processors: &[],
    result_processors: processors::result::CATALOGUE,
    post_result_processors: processors::post_result::CATALOGUE,
    mixers: mixers::CATALOGUE,
    default_post_result: processors::post_result::SYSTEM_DEFAULT,
    read_answer: |_, _| Err("nobody asks".to_owned()),
};

struct Ground {
    store: Arc<dyn Store>,
    federation: Federation,
    owner: UserId,
}

impl Ground {
    async fn new() -> Self {
        let config =
            StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 2, key: SealKey::generate() };
        let store: Arc<dyn Store> = Arc::new(SqlStore::open(config).await.unwrap());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let user = UserSpec { username: "ann".to_owned(), ..UserSpec::default() };
        let owner = store.create_user(user, String::new(), clock.now()).await.unwrap().id;
        let settings =
            Arc::new(Settings { searches_kept_max: MAX, searches_waiting_max: 0, ..Settings::default() });
        let federation = Federation::new(FederationParts {
            store: Arc::clone(&store),
            queue: Arc::new(SqlQueue::new(Arc::clone(&store), Arc::clone(&clock))),
            plugins: PLUGINS,
            context: PluginContext::new(Arc::new(Nothing), clock, settings),
            tokens: Arc::new(Nothing),
            pages: Arc::new(Nothing),
            observer: Arc::new(NoObserver),
        });
        Self { store, federation, owner }
    }

    async fn search(&self, spec: SearchSpec) -> Result<Search, FederationError> {
        let search = self.federation.create(self.owner, spec).await?;
        let finished = FinishedRun {
            search: search.id,
            run: search.run,
            status: SearchStatus::FullResultsReady,
            query_string_processed: String::new(),
            messages: Vec::new(),
            time_s: 0.0,
            sets: Vec::new(),
            found: None,
            now: SystemClock.now(),
        };
        self.store.finish_run(finished).await.unwrap().unwrap();
        Ok(search)
    }

    async fn count(&self) -> u64 {
        let filter = SearchFilter { owner: Some(self.owner), ..SearchFilter::default() };
        self.store.find_searches(&filter, 0, 1).await.unwrap().total
    }

    async fn is_there(&self, id: SearchId) -> bool {
        self.store.search(id).await.is_ok()
    }
}

fn plain() -> SearchSpec {
    SearchSpec::of_query("river")
}

fn saved() -> SearchSpec {
    SearchSpec { tags: vec!["saved".to_owned()], ..plain() }
}

#[tokio::test]
async fn a_user_with_many_searches_is_never_locked_out() {
    let it = Ground::new().await;
    let kept = [
        it.search(saved()).await.unwrap(),
        it.search(SearchSpec { subscribe: true, ..plain() }).await.unwrap(),
    ];
    let first = it.search(plain()).await.unwrap();
    for _ in 3..MAX {
        it.search(plain()).await.unwrap();
    }
    assert_eq!(it.count().await, u64::from(MAX));
    assert!(it.is_there(first.id).await);
    it.search(plain()).await.unwrap();
    assert_eq!(it.count().await, u64::from(MAX) + 1 - REMOVED_AT_ONCE, "the next ones pay nothing");
    assert!(!it.is_there(first.id).await, "the oldest");
    for _ in 0..3 * MAX {
        it.search(plain()).await.unwrap();
        assert!(it.count().await <= u64::from(MAX));
    }
    for search in kept {
        assert!(it.is_there(search.id).await, "{:?}", search.spec);
    }
}

#[tokio::test]
async fn requests_at_the_same_moment_remove_no_more_than_they_need() {
    let it = Ground::new().await;
    for _ in 0..MAX {
        it.search(plain()).await.unwrap();
    }
    for created in join_all((0..3).map(|_| it.federation.create(it.owner, plain()))).await {
        created.unwrap();
    }
    let count = it.count().await;
    assert!((u64::from(MAX) + 3 - 2 * REMOVED_AT_ONCE..=u64::from(MAX)).contains(&count), "{count}");
}

#[tokio::test]
async fn only_what_the_user_keeps_is_a_reason_to_refuse() {
    let it = Ground::new().await;
    for _ in 0..MAX {
        it.search(saved()).await.unwrap();
    }
    let refused = it.search(plain()).await.unwrap_err();
    assert!(matches!(refused, FederationError::TooManyKept { .. }), "{refused}");
    assert!(refused.to_string().contains("delete saved searches"), "{refused}");
    assert_eq!(it.count().await, u64::from(MAX), "nothing is lost");
}
