//! Learned choice of sources: the sources that were useful to similar searches are asked first, the others after them.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::fixture::{RESULT_MAPPINGS, open_store};
use async_trait::async_trait;
use domain::ids::UserId;
use domain::mixed::{Completeness, SourceOrder};
use domain::pipeline::SYSTEM_DEFAULT;
use domain::ports::{
    Capability, Clock, Connector, ConnectorError, ConnectorKind, EmbeddingError, EmbeddingInput,
    EmbeddingModels, NoObserver, NoSlot, NormalizedPage, PipelineStore, PluginContext, PluginRegistry,
    ProviderQuery, ProviderStore, RequestDescription, SearchStore, SourceRequest, SystemClock,
    TypedConnector, Unavailable, UserStore,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::search::{ProviderRef, SearchSpec};
use domain::settings::{Seconds, Settings};
use domain::source_choice::PAST_SEARCHES_MIN;
use domain::status::RunKind;
use domain::user::UserSpec;
use federation::{Federation, FederationDeps, MixRequest};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::SqlStore;
use tasks::queue::SqlQueue;
use testkit::plugins::connector_kind;

/// The sources; each has a result for the queries that contain its name.
const SOURCES: [&str; 4] = ["maps", "news", "rivers", "tickets"];
/// The usual time of a source.
const RESPONSE_TIME: Duration = Duration::from_millis(20);
/// `rivers` never responds to a query with this word.
const ENDLESS: &str = "endless";
/// With this time limit, no time is left for sources that have waited.
const SHORT: Seconds = Seconds(Duration::from_millis(40));

/// The queries that were sent, each with its source, in the order of all tests.
static SENT: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

#[derive(Debug)]
struct Question(String);

impl SourceRequest for Question {
    fn description(&self) -> RequestDescription<'_> {
        RequestDescription::Command { place: "here", body: Cow::Owned(json!(self.0)), rows_max: 10 }
    }
}

/// A source that notes when it is asked.
#[derive(Debug)]
struct Noted {
    name: String,
}

impl TypedConnector for Noted {
    type Request = Question;
    type Response = Vec<Value>;

    fn capability(&self) -> Capability {
        Capability::default()
    }
    fn construct(&self, query: &ProviderQuery<'_>) -> Result<Question, ConnectorError> {
        Ok(Question(query.text.to_owned()))
    }
    async fn execute(&self, Question(query): &Question) -> Result<Vec<Value>, ConnectorError> {
        SENT.lock().unwrap_or_else(PoisonError::into_inner).push((query.clone(), self.name.clone()));
        let is_endless = self.name == "rivers" && query.contains(ENDLESS);
        tokio::time::sleep(if is_endless { Duration::MAX } else { RESPONSE_TIME }).await;
        let url = format!("https://{}.example/{}", self.name, query.replace(' ', "-"));
        let page = json!({"title": query, "url": url, "body": query});
        Ok(if query.contains(&self.name) { vec![page] } else { Vec::new() })
    }
    fn normalize(&self, items: Vec<Value>) -> Result<NormalizedPage, ConnectorError> {
        let count = Some(items.len() as u64);
        Ok(NormalizedPage { found: count, retrieved: count, items, missing: None })
    }
}

fn noted(provider: &SearchProvider, _: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    Ok(Noted { name: provider.spec.name.clone() }.boxed())
}

const PLUGINS: PluginRegistry = PluginRegistry {
    connectors: &[ConnectorKind { build: noted, ..connector_kind("Noted") }],
    query_processors: processors::query::CATALOGUE,
    result_processors: processors::result::CATALOGUE,
    post_result_processors: processors::post_result::CATALOGUE,
    mixers: mixers::CATALOGUE,
    default_post_result: processors::post_result::SYSTEM_DEFAULT,
    read_answer: |_, _| Ok(Value::Null),
};

/// Embeds a query by its topic, and a little by the number at its end.
struct Topics;

#[async_trait]
impl EmbeddingModels for Topics {
    async fn embed(&self, model: &str, text: &str) -> Result<Vec<f32>, EmbeddingError> {
        assert_eq!(model, "", "the built-in model");
        let has = |topic: &str| if text.contains(topic) { 1.0 } else { 0.0 };
        let number: f32 = text.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or(1.0);
        let vector: [f32; 3] = [has("rivers"), has("tickets"), number / 1000.0];
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        Ok(vector.iter().map(|value| value / length).collect())
    }
    async fn embed_many(
        &self,
        _model: &str,
        _input: EmbeddingInput,
        _texts: &[String],
    ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        Err(EmbeddingError::failed("only queries are embedded"))
    }
    async fn ranking_model(&self) -> Result<Option<String>, EmbeddingError> {
        Ok(None)
    }
    async fn rerank(&self, _query: &str, _texts: &[String]) -> Result<Option<Vec<f32>>, EmbeddingError> {
        Ok(None)
    }
}

