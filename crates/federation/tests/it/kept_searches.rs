//! Limit of kept searches per user: old searches make space for new ones, except saved and subscribed ones.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::fixture::{FreeSlots, open_store};
use domain::ids::{SearchId, UserId};
use domain::owner_scope::OwnerScope;
use domain::ports::{
    Clock, FinishedRun, NoObserver, PluginContext, PluginRegistry, QueueName, SearchStore, SlotOffer,
    SystemClock, TaskQueue, Unavailable, UserStore,
};
use domain::search::{Search, SearchFilter, SearchSpec};
use domain::settings::Settings;
use domain::status::SearchStatus;
use domain::user::UserSpec;
use federation::{Federation, FederationDeps, FederationError};
use futures_util::future::join_all;
use std::sync::Arc;
use store::SqlStore;
use tasks::queue::SqlQueue;

const MAX: u32 = 40;
/// A tenth of the limit.
const REMOVED_AT_ONCE: u64 = 4;

const PLUGINS: PluginRegistry = PluginRegistry {
    connectors: &[],
    query_processors: &[],
    result_processors: processors::result::CATALOGUE,
    post_result_processors: processors::post_result::CATALOGUE,
    mixers: mixers::CATALOGUE,
    default_post_result: processors::post_result::SYSTEM_DEFAULT,
    read_answer: |_, _| Ok(serde_json::Value::Null),
};

struct Fixture {
    store: Arc<SqlStore>,
    federation: Federation,
    owner: UserId,
    /// The queue keeps no worker alive.
    _offer: Arc<dyn SlotOffer>,
}

impl Fixture {
    /// With slots, searches start in this process; otherwise they are claimed.
    async fn new(has_slots: bool) -> Self {
        let store = open_store().await;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let user = UserSpec { username: "ann".to_owned(), ..UserSpec::default() };
        let owner = store.create_user(user, String::new(), clock.now()).await.unwrap().id;
        let settings =
            Arc::new(Settings { searches_kept_max: MAX, searches_waiting_max: 0, ..Settings::default() });
        let queue = Arc::new(SqlQueue::new(store.clone(), Arc::clone(&clock)));
        let offer: Arc<dyn SlotOffer> = Arc::new(FreeSlots);
        if has_slots {
            queue.offer_slots(QueueName::Search, &offer);
        }
        let federation = Federation::new(FederationDeps {
            store: store.clone(),
            queue,
            plugins: PLUGINS,
            context: PluginContext::new(Arc::new(Unavailable), clock, Arc::default()),
            settings,
            tokens: Arc::new(Unavailable),
            pages: Arc::new(Unavailable),
            observer: Arc::new(NoObserver),
        });
        Self { store, federation, owner, _offer: offer }
    }

    async fn search(&self, spec: SearchSpec) -> Result<Search, FederationError> {
        let search = self.federation.searches.create(self.owner, spec).await?;
        let finished = FinishedRun {
            search: search.id,
            run: search.run,
            status: SearchStatus::FullResultsReady,
            query_string_processed: String::new(),
            notices: Vec::new(),
            time_s: 0.0,
            sets: Vec::new(),
            found: None,
            now: SystemClock.now(),
        };
        self.store.finish_run(finished).await.unwrap().unwrap();
        Ok(search)
    }

    async fn count(&self) -> u64 {
        let filter = SearchFilter::owned_by(OwnerScope::Only(self.owner));
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
async fn old_searches_make_space_for_new_ones() {
    for has_slots in [false, true] {
        let fixture = Fixture::new(has_slots).await;
        let kept = [
            fixture.search(saved()).await.unwrap(),
            fixture.search(SearchSpec { subscribe: true, ..plain() }).await.unwrap(),
        ];
        let first = fixture.search(plain()).await.unwrap();
        for _ in 3..MAX {
            fixture.search(plain()).await.unwrap();
        }
        assert_eq!(fixture.count().await, u64::from(MAX));
        assert!(fixture.is_there(first.id).await);
        fixture.search(plain()).await.unwrap();
        assert_eq!(
            fixture.count().await,
            u64::from(MAX) + 1 - REMOVED_AT_ONCE,
            "the next requests remove none"
        );
        assert!(!fixture.is_there(first.id).await, "the oldest");
        for _ in 0..3 * MAX {
            fixture.search(plain()).await.unwrap();
            assert!(fixture.count().await <= u64::from(MAX));
        }
        for search in kept {
            assert!(fixture.is_there(search.id).await, "{:?}", search.spec);
        }
    }
}

#[tokio::test]
async fn concurrent_requests_remove_no_more_than_needed() {
    for has_slots in [false, true] {
        let fixture = Fixture::new(has_slots).await;
        for _ in 0..MAX {
            fixture.search(plain()).await.unwrap();
        }
        for created in
            join_all((0..3).map(|_| fixture.federation.searches.create(fixture.owner, plain()))).await
        {
            created.unwrap();
        }
        let count = fixture.count().await;
        assert!((u64::from(MAX) + 3 - 2 * REMOVED_AT_ONCE..=u64::from(MAX)).contains(&count), "{count}");
    }
}

#[tokio::test]
async fn a_search_is_rejected_only_if_no_other_is_removable() {
    for has_slots in [false, true] {
        let fixture = Fixture::new(has_slots).await;
        for _ in 0..MAX {
            fixture.search(saved()).await.unwrap();
        }
        let refused = fixture.search(plain()).await.unwrap_err();
        assert!(matches!(refused, FederationError::TooManyKept { .. }), "{refused}");
        assert!(refused.to_string().contains("delete saved searches"), "{refused}");
        assert_eq!(fixture.count().await, u64::from(MAX), "nothing is removed");
    }
}
