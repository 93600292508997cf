//! Oracle, Snowflake and BigQuery connectors against fakes of their HTTP APIs: the connector suite.

use crate::fixture::{guarded_context, kind};
use domain::ports::{ConnectorError, ConnectorErrorKind, NormalizedPage, PluginContext, ProviderQuery};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::search::Sort;
use fakes::bigquery::BigQuery;
use fakes::ords::{self, Ords};
use fakes::snowflake::{self, Snowflake};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use testkit::clock::FixedClock;
use testkit::keys;
use testkit::suites::connector::{Literal, MANY, Mistake, Subject};

const TEMPLATE: &str = "select {fields} from {table} where {a} like '%{query_string}%'";
const MAPPINGS: &str = "fields=*,table=river_documents,a=title,sort_by_date=published";
/// Documents about rivers in the table of the fakes.
const RIVERS: u64 = MANY as u64 + 15;

fn spec(connector: &str, url: &str, credentials: &str, mappings: &str) -> ProviderSpec {
    ProviderSpec {
        name: "Documents".into(),
        connector: connector.into(),
        url: url.into(),
        credentials: credentials.into(),
        query_template: TEMPLATE.into(),
        query_mappings: format!("{MAPPINGS},{mappings}").into(),
        ..ProviderSpec::default()
    }
}

fn title(item: &Value) -> String {
    item["title"].as_str().expect("a title").to_owned()
}

fn published(item: &Value) -> String {
    item["published"].as_str().expect("a date").to_owned()
}

fn mistake(
    spec: &ProviderSpec,
    what: &'static str,
    kind: ConnectorErrorKind,
    change: impl Fn(&mut ProviderSpec),
) -> Mistake {
    let mut spec = spec.clone();
    change(&mut spec);
    Mistake { what, spec, user_token: None, kind }
}

fn unknown_table(spec: &mut ProviderSpec) {
    spec.query_mappings = spec.query_mappings.replace("table=river_documents", "table=no_such_table").into();
}

fn subject(spec: &ProviderSpec, context: PluginContext, mistakes: Vec<Mistake>) -> Subject {
    Subject {
        kind: kind(&spec.connector),
        context,
        spec: spec.clone(),
        user_token: None,
        reader: None,
        many: "river",
        date: Some(published),
        mistakes,
        literal: Literal::Found(title),
    }
}

/// The real HTTP client and a clock that a test can move.
fn context() -> (PluginContext, Arc<FixedClock>) {
    let clock = Arc::new(FixedClock::default());
    (PluginContext { clock: clock.clone(), ..guarded_context() }, clock)
}

/// Runs one query with little time.
async fn ask_within(
    spec: &ProviderSpec,
    context: &PluginContext,
    time_max: Duration,
) -> Result<NormalizedPage, ConnectorError> {
    let provider = SearchProvider::unsaved(spec.clone(), Default::default(), Default::default());
    let connector = (kind(&spec.connector).build)(&provider, context)?;
    let query = ProviderQuery {
        text: "river",
        sort: Sort::Relevancy,
        page: 0,
        results_wanted: 5,
        asker: domain::ids::UserId(1),
        topic: domain::corpus::Topic::default(),
        vector: None,
        time_max,
    };
    connector.prepare(&query)?.execute().await?.normalize()
}