struct Fixture {
    store: Arc<SqlStore>,
    federation: Federation,
    ann: UserId,
    bob: UserId,
}

fn provider(name: &str, rate_limit: &str) -> ProviderSpec {
    let config = json!({"swirl": {"connector_use": {"rate_limit": rate_limit}}});
    ProviderSpec {
        name: name.to_owned(),
        connector: "Noted".to_owned(),
        result_mappings: RESULT_MAPPINGS.into(),
        query_processors: Vec::new(),
        tags: vec!["library".to_owned()],
        config: serde_json::from_value(config).unwrap(),
        shared: true,
        ..ProviderSpec::default()
    }
}

fn open_federation(store: &Arc<SqlStore>, source_choice: u32, timeout: Seconds) -> Federation {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let context = PluginContext::new(Arc::new(Unavailable), Arc::clone(&clock), Arc::default());
    Federation::new(FederationDeps {
        store: store.clone(),
        queue: Arc::new(SqlQueue::new(store.clone(), clock)),
        plugins: PLUGINS,
        context: PluginContext { embedding_models: Arc::new(Topics), ..context },
        settings: Arc::new(Settings { source_choice, timeout, ..Settings::default() }),
        tokens: Arc::new(Unavailable),
        pages: Arc::new(Unavailable),
        observer: Arc::new(NoObserver),
    })
}

impl Fixture {
    /// A service that asks so many sources first. `news` has a rate limit.
    async fn new(source_choice: u32, rate_limit: &str) -> Self {
        let store = open_store().await;
        let now = SystemClock.now();
        let user = |name: &str| UserSpec { username: name.to_owned(), ..UserSpec::default() };
        let ann = store.create_user(user("ann"), String::new(), now).await.unwrap().id;
        let bob = store.create_user(user("bob"), String::new(), now).await.unwrap().id;
        let limit = |name: &str| if name == "news" { rate_limit } else { "None" };
        let providers = SOURCES.iter().map(|name| provider(name, limit(name))).collect();
        store.create_providers(providers, ann, now).await.unwrap();
        store.ensure_pipeline(SYSTEM_DEFAULT, PLUGINS.default_post_result, now).await.unwrap();
        let federation = open_federation(&store, source_choice, Seconds::new(5));
        Self { store, federation, ann, bob }
    }

    async fn run(&self, owner: UserId, spec: SearchSpec) -> Completeness {
        let search =
            self.store.create_search(spec, owner, Vec::new(), SystemClock.now(), None).await.unwrap();
        self.federation.runner.run(search.id, search.run, RunKind::New, &NoSlot).await.unwrap();
        let search = self.store.search(search.id).await.unwrap();
        self.federation.mixer.mix(&search, &MixRequest::default()).await.unwrap().info.completeness
    }

    /// In which order the sources of a query were asked.
    async fn order(&self, owner: UserId, query: &str) -> Option<SourceOrder> {
        self.run(owner, SearchSpec::of_query(query)).await.order
    }

    /// Searches of one topic, each with another query; all sources are asked at once.
    async fn learn(&self, owner: UserId, topic: &str, count: usize) {
        for number in 1..=count {
            assert_eq!(self.order(owner, &format!("{topic} {number}")).await, None, "{topic} {number}");
        }
    }
}

/// The sources to which a query was sent, in order.
fn sent(query: &str) -> Vec<String> {
    let sent = SENT.lock().unwrap_or_else(PoisonError::into_inner);
    sent.iter().filter(|(text, _)| text == query).map(|(_, source)| source.clone()).collect()
}

fn not_asked(order: &SourceOrder) -> Vec<(&str, &str)> {
    order.not_asked.iter().map(|one| (one.source.as_str(), one.code.as_str())).collect()
}

#[tokio::test]
async fn useful_sources_are_asked_first_and_the_others_after_them() {
    let fixture = Fixture::new(1, "None").await;
    fixture.learn(fixture.ann, "rivers first", PAST_SEARCHES_MIN).await;
    let found = fixture.run(fixture.ann, SearchSpec::of_query("rivers first 99")).await;
    assert_eq!((found.asked, found.answered), (4, 4), "none is left out");
    let order = found.order.unwrap();
    assert_eq!(order.asked_later, ["maps", "news", "tickets"]);
    assert_eq!((order.similar_searches, order.not_asked.len()), (PAST_SEARCHES_MIN, 0));
    let asked = sent("rivers first 99");
    assert_eq!((asked[0].as_str(), asked.len()), ("rivers", 4), "{asked:?}");
}

