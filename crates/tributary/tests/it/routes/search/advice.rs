//! What may help with a query that found little: another spelling, and its language.

use crate::app_harness::{AppHarness, Client, items};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

/// `info.search` of a new search, as it is now and when it is read again.
async fn info(client: &Client, query: &str) -> Value {
    let direct = client.get(&format!("/svc/search/?qs={}", query.replace(' ', "+"))).await;
    assert_eq!(direct.status, 200, "{direct:?}");
    let info = direct.body["info"]["search"].clone();
    let again = client.get(&format!("/svc/results/?search_id={}", info["id"])).await;
    for name in ["did_you_mean", "language_hint"] {
        assert_eq!(again.body["info"]["search"].get(name), info.get(name), "{query}");
    }
    info
}

async fn meant(client: &Client, query: &str) -> Value {
    info(client, query).await["did_you_mean"]["query_string"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_misspelled_query_gets_a_suggestion_and_stays_as_it_is() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 0)));
    let id = app.provider("Rivers", &source).await;
    let found = info(&app.admin, "Flod warnig").await;
    let expected = json!({
        "query_string": "Flood warning",
        "words": [{"word": "Flod", "replacement": "Flood"}, {"word": "warnig", "replacement": "warning"}],
    });
    assert_eq!(found["did_you_mean"], expected);
    assert_eq!(found["query_string"], "Flod warnig");
    let asked: Vec<_> = source.requests().iter().map(|one| one.query_value("q").map(str::to_owned)).collect();
    assert_eq!(asked, [Some("Flod warnig".to_owned())], "the suggestion is not searched for");
    for (query, expected) in [
        ("sedimant", json!("sediment")),
        ("batery", json!("battery")),
        ("flood warning", Value::Null),
        ("RB-171", Value::Null),
        ("\"batery\"", Value::Null),
    ] {
        assert_eq!(meant(&app.admin, query).await, expected, "{query}");
    }
    let part = app.admin.get(&format!("/svc/results/?search_id={}&provider={id}", found["id"])).await;
    assert_eq!(part.body["info"]["search"].get("did_you_mean"), None, "a part of a list");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_found_plenty_gets_no_advice() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    app.provider("Rivers", &source).await;
    for (count, expected) in [(9, json!("battery")), (10, Value::Null)] {
        source.reply(Behavior::Json(items("river", count)));
        assert_eq!(meant(&app.admin, "batery").await, expected, "{count}");
    }
    source.reply(Behavior::Json(items("batery", 1)));
    assert_eq!(meant(&app.admin, "batery").await, Value::Null, "a result has the word");
    source.reply(Behavior::Json(items("talverra", 1)));
    assert_eq!(meant(&app.admin, "talvera").await, "talverra", "the word of a result");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_users_own_searches_are_considered() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 0)));
    app.provider("Rivers", &source).await;
    let (ann, otto) = (app.user("ann", &[]).await, app.user("otto", &[]).await);
    for query in ["talverra sluice", "talverra lock"] {
        otto.search(&json!({"query_string": query})).await;
    }
    assert_eq!(meant(&otto, "talvera").await, "talverra");
    assert_eq!(meant(&ann, "talvera").await, Value::Null);
    assert_eq!(meant(&app.admin, "talvera").await, Value::Null, "not for administrators either");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_in_another_language_gets_a_hint() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 0)));
    app.provider("Rivers", &source).await;
    let found = info(&app.admin, "Hochwasser Warnung").await;
    assert_eq!(found["language_hint"], json!({"query": "german"}));
    assert_eq!(found.get("did_you_mean"), None);
    assert_eq!(info(&app.admin, "flood warning").await.get("language_hint"), None);
    let item = |number: u32| {
        json!({"title": format!("The bridge {number}"), "url": format!("https://a.example/{number}"),
            "body": "The river rose in the night and it was cold at the bridge."})
    };
    source.reply(Behavior::Json(json!({"total": 2, "items": [item(1), item(2)]})));
    let found = info(&app.admin, "das Haus an der Elbe").await;
    assert_eq!(found["language_hint"], json!({"query": "german", "results": "english"}));
    app.stop().await;
}
