//! Search engine connectors against strict fakes: the connector suite for each, and their peculiarities.

mod elastic;

use crate::fixture::{
    connector, context, guarded_context, kind, provider, provider_spec as spec, query, request,
};
use domain::ports::{ConnectorErrorKind, HttpResponse, ProviderQuery};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use domain::secret::Secret;
use fakes::engine_documents::{EngineState, RIVERS};
use fakes::meilisearch::{self, Meilisearch};
use fakes::solr::{self, Solr};
use fakes::typesense::{self, Typesense};
use fakes::vespa::{self, Vespa};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use testkit::suites::connector::{Literal, Mistake, Subject};

fn title(item: &Value) -> String {
    item["title"].as_str().expect("a title").to_owned()
}

fn published(item: &Value) -> String {
    item["published"].as_str().expect("a date").to_owned()
}

fn object(value: Value) -> serde_json::Map<String, Value> {
    value.as_object().expect("an object").clone()
}

/// A provider of Meilisearch that highlights and sorts by date.
pub fn meilisearch_spec(server: &Meilisearch) -> ProviderSpec {
    let mappings = "index_name=rivers,sort_by_date=published";
    ProviderSpec {
        query_template_json: object(json!({"attributesToHighlight": ["title"]})),
        ..spec("Meilisearch", &server.listener.at("/"), meilisearch::KEY, mappings)
    }
}

/// Mistakes in the provider of any engine.
fn mistakes(spec: &ProviderSpec, wrong_key: &str) -> Vec<Mistake> {
    let with = |what, kind, change: &dyn Fn(&mut ProviderSpec)| {
        let mut spec = spec.clone();
        change(&mut spec);
        Mistake { what, spec, user_token: None, kind }
    };
    vec![
        with("a wrong key", ConnectorErrorKind::Denied, &|spec| spec.credentials = wrong_key.into()),
        with("no key", ConnectorErrorKind::Denied, &|spec| spec.credentials = String::new()),
        with("an unknown index", ConnectorErrorKind::PlaceUnknown, &|spec| {
            spec.query_mappings = spec.query_mappings.replace("=rivers", "=no_such_index").into();
        }),
        with("no TLS", ConnectorErrorKind::Untrusted, &|spec| {
            spec.url = spec.url.replace("http://", "https://");
        }),
        with("a refused connection", ConnectorErrorKind::Unavailable, &|spec| {
            spec.url = "http://127.0.0.1:1".into();
        }),
    ]
}

fn subject(spec: ProviderSpec, mistakes: Vec<Mistake>, literal: Literal) -> Subject {
    Subject {
        kind: kind(&spec.connector),
        context: guarded_context(),
        spec,
        user_token: None,
        reader: None,
        many: "river",
        date: Some(published),
        mistakes,
        literal,
    }
}

/// All documents arrive over several pages without duplicates, and a 429 is reported.
async fn pages_and_rests(subject: &Subject, state: &EngineState) {
    let name = subject.kind.name;
    let page = subject.ask("river", Sort::Date, RIVERS as u32).await.expect("an answer");
    let titles: BTreeSet<String> = page.items.iter().map(title).collect();
    assert_eq!((titles.len(), page.found), (RIVERS, Some(RIVERS as u64)), "{name}: each once");
    state.throttle();
    let error = subject.ask("river", Sort::Relevancy, 5).await.expect_err("429");
    let want = (ConnectorErrorKind::RateLimited, Some(Duration::from_secs(7)));
    assert_eq!((error.kind, error.retry_after), want, "{name}: {error}");
    let none = subject.ask("nothing such", Sort::Relevancy, 5).await.expect("an answer");
    assert_eq!((none.items.len(), none.found), (0, Some(0)), "{name}: no results are no error");
}

/// A mistake that the engine itself reports, in one sentence.
async fn is_refused(subject: &Subject, sort: Sort, kind: ConnectorErrorKind, reason: &str) {
    let error = subject.ask("river", sort, 5).await.expect_err(reason);
    assert_eq!(error.kind, kind, "{error}");
    assert!(error.message.contains(reason) && !error.message.contains('\n'), "{error}");
}

