//! MongoDB connector against a fake server: the connector suite, searches, TLS, and unreachable servers.

use domain::ports::{Capability, Connector, ConnectorErrorKind, ConnectorKind, ProviderQuery};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use fakes::mongo::{
    COLLECTION, DATABASE, MongoServer, PASSWORD, PLAIN_COLLECTION, SLOW_COLLECTION, Search, USER,
};
use mongodb::bson::oid::ObjectId;
use mongodb::bson::{Bson, DateTime, Document, doc};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use syntax::query_string::terms;
use testkit::hostile;
use testkit::suites::connector::{Literal, MANY, Mistake, Subject};

const CERTIFICATE: &[u8] = include_bytes!("../../../outbound/tests/guarded_client/certificates/loopback.pem");
const KEY: &[u8] = include_bytes!("../../../outbound/tests/guarded_client/certificates/loopback.key");
const AUTHORITIES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../outbound/tests/guarded_client/certificates");
const DAY_MS: i64 = 86_400_000;

fn documents() -> Vec<Document> {
    let document = |title: String, day: i64| {
        doc! {
            "_id": ObjectId::from_bytes([7; 12]),
            "title": title,
            "published": DateTime::from_millis(1_700_000_000_000 + day * DAY_MS),
            "price": Bson::Decimal128("12.50".parse().expect("a number")),
        }
    };
    let rivers = (0..MANY + 5).map(|number| document(format!("river {number}"), i64::from(number % 28)));
    let hostile = hostile::QUERIES.iter().map(|text| document((*text).to_owned(), -30));
    rivers.chain(hostile).collect()
}

fn template(value: Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

fn text_search() -> Map<String, Value> {
    template(json!({"$text": {"$search": "{query_string}"}}))
}

fn spec(server: &MongoServer, options: &str) -> ProviderSpec {
    ProviderSpec {
        name: "Documents".into(),
        connector: "MongoDB".into(),
        url: format!("mongodb://{}/{DATABASE}:{COLLECTION}{options}", server.address),
        credentials: format!("{USER}:{PASSWORD}"),
        query_template_json: text_search(),
        query_mappings: "sort_by_date=published,NOT_CHAR=-,MATCH_ALL".into(),
        ..ProviderSpec::default()
    }
}

/// The connection string of the server.
fn address(server: &MongoServer, password: &str) -> String {
    format!("mongodb://{USER}:{password}@{}/?authSource=admin", server.address)
}

fn kind() -> &'static ConnectorKind {
    connectors::CATALOGUE.iter().find(|kind| kind.name == "MongoDB").expect("the kind")
}

