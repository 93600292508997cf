//! Queries in another language than the configured one: with a real store, processors and mixers.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::fixture::{FixedRows, RESULT_MAPPINGS, open_store};
use domain::pipeline::SYSTEM_DEFAULT;
use domain::ports::{
    Clock, Connector, ConnectorError, ConnectorKind, NoObserver, PipelineStore, PluginContext,
    PluginRegistry, ProviderStore, SearchStore, SystemClock, TypedConnector, Unavailable, UserStore,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::result::ResultItem;
use domain::search::SearchSpec;
use domain::settings::Settings;
use domain::status::RunKind;
use domain::user::UserSpec;
use federation::{Federation, FederationDeps, MixRequest};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tasks::queue::SqlQueue;
use testkit::plugins::connector_kind;

fn row(name: &str, title: &str, body: &str) -> Value {
    json!({"title": title, "url": format!("https://a.example/{name}"), "body": body})
}

fn english(_: &SearchProvider, _: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let rows = vec![
        row("hills", "Hills of Germany", "The Harz is a range of hills in the north of the country."),
        row("rivers", "Old rivers", "Most of the rivers in these hills are short."),
    ];
    Ok(FixedRows { rows, delay: Duration::ZERO }.boxed())
}

fn german(_: &SearchProvider, _: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let rows = vec![
        row(
            "fluss",
            "Hochwasser",
            "Der Fluss ist nach dem Regen gestiegen, auch der Harz ist nicht mehr sicher.",
        ),
        row("wald", "Urlaub im Wald", "Im Sommer sind wir im Wald und im Winter im Schnee."),
    ];
    Ok(FixedRows { rows, delay: Duration::ZERO }.boxed())
}

const PLUGINS: PluginRegistry = PluginRegistry {
    connectors: &[
        ConnectorKind { build: english, ..connector_kind("English") },
        ConnectorKind { build: german, ..connector_kind("German") },
    ],
    query_processors: processors::query::CATALOGUE,
    result_processors: processors::result::CATALOGUE,
    post_result_processors: processors::post_result::CATALOGUE,
    mixers: mixers::CATALOGUE,
    default_post_result: processors::post_result::SYSTEM_DEFAULT,
    read_answer: |_, _| Ok(Value::Null),
};

/// The results of a search, the best first.
async fn results(query: &str) -> Vec<ResultItem> {
    let store = open_store().await;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let now = clock.now();
    let user = UserSpec { username: "ann".to_owned(), ..UserSpec::default() };
    let owner = store.create_user(user, String::new(), now).await.unwrap();
    let provider = |name: &str| ProviderSpec {
        name: name.to_owned(),
        connector: name.to_owned(),
        result_mappings: RESULT_MAPPINGS.into(),
        ..ProviderSpec::default()
    };
    store.create_providers(vec![provider("English"), provider("German")], owner.id, now).await.unwrap();
    store.ensure_pipeline(SYSTEM_DEFAULT, PLUGINS.default_post_result, now).await.unwrap();
    let spec = SearchSpec::of_query(query);
    let search = store.create_search(spec, owner.id, Vec::new(), now, None).await.unwrap();
    let federation = Federation::new(FederationDeps {
        store: store.clone(),
        queue: Arc::new(SqlQueue::new(store.clone(), Arc::clone(&clock))),
        plugins: PLUGINS,
        context: PluginContext::new(Arc::new(Unavailable), clock, Arc::default()),
        settings: Arc::new(Settings::default()),
        tokens: Arc::new(Unavailable),
        pages: Arc::new(Unavailable),
        observer: Arc::new(NoObserver),
    });
    federation.runner.run(search.id, search.run, RunKind::New, &domain::ports::NoSlot).await.unwrap();
    let search = store.search(search.id).await.unwrap();
    federation.mixer.mix(&search, &MixRequest::default()).await.unwrap().results
}

fn evidence(item: &ResultItem, kind: &str) -> f64 {
    Value::from(item.explain.clone().unwrap_or_default())["evidence"][kind].as_f64().unwrap_or_default()
}

#[tokio::test]
async fn a_german_query_finds_inflected_words_beside_english_results() {
    // The second shows its language, the first does not.
    for query in ["Flüsse im Harz", "Flüsse und Pegel nicht nur im Harz"] {
        let found = results(query).await;
        assert_eq!(found.len(), 4, "{query}");
        let best = &found[0];
        assert_eq!(
            best.body,
            "Der <em>Fluss</em> ist nach dem Regen gestiegen, auch der <em>Harz</em> ist nicht mehr sicher.",
            "{query}"
        );
        assert!(evidence(best, "coverage") > 0.6, "{query}");
        let of = |name: &str| found.iter().find(|item| item.url.ends_with(name)).unwrap();
        assert!(of("hills").body.starts_with("The <em>Harz</em> is a range"), "{query}");
        let stopwords = of("wald");
        assert!(!stopwords.body.contains("<em>") && !stopwords.title.contains("<em>"), "{query}");
        assert_eq!((evidence(stopwords, "coverage"), stopwords.swirl_score), (0.0, 0.0), "{query}");
    }
    let found = results("Flüsse im Harz").await;
    assert_eq!(evidence(&found[0], "coverage"), 1.0, "a stopword of its language is not missing");
}
