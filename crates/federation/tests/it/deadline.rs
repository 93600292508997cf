//! The time limit of providers starts when they are queried; the pre-query processors have their own.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::fixture::{FixedRows, RESULT_MAPPINGS, open_store};
use async_trait::async_trait;
use domain::notice::NoticeKind;
use domain::pipeline::SYSTEM_DEFAULT;
use domain::ports::{
    Clock, Connector, ConnectorError, ConnectorKind, NoObserver, PipelineStore, PluginContext,
    PluginRegistry, ProcessorError, ProviderStore, QueryContext, QueryProcessor, QueryProcessorKind,
    SearchStore, SystemClock, TypedConnector, Unavailable, UserStore,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::search::{Search, SearchSpec};
use domain::settings::{Seconds, Settings};
use domain::status::{RunKind, SearchStatus};
use domain::user::UserSpec;
use federation::{Federation, FederationDeps};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tasks::queue::SqlQueue;
use testkit::plugins::connector_kind;
use tokio::time::sleep;

const TIMEOUT_S: u64 = 5;
/// Each within its limit, and together above it.
const PREPARING: Duration = Duration::from_millis(4_500);
const ANSWERING: Duration = Duration::from_millis(1_000);

/// One web page, after a while.
fn web(_: &SearchProvider, _: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let page = json!({"title": "River", "url": "https://a.example/", "body": "the river"});
    Ok(FixedRows { rows: vec![page], delay: ANSWERING }.boxed())
}

struct Slow;

#[async_trait]
impl QueryProcessor for Slow {
    async fn process(&self, query: &str, _cx: &QueryContext<'_>) -> Result<String, ProcessorError> {
        sleep(PREPARING).await;
        Ok(format!("{query} slowly"))
    }
}

struct Endless;

#[async_trait]
impl QueryProcessor for Endless {
    async fn process(&self, _query: &str, _cx: &QueryContext<'_>) -> Result<String, ProcessorError> {
        std::future::pending().await
    }
}

struct Quick;

#[async_trait]
impl QueryProcessor for Quick {
    async fn process(&self, query: &str, _cx: &QueryContext<'_>) -> Result<String, ProcessorError> {
        Ok(format!("{query} quickly"))
    }
}

const PLUGINS: PluginRegistry = PluginRegistry {
    connectors: &[ConnectorKind { build: web, ..connector_kind("Web") }],
    query_processors: &[
        QueryProcessorKind { name: "Slow", summary: "", processor: &Slow },
        QueryProcessorKind { name: "Endless", summary: "", processor: &Endless },
        QueryProcessorKind { name: "Quick", summary: "", processor: &Quick },
    ],
    result_processors: processors::result::CATALOGUE,
    post_result_processors: processors::post_result::CATALOGUE,
    mixers: mixers::CATALOGUE,
    default_post_result: processors::post_result::SYSTEM_DEFAULT,
    read_answer: |_, _| Ok(serde_json::Value::Null),
};

/// Runs a search and returns it.
async fn run_search(pre_query_processors: &[&str]) -> Search {
    let store = open_store().await;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let now = clock.now();
    let user = UserSpec { username: "ann".to_owned(), ..UserSpec::default() };
    let owner = store.create_user(user, String::new(), now).await.unwrap();
    let provider = ProviderSpec {
        name: "Web".to_owned(),
        connector: "Web".to_owned(),
        result_mappings: RESULT_MAPPINGS.into(),
        query_processors: Vec::new(),
        result_processors: vec!["MappingResultProcessor".to_owned()],
        ..ProviderSpec::default()
    };
    store.create_providers(vec![provider], owner.id, now).await.unwrap();
    store.ensure_pipeline(SYSTEM_DEFAULT, PLUGINS.default_post_result, now).await.unwrap();
    let spec = SearchSpec {
        pre_query_processors: pre_query_processors.iter().map(|name| (*name).to_owned()).collect(),
        ..SearchSpec::of_query("river")
    };
    let search = store.create_search(spec, owner.id, Vec::new(), now, None).await.unwrap();
    let settings = Arc::new(Settings { timeout: Seconds::new(TIMEOUT_S), ..Settings::default() });
    let federation = Federation::new(FederationDeps {
        store: store.clone(),
        queue: Arc::new(SqlQueue::new(store.clone(), Arc::clone(&clock))),
        plugins: PLUGINS,
        context: PluginContext::new(Arc::new(Unavailable), clock, Arc::default()),
        settings,
        tokens: Arc::new(Unavailable),
        pages: Arc::new(Unavailable),
        observer: Arc::new(NoObserver),
    });
    let times = if pre_query_processors.is_empty() { 1 } else { 2 };
    assert_eq!(federation.waiter.time_max(&search), Duration::from_secs(times * TIMEOUT_S));
    federation.runner.run(search.id, search.run, RunKind::New, &domain::ports::NoSlot).await.unwrap();
    store.search(search.id).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn preparing_the_query_takes_no_time_from_the_providers() {
    let (plain, slow, endless) = tokio::join!(
        run_search(&[]),
        run_search(&["Slow"]),
        run_search(&["Quick", "Endless", "Slow", "Quick"])
    );
    for (search, query) in [(&plain, "river"), (&slow, "river slowly"), (&endless, "river quickly quickly")] {
        assert_eq!(search.status, SearchStatus::FullResultsReady, "{:?}", search.notices);
        assert_eq!(search.query_string_processed, query, "{:?}", search.notices);
    }
    // The limit applies to all processors together: a later slow one is skipped as well.
    let skipped: Vec<&str> = endless
        .notices
        .iter()
        .filter_map(|notice| match &notice.kind {
            NoticeKind::ProcessorFailed { processor, reason }
                if reason == "it did not finish within 5.0 s" =>
            {
                Some(processor.as_str())
            }
            _ => None,
        })
        .collect();
    assert_eq!(skipped, ["Endless", "Slow"], "{:?}", endless.notices);
}
