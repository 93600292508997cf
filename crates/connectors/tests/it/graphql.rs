//! GraphQL connector against a strict fake: the connector suite, by offset and by cursor, and errors.

use crate::fixture::{guarded_context, provider, query};
use domain::ports::{ConnectorErrorKind, ConnectorKind};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use fakes::graphql::{GraphQl, TOKEN};
use serde_json::Value;
use std::time::Duration;
use testkit::suites::connector::{Literal, Mistake, Subject};

const BY_OFFSET: &str = "query ($q: String!, $first: Int, $skip: Int, $order: Order) \
    { search(query: $q, first: $first, offset: $skip, order: $order) { total nodes { title link created } } }";
const BY_CURSOR: &str = "query ($q: String!, $first: Int, $after: String, $order: Order) \
    { search(query: $q, first: $first, after: $after, order: $order) { nodes { title } pageInfo { endCursor } } }";

fn kind() -> &'static ConnectorKind {
    connectors::CATALOGUE.iter().find(|kind| kind.name == "GraphQL").expect("the connector")
}

fn spec(source: &GraphQl, document: &str, paging: &str) -> ProviderSpec {
    ProviderSpec {
        name: "Graph".into(),
        connector: "GraphQL".into(),
        url: source.listener.at("/graphql"),
        credentials: format!("bearer={TOKEN}"),
        query_template: document.into(),
        query_mappings: format!(
            "query_string=q,limit=first,limit_max=20,sort=order,DATE_SORT=NEWEST,RELEVANCY_SORT=BEST,{paging}"
        )
        .into(),
        response_mappings: "FOUND=data.search.total,RESULTS=data.search.nodes".into(),
        result_mappings: "title=title,url=link,date_published=created".into(),
        ..ProviderSpec::default()
    }
}

fn subject(source: &GraphQl, document: &str, paging: &str) -> Subject {
    let spec = spec(source, document, paging);
    let with = |what, kind, change: &dyn Fn(&mut ProviderSpec)| {
        let mut spec = spec.clone();
        change(&mut spec);
        Mistake { what, spec, user_token: None, kind }
    };
    let mistakes = vec![
        with("a wrong token", ConnectorErrorKind::Denied, &|spec| {
            spec.credentials = "bearer=wrong-token-1".into()
        }),
        with("no token", ConnectorErrorKind::Denied, &|spec| spec.credentials = String::new()),
        with("an unknown field", ConnectorErrorKind::ConfigInvalid, &|spec| {
            spec.query_template = spec.query_template.replace("search(", "nosuch(");
        }),
        with("a document that cannot be parsed", ConnectorErrorKind::ConfigInvalid, &|spec| {
            spec.query_template = spec.query_template.replace("query (", "query Broken (");
        }),
        with("an order that is not known", ConnectorErrorKind::QueryInvalid, &|spec| {
            spec.query_mappings =
                spec.query_mappings.replace("RELEVANCY_SORT=BEST", "RELEVANCY_SORT=WORST").into();
        }),
        with("a page that is too large", ConnectorErrorKind::QueryInvalid, &|spec| {
            spec.query_mappings = spec.query_mappings.replace("limit_max=20", "limit_max=21").into();
        }),
        with("a wrong path", ConnectorErrorKind::PlaceUnknown, &|spec| spec.url += "/nowhere"),
        with("a refused connection", ConnectorErrorKind::Unavailable, &|spec| {
            spec.url = "http://127.0.0.1:1/graphql".into();
        }),
    ];
    Subject {
        kind: kind(),
        context: guarded_context(),
        spec,
        user_token: None,
        reader: None,
        many: "documents",
        date: (document == BY_OFFSET)
            .then_some(|item: &Value| item["created"].as_str().expect("a date").to_owned()),
        mistakes,
        literal: Literal::Seen(Box::new(source.seen())),
    }
}

#[tokio::test]
async fn pages_by_offset() {
    let source = GraphQl::start().await;
    subject(&source, BY_OFFSET, "offset=skip").check().await;
}

#[tokio::test]
async fn pages_by_cursor() {
    let source = GraphQl::start().await;
    let mut subject = subject(&source, BY_CURSOR, "cursor=after,next_cursor=data.search.pageInfo.endCursor");
    subject.date = Some(|item: &Value| item["created"].as_str().expect("a date").to_owned());
    subject.check().await;
}

/// A source with endless pages gets a bounded number of requests.
#[tokio::test]
async fn a_circle_of_cursors_ends() {
    let source = GraphQl::start().await;
    source.never_end();
    let paging = "cursor=after,next_cursor=data.search.pageInfo.endCursor";
    let mut subject = subject(&source, BY_CURSOR, paging);
    subject.spec.query_mappings = subject.spec.query_mappings.replace("limit_max=20", "limit_max=1").into();
    let page = subject.ask("x", Sort::Relevancy, 500).await.expect("an answer");
    assert_eq!((source.requests(), page.items.len()), (20, 20));
}

#[tokio::test]
async fn a_rest_is_asked_for() {
    let source = GraphQl::start().await;
    let subject = subject(&source, BY_OFFSET, "offset=skip");
    source.throttle();
    let error = subject.ask("x", Sort::Relevancy, 5).await.expect_err("429");
    assert_eq!(
        (error.kind, error.retry_after),
        (ConnectorErrorKind::RateLimited, Some(Duration::from_secs(7)))
    );
}

#[test]
fn mistakes_are_found_when_it_is_saved() {
    let right = ProviderSpec {
        connector: "GraphQL".into(),
        url: "https://api.example/graphql".into(),
        query_template: BY_OFFSET.into(),
        query_mappings: "query_string=q".into(),
        ..ProviderSpec::default()
    };
    let table = [
        ("", right.clone()),
        ("query_template", ProviderSpec { query_template: "{url}?q={query_string}".into(), ..right.clone() }),
        ("query_mappings", ProviderSpec { query_mappings: "query_string=unknown".into(), ..right.clone() }),
        ("url", ProviderSpec { url: "api.example".into(), ..right.clone() }),
        ("response_mappings", ProviderSpec { response_mappings: "RESULT_S=x".into(), ..right.clone() }),
    ];
    for (field, spec) in table {
        let errors: Vec<String> = (kind().check)(&provider(spec)).into_map().into_keys().collect();
        assert_eq!(errors.join(","), field);
    }
    let connector = (kind().build)(&provider(right), &guarded_context()).expect("a connector");
    assert!(!connector.capability().page && !connector.capability().date_sort);
    assert_eq!(connector.prepare(&query("x")).expect("a request").shown(), "https://api.example/graphql");
}
