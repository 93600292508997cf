//! McpTool connector against a strict fake: the connector suite, JSON and event streams, and every form of result.

use crate::fixture::{guarded_context, provider, query};
use domain::ports::{ConnectorErrorKind, ConnectorKind, NormalizedPage};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use fakes::mcp::{McpServer, TOKEN};
use serde_json::Value;
use std::time::Duration;
use testkit::suites::connector::{Literal, Mistake, Subject};

fn kind() -> &'static ConnectorKind {
    connectors::CATALOGUE.iter().find(|kind| kind.name == "McpTool").expect("the connector")
}

fn spec(source: &McpServer) -> ProviderSpec {
    ProviderSpec {
        name: "Tool".into(),
        connector: "McpTool".into(),
        url: source.listener.at("/mcp"),
        credentials: format!("bearer={TOKEN}"),
        query_mappings: "tool=search,argument=query,limit=count,limit_max=20,offset=skip,kind=any,\
            sort=order,DATE_SORT=newest,RELEVANCY_SORT=best"
            .into(),
        response_mappings: "FOUND=total,RESULTS=hits".into(),
        result_mappings: "title=title,url=link,date_published=created".into(),
        ..ProviderSpec::default()
    }
}

fn subject(source: &McpServer) -> Subject {
    let spec = spec(source);
    let with = |what, kind, change: &dyn Fn(&mut ProviderSpec)| {
        let mut spec = spec.clone();
        change(&mut spec);
        Mistake { what, spec, user_token: None, kind }
    };
    let replaced = |spec: &mut ProviderSpec, from: &str, to: &str| {
        spec.query_mappings = spec.query_mappings.replace(from, to).into();
    };
    let mistakes = vec![
        with("a wrong token", ConnectorErrorKind::Denied, &|spec| {
            spec.credentials = "bearer=wrong-token-1".into()
        }),
        with("no token", ConnectorErrorKind::Denied, &|spec| spec.credentials = String::new()),
        with("an unknown tool", ConnectorErrorKind::ConfigInvalid, &|spec| {
            replaced(spec, "tool=search", "tool=nosuch")
        }),
        with("an unknown argument", ConnectorErrorKind::ConfigInvalid, &|spec| {
            replaced(spec, "kind=any", "colour=blue")
        }),
        with("a count that is too large", ConnectorErrorKind::ConfigInvalid, &|spec| {
            replaced(spec, "limit_max=20", "limit_max=20,count=51");
            replaced(spec, "limit=count,", "");
        }),
        with("a tool that fails", ConnectorErrorKind::Unavailable, &|spec| {
            replaced(spec, "tool=search", "tool=search_broken")
        }),
        with("a wrong path", ConnectorErrorKind::PlaceUnknown, &|spec| spec.url += "/nowhere"),
        with("a refused connection", ConnectorErrorKind::Unavailable, &|spec| {
            spec.url = "http://127.0.0.1:1/mcp".into();
        }),
    ];
    Subject {
        kind: kind(),
        context: guarded_context(),
        spec,
        user_token: None,
        reader: None,
        many: "documents",
        date: Some(|item: &Value| item["created"].as_str().expect("a date").to_owned()),
        mistakes,
        literal: Literal::Seen(Box::new(source.seen())),
    }
}

#[tokio::test]
async fn answers_as_json() {
    let source = McpServer::start().await;
    subject(&source).check().await;
}

#[tokio::test]
async fn answers_as_streams() {
    let source = McpServer::start().await;
    source.answer_by_streams(false);
    subject(&source).check().await;
}

#[tokio::test]
async fn a_server_without_sessions() {
    let source = McpServer::start().await;
    source.forget_sessions();
    subject(&source).check().await;
}

/// A stream that stays open after the response is closed at once, not at the deadline.
#[tokio::test]
async fn a_stream_that_stays_open_is_left() {
    let source = McpServer::start().await;
    source.answer_by_streams(true);
    let subject = subject(&source);
    let asked = subject.ask("x", Sort::Relevancy, 5);
    let page =
        tokio::time::timeout(Duration::from_secs(5), asked).await.expect("in time").expect("an answer");
    assert_eq!(page.items.len(), 5);
}

#[tokio::test]
async fn a_rest_is_asked_for() {
    let source = McpServer::start().await;
    source.throttle();
    let error = subject(&source).ask("x", Sort::Relevancy, 5).await.expect_err("429");
    assert_eq!(
        (error.kind, error.retry_after),
        (ConnectorErrorKind::RateLimited, Some(Duration::from_secs(7)))
    );
}

/// Data in a text, links and prose become results too.
#[tokio::test]
async fn every_form_of_answer() {
    let source = McpServer::start().await;
    let mut subject = subject(&source);
    let mut ask = async |tool: &str| -> NormalizedPage {
        subject.spec.response_mappings = "".into();
        subject.spec.query_mappings = format!("tool={tool},argument=query,limit=count").into();
        subject.ask("x", Sort::Relevancy, 3).await.expect("an answer")
    };
    for (tool, title, url) in [
        ("search", "Document 0", "/link"),
        ("search_json_text", "Document 0", "/link"),
        ("search_links", "Document 0", "/url"),
        ("search_prose", "\"Document 0\"", "/url"),
    ] {
        let page = ask(tool).await;
        assert_eq!(page.items.len(), 3, "{tool}");
        assert_eq!(page.items[0]["title"], title, "{tool}");
        let has_link = page.items[0].pointer(url).and_then(Value::as_str).is_some_and(|url| !url.is_empty());
        assert_eq!(has_link, tool != "search_prose", "{tool}");
    }
}

#[test]
fn mistakes_are_found_when_it_is_saved() {
    let right = ProviderSpec {
        connector: "McpTool".into(),
        url: "https://mcp.example/mcp".into(),
        query_mappings: "tool=search,argument=query".into(),
        ..ProviderSpec::default()
    };
    let table = [
        ("", right.clone()),
        ("query_mappings", ProviderSpec { query_mappings: "tool=search".into(), ..right.clone() }),
        ("query_mappings", ProviderSpec { query_mappings: "".into(), ..right.clone() }),
        ("url", ProviderSpec { url: "mcp.example".into(), ..right.clone() }),
        ("response_mappings", ProviderSpec { response_mappings: "RESULT_S=x".into(), ..right.clone() }),
    ];
    for (field, spec) in table {
        let errors: Vec<String> = (kind().check)(&provider(spec)).into_map().into_keys().collect();
        assert_eq!(errors.join(","), field);
    }
    let connector = (kind().build)(&provider(right), &guarded_context()).expect("a connector");
    assert!(!connector.capability().page && !connector.capability().date_sort);
    let shown = connector.prepare(&query("x")).expect("a question").shown();
    assert_eq!(shown, r#"{"name":"search","arguments":{"query":"x"}}"#);
}