fn title(item: &Value) -> String {
    item["title"].as_str().expect("a title").to_owned()
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
        literal: Literal::Found(title),
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
        with("a wrong user", ConnectorErrorKind::Denied, &|spec| {
            spec.credentials = format!("nobody:{PASSWORD}");
        }),
        with("no credentials", ConnectorErrorKind::Denied, &|spec| spec.credentials = String::new()),
        with("an unknown collection", ConnectorErrorKind::PlaceUnknown, &|spec| {
            spec.url = spec.url.replace(COLLECTION, "no_such");
        }),
        with("an unknown database", ConnectorErrorKind::PlaceUnknown, &|spec| {
            spec.url = spec.url.replace(DATABASE, "no_such");
        }),
        with("no text index", ConnectorErrorKind::ConfigInvalid, &|spec| {
            spec.url = spec.url.replace(COLLECTION, PLAIN_COLLECTION);
            spec.query_template_json = text_search();
        }),
        with("a filter that the source does not know", ConnectorErrorKind::ConfigInvalid, &|spec| {
            spec.query_template_json = template(json!({"title": {"$near": "{query_string}"}}));
        }),
        with("no TLS", ConnectorErrorKind::Untrusted, &|spec| spec.url += "?tls=true"),
        with("a refused connection", ConnectorErrorKind::Unavailable, &|spec| {
            spec.url = format!("mongodb://127.0.0.1:1/{DATABASE}:{COLLECTION}");
        }),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn mongodb_keeps_the_contract() {
    let server = MongoServer::start(documents()).await;
    let spec = ProviderSpec {
        query_template_json: template(json!({"title": {"$regex": "{query_string}"}})),
        ..spec(&server, "")
    };
    let mistakes = mistakes(&spec);
    let subject = subject(spec, mistakes);
    subject.check().await;
    let page = subject.ask("river", Sort::Date, 3).await.expect("documents");
    assert_eq!(page.found, Some(u64::from(MANY) + 5), "counted, since there are more");
    assert!(
        server.finds().iter().all(|find| find.contains_key("maxTimeMS")),
        "the server ends it in time too"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_search_keeps_the_contract() {
    let server = MongoServer::start(documents()).await;
    let subject = subject(spec(&server, ""), Vec::new());
    subject.gives_more_than_ten().await;
    subject.sorts_by_date().await;
    subject.stops_at_what_is_wanted().await;
    subject.ends_in_time().await;
    let page = subject.ask("river 3", Sort::Relevancy, 1).await.expect("documents");
    let item = &page.items[0];
    assert_eq!(item["title"], "river 3");
    assert_eq!(item["_id"], "070707070707070707070707");
    assert_eq!(item["price"], 12.5);
    assert_eq!(item["published"], "2023-11-17T22:13:20Z");
    assert!(item["textScore"].is_number());
}

/// The server parses the words as required phrases, and none as an operator.
#[tokio::test(flavor = "multi_thread")]
async fn a_text_search_sees_words_alone() {
    let server = MongoServer::start(documents()).await;
    let subject = subject(spec(&server, ""), Vec::new());
    for query in hostile::QUERIES {
        let page = subject.ask(query, Sort::Relevancy, 50).await;
        let page = page.unwrap_or_else(|error| panic!("{query}: {error}"));
        assert!(page.items.iter().any(|item| title(item) == *query), "{query}");
        let find = server.finds().pop().expect("a question");
        let text =
            find.get_document("filter").and_then(|filter| filter.get_document("$text")).expect("a search");
        let terms = terms(query).into_iter().map(|term| term.text.trim().to_lowercase());
        let terms = terms.filter(|term| term.contains(char::is_alphanumeric));
        // With alternatives, any of the words may match.
        let want = if query.contains(" OR ") {
            let text = terms.collect::<Vec<String>>().join(" ");
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            Search { words: words.map(str::to_owned).collect(), ..Search::default() }
        } else {
            Search { phrases: terms.collect(), ..Search::default() }
        };
        assert_eq!(Search::read(text.get_str("$search").expect("a text")), want, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unwanted_words_and_any_word() {
    let server = MongoServer::start(documents()).await;
    let all = subject(spec(&server, ""), Vec::new());
    let found = |page: domain::ports::NormalizedPage| page.items.iter().map(title).collect::<Vec<_>>();
    let page = all.ask("river 29 -2", Sort::Relevancy, 10).await.expect("documents");
    assert!(page.items.is_empty(), "29 holds a 2: {:?}", found(page));
    assert_eq!(found(all.ask("29 -dam", Sort::Relevancy, 10).await.expect("documents")), ["river 29"]);
    let error = all.ask("-dam", Sort::Relevancy, 10).await.expect_err("nothing is wanted");
    assert_eq!(error.kind, ConnectorErrorKind::QueryInvalid);
    let any = ProviderSpec { query_mappings: "MATCH_ANY".into(), ..spec(&server, "") };
    let any = Subject { date: None, ..subject(any, Vec::new()) };
    let mut titles = found(any.ask("28 29 lake", Sort::Relevancy, 10).await.expect("documents"));
    titles.sort();
    assert_eq!(titles, ["river 28", "river 29"]);
}

#[tokio::test]
async fn capability_is_as_configured() {
    let server = MongoServer::start(Vec::new()).await;
    let plain = template(json!({"title": "{query_string}"}));
    let table = [
        (text_search(), "sort_by_date=d,NOT_CHAR=-", true, true),
        (text_search(), "", false, false),
        (plain, "sort_by_date=d,NOT_CHAR=-", true, false),
    ];
    for (query_template_json, mappings, date_sort, not) in table {
        let spec = ProviderSpec { query_template_json, query_mappings: mappings.into(), ..spec(&server, "") };
        let connector = crate::fixture::connector(spec, &crate::fixture::guarded_context());
        assert_eq!(connector.capability(), Capability { page: false, date_sort, not }, "{mappings}");
    }
}

#[test]
fn mistakes_are_told_when_they_are_saved() {
    let right = ProviderSpec {
        connector: "MongoDB".into(),
        url: "films:movies".into(),
        credentials: "mongodb://reader:hush-hush@db.example.org/".into(),
        query_template_json: text_search(),
        ..ProviderSpec::default()
    };
    let code = template(json!({"$where": "{query_string}"}));
    let table = [
        (right.clone(), None),
        (ProviderSpec { url: "films".into(), ..right.clone() }, Some("url")),
        (ProviderSpec { credentials: "reader:hush-hush".into(), ..right.clone() }, Some("credentials")),
        (ProviderSpec { query_template_json: code, ..right.clone() }, Some("query_template_json")),
        (ProviderSpec { query_mappings: "sort_by_date=$d".into(), ..right }, Some("query_mappings")),
    ];
    for (spec, field) in table {
        let errors = (kind().check)(&crate::fixture::provider(spec));
        let told = errors.to_string();
        assert_eq!(errors.is_empty(), field.is_none(), "{told}");
        assert!(field.is_none_or(|field| told.contains(field)) && !told.contains("hush-hush"), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_address_may_stand_in_the_credentials() {
    let server = MongoServer::start(documents()).await;
    let with = |credentials: String| ProviderSpec {
        url: format!("{DATABASE}:{COLLECTION}"),
        credentials,
        ..spec(&server, "")
    };
    let right = subject(with(address(&server, "pass%3Aword%40%7B1%7D")), Vec::new());
    assert_eq!(right.ask("river", Sort::Date, 25).await.expect("documents").items.len(), 25);
    let wrong = subject(with(address(&server, "another-password")), Vec::new());
    let error = wrong.ask("river", Sort::Date, 25).await.expect_err("a wrong password");
    assert_eq!(error.kind, ConnectorErrorKind::Denied, "{error}");
    assert!(!error.message.contains("password-") && !error.message.contains("127.0.0.1"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_server_answers_when_one_is_gone() {
    let server = MongoServer::start(documents()).await;
    let spec = ProviderSpec {
        url: format!("mongodb://127.0.0.1:1,{}/{DATABASE}:{COLLECTION}", server.address),
        ..spec(&server, "")
    };
    let page = subject(spec, Vec::new()).ask("river", Sort::Date, 25).await.expect("documents");
    assert_eq!(page.items.len(), 25);
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_is_as_the_address_says() {
    let server = MongoServer::start_with_tls(documents(), CERTIFICATE, KEY).await;
    for options in [
        "?tls=true&tlsAllowInvalidCertificates=true".to_owned(),
        format!("?tls=true&tlsCAFile={AUTHORITIES}/authority.pem"),
    ] {
        let page = subject(spec(&server, &options), Vec::new()).ask("river", Sort::Date, 25).await;
        assert_eq!(page.unwrap_or_else(|error| panic!("{options}: {error}")).items.len(), 25, "{options}");
    }
    for options in
        ["?tls=true".to_owned(), format!("?tls=true&tlsCAFile={AUTHORITIES}/another_authority.pem")]
    {
        let error = subject(spec(&server, &options), Vec::new()).ask("river", Sort::Date, 1).await;
        let error = error.expect_err("nobody vouches for it");
        assert_eq!(error.kind, ConnectorErrorKind::Untrusted, "{options}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_source_ends_in_time() {
    let server = MongoServer::start(documents()).await;
    let mut spec = spec(&server, "");
    spec.url = spec.url.replace(COLLECTION, SLOW_COLLECTION);
    let connector: Box<dyn Connector> = crate::fixture::connector(spec, &crate::fixture::guarded_context());
    let query = ProviderQuery { time_max: Duration::from_millis(500), ..crate::fixture::query("river") };
    let built = connector.prepare(&query).expect("a question");
    let error = built.execute().await.expect_err("it takes for ever");
    assert_eq!(error.kind, ConnectorErrorKind::Timeout, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_without_a_license() {
    let server = MongoServer::start(documents()).await;
    let mut subject = subject(spec(&server, ""), Vec::new());
    subject.context.resolver = Arc::new(crate::fixture::Closed);
    let error = subject.ask("river", Sort::Date, 1).await.expect_err("the client refuses");
    assert_eq!(error.kind, ConnectorErrorKind::AddressRefused, "{error}");
    assert!(server.finds().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_has_its_limits() {
    let long = "x".repeat(1024 * 1024);
    let many = (0..10_020).map(|number| doc! { "title": format!("brook {number}") });
    let large = (0..20).map(|_| doc! { "title": format!("river {long}") });
    let server = MongoServer::start(many.chain(large).collect()).await;
    let spec = ProviderSpec { query_mappings: "".into(), ..spec(&server, "") };
    let subject = Subject { date: None, ..subject(spec, Vec::new()) };
    assert_eq!(subject.ask("river", Sort::Relevancy, 12).await.expect("documents").items.len(), 12);
    let error = subject.ask("river", Sort::Relevancy, 20).await.expect_err("too large");
    assert_eq!(error.kind, ConnectorErrorKind::Unreadable, "{error}");
    let page = subject.ask("brook", Sort::Relevancy, 10).await.expect("documents");
    assert_eq!(page.found, Some(10_000), "counted so far");
}

#[tokio::test(flavor = "multi_thread")]
async fn so_many_servers_are_tried() {
    let server = MongoServer::start(documents()).await;
    let with = |gone: u16| {
        let gone: Vec<String> = (1..=gone).map(|port| format!("127.0.0.1:{port}")).collect();
        let url = format!("mongodb://{},{}/{DATABASE}:{COLLECTION}", gone.join(","), server.address);
        subject(ProviderSpec { url, ..spec(&server, "") }, Vec::new())
    };
    assert_eq!(with(7).ask("river", Sort::Date, 12).await.expect("documents").items.len(), 12);
    let error = with(8).ask("river", Sort::Date, 12).await.expect_err("the ninth is not asked");
    assert_eq!(error.kind, ConnectorErrorKind::Unavailable, "{error}");
}