fn errors(spec: &ProviderSpec) -> Vec<String> {
    let provider = SearchProvider::unsaved(spec.clone(), Default::default(), Default::default());
    (kind(&spec.connector).check)(&provider).into_map().into_keys().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn oracle_keeps_the_contract() {
    let ords = Ords::start().await;
    let spec = spec("Oracle", &ords.listener.at("/ords/rivers"), ords::CREDENTIALS, "x=y");
    let mistakes = vec![
        mistake(&spec, "a wrong password", ConnectorErrorKind::Denied, |spec| {
            spec.credentials = "rivers:wrong-password".into();
        }),
        mistake(&spec, "an unknown table", ConnectorErrorKind::PlaceUnknown, unknown_table),
        mistake(&spec, "an unknown schema", ConnectorErrorKind::PlaceUnknown, |spec| {
            spec.url = spec.url.replace("/rivers", "/lakes");
        }),
        mistake(&spec, "no TLS", ConnectorErrorKind::Untrusted, |spec| {
            spec.url = spec.url.replace("http:", "https:");
        }),
        mistake(&spec, "a refused connection", ConnectorErrorKind::Unavailable, |spec| {
            spec.url = "http://127.0.0.1:1/ords/rivers".into();
        }),
        mistake(&spec, "a wrong statement", ConnectorErrorKind::ConfigInvalid, |spec| {
            spec.query_template += " or 1 = 1";
        }),
    ];
    let subject = subject(&spec, guarded_context(), mistakes);
    subject.check().await;
    let page = subject.ask("river", Sort::Date, MANY).await.expect("rows");
    assert_eq!(page.found, Some(RIVERS), "counted");
    assert_eq!(page.items[0]["published"], "2024-01-28T00:00:00Z");
    assert_eq!(
        (&page.items[0]["weight"], &page.items[0]["image"]),
        (&json!(1.5), &Value::Null),
        "native values"
    );
    ords.throttle();
    let error = subject.ask("river", Sort::Relevancy, 5).await.expect_err("too many requests");
    assert_eq!(
        (error.kind, error.retry_after),
        (ConnectorErrorKind::RateLimited, Some(Duration::from_secs(11)))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn oracle_exchanges_a_client_for_a_token_once() {
    let ords = Ords::start().await;
    let (context, clock) = context();
    let spec = spec("Oracle", &ords.listener.at("/ords/rivers"), ords::CLIENT, "x=y");
    let wrong = mistake(&spec, "a wrong secret", ConnectorErrorKind::Denied, |spec| {
        spec.credentials = "client_id=reader-id-51,client_secret=wrong-secret".into();
    });
    let subject = subject(&spec, context, vec![wrong]);
    subject.tells_each_mistake().await;
    for _ in 0..3 {
        subject.ask("river", Sort::Relevancy, 5).await.expect("rows");
    }
    assert_eq!(ords.tokens(), 1, "the token is kept");
    clock.advance(Duration::from_secs(3541));
    subject.ask("river", Sort::Relevancy, 5).await.expect("rows");
    assert_eq!(ords.tokens(), 2, "a new one shortly before its end");
    ords.revoke();
    let error = subject.ask("river", Sort::Relevancy, 5).await.expect_err("it is not taken any more");
    assert_eq!(error.kind, ConnectorErrorKind::Denied);
    subject.ask("river", Sort::Relevancy, 5).await.expect("with a new one");
}

#[tokio::test(flavor = "multi_thread")]
async fn snowflake_keeps_the_contract() {
    let (context, clock) = context();
    let source = Snowflake::start(clock).await;
    let credentials = format!("bearer={}", snowflake::TOKEN);
    let spec = spec("Snowflake", &source.listener.url, &credentials, snowflake::MAPPINGS);
    let mistakes = vec![
        mistake(&spec, "a wrong token", ConnectorErrorKind::Denied, |spec| {
            spec.credentials = "bearer=wrong-token".into();
        }),
        mistake(&spec, "an unknown table", ConnectorErrorKind::PlaceUnknown, unknown_table),
        mistake(&spec, "an unknown database", ConnectorErrorKind::PlaceUnknown, |spec| {
            spec.query_mappings = spec.query_mappings.replace("=RIVERS", "=LAKES").into();
        }),
        mistake(&spec, "no TLS", ConnectorErrorKind::Untrusted, |spec| {
            spec.url = spec.url.replace("http:", "https:");
        }),
        mistake(&spec, "a refused connection", ConnectorErrorKind::Unavailable, |spec| {
            spec.url = "http://127.0.0.1:1".into();
        }),
        mistake(&spec, "a wrong statement", ConnectorErrorKind::ConfigInvalid, |spec| {
            spec.query_template += " or 1 = 1";
        }),
    ];
    let subject = subject(&spec, context, mistakes);
    subject.check().await;
    let page = subject.ask("river", Sort::Date, MANY).await.expect("rows");
    assert_eq!(page.found, Some(RIVERS), "counted");
    let want = json!({
        "title": title(&page.items[0]), "published": "2024-01-28", "weight": 1.5,
        "stamped": "2024-01-28T00:00:00", "is_open": true, "nothing": null,
    });
    assert_eq!(page.items[0], want, "lower-case names, native values");
    source.throttle();
    let error = subject.ask("river", Sort::Relevancy, 5).await.expect_err("too many requests");
    assert_eq!(
        (error.kind, error.retry_after),
        (ConnectorErrorKind::RateLimited, Some(Duration::from_secs(13)))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn snowflake_takes_a_signed_token() {
    let (context, clock) = context();
    let source = Snowflake::start(clock).await;
    let credentials = format!("key_pair={},user=reader", keys::PRIVATE_PEM);
    let spec = spec("Snowflake", &source.listener.url, &credentials, snowflake::MAPPINGS);
    let mistakes = vec![
        mistake(&spec, "a key that is not known", ConnectorErrorKind::Denied, |spec| {
            spec.credentials = format!("key_pair={},user=reader", keys::OTHER_PRIVATE_PEM);
        }),
        mistake(&spec, "another user", ConnectorErrorKind::Denied, |spec| {
            spec.credentials = spec.credentials.replace("user=reader", "user=nobody");
        }),
        mistake(&spec, "another account", ConnectorErrorKind::Denied, |spec| {
            spec.query_mappings = spec.query_mappings.replace("account=riverco", "account=other").into();
        }),
    ];
    let subject = subject(&spec, context, mistakes);
    let page = subject.ask("river", Sort::Relevancy, MANY).await.expect("rows");
    assert_eq!(page.items.len(), MANY as usize);
    subject.tells_each_mistake().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn snowflake_waits_for_a_slow_statement_and_ends_it() {
    let (context, clock) = context();
    let source = Snowflake::start(clock).await;
    let credentials = format!("bearer={}", snowflake::TOKEN);
    let spec = spec("Snowflake", &source.listener.url, &credentials, snowflake::MAPPINGS);
    source.slow(3);
    let page =
        subject(&spec, context.clone(), Vec::new()).ask("river", Sort::Date, MANY).await.expect("rows");
    assert_eq!((page.items.len(), source.cancelled()), (MANY as usize, 0));
    source.slow(usize::MAX);
    let started = Instant::now();
    let error = ask_within(&spec, &context, Duration::from_millis(900)).await.expect_err("it never ends");
    assert_eq!(error.kind, ConnectorErrorKind::Timeout);
    assert!(started.elapsed() < Duration::from_secs(10), "within its time");
    assert_eq!(source.cancelled(), 1, "ended at the source");
}

#[tokio::test(flavor = "multi_thread")]
async fn big_query_keeps_the_contract() {
    let (context, clock) = context();
    let source = BigQuery::start(clock.clone()).await;
    let spec =
        spec("BigQuery", &source.listener.url, &source.key(), "dataset=rivers,location=EU,max_bytes=2000000");
    let mistakes = vec![
        mistake(&spec, "a wrong key", ConnectorErrorKind::Denied, |spec| {
            spec.credentials = source.key_of(keys::OTHER_PRIVATE_PEM, &source.listener.at("/token"));
        }),
        mistake(&spec, "an unknown table", ConnectorErrorKind::PlaceUnknown, unknown_table),
        mistake(&spec, "another project", ConnectorErrorKind::Denied, |spec| {
            spec.query_mappings = format!("{},project=lakes", spec.query_mappings).into();
        }),
        mistake(&spec, "too few bytes", ConnectorErrorKind::QueryInvalid, |spec| {
            spec.query_mappings = spec.query_mappings.replace("=2000000", "=1000").into();
        }),
        mistake(&spec, "no TLS", ConnectorErrorKind::Untrusted, |spec| {
            spec.url = spec.url.replace("http:", "https:");
            spec.credentials = source.key_of(keys::PRIVATE_PEM, &format!("{}/token", spec.url));
        }),
        mistake(&spec, "a refused connection", ConnectorErrorKind::Unavailable, |spec| {
            spec.url = "http://127.0.0.1:1".into();
            spec.credentials = source.key_of(keys::PRIVATE_PEM, "http://127.0.0.1:1/token");
        }),
        mistake(&spec, "a wrong statement", ConnectorErrorKind::ConfigInvalid, |spec| {
            spec.query_template += " or 1 = 1";
        }),
    ];
    let subject = subject(&spec, context, mistakes);
    subject.check().await;
    assert_eq!(source.tokens(), 1, "the token is kept");
    let page = subject.ask("river", Sort::Date, MANY).await.expect("rows");
    assert_eq!(page.found, Some(RIVERS), "counted");
    let want = json!({
        "title": title(&page.items[0]), "published": "2024-01-28", "weight": 1.5,
        "stamped": "2024-01-01T00:00:00+00:00", "tags": ["water", "land"], "place": {"name": "Alps", "height": 1800},
    });
    assert_eq!(page.items[0], want, "native values");
    source.exhaust();
    let error = subject.ask("river", Sort::Relevancy, 5).await.expect_err("over the quota");
    assert_eq!(
        (error.kind, error.retry_after),
        (ConnectorErrorKind::RateLimited, Some(Duration::from_secs(17)))
    );
    clock.advance(Duration::from_secs(3541));
    subject.ask("river", Sort::Relevancy, 5).await.expect("rows");
    assert_eq!(source.tokens(), 2, "a new one shortly before its end");
}

#[tokio::test(flavor = "multi_thread")]
async fn big_query_reads_its_key_from_a_file() {
    let (context, clock) = context();
    let source = BigQuery::start(clock).await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("key.json");
    std::fs::write(&path, source.key()).expect("a file");
    let spec = spec("BigQuery", &source.listener.url, &path.to_string_lossy(), "dataset=rivers,location=EU");
    let page = subject(&spec, context, Vec::new()).ask("river", Sort::Relevancy, MANY).await.expect("rows");
    assert_eq!(page.items.len(), MANY as usize);
}

#[tokio::test(flavor = "multi_thread")]
async fn big_query_waits_for_a_slow_job_and_ends_it() {
    let (context, clock) = context();
    let source = BigQuery::start(clock).await;
    let spec = spec("BigQuery", &source.listener.url, &source.key(), "dataset=rivers,location=EU");
    source.slow(3);
    let page =
        subject(&spec, context.clone(), Vec::new()).ask("river", Sort::Date, MANY).await.expect("rows");
    assert_eq!((page.items.len(), source.cancelled()), (MANY as usize, 0));
    source.slow(usize::MAX);
    let started = Instant::now();
    let error = ask_within(&spec, &context, Duration::from_millis(900)).await.expect_err("it never ends");
    assert_eq!(error.kind, ConnectorErrorKind::Timeout);
    assert!(started.elapsed() < Duration::from_secs(10), "within its time");
    assert_eq!(source.cancelled(), 1, "ended at the source");
}

/// A key or a login is never sent to a look-alike host.
#[tokio::test(flavor = "multi_thread")]
async fn look_alikes_are_refused_when_a_provider_is_saved() {
    let (_, clock) = context();
    let source = BigQuery::start(clock).await;
    for token_uri in [
        "https://oauth2.googleapis.com.evil.example/token",
        "https://evilgoogleapis.com/token",
        "https://oauth2.googleapis.com@evil.example/token",
    ] {
        let key = source.key_of(keys::PRIVATE_PEM, token_uri);
        assert_eq!(errors(&spec("BigQuery", "", &key, "dataset=rivers")), ["credentials"], "{token_uri}");
    }
    for url in ["evil.example/", "evil.example#.x", "me@evil.example"] {
        assert_eq!(errors(&spec("Snowflake", url, "bearer=abc", "database=D")), ["url"], "{url}");
    }
    let google = source.key_of(keys::PRIVATE_PEM, "https://oauth2.googleapis.com/token");
    let elsewhere =
        spec("BigQuery", "https://bigquery.googleapis.com.evil.example", &google, "dataset=rivers");
    assert_eq!(errors(&elsewhere), ["credentials"], "a token of the vendor goes to the vendor");
    let file = "key_pair=/etc/keys/reader.p8,user=reader";
    let elsewhere = spec("Snowflake", "https://snowflakecomputing.com.evil.example", file, "database=D");
    assert_eq!(errors(&elsewhere), ["credentials"], "a key file signs for the vendor");
    let password = spec("Snowflake", "org-account", "reader:password:rivers:small", "database=D");
    assert_eq!(errors(&password), ["credentials"]);
    assert_eq!(errors(&spec("Oracle", "db.example:1521:rivers", "a:b", "x=y")), ["url"]);
    assert_eq!(errors(&spec("BigQuery", "", "bearer=abc", "max_bytes=much")), ["query_mappings"]);
}
