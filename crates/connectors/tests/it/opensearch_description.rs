//! OpenSearchDescription connector against a strict fake: the connector suite, and allowed hosts.

use crate::fixture::{guarded_context, provider};
use domain::ports::{ConnectorErrorKind, ConnectorKind};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use fakes::opensearch_description::{CREDENTIALS, DOCUMENTS, OpenSearch};
use serde_json::json;
use std::time::Duration;
use testkit::suites::connector::{Literal, Mistake, Subject};

fn kind() -> &'static ConnectorKind {
    connectors::CATALOGUE.iter().find(|kind| kind.name == "OpenSearchDescription").expect("the connector")
}

fn spec(site: &OpenSearch) -> ProviderSpec {
    ProviderSpec {
        name: "Site".into(),
        connector: "OpenSearchDescription".into(),
        url: site.listener.at("/osdd.xml"),
        credentials: CREDENTIALS.into(),
        ..ProviderSpec::default()
    }
}

fn subject(site: &OpenSearch, spec: ProviderSpec) -> Subject {
    let with = |what, kind, change: &dyn Fn(&mut ProviderSpec)| {
        let mut spec = self::spec(site);
        change(&mut spec);
        Mistake { what, spec, user_token: None, kind }
    };
    let mistakes = vec![
        with("a wrong password", ConnectorErrorKind::Denied, &|spec| {
            spec.credentials = "HTTPBasicAuth('reader','wrong-password')".into();
        }),
        with("a wrong path", ConnectorErrorKind::PlaceUnknown, &|spec| {
            spec.url = site.listener.at("/none.xml")
        }),
        with("a page", ConnectorErrorKind::Unreadable, &|spec| spec.url = site.listener.at("/page.html")),
        with("a way out", ConnectorErrorKind::AddressRefused, &|spec| {
            spec.url = site.listener.at("/elsewhere.xml")
        }),
        with("a refused connection", ConnectorErrorKind::Unavailable, &|spec| {
            spec.url = "http://127.0.0.1:1/osdd.xml".into();
        }),
    ];
    Subject {
        kind: kind(),
        context: guarded_context(),
        spec,
        user_token: None,
        reader: None,
        many: "documents",
        date: None,
        mistakes,
        literal: Literal::Seen(Box::new(site.seen())),
    }
}

#[tokio::test]
async fn keeps_the_contract() {
    let site = OpenSearch::start().await;
    let subject = subject(&site, spec(&site));
    subject.check().await;
    // Many queries fetch the description once.
    assert_eq!(site.descriptions(), 1);
    let page = subject.ask("words", Sort::Relevancy, 12).await.expect("an answer");
    assert_eq!(page.found, Some(DOCUMENTS as u64));
    let want = json!({"title": "Document 11", "url": "https://docs.example/11", "body": "About 11",
        "date_published": "", "author": ""});
    assert_eq!(page.items[11], want);
}

#[tokio::test]
async fn atom_is_asked_page_by_page() {
    let site = OpenSearch::start().await;
    let atom = ProviderSpec { url: site.listener.at("/atom.xml"), credentials: String::new(), ..spec(&site) };
    let page = subject(&site, atom).ask("words", Sort::Relevancy, 20).await.expect("an answer");
    let titles: Vec<&str> = page.items.iter().filter_map(|item| item["title"].as_str()).collect();
    assert_eq!((titles.len(), titles[0], titles[13]), (14, "Entry 0", "Entry 13"));
    assert_eq!(
        (&page.items[0]["url"], &page.items[0]["body"]),
        (&json!("https://docs.example/e0"), &json!("About it"))
    );
}

#[tokio::test]
async fn a_rest_is_asked_for() {
    let site = OpenSearch::start().await;
    let subject = subject(&site, spec(&site));
    site.throttle();
    let error = subject.ask("x", Sort::Relevancy, 5).await.expect_err("429");
    assert_eq!(
        (error.kind, error.retry_after),
        (ConnectorErrorKind::RateLimited, Some(Duration::from_secs(9)))
    );
}

/// A configured host may be queried; the guarded client still decides whether it is reachable.
#[tokio::test]
async fn other_hosts_are_allowed_by_name() {
    let site = OpenSearch::start().await;
    let mut away = ProviderSpec { url: site.listener.at("/elsewhere.xml"), ..spec(&site) };
    let config = json!({"swirl": {"open_search_description": {"hosts": ["Elsewhere.example"]}}});
    away.config = serde_json::from_value(config).expect("an object");
    let error = subject(&site, away).ask("x", Sort::Relevancy, 5).await.expect_err("no such host");
    assert_eq!(error.kind, ConnectorErrorKind::Unavailable, "{error}");
}

#[test]
fn mistakes_are_found_when_it_is_saved() {
    let right = ProviderSpec {
        connector: "OpenSearchDescription".into(),
        url: "https://site.example/osdd.xml".into(),
        ..ProviderSpec::default()
    };
    let set = |key: &str, value: serde_json::Value| {
        let config = json!({"swirl": {"open_search_description": {key: value}}});
        serde_json::from_value(config).expect("an object")
    };
    let hosts: Vec<String> = (0..21).map(|number| format!("h{number}")).collect();
    let table = [
        (right.clone(), ""),
        (ProviderSpec { url: "site.example".into(), ..right.clone() }, "url"),
        (ProviderSpec { url: String::new(), ..right.clone() }, "url"),
        (ProviderSpec { config: set("hosts", json!("one")), ..right.clone() }, "config"),
        (ProviderSpec { config: set("hosts", json!(hosts)), ..right.clone() }, "config"),
        (ProviderSpec { config: set("language", json!(7)), ..right.clone() }, "config"),
    ];
    for (spec, field) in table {
        let errors: Vec<String> = (kind().check)(&provider(spec.clone())).into_map().into_keys().collect();
        assert_eq!(errors.join(","), field, "{spec:?}");
    }
}