#[tokio::test]
async fn meilisearch_keeps_the_contract() {
    let server = Meilisearch::start().await;
    let spec = meilisearch_spec(&server);
    let mistakes = mistakes(&spec, "bearer=wrong-key");
    let subject = subject(spec.clone(), mistakes, Literal::Seen(Box::new(server.state.seen())));
    subject.check().await;
    pages_and_rests(&subject, &server.state).await;
    let page = subject.ask("river 3", Sort::Relevancy, 1).await.expect("an answer");
    assert_eq!(page.items[0]["_formatted"], json!({"title": "<em>river 3</em>"}), "what is marked");
    let unsorted = ProviderSpec { query_mappings: "index_name=rivers,sort_by_date=day".into(), ..spec };
    let wrong = self::subject(unsorted, Vec::new(), Literal::Words(title));
    is_refused(&wrong, Sort::Date, ConnectorErrorKind::ConfigInvalid, "not sortable").await;
}

#[tokio::test]
async fn typesense_keeps_the_contract() {
    let server = Typesense::start().await;
    let spec = spec(
        "Typesense",
        &server.listener.url,
        "key=typesense-key-8d20",
        "index_name=rivers,default_field=title,sort_by_date=day",
    );
    assert!(spec.credentials.ends_with(typesense::KEY));
    let mistakes = mistakes(&spec, "key=wrong-key");
    let subject = subject(spec.clone(), mistakes, Literal::Seen(Box::new(server.state.seen())));
    subject.check().await;
    pages_and_rests(&subject, &server.state).await;
    let page = subject.ask("river 3", Sort::Relevancy, 1).await.expect("an answer");
    assert_eq!(page.items[0]["highlight"]["title"]["snippet"], "<mark>river 3</mark>");
    for (mappings, sort) in [
        ("index_name=rivers,default_field=body", Sort::Relevancy),
        ("index_name=rivers,default_field=title,sort_by_date=published", Sort::Date),
    ] {
        let wrong = ProviderSpec { query_mappings: mappings.into(), ..spec.clone() };
        let wrong = self::subject(wrong, Vec::new(), Literal::Words(title));
        is_refused(&wrong, sort, ConnectorErrorKind::ConfigInvalid, "Could not find a field").await;
    }
}

#[tokio::test]
async fn vespa_keeps_the_contract() {
    let server = Vespa::start().await;
    let spec = spec(
        "Vespa",
        &server.listener.url,
        &format!("bearer={}", vespa::TOKEN),
        "index_name=rivers,default_field=default,sort_by_date=published",
    );
    let mistakes = mistakes(&spec, "bearer=wrong-token");
    let subject = subject(spec.clone(), mistakes, Literal::Seen(Box::new(server.state.seen())));
    subject.check().await;
    pages_and_rests(&subject, &server.state).await;
    subject.ask("river", Sort::Relevancy, 1).await.expect("an answer");
    let last = server.state.last();
    let want = json!({"yql": "select * from sources rivers where userQuery()", "query": "river", "model.type": "tokenize",
        "model.defaultIndex": "default", "hits": 1, "offset": 0, "timeout": "11s"});
    assert_eq!(last, want, "the words are a parameter, and nothing in them is an operator");
    for (template, mappings, sort, reason) in [
        ("select * from sources * where title contains @query", "", Sort::Relevancy, "no viable alternative"),
        ("", "sort_by_date=day", Sort::Date, "not known for sorting"),
    ] {
        let wrong =
            ProviderSpec { query_template: template.into(), query_mappings: mappings.into(), ..spec.clone() };
        let wrong = self::subject(wrong, Vec::new(), Literal::Words(title));
        is_refused(&wrong, sort, ConnectorErrorKind::ConfigInvalid, reason).await;
    }
}

