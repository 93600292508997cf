//! MSSQL connector against a fake SQL Server: the connector suite, values, TLS, and timeouts.

use chrono::NaiveDate;
use domain::ports::{Connector, ConnectorErrorKind, ConnectorKind, ProviderQuery};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use fakes::mssql::{DATABASE, Document, MsSqlServer, PASSWORD, SLOW_TABLE, TABLE, USER};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use testkit::hostile;
use testkit::suites::connector::{Literal, MANY, Mistake, Subject};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

const CERTIFICATE: &[u8] = include_bytes!("../../../outbound/tests/guarded_client/certificates/loopback.pem");
const KEY: &[u8] = include_bytes!("../../../outbound/tests/guarded_client/certificates/loopback.key");
const AUTHORITIES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../outbound/tests/guarded_client/certificates");

fn documents() -> Vec<Document> {
    let date = |year, day| NaiveDate::from_ymd_opt(year, 1, day).expect("a date");
    let rivers = (0..MANY + 5)
        .map(|number| Document { title: format!("river {number}"), published: date(2024, number % 28 + 1) });
    let hostile =
        hostile::QUERIES.iter().map(|text| Document { title: (*text).to_owned(), published: date(2023, 1) });
    rivers.chain(hostile).collect()
}

fn kind() -> &'static ConnectorKind {
    connectors::CATALOGUE.iter().find(|kind| kind.name == "MSSQL").expect("the kind")
}

fn spec(server: &MsSqlServer, options: &str) -> ProviderSpec {
    ProviderSpec {
        name: "Documents".into(),
        connector: "MSSQL".into(),
        url: format!("mssql://{}/{DATABASE}{options}", server.address),
        credentials: format!("{USER}:{PASSWORD}"),
        query_template: "select {fields} from {table} where {a} like '%{query_string}%'".into(),
        query_mappings: format!("fields=*,table={TABLE},a=title,sort_by_date=published").into(),
        ..ProviderSpec::default()
    }
}

fn mistakes(right: &ProviderSpec) -> Vec<Mistake> {
    let with = |what, kind, change: &dyn Fn(&mut ProviderSpec)| {
        let mut spec = right.clone();
        change(&mut spec);
        Mistake { what, spec, user_token: None, kind }
    };
    vec![
        with("a wrong password", ConnectorErrorKind::Denied, &|spec| {
            spec.credentials = format!("{USER}:wrong-password");
        }),
        with("an unknown database", ConnectorErrorKind::PlaceUnknown, &|spec| {
            spec.url = spec.url.replace(DATABASE, "no_such");
        }),
        with("an unknown table", ConnectorErrorKind::PlaceUnknown, &|spec| {
            spec.query_mappings = spec.query_mappings.replace(TABLE, "no_such_table").into();
        }),
        with("an unknown column", ConnectorErrorKind::ConfigInvalid, &|spec| {
            spec.query_mappings = spec.query_mappings.replace("a=title", "a=no_such").into();
        }),
        with("no TLS", ConnectorErrorKind::Untrusted, &|spec| spec.url += "?tls=required"),
        with("a refused connection", ConnectorErrorKind::Unavailable, &|spec| {
            spec.url = format!("127.0.0.1:1:{DATABASE}");
        }),
    ]
}

