//! Searches that start in the process that creates them: their runs are handed the records of the creation.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::fixture::{FixedRows, FreeSlots, RESULT_MAPPINGS, open_store};
use domain::ids::{ProviderId, UserId};
use domain::pipeline::SYSTEM_DEFAULT;
use domain::ports::{
    Clock, Connector, ConnectorError, ConnectorKind, NoObserver, NoSlot, PipelineStore, PluginContext,
    PluginRegistry, ProviderEdits, ProviderStore, QueueName, SearchStore, SlotOffer, SystemClock, TaskQueue,
    TypedConnector, Unavailable, UserStore,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::search::{Search, SearchSpec};
use domain::settings::Settings;
use domain::status::{RunKind, SearchStatus};
use domain::user::UserSpec;
use federation::{Federation, FederationDeps};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use store::SqlStore;
use tasks::queue::SqlQueue;
use testkit::plugins::connector_kind;

/// Longer than records are handed on.
const LATER: Duration = Duration::from_millis(400);
/// On a busy machine, the records may be too old when a run begins.
const TRIES_MAX: u32 = 20;

fn web(_: &SearchProvider, _: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let rows = vec![json!({"title": "The mill", "url": "https://a.example/1", "body": "the mill"})];
    Ok(FixedRows { rows, delay: Duration::ZERO }.boxed())
}

const PLUGINS: PluginRegistry = PluginRegistry {
    connectors: &[ConnectorKind { build: web, ..connector_kind("Web") }],
    query_processors: processors::query::CATALOGUE,
    result_processors: processors::result::CATALOGUE,
    post_result_processors: processors::post_result::CATALOGUE,
    mixers: mixers::CATALOGUE,
    default_post_result: processors::post_result::SYSTEM_DEFAULT,
    read_answer: |_, _| Ok(serde_json::Value::Null),
};

struct Fixture {
    store: Arc<SqlStore>,
    federation: Federation,
    /// Sees the provider only while it is shared.
    ann: UserId,
    provider: ProviderId,
    /// The queue keeps no worker alive.
    _offer: Arc<dyn SlotOffer>,
}

fn provider(shared: bool) -> ProviderSpec {
    ProviderSpec {
        name: "Web".to_owned(),
        connector: "Web".to_owned(),
        result_mappings: RESULT_MAPPINGS.into(),
        shared,
        ..ProviderSpec::default()
    }
}

impl Fixture {
    async fn new() -> Self {
        let store = open_store().await;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let now = clock.now();
        let user = |name: &str| UserSpec { username: name.to_owned(), ..UserSpec::default() };
        let ann = store.create_user(user("ann"), String::new(), now).await.unwrap().id;
        let bob = store.create_user(user("bob"), String::new(), now).await.unwrap().id;
        let providers = store.create_providers(vec![provider(true)], bob, now).await.unwrap();
        store.ensure_pipeline(SYSTEM_DEFAULT, PLUGINS.default_post_result, now).await.unwrap();
        let queue = Arc::new(SqlQueue::new(store.clone(), Arc::clone(&clock)));
        let offer: Arc<dyn SlotOffer> = Arc::new(FreeSlots);
        queue.offer_slots(QueueName::Search, &offer);
        let federation = Federation::new(FederationDeps {
            store: store.clone(),
            queue,
            plugins: PLUGINS,
            context: PluginContext::new(Arc::new(Unavailable), clock, Arc::default()),
            settings: Arc::new(Settings::default()),
            tokens: Arc::new(Unavailable),
            pages: Arc::new(Unavailable),
            observer: Arc::new(NoObserver),
        });
        Self { store, federation, ann, provider: providers[0].id, _offer: offer }
    }

    async fn create(&self) -> Search {
        self.federation.searches.create(self.ann, SearchSpec::of_query("mill")).await.unwrap()
    }

    async fn run(&self, search: &Search) -> Search {
        self.federation.runner.run(search.id, search.run, RunKind::New, &NoSlot).await.unwrap();
        self.store.search(search.id).await.unwrap()
    }

    async fn share(&self, shared: bool) {
        self.store.replace_provider(self.provider, provider(shared), SystemClock.now()).await.unwrap();
    }
}

#[tokio::test]
async fn a_search_runs_at_once_or_later() {
    let fixture = Fixture::new().await;
    let (first, second) = (fixture.create().await, fixture.create().await);
    assert_eq!(fixture.run(&first).await.status, SearchStatus::FullResultsReady);
    tokio::time::sleep(LATER).await;
    assert_eq!(fixture.run(&second).await.status, SearchStatus::FullResultsReady);
}

#[tokio::test]
async fn a_run_that_begins_at_once_uses_the_handed_records() {
    let fixture = Fixture::new().await;
    for _ in 0..TRIES_MAX {
        fixture.share(true).await;
        let search = fixture.create().await;
        fixture.share(false).await;
        if fixture.run(&search).await.status == SearchStatus::FullResultsReady {
            return;
        }
    }
    panic!("every run has read the records again");
}

#[tokio::test]
async fn a_late_run_sees_that_a_right_was_withdrawn() {
    let fixture = Fixture::new().await;
    let search = fixture.create().await;
    fixture.share(false).await;
    tokio::time::sleep(LATER).await;
    assert_eq!(fixture.run(&search).await.status, SearchStatus::ErrNoSearchproviders);
}

#[tokio::test]
async fn the_next_search_sees_that_a_right_was_withdrawn() {
    let fixture = Fixture::new().await;
    let search = fixture.create().await;
    assert_eq!(fixture.run(&search).await.status, SearchStatus::FullResultsReady);
    for (shared, status) in
        [(false, SearchStatus::ErrNoSearchproviders), (true, SearchStatus::FullResultsReady)]
    {
        fixture.share(shared).await;
        let search = fixture.create().await;
        assert_eq!(fixture.run(&search).await.status, status);
    }
}
