//! Vector store connectors against strict fakes, and Chroma against the real server: the connector suite, and errors.

use crate::fixture::{Script, answer, connector, context, guarded_context, kind, provider};
use domain::ports::{ConnectorError, ConnectorErrorKind, NormalizedPage};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use fakes::fake_server::RETRY_AFTER_S;
use fakes::vector_documents::{self, DIMENSIONS};
use fakes::{chroma, milvus, pinecone, qdrant, weaviate};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::suites::connector::{Literal, Mistake, Subject};

/// Pages of ten, so that more results need several requests.
const BY_TEN: &str = "limit_max=10,sort_by_date=published";

fn spec(connector: &str, url: String, credentials: &str, mappings: &str) -> ProviderSpec {
    ProviderSpec {
        name: "Rivers".into(),
        connector: connector.into(),
        url,
        credentials: credentials.into(),
        query_mappings: mappings.into(),
        tags: vec!["model:toy".into()],
        ..ProviderSpec::default()
    }
}

type Change = (&'static str, ConnectorErrorKind, fn(&mut ProviderSpec));

fn subject(spec: ProviderSpec, changes: &[Change]) -> Subject {
    let mistakes = changes.iter().map(|(what, kind, change)| {
        let mut spec = spec.clone();
        change(&mut spec);
        Mistake { what, spec, user_token: None, kind: *kind }
    });
    Subject {
        kind: kind(&spec.connector),
        context: guarded_context(),
        mistakes: mistakes.collect(),
        spec,
        user_token: None,
        reader: Some(vector_documents::embed),
        many: "river 1",
        date: Some(|item| item["published"].as_str().expect("a date").to_owned()),
        literal: Literal::Nearest(|item| item["title"].as_str().expect("a title").to_owned()),
    }
}

fn remap(spec: &mut ProviderSpec, from: &str, to: &str) {
    assert!(spec.query_mappings.contains(from), "{from}");
    spec.query_mappings = spec.query_mappings.replace(from, to).into();
}

fn add_mapping(spec: &mut ProviderSpec, mapping: &str) {
    spec.query_mappings = format!("{},{mapping}", spec.query_mappings).into();
}

fn refuse_connections(spec: &mut ProviderSpec) {
    spec.url = "http://127.0.0.1:1".into();
}

const WRONG_KEY: Change =
    ("a wrong key", ConnectorErrorKind::Denied, |spec| spec.credentials = "wrong-key-12345".into());
const NO_KEY: Change = ("no key", ConnectorErrorKind::Denied, |spec| spec.credentials = String::new());
const REFUSED: Change = ("a refused connection", ConnectorErrorKind::Unavailable, refuse_connections);

/// The first item has the document's fields and its similarity; the error about dimensions names both.
async fn check_details(full: &Subject, small: ProviderSpec) {
    let page = full.ask("river 3", Sort::Relevancy, 1).await.expect("an answer");
    let first = &page.items[0];
    assert_eq!(first["number"], 3, "{first}");
    assert!(first["similarity"].as_f64().is_some_and(|score| (score - 1.0).abs() < 1e-3), "{first}");
    assert!(!first["id"].is_null() && first.get("vector").is_none(), "{first}");
    let asked = subject(small, &[]).ask("river", Sort::Relevancy, 5).await;
    let error = asked.expect_err("another dimension");
    assert_eq!(error.kind, ConnectorErrorKind::ConfigInvalid, "{error}");
    let sentence = error.message;
    assert!(sentence.contains(&format!("has {DIMENSIONS} dimensions")), "{sentence}");
    assert!(sentence.contains("have 3;") && sentence.contains("model:<name>"), "{sentence}");
}

async fn check_rest(subject: &Subject) {
    let error = subject.ask("x", Sort::Relevancy, 5).await.expect_err("429");
    let wait = Some(Duration::from_secs(RETRY_AFTER_S));
    assert_eq!((error.kind, error.retry_after), (ConnectorErrorKind::RateLimited, wait));
}

#[tokio::test]
async fn qdrant_keeps_the_contract() {
    let store = qdrant::start().await;
    let spec = spec("QdrantDB", format!("{}-rivers", store.listener.url), qdrant::KEY, BY_TEN);
    let subject = subject(
        spec.clone(),
        &[
            WRONG_KEY,
            NO_KEY,
            ("an unknown collection", ConnectorErrorKind::PlaceUnknown, |spec| {
                spec.url = spec.url.replace("-rivers", "-lakes");
            }),
            ("a filter that is wrong", ConnectorErrorKind::ConfigInvalid, |spec| {
                spec.query_template_json =
                    serde_json::from_str(r#"{"filter": {"musst": []}}"#).expect("JSON");
            }),
            ("an unknown vector", ConnectorErrorKind::ConfigInvalid, |spec| {
                add_mapping(spec, "vector=title");
            }),
            ("a refused connection", ConnectorErrorKind::Unavailable, |spec| {
                spec.url = "http://127.0.0.1:1-rivers".into();
            }),
        ],
    );
    subject.check().await;
    let small = ProviderSpec { url: format!("{}-small", store.listener.url), ..spec.clone() };
    check_details(&subject, small).await;
    store.throttle();
    check_rest(&subject).await;
    let before = store.requests();
    subject.ask("river 1", Sort::Relevancy, 25).await.expect("an answer");
    assert_eq!(store.requests() - before, 3, "page after page");
}

/// A collection with a hyphen is named in the mappings; a filter excludes documents.
#[tokio::test]
async fn qdrant_takes_a_collection_by_name_and_a_filter() {
    let store = qdrant::start().await;
    let mut spec = spec(
        "QdrantDB",
        store.listener.url.clone(),
        &format!("bearer={}", qdrant::KEY),
        "collection=my-rivers",
    );
    spec.query_template_json =
        serde_json::from_str(r#"{"filter": {"must": [{"key": "number", "range": {"gte": 20, "lt": 30}}]}}"#)
            .expect("JSON");
    let subject = Subject { date: None, ..subject(spec, &[]) };
    let page = subject.ask("river 1", Sort::Relevancy, 100).await.expect("an answer");
    let mut numbers: Vec<u64> = page.items.iter().filter_map(|item| item["number"].as_u64()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (20..30).collect::<Vec<u64>>());
    subject.sorts_by_date().await;
}

#[tokio::test]
async fn pinecone_keeps_the_contract() {
    let store = pinecone::start().await;
    let mappings = format!("api={},sort_by_date=published", store.api.listener.url);
    let by_name = spec("PineconeDB", "rivers".into(), pinecone::KEY, &mappings);
    let changes: [Change; 5] = [
        WRONG_KEY,
        NO_KEY,
        ("an unknown index", ConnectorErrorKind::PlaceUnknown, |spec| spec.url = "lakes".into()),
        ("a look-alike host", ConnectorErrorKind::AddressRefused, |spec| spec.url = "lured".into()),
        ("a host that ends elsewhere", ConnectorErrorKind::AddressRefused, |spec| {
            spec.url = "lured-2".into();
        }),
    ];
    let subject_by_name = subject(by_name.clone(), &changes);
    subject_by_name.check().await;
    let small = ProviderSpec { url: "small".into(), ..by_name };
    check_details(&subject_by_name, small).await;
    store.rivers.throttle();
    check_rest(&subject_by_name).await;
    let before = store.api.requests();
    subject_by_name.ask("river 1", Sort::Relevancy, 25).await.expect("an answer");
    assert_eq!(store.api.requests(), before, "the host of an index is kept");

    let mut by_host =
        spec("PineconeDB", store.rivers.listener.url.clone(), pinecone::KEY, "sort_by_date=published");
    subject(by_host.clone(), &[WRONG_KEY, NO_KEY, REFUSED]).check().await;
    by_host.query_template_json =
        serde_json::from_str(r#"{"filter": {"number": {"$gte": 50}}}"#).expect("JSON");
    let page = subject(by_host.clone(), &[]).ask("river", Sort::Relevancy, 100).await.expect("an answer");
    assert!(!page.items.is_empty() && page.items.iter().all(|item| item["number"].as_u64() >= Some(50)));
    by_host.query_mappings = "namespace=elsewhere".into();
    let page = subject(by_host, &[]).ask("river", Sort::Relevancy, 100).await.expect("an answer");
    assert!(page.items.is_empty(), "another namespace");
}

/// The key is never sent to a host outside of the service's own domain, whoever names it.
#[tokio::test]
async fn no_key_goes_to_a_look_alike() {
    for host in
        ["x.evilpinecone.io", "pinecone.io.evil.test", "evil.test/.pinecone.io", "pinecone.io@evil.test"]
    {
        let script = Script::of([answer("application/json", json!({"host": host}).to_string())]);
        let spec = spec("PineconeDB", "look-alikes".into(), pinecone::KEY, "");
        let asked = subject(spec, &[]);
        let asked = Subject { context: script.context(), ..asked };
        let error = asked.ask("x", Sort::Relevancy, 5).await.expect_err(host);
        assert!(
            matches!(error.kind, ConnectorErrorKind::AddressRefused | ConnectorErrorKind::Unreadable),
            "{host}: {error}"
        );
        let requests = script.asked.lock().expect("a list");
        let hosts: Vec<Option<&str>> = requests.iter().map(|request| request.url.host_str()).collect();
        assert_eq!(hosts, [Some("api.pinecone.io")], "{host}");
    }
    let named = json!({"host": "rivers-x1.svc.aped.pinecone.io"}).to_string();
    let script =
        Script::of([answer("application/json", named), answer("application/json", r#"{"matches": []}"#)]);
    let spec = spec("PineconeDB", "rivers".into(), pinecone::KEY, "");
    let asked = Subject { context: script.context(), ..subject(spec, &[]) };
    asked.ask("x", Sort::Relevancy, 5).await.expect("an answer");
    let requests = script.asked.lock().expect("a list");
    let query = &requests[1];
    assert_eq!(query.url.as_str(), "https://rivers-x1.svc.aped.pinecone.io/query");
    // A host named by the service does not make a private address trusted.
    assert!(query.origin.is_of(&query.url) && !query.origin.is_trusted);
    assert!(
        query.secret_headers.iter().any(|(name, key)| name == "Api-Key" && key.expose() == pinecone::KEY)
    );
}

#[tokio::test]
async fn milvus_keeps_the_contract() {
    let store = milvus::start().await;
    let mappings = format!("collection=rivers,{BY_TEN}");
    let spec = spec("Milvus", store.listener.url.clone(), milvus::TOKEN, &mappings);
    let subject_of_all = subject(
        spec.clone(),
        &[
            ("a wrong password", ConnectorErrorKind::Denied, |spec| {
                spec.credentials = "root:wrong-password".into();
            }),
            NO_KEY,
            ("an unknown collection", ConnectorErrorKind::PlaceUnknown, |spec| {
                remap(spec, "collection=rivers", "collection=lakes");
            }),
            ("an unknown database", ConnectorErrorKind::PlaceUnknown, |spec| {
                add_mapping(spec, "database=nowhere");
            }),
            ("an unknown field", ConnectorErrorKind::ConfigInvalid, |spec| {
                add_mapping(spec, "fields=title nosuch");
            }),
            ("an unknown vector", ConnectorErrorKind::ConfigInvalid, |spec| {
                add_mapping(spec, "vector=nosuch");
            }),
            ("a filter that is wrong", ConnectorErrorKind::ConfigInvalid, |spec| {
                spec.query_template_json.insert("filter".into(), json!("number >>> 3"));
            }),
            REFUSED,
        ],
    );
    subject_of_all.check().await;
    let mut small = spec.clone();
    remap(&mut small, "collection=rivers", "collection=small");
    check_details(&subject_of_all, small).await;
    store.throttle();
    check_rest(&subject_of_all).await;
    let mut filtered = spec;
    filtered.query_template_json.insert("filter".into(), json!("number >= 50"));
    add_mapping(&mut filtered, "fields=number");
    let page = subject(filtered, &[]).ask("river", Sort::Relevancy, 5).await.expect("an answer");
    assert!(!page.items.is_empty() && page.items.iter().all(|item| item["number"].as_u64() >= Some(50)));
    assert!(page.items[0].get("title").is_none(), "only the fields that are named: {}", page.items[0]);
}

/// Milvus answers every query with this body.
async fn answered_by_milvus(body: &Value) -> Result<NormalizedPage, ConnectorError> {
    let spec = spec("Milvus", "http://milvus.example".into(), "", "collection=rivers");
    let milvus = connector(spec, &context(answer("application/json", body.to_string())));
    let query = domain::ports::ProviderQuery { vector: Some(&[1.0]), ..crate::fixture::query("x") };
    milvus.prepare(&query)?.execute().await?.normalize()
}

#[tokio::test]
async fn the_codes_of_milvus_have_their_kinds() {
    for (code, kind) in [
        (100, ConnectorErrorKind::PlaceUnknown),
        (800, ConnectorErrorKind::PlaceUnknown),
        (101, ConnectorErrorKind::Unavailable),
        (2, ConnectorErrorKind::Unavailable),
        (8, ConnectorErrorKind::RateLimited),
        (1401, ConnectorErrorKind::Denied),
        (1100, ConnectorErrorKind::ConfigInvalid),
        (65_535, ConnectorErrorKind::ConfigInvalid),
    ] {
        let found = answered_by_milvus(&json!({"code": code, "message": "it\nfailed"})).await;
        let error = found.expect_err("a code");
        assert_eq!(error.kind, kind, "{code}: {error}");
        assert!(!error.message.contains('\n'), "{error}");
    }
    for code in [0, 200] {
        let body = json!({"code": code, "data": [{"id": 7, "distance": 0.5, "vector": [1]}]});
        let found = answered_by_milvus(&body).await.expect("a page");
        assert_eq!(found.items, [json!({"id": 7, "distance": 0.5, "similarity": 0.5})]);
    }
}

#[tokio::test]
async fn weaviate_keeps_the_contract() {
    let store = weaviate::start().await;
    let mappings = format!("class=River,fields=title published number,{BY_TEN}");
    let spec = spec("Weaviate", store.listener.url.clone(), weaviate::KEY, &mappings);
    let subject = subject(
        spec.clone(),
        &[
            WRONG_KEY,
            NO_KEY,
            ("an unknown class", ConnectorErrorKind::PlaceUnknown, |spec| {
                remap(spec, "class=River", "class=Lake");
            }),
            ("an unknown field", ConnectorErrorKind::ConfigInvalid, |spec| {
                remap(spec, "fields=title", "fields=title nosuch");
            }),
            REFUSED,
        ],
    );
    subject.check().await;
    let mut small = spec;
    remap(&mut small, "class=River", "class=Small");
    check_details(&subject, small).await;
    store.throttle();
    check_rest(&subject).await;
}

fn chroma_changes() -> [Change; 4] {
    [
        ("an unknown collection", ConnectorErrorKind::PlaceUnknown, |spec| {
            remap(spec, "collection=rivers", "collection=lakes");
        }),
        ("an unknown database", ConnectorErrorKind::PlaceUnknown, |spec| {
            add_mapping(spec, "database=nowhere");
        }),
        ("a filter that is wrong", ConnectorErrorKind::ConfigInvalid, |spec| {
            spec.query_template_json.insert("where".into(), json!({"number": {"$foo": 1}}));
        }),
        REFUSED,
    ]
}

#[tokio::test]
async fn chroma_keeps_the_contract() {
    let store = chroma::start().await;
    let mappings = "collection=rivers,sort_by_date=published";
    let spec = spec("Chroma", store.listener.url.clone(), chroma::TOKEN, mappings);
    let mut changes = vec![WRONG_KEY, NO_KEY];
    changes.extend(chroma_changes());
    let subject = subject(spec.clone(), &changes);
    subject.check().await;
    let mut small = spec;
    remap(&mut small, "collection=rivers", "collection=small");
    check_details(&subject, small).await;
    store.throttle();
    check_rest(&subject).await;
    let before = store.requests();
    subject.ask("river 1", Sort::Relevancy, 5).await.expect("an answer");
    assert_eq!(store.requests() - before, 1, "the id of a collection is kept");
    store.with(chroma::State::make_anew);
    let page = subject.ask("river 1", Sort::Relevancy, 5).await.expect("an answer");
    assert_eq!((page.items.len(), store.requests() - before), (5, 4), "and asked for when it has gone");
}

/// Posts to the real server, without the connector.
async fn post(url: &str, body: &Value) -> Value {
    use domain::ports::{HttpMethod, HttpRequest, Origin};
    let url: url::Url = url.parse().expect("an address");
    let request = HttpRequest {
        method: HttpMethod::Post,
        origin: Origin::trusted(&url).expect("an origin"),
        url,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        secret_headers: Vec::new(),
        body: Some(body.to_string().into()),
        secrets: Vec::new(),
        time_max: Duration::from_secs(20),
        tls: None,
    };
    let found = guarded_context().fetch.fetch(&request).await.expect("the server");
    assert!((200..300).contains(&found.status), "{}: {:?}", found.status, found.body);
    serde_json::from_slice(&found.body).expect("JSON")
}

#[tokio::test]
async fn chroma_keeps_the_contract_on_a_real_server() {
    let Some(address) = testkit::given("SVC_TEST_CHROMA", "the Chroma connector on a real server") else {
        return;
    };
    let collections =
        format!("{address}/api/v2/tenants/default_tenant/databases/default_database/collections");
    let make = async |name: &str, documents: &[vector_documents::Document]| {
        let space = json!({"hnsw": {"space": "cosine"}});
        let body = json!({"name": name, "get_or_create": true, "configuration": space});
        let made = post(&collections, &body).await;
        let id = made["id"].as_str().expect("an id").to_owned();
        let column = |read: fn(&vector_documents::Document) -> Value| {
            documents.iter().map(read).collect::<Vec<Value>>()
        };
        let added = json!({
            "ids": column(|document| json!(document.number.to_string())),
            "embeddings": column(|document| json!(document.vector)),
            "documents": column(|document| json!(document.title)),
            "metadatas": column(|document| Value::Object(document.fields())),
        });
        post(&format!("{collections}/{id}/upsert"), &added).await;
    };
    make("rivers", &vector_documents::documents()).await;
    let one =
        vector_documents::Document { vector: vec![0.1, 0.2, 0.3], ..vector_documents::documents().remove(0) };
    make("small", &[one]).await;
    let spec = spec("Chroma", address, "", "collection=rivers,sort_by_date=published");
    let subject = subject(spec.clone(), &chroma_changes());
    subject.check().await;
    let mut small = spec;
    remap(&mut small, "collection=rivers", "collection=small");
    check_details(&subject, small).await;
}

#[test]
fn mistakes_are_found_when_it_is_saved() {
    let extra = |name: &str| {
        let mut spec = spec(name, "http://h.example-rivers".into(), "", "collection=rivers");
        spec.query_template_json.insert("limit".into(), json!(1));
        spec
    };
    let https = || "https://h.example".to_owned();
    let table = [
        ("", spec("QdrantDB", "http://my-host:6333-rivers".into(), "", "")),
        ("", spec("QdrantDB", "https://<your-host>:6333-<collection>".into(), "<key>", "")),
        ("url", spec("QdrantDB", "http://my-host:6333".into(), "", "")),
        ("url", spec("QdrantDB", "my-host:6333-rivers".into(), "", "")),
        ("query_mappings", spec("QdrantDB", https(), "", "collection=a/b")),
        ("query_mappings", spec("QdrantDB", https(), "", "collection=a,limit_max=0")),
        ("query_template_json", extra("QdrantDB")),
        ("", spec("PineconeDB", "rivers".into(), "key", "")),
        ("", spec("PineconeDB", "rivers-x1.svc.pinecone.io".into(), "key", "namespace=a")),
        ("url", spec("PineconeDB", String::new(), "key", "")),
        ("url", spec("PineconeDB", "ftp://x.pinecone.io".into(), "key", "")),
        ("query_template_json", extra("PineconeDB")),
        ("", spec("Milvus", https(), "", "collection=rivers")),
        ("query_mappings", spec("Milvus", https(), "", "")),
        ("query_mappings", spec("Milvus", https(), "", "collection=rivers,fields=a-b")),
        ("query_template_json", extra("Milvus")),
        ("query_mappings", spec("Weaviate", https(), "", "class=River")),
        ("url", spec("Weaviate", "h".into(), "", "class=River,fields=title")),
        ("", spec("Chroma", https(), "", "collection=rivers")),
        ("query_mappings", spec("Chroma", https(), "", "")),
        ("query_template_json", extra("Chroma")),
    ];
    for (field, spec) in table {
        let shown = format!("{} {} {}", spec.connector, spec.url, spec.query_mappings);
        let errors = (kind(&spec.connector).check)(&provider(spec));
        let fields: Vec<String> = errors.into_map().into_keys().collect();
        assert_eq!(fields.join(","), field, "{shown}");
    }
}

/// The displayed query contains the length of its vector, not the vector.
#[test]
fn a_question_is_shown_without_its_vector() {
    let spec = spec("QdrantDB", "http://h.example-rivers".into(), "secret-key-1", "");
    let store = connector(spec, &context(answer("", "")));
    assert_eq!(store.reader_model(), Some("toy"));
    let vector = vec![0.25; 384];
    let query = domain::ports::ProviderQuery { vector: Some(&vector), ..crate::fixture::query("x") };
    let shown = store.prepare(&query).expect("a question").shown();
    assert!(shown.contains("384 numbers") && !shown.contains("0.25") && !shown.contains("secret"), "{shown}");
    for vector in [None, Some(&[][..]), Some(&[f32::NAN][..])] {
        let query = domain::ports::ProviderQuery { vector, ..crate::fixture::query("x") };
        let error = store.prepare(&query).expect_err("no vector");
        assert_eq!(error.kind, ConnectorErrorKind::QueryInvalid);
    }
}