fn subject(spec: ProviderSpec, mistakes: Vec<Mistake>) -> Subject {
    Subject {
        kind: kind(),
        context: crate::fixture::guarded_context(),
        spec,
        user_token: None,
        reader: None,
        many: "river",
        date: Some(|item: &Value| item["published"].as_str().expect("a date").to_owned()),
        mistakes,
        literal: Literal::Found(|item: &Value| item["title"].as_str().expect("a title").to_owned()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mssql_keeps_the_contract() {
    let server = MsSqlServer::start(documents()).await;
    let spec = spec(&server, "");
    let mistakes = mistakes(&spec);
    let subject = subject(spec, mistakes);
    subject.check().await;
    let page = subject.ask("river", Sort::Date, 3).await.expect("rows");
    assert_eq!(page.found, Some(u64::from(MANY) + 5), "counted, since there are more");
    assert!(server.patterns().contains(&"%x') union select password from users --%".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn values_keep_their_types() {
    let server = MsSqlServer::start(documents()).await;
    let page =
        subject(spec(&server, "?tls=off"), Vec::new()).ask("river 3", Sort::Date, 1).await.expect("rows");
    let want = json!({
        "title": "river 3",
        "published": "2024-01-04",
        "weight": 1.5,
        "number": 9_007_199_254_740_993_i64,
        "is_open": true,
        "share": 0.1,
        "price": 12.5,
        "changed": "2024-01-04 10:30:00",
        "made": "2024-01-04 00:01:00",
        "code": "00112233-4455-6677-8899-aabbccddeeff",
        "image": null,
        "absent": null,
    });
    assert_eq!(page.items[0], want);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_with_a_limit_of_its_own_is_cut_off() {
    let server = MsSqlServer::start(documents()).await;
    let spec = ProviderSpec {
        query_template: "select top 28 {fields} from {table} where {a} like '%{query_string}%'".into(),
        ..spec(&server, "")
    };
    let subject = Subject { date: None, ..subject(spec, Vec::new()) };
    for _ in 0..2 {
        let page = subject.ask("river", Sort::Relevancy, 12).await.expect("rows");
        assert_eq!(page.items.len(), 12);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_kept() {
    let server = MsSqlServer::start(documents()).await;
    let subject = subject(spec(&server, ""), Vec::new());
    for _ in 0..5 {
        subject.ask("river", Sort::Relevancy, 5).await.expect("rows");
    }
    assert_eq!(server.logins(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_is_as_the_address_says() {
    let server = MsSqlServer::start_with_tls(documents(), CERTIFICATE, KEY).await;
    for options in [
        String::new(),
        "?tls=required&verify_certs=false".to_owned(),
        format!("?tls=required&ca_certs={AUTHORITIES}/authority.pem"),
    ] {
        let subject = subject(spec(&server, &options), Vec::new());
        let page = subject.ask("river", Sort::Date, 25).await;
        let page = page.unwrap_or_else(|error| panic!("{options}: {error}"));
        assert_eq!(page.items.len(), 25, "{options}");
    }
    for options in [
        "?tls=off".to_owned(),
        "?tls=required".to_owned(),
        format!("?tls=required&ca_certs={AUTHORITIES}/another_authority.pem"),
        format!("?tls=required&ca_certs={AUTHORITIES}/no_such.pem"),
    ] {
        let error = subject(spec(&server, &options), Vec::new()).ask("river", Sort::Date, 1).await;
        let error = error.expect_err("nobody vouches for it");
        assert_eq!(error.kind, ConnectorErrorKind::Untrusted, "{options}: {error}");
        assert!(!error.message.contains('\n'), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_statement_ends_with_its_connection() {
    let server = MsSqlServer::start(documents()).await;
    let mappings = format!("fields=*,table={SLOW_TABLE},a=title");
    let spec = ProviderSpec { query_mappings: mappings.into(), ..spec(&server, "") };
    let connector: Box<dyn Connector> = crate::fixture::connector(spec, &crate::fixture::guarded_context());
    let query = ProviderQuery { time_max: Duration::from_millis(300), ..crate::fixture::query("river") };
    let built = connector.prepare(&query).expect("a statement");
    let error = built.execute().await.expect_err("it takes for ever");
    assert_eq!(error.kind, ConnectorErrorKind::Timeout, "{error}");
    let ended = tokio::time::timeout(Duration::from_secs(5), async {
        while server.given_up() == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    assert!(ended.await.is_ok(), "the connection was closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_without_a_license() {
    let server = MsSqlServer::start(documents()).await;
    let mut subject = subject(spec(&server, ""), Vec::new());
    subject.context.resolver = Arc::new(crate::fixture::Closed);
    let error = subject.ask("river", Sort::Date, 1).await.expect_err("the client refuses");
    assert_eq!(error.kind, ConnectorErrorKind::AddressRefused, "{error}");
    assert_eq!(server.logins(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_sends_readers_where_the_client_lets_them() {
    let (first, second) = (MsSqlServer::start(documents()).await, MsSqlServer::start(documents()).await);
    first.send_on(second.address);
    let mut subject = subject(spec(&first, ""), Vec::new());
    let error = subject.ask("river", Sort::Date, 1).await.expect_err("nobody vouched for the second");
    assert_eq!(error.kind, ConnectorErrorKind::AddressRefused, "{error}");
    assert_eq!(second.logins(), 0);
    subject.context.resolver = Arc::new(crate::fixture::Open);
    assert_eq!(subject.ask("river", Sort::Date, 12).await.expect("rows").items.len(), 12);
    assert_eq!(second.logins(), 1);
    let circle = MsSqlServer::start(documents()).await;
    circle.send_on(circle.address);
    subject.spec = spec(&circle, "");
    let error = subject.ask("river", Sort::Date, 1).await.expect_err("it leads nowhere");
    assert_eq!(error.kind, ConnectorErrorKind::Unavailable, "{error}");
    assert_eq!(circle.logins(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_kind_of_server_is_told() {
    for answer in [
        &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
        &[4, 1, 255, 255, 0, 0, 0, 0],
        &[4, 1, 0, 9, 0, 0, 0, 0, 255],
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a client");
            stream.write_all(answer).await.expect("an answer");
            std::future::pending::<()>().await;
        });
        let server = MsSqlServer::start(Vec::new()).await;
        let spec = ProviderSpec { url: format!("{address}:{DATABASE}"), ..spec(&server, "") };
        let error = subject(spec, Vec::new()).ask("river", Sort::Date, 1).await.expect_err("no SQL Server");
        assert_eq!(error.kind, ConnectorErrorKind::Unreadable, "{error}");
    }
}