/// Which of its parts is at fault, by the engine's own codes, in an error response and in a response with hits.
#[tokio::test]
async fn the_codes_of_vespa_have_their_kinds() {
    for (code, message, kind) in [
        (1, "Null query", ConnectorErrorKind::QueryInvalid),
        (3, "Can not search for only negative items", ConnectorErrorKind::QueryInvalid),
        (4, "Could not create query from YQL: no field 'x'", ConnectorErrorKind::ConfigInvalid),
        (4, "Could not resolve source ref 'lakes'", ConnectorErrorKind::PlaceUnknown),
        (8, "The result has errors", ConnectorErrorKind::SourceError),
        (12, "Node 3 timed out", ConnectorErrorKind::Timeout),
    ] {
        let error = json!({"code": code, "summary": "An error", "message": message});
        let hit = json!({"id": "1", "fields": {"title": "river"}});
        for (status, hits) in [(400, json!([])), (200, json!([])), (200, json!([hit]))] {
            let root = json!({"root": {"fields": {"totalCount": 1}, "errors": [error], "children": hits}});
            let answer =
                HttpResponse { status, ..crate::fixture::answer("application/json", root.to_string()) };
            let vespa = connector(spec("Vespa", "https://h", "", "index_name=rivers"), &context(answer));
            let sent = vespa.prepare(&query("river")).expect("a question").execute().await;
            let found = match sent.expect("an answer").normalize() {
                Ok(page) => page.missing.expect("an error beside the hits"),
                Err(error) => error,
            };
            assert_eq!(found.kind, kind, "{code} with status {status}: {found}");
            assert_eq!(found.message, format!("the source reports: {message}"));
        }
    }
}

