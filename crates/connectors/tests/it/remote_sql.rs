//! Oracle, Snowflake and BigQuery against stand-ins of their HTTP interfaces: the whole contract of a connector.

use crate::house::{gate, kind};
use domain::contracts::{ConnectorError, ConnectorErrorKind, ProviderQuery, SourceResponse, Toolbox};
use domain::provider::{ProviderDraft, SearchProvider};
use domain::search::Sort;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use testkit::clock::FixedClock;
use testkit::suites::connector::{Literal, MANY, Mistake, Subject};
use testkit::vendors::bigquery::BigQuery;
use testkit::vendors::keys;
use testkit::vendors::ords::{self, Ords};
use testkit::vendors::snowflake::{self, Snowflake};

const TEMPLATE: &str = "select {fields} from {table} where {a} like '%{query_string}%'";
const MAPPINGS: &str = "fields=*,table=river_documents,a=title,sort_by_date=published";
/// Documents about rivers in the table of the stand-ins.
const RIVERS: u64 = MANY as u64 + 15;

fn draft(connector: &str, url: &str, credentials: &str, mappings: &str) -> ProviderDraft {
    ProviderDraft {
        name: "Documents".into(),
        connector: connector.into(),
        url: url.into(),
        credentials: credentials.into(),
        query_template: TEMPLATE.into(),
        query_mappings: format!("{MAPPINGS},{mappings}"),
        ..ProviderDraft::default()
    }
}

fn title(item: &Value) -> String {
    item["title"].as_str().expect("a title").to_owned()
}

fn published(item: &Value) -> String {
    item["published"].as_str().expect("a date").to_owned()
}

fn mistake(
    draft: &ProviderDraft,
    what: &'static str,
    kind: ConnectorErrorKind,
    change: impl Fn(&mut ProviderDraft),
) -> Mistake {
    let mut draft = draft.clone();
    change(&mut draft);
    Mistake { what, draft, user_token: None, kind }
}

fn unknown_table(draft: &mut ProviderDraft) {
    draft.query_mappings = draft.query_mappings.replace("table=river_documents", "table=no_such_table");
}

fn subject(draft: &ProviderDraft, toolbox: Toolbox, mistakes: Vec<Mistake>) -> Subject {
    Subject {
        kind: kind(&draft.connector),
        toolbox,
        draft: draft.clone(),
        user_token: None,
        reader: None,
        many: "river",
        date: Some(published),
        mistakes,
        literal: Literal::Found(title),
    }
}

/// The real gate and a clock that a test can move.
fn toolbox() -> (Toolbox, Arc<FixedClock>) {
    let clock = Arc::new(FixedClock::default());
    (Toolbox { clock: clock.clone(), ..gate() }, clock)
}

/// Asks once with little time.
async fn ask_within(
    draft: &ProviderDraft,
    toolbox: &Toolbox,
    time_max: Duration,
) -> Result<SourceResponse, ConnectorError> {
    let provider = SearchProvider::unsaved(draft.clone(), Default::default(), Default::default());
    let connector = (kind(&draft.connector).build)(&provider, toolbox)?;
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
    connector.execute(&connector.construct(&query)?).await
}

