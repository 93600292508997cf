//! Suggestions for the search box.

use crate::app_harness::{AppHarness, Client, items};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

/// Kinds and texts.
async fn suggestions(client: &Client, parameters: &str) -> Vec<(String, String)> {
    let answer = client.get(&format!("/svc/search/suggestions/{parameters}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    answer.body.as_array().unwrap().iter().map(|row| (text(row, "kind"), text(row, "text"))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(kind, text)| ((*kind).to_owned(), (*text).to_owned())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn own_searches_sources_and_tags_are_suggested() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    let rivers = app.provider_with("River Tickets", &source, json!({"tags": ["water", "Riverside"]})).await;
    app.provider_with("Hidden river", &source, json!({"shared": false})).await;
    app.provider_with("Resting river", &source, json!({"active": false})).await;
    let (ann, otto) = (app.user("ann", &[]).await, app.user("otto", &[]).await);
    for spec in [
        json!({"query_string": "deep river"}),
        json!({"query_string": "river level"}),
        json!({"query_string": "River Level"}),
        json!({"query_string": "river bank", "tags": ["saved"]}),
        json!({"query_string": "river of the Assistant", "tags": ["chat"]}),
        json!({"query_string": "lake"}),
    ] {
        ann.search(&spec).await;
    }
    otto.search(&json!({"query_string": "river of otto"})).await;

    let found = suggestions(&ann, "?q=river").await;
    let expected = [
        ("saved", "river bank"),
        ("search", "River Level"),
        ("search", "deep river"),
        ("source", "River Tickets"),
        ("tag", "Riverside"),
    ];
    assert_eq!(found, pairs(&expected));
    assert_eq!(suggestions(&ann, "?q=river+level").await, pairs(&[]), "it is typed already");
    assert_eq!(suggestions(&ann, "?q=otto").await, pairs(&[]), "searches of others are not suggested");
    assert_eq!(suggestions(&app.admin, "?q=of+otto").await, pairs(&[]), "nor to administrators");
    assert_eq!(suggestions(&ann, "?limit=2").await, pairs(&[("saved", "river bank"), ("search", "lake")]));
    assert_eq!(suggestions(&ann, "?q=%25").await, pairs(&[]), "a pattern is a text");

    let answer = ann.get("/svc/search/suggestions/?q=deep+in:tick").await;
    let expected = json!([{"kind": "source", "text": "River Tickets", "query": "deep", "source": rivers}]);
    assert_eq!(answer.body, expected);
    let answer = ann.get("/svc/search/suggestions/?q=deep+wat").await;
    let expected = json!([{"kind": "tag", "text": "water", "query": "deep", "source": "water"}]);
    assert_eq!(answer.body, expected);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_have_limits() {
    let app = AppHarness::start().await;
    for (parameters, status) in [
        (format!("?q={}", "x".repeat(2048)), 200),
        (format!("?q={}", "x".repeat(2049)), 400),
        ("?q=a%00b".to_owned(), 400),
        ("?limit=1".to_owned(), 200),
        ("?limit=20".to_owned(), 200),
        ("?limit=0".to_owned(), 400),
        ("?limit=21".to_owned(), 400),
        ("?limit=x".to_owned(), 400),
    ] {
        let answer = app.admin.get(&format!("/svc/search/suggestions/{parameters}")).await;
        assert_eq!(answer.status, status, "{parameters}");
    }
    for number in 0..25 {
        let spec = json!({"query_string": format!("river {number}")});
        assert_eq!(app.admin.post("/svc/search/", &spec).await.status, 201);
    }
    assert_eq!(suggestions(&app.admin, "?q=river").await.len(), 8);
    assert_eq!(suggestions(&app.admin, "?q=river&limit=20").await.len(), 20);
    app.stop().await;
}