/// The bundled provider for Solr, with its placeholders filled in.
#[tokio::test]
async fn solr_is_asked_by_requests_get() {
    let server = Solr::start().await;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/providers/solr.json");
    let ready = std::fs::read(file).expect("the ready source");
    let mut spec: ProviderSpec = serde_json::from_slice(&ready).expect("a provider");
    spec.url = spec.url.replace("http://<your-solr-host>:8983", &server.listener.url);
    spec.query_mappings = spec.query_mappings.replace("YOUR_COLLECTION", solr::COLLECTION).into();
    spec.credentials = solr::CREDENTIALS.into();
    let wrong_key = "HTTPBasicAuth('reader','wrong-password')";
    let mistakes = mistakes(&spec, wrong_key);
    let subject = Subject {
        date: Some(|item| item["date"][0].as_str().expect("a date").to_owned()),
        ..subject(spec, mistakes, Literal::Seen(Box::new(server.state.seen())))
    };
    subject.check().await;
    let page = subject.ask("river", Sort::Relevancy, 45).await.expect("an answer");
    let ids: BTreeSet<&str> = page.items.iter().filter_map(|item| item["id"].as_str()).collect();
    assert_eq!((ids.len(), page.found), (45, Some(RIVERS as u64)));
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_post_keeps_the_contract() {
    let server = Meilisearch::start().await;
    let url = format!("{}/indexes/{}/search", server.listener.url, meilisearch::INDEX);
    let spec = ProviderSpec {
        query_template: "{url}".into(),
        post_query_template: object(json!({"q": "{query_string}", "limit": 30})),
        response_mappings: "FOUND=estimatedTotalHits,RESULTS=hits".into(),
        ..spec("RequestsPost", &url, &format!("bearer={}", meilisearch::KEY), "NO_URL_ENCODE")
    };
    let mut mistakes = mistakes(&spec, "bearer=wrong-password");
    for mistake in &mut mistakes {
        if mistake.what == "an unknown index" {
            mistake.spec.url = url.replace("/rivers/", "/no_such_index/");
        }
    }
    let literal = Literal::Seen(Box::new(server.state.seen()));
    // The body cannot depend on the requested order.
    Subject { date: None, ..subject(spec, mistakes, literal) }.check().await;
}

/// Paging stays within the result window.
#[test]
fn no_page_lies_beyond_the_window() {
    let answer = crate::fixture::answer("application/json", "{}");
    for (name, mappings, pages, last) in [
        ("Elastic", "index_name=a", 100, 100),
        ("Meilisearch", "index_name=a", 10, 100),
        ("Typesense", "index_name=a,default_field=t", 40, 250),
        ("Vespa", "index_name=a", 11, 100),
    ] {
        let connector = connector(spec(name, "https://h", "", mappings), &context(answer.clone()));
        assert_eq!(connector.pages(1_000_000), pages, "{name}");
        let asked = ProviderQuery { page: pages - 1, results_wanted: 1_000_000, ..query("x") };
        let request = request(connector.prepare(&asked).expect("a question"));
        let body: Value = serde_json::from_slice(&request.body.expect("a body")).expect("JSON");
        let search = body.pointer("/searches/0").unwrap_or(&body);
        let size =
            ["size", "limit", "per_page", "hits"].iter().find_map(|member| search.get(member)?.as_u64());
        assert_eq!(size, Some(last), "{name}");
        assert!(request.url.as_str().starts_with("https://h/"), "{name}");
    }
}

/// A key goes to the provider's own origin only and is never shown.
#[test]
fn keys_are_secret_headers() {
    let answer = crate::fixture::answer("application/json", "{}");
    for (name, mappings, header, value) in [
        ("Elastic", "index_name=a", "Authorization", "ApiKey hush"),
        ("OpenSearch", "index_name=a", "Authorization", "ApiKey hush"),
        ("Meilisearch", "index_name=a", "Authorization", "Bearer hush"),
        ("Typesense", "index_name=a,default_field=t", "X-TYPESENSE-API-KEY", "hush"),
        ("Vespa", "index_name=a", "Authorization", "Bearer hush"),
    ] {
        let spec = spec(name, "https://h", "ApiKey=hush,ca_certs=/a.pem", mappings);
        let connector = connector(spec, &context(answer.clone()));
        let request = request(connector.prepare(&query("x")).expect("a question"));
        assert_eq!(request.secret_headers, [(header.to_owned(), Secret::new(value))], "{name}");
        assert!(!format!("{request:?} {connector:?}").contains("hush"), "{name}");
        assert_eq!(request.tls.and_then(|tls| tls.ca_file).as_deref(), Some(Path::new("/a.pem")), "{name}");
    }
}

#[test]
fn mistakes_are_found_when_it_is_saved() {
    let table = [
        ("Elastic", "https://h", "", "index_name=a", json!({}), ""),
        ("Elastic", "h:9200", "", "index_name=a", json!({}), "url"),
        ("Elastic", "", "", "index_name=a", json!({}), "url"),
        ("Elastic", "https://h", "verify_certs=maybe,u:p", "index_name=a", json!({}), "credentials"),
        ("Elastic", "https://h", "login=x", "index_name=a", json!({}), "credentials"),
        ("OpenSearch", "https://h", "", "", json!({}), "query_mappings"),
        ("OpenSearch", "https://h", "", "index_name=a", json!({"match_all": {}}), "query_template_json"),
        (
            "Meilisearch",
            "https://h",
            "",
            "index_name=a",
            json!({"filter": "x = {query_string}"}),
            "query_template_json",
        ),
        (
            "Meilisearch",
            "https://h",
            "",
            "index_name=a",
            json!({"filter": "x = {query_string|jql}"}),
            "query_template_json",
        ),
        ("Meilisearch", "https://h", "", "index_name=a", json!({"limit": 5}), "query_template_json"),
        ("Meilisearch", "https://h", "", "index_name=a/b", json!({}), "query_mappings"),
        ("Meilisearch", "https://h", "", "index_name=a", json!({"q": "{query_string} now"}), ""),
        ("Typesense", "https://h", "", "index_name=a", json!({}), "query_mappings"),
        ("Typesense", "https://h", "", "index_name=a", json!({"query_by": "title,body"}), ""),
        (
            "Typesense",
            "https://h",
            "",
            "index_name=a,default_field=t",
            json!({"q": "fixed"}),
            "query_template_json",
        ),
        ("Vespa", "https://h", "", "", json!({}), ""),
        ("Vespa", "https://h", "", "index_name=a b", json!({}), "query_mappings"),
        ("Vespa", "https://h", "", "", json!({"yql": "select * from a where true"}), "query_template_json"),
        (
            "Vespa",
            "https://h",
            "",
            "",
            json!({"yql": "select * from a where userQuery() limit 5"}),
            "query_template_json",
        ),
        (
            "Vespa",
            "https://h",
            "",
            "",
            json!({"yql": "select * from a where t contains '{query_string}'"}),
            "query_template_json",
        ),
    ];
    for (name, url, credentials, mappings, template, field) in table {
        let spec = ProviderSpec {
            query_template_json: object(template.clone()),
            ..spec(name, url, credentials, mappings)
        };
        let errors: Vec<String> = (kind(name).check)(&provider(spec)).into_map().into_keys().collect();
        assert_eq!(errors.join(","), field, "{name} {url} {credentials} {mappings} {template}");
    }
}