fn errors(draft: &ProviderDraft) -> Vec<String> {
    let provider = SearchProvider::unsaved(draft.clone(), Default::default(), Default::default());
    (kind(&draft.connector).check)(&provider).into_map().into_keys().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn oracle_keeps_the_contract() {
    let ords = Ords::start().await;
    let draft = draft("Oracle", &ords.stand.at("/ords/rivers"), ords::CREDENTIALS, "x=y");
    let mistakes = vec![
        mistake(&draft, "a wrong password", ConnectorErrorKind::Denied, |draft| {
            draft.credentials = "rivers:wrong-password".into();
        }),
        mistake(&draft, "an unknown table", ConnectorErrorKind::PlaceUnknown, unknown_table),
        mistake(&draft, "an unknown schema", ConnectorErrorKind::PlaceUnknown, |draft| {
            draft.url = draft.url.replace("/rivers", "/lakes");
        }),
        mistake(&draft, "no TLS", ConnectorErrorKind::Untrusted, |draft| {
            draft.url = draft.url.replace("http:", "https:");
        }),
        mistake(&draft, "a refused connection", ConnectorErrorKind::Unavailable, |draft| {
            draft.url = "http://127.0.0.1:1/ords/rivers".into();
        }),
        mistake(&draft, "a wrong statement", ConnectorErrorKind::ConfigInvalid, |draft| {
            draft.query_template += " or 1 = 1";
        }),
    ];
    let subject = subject(&draft, gate(), mistakes);
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
    let (toolbox, clock) = toolbox();
    let draft = draft("Oracle", &ords.stand.at("/ords/rivers"), ords::CLIENT, "x=y");
    let wrong = mistake(&draft, "a wrong secret", ConnectorErrorKind::Denied, |draft| {
        draft.credentials = "client_id=reader-id-51,client_secret=wrong-secret".into();
    });
    let subject = subject(&draft, toolbox, vec![wrong]);
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
    let (toolbox, clock) = toolbox();
    let source = Snowflake::start(clock).await;
    let credentials = format!("bearer={}", snowflake::TOKEN);
    let draft = draft("Snowflake", &source.stand.url, &credentials, snowflake::MAPPINGS);
    let mistakes = vec![
        mistake(&draft, "a wrong token", ConnectorErrorKind::Denied, |draft| {
            draft.credentials = "bearer=wrong-token".into();
        }),
        mistake(&draft, "an unknown table", ConnectorErrorKind::PlaceUnknown, unknown_table),
        mistake(&draft, "an unknown database", ConnectorErrorKind::PlaceUnknown, |draft| {
            draft.query_mappings = draft.query_mappings.replace("=RIVERS", "=LAKES");
        }),
        mistake(&draft, "no TLS", ConnectorErrorKind::Untrusted, |draft| {
            draft.url = draft.url.replace("http:", "https:");
        }),
        mistake(&draft, "a refused connection", ConnectorErrorKind::Unavailable, |draft| {
            draft.url = "http://127.0.0.1:1".into();
        }),
        mistake(&draft, "a wrong statement", ConnectorErrorKind::ConfigInvalid, |draft| {
            draft.query_template += " or 1 = 1";
        }),
    ];
    let subject = subject(&draft, toolbox, mistakes);
    subject.check().await;
    let page = subject.ask("river", Sort::Date, MANY).await.expect("rows");
    assert_eq!(page.found, Some(RIVERS), "counted");
    let want = json!({
        "title": title(&page.items[0]), "published": "2024-01-28", "weight": 1.5,
        "stamped": "2024-01-28T00:00:00", "is_open": true, "nothing": null,
    });
    assert_eq!(page.items[0], want, "names in small letters, native values");
    source.throttle();
    let error = subject.ask("river", Sort::Relevancy, 5).await.expect_err("too many requests");
    assert_eq!(
        (error.kind, error.retry_after),
        (ConnectorErrorKind::RateLimited, Some(Duration::from_secs(13)))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn snowflake_takes_a_signed_token() {
    let (toolbox, clock) = toolbox();
    let source = Snowflake::start(clock).await;
    let credentials = format!("key_pair={},user=reader", keys::PRIVATE_PEM);
    let draft = draft("Snowflake", &source.stand.url, &credentials, snowflake::MAPPINGS);
    let mistakes = vec![
        mistake(&draft, "a key that is not known", ConnectorErrorKind::Denied, |draft| {
            draft.credentials = format!("key_pair={},user=reader", keys::OTHER_PRIVATE_PEM);
        }),
        mistake(&draft, "another user", ConnectorErrorKind::Denied, |draft| {
            draft.credentials = draft.credentials.replace("user=reader", "user=nobody");
        }),
        mistake(&draft, "another account", ConnectorErrorKind::Denied, |draft| {
            draft.query_mappings = draft.query_mappings.replace("account=riverco", "account=other");
        }),
    ];
    let subject = subject(&draft, toolbox, mistakes);
    let page = subject.ask("river", Sort::Relevancy, MANY).await.expect("rows");
    assert_eq!(page.items.len(), MANY as usize);
    subject.tells_each_mistake().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn snowflake_waits_for_a_slow_statement_and_ends_it() {
    let (toolbox, clock) = toolbox();
    let source = Snowflake::start(clock).await;
    let credentials = format!("bearer={}", snowflake::TOKEN);
    let draft = draft("Snowflake", &source.stand.url, &credentials, snowflake::MAPPINGS);
    source.slow(3);
    let page =
        subject(&draft, toolbox.clone(), Vec::new()).ask("river", Sort::Date, MANY).await.expect("rows");
    assert_eq!((page.items.len(), source.cancelled()), (MANY as usize, 0));
    source.slow(usize::MAX);
    let started = Instant::now();
    let error = ask_within(&draft, &toolbox, Duration::from_millis(900)).await.expect_err("it never ends");
    assert_eq!(error.kind, ConnectorErrorKind::Timeout);
    assert!(started.elapsed() < Duration::from_secs(10), "within its time");
    assert_eq!(source.cancelled(), 1, "ended at the source");
}

#[tokio::test(flavor = "multi_thread")]
async fn big_query_keeps_the_contract() {
    let (toolbox, clock) = toolbox();
    let source = BigQuery::start(clock.clone()).await;
    let draft =
        draft("BigQuery", &source.stand.url, &source.key(), "dataset=rivers,location=EU,max_bytes=2000000");
    let mistakes = vec![
        mistake(&draft, "a wrong key", ConnectorErrorKind::Denied, |draft| {
            draft.credentials = source.key_of(keys::OTHER_PRIVATE_PEM, &source.stand.at("/token"));
        }),
        mistake(&draft, "an unknown table", ConnectorErrorKind::PlaceUnknown, unknown_table),
        mistake(&draft, "another project", ConnectorErrorKind::Denied, |draft| {
            draft.query_mappings += ",project=lakes";
        }),
        mistake(&draft, "too few bytes", ConnectorErrorKind::QueryInvalid, |draft| {
            draft.query_mappings = draft.query_mappings.replace("=2000000", "=1000");
        }),
        mistake(&draft, "no TLS", ConnectorErrorKind::Untrusted, |draft| {
            draft.url = draft.url.replace("http:", "https:");
            draft.credentials = source.key_of(keys::PRIVATE_PEM, &format!("{}/token", draft.url));
        }),
        mistake(&draft, "a refused connection", ConnectorErrorKind::Unavailable, |draft| {
            draft.url = "http://127.0.0.1:1".into();
            draft.credentials = source.key_of(keys::PRIVATE_PEM, "http://127.0.0.1:1/token");
        }),
        mistake(&draft, "a wrong statement", ConnectorErrorKind::ConfigInvalid, |draft| {
            draft.query_template += " or 1 = 1";
        }),
    ];
    let subject = subject(&draft, toolbox, mistakes);
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
    let (toolbox, clock) = toolbox();
    let source = BigQuery::start(clock).await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("key.json");
    std::fs::write(&path, source.key()).expect("a file");
    let draft = draft("BigQuery", &source.stand.url, &path.to_string_lossy(), "dataset=rivers,location=EU");
    let page = subject(&draft, toolbox, Vec::new()).ask("river", Sort::Relevancy, MANY).await.expect("rows");
    assert_eq!(page.items.len(), MANY as usize);
}

#[tokio::test(flavor = "multi_thread")]
async fn big_query_waits_for_a_slow_job_and_ends_it() {
    let (toolbox, clock) = toolbox();
    let source = BigQuery::start(clock).await;
    let draft = draft("BigQuery", &source.stand.url, &source.key(), "dataset=rivers,location=EU");
    source.slow(3);
    let page =
        subject(&draft, toolbox.clone(), Vec::new()).ask("river", Sort::Date, MANY).await.expect("rows");
    assert_eq!((page.items.len(), source.cancelled()), (MANY as usize, 0));
    source.slow(usize::MAX);
    let started = Instant::now();
    let error = ask_within(&draft, &toolbox, Duration::from_millis(900)).await.expect_err("it never ends");
    assert_eq!(error.kind, ConnectorErrorKind::Timeout);
    assert!(started.elapsed() < Duration::from_secs(10), "within its time");
    assert_eq!(source.cancelled(), 1, "ended at the source");
}

/// A key or a login never leaves for a host that only looks like the right one.
#[tokio::test(flavor = "multi_thread")]
async fn look_alikes_are_refused_when_a_provider_is_saved() {
    let (_, clock) = toolbox();
    let source = BigQuery::start(clock).await;
    for token_uri in [
        "https://oauth2.googleapis.com.evil.example/token",
        "https://evilgoogleapis.com/token",
        "https://oauth2.googleapis.com@evil.example/token",
    ] {
        let key = source.key_of(keys::PRIVATE_PEM, token_uri);
        assert_eq!(errors(&draft("BigQuery", "", &key, "dataset=rivers")), ["credentials"], "{token_uri}");
    }
    for url in ["evil.example/", "evil.example#.x", "me@evil.example"] {
        assert_eq!(errors(&draft("Snowflake", url, "bearer=abc", "database=D")), ["url"], "{url}");
    }
    let google = source.key_of(keys::PRIVATE_PEM, "https://oauth2.googleapis.com/token");
    let elsewhere =
        draft("BigQuery", "https://bigquery.googleapis.com.evil.example", &google, "dataset=rivers");
    assert_eq!(errors(&elsewhere), ["credentials"], "a token of the vendor goes to the vendor");
    let file = "key_pair=/etc/keys/reader.p8,user=reader";
    let elsewhere = draft("Snowflake", "https://snowflakecomputing.com.evil.example", file, "database=D");
    assert_eq!(errors(&elsewhere), ["credentials"], "a key file signs for the vendor");
    let password = draft("Snowflake", "org-account", "reader:password:rivers:small", "database=D");
    assert_eq!(errors(&password), ["credentials"]);
    assert_eq!(errors(&draft("Oracle", "db.example:1521:rivers", "a:b", "x=y")), ["url"]);
    assert_eq!(errors(&draft("BigQuery", "", "bearer=abc", "max_bytes=much")), ["query_mappings"]);
}