#[tokio::test]
async fn few_searches_change_nothing() {
    let fixture = Fixture::new(1, "None").await;
    fixture.learn(fixture.ann, "rivers few", PAST_SEARCHES_MIN).await;
    assert!(fixture.order(fixture.ann, "rivers few 98").await.is_some());
    // The same query again is not another search.
    for _ in 0..=PAST_SEARCHES_MIN {
        assert_eq!(fixture.order(fixture.bob, "rivers few 99").await, None);
    }
}

#[tokio::test]
async fn without_the_setting_all_sources_are_asked_at_once() {
    // Nor if there are no more sources than are asked first.
    for count in [0, 4] {
        let fixture = Fixture::new(count, "None").await;
        fixture.learn(fixture.ann, &format!("rivers off {count}"), PAST_SEARCHES_MIN + 2).await;
        let found = fixture.run(fixture.ann, SearchSpec::of_query("rivers off 99")).await;
        let shown = serde_json::to_value(&found).unwrap();
        assert!(shown.get("order").is_none(), "{shown}");
    }
}

#[tokio::test]
async fn searches_of_others_do_not_vote() {
    let fixture = Fixture::new(1, "None").await;
    fixture.learn(fixture.ann, "rivers private", PAST_SEARCHES_MIN).await;
    assert_eq!(fixture.order(fixture.bob, "rivers private 98").await, None);
    assert!(fixture.order(fixture.ann, "rivers private 99").await.is_some());
}

#[tokio::test]
async fn sources_that_the_search_names_are_asked_at_once() {
    let fixture = Fixture::new(1, "None").await;
    fixture.learn(fixture.ann, "rivers named", PAST_SEARCHES_MIN).await;
    let list = ["maps", "rivers"].map(|name| ProviderRef::Text(name.to_owned())).to_vec();
    let listed = SearchSpec { searchprovider_list: list, ..SearchSpec::of_query("rivers named 97") };
    assert_eq!(fixture.run(fixture.ann, listed).await.order, None);
    assert_eq!(fixture.order(fixture.ann, "library:rivers named 98").await, None);
    assert!(fixture.order(fixture.ann, "rivers named 99").await.is_some());
}

#[tokio::test]
async fn a_slow_source_does_not_hold_up_the_others() {
    let mut fixture = Fixture::new(1, "None").await;
    fixture.learn(fixture.ann, "rivers slow", PAST_SEARCHES_MIN).await;
    fixture.federation = open_federation(&fixture.store, 1, Seconds::new(2));
    assert_eq!(fixture.order(fixture.ann, "rivers slow 98").await, None, "then the stored searches are read");
    let query = format!("rivers slow {ENDLESS} 99");
    let found = fixture.run(fixture.ann, SearchSpec::of_query(query)).await;
    assert_eq!((found.answered, found.timed_out), (3, 1));
    assert_eq!(found.order.unwrap().asked_later, ["maps", "news", "tickets"]);
}

#[tokio::test]
async fn sources_without_time_are_left_out_and_named() {
    let mut fixture = Fixture::new(1, "None").await;
    fixture.learn(fixture.ann, "rivers time", PAST_SEARCHES_MIN).await;
    fixture.federation = open_federation(&fixture.store, 1, SHORT);
    assert_eq!(fixture.order(fixture.ann, "rivers time 98").await, None, "then the stored searches are read");
    let found = fixture.run(fixture.ann, SearchSpec::of_query("rivers time 99")).await;
    assert_eq!(found.suspended, 3);
    let order = found.order.unwrap();
    assert_eq!(not_asked(&order), [("maps", "no_time"), ("news", "no_time"), ("tickets", "no_time")]);
    assert!(order.asked_later.is_empty());
    assert!(sent("rivers time 99").iter().all(|source| source == "rivers"));
}

#[tokio::test]
async fn sources_without_quota_are_left_out_and_named() {
    let fixture = Fixture::new(1, &format!("{PAST_SEARCHES_MIN}/day")).await;
    fixture.learn(fixture.ann, "rivers quota", PAST_SEARCHES_MIN).await;
    let order = fixture.order(fixture.ann, "rivers quota 99").await.unwrap();
    assert_eq!(order.asked_later, ["maps", "tickets"]);
    assert_eq!(not_asked(&order), [("news", "suspended")]);
    assert!(order.not_asked[0].reason.contains("rate_limit"), "{order:?}");
    assert!(!sent("rivers quota 99").contains(&"news".to_owned()));
}
