//! Addresses and titles that no client should get as their source gave them.

use crate::app_harness::AppHarness;
use domain::result::TITLE_CHARS_MAX;
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

const SCRIPTS: [&str; 4] =
    ["javascript:alert(1)", " \tJava\nScript:alert(1)", "data:text/html,alert(1)", "vbscript:alert(1)"];

fn rows(mixed: &Value) -> &Vec<Value> {
    mixed["results"].as_array().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_and_endless_titles_do_not_get_out() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    let bodies = ["harbour fees", "a glacier map", "counted otters", "repairs of mills"];
    let odd = SCRIPTS.iter().zip(bodies).map(|(url, body)| {
        json!({"title": format!("river: {body}"), "body": format!("{body} at a river"), "url": url})
    });
    let long = json!({"title": "river ".repeat(60_000), "body": "long", "url": "https://a.example/long"});
    let items: Vec<Value> = odd.chain([long]).collect();
    source.reply(Behavior::Json(json!({"total": items.len(), "items": items})));
    app.provider("Rivers", &source).await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    let path = format!("/svc/results/?search_id={}", search["id"]);
    let mixed = app.admin.get(&path).await.body;
    assert_eq!(rows(&mixed).len(), SCRIPTS.len() + 1);
    for item in rows(&mixed) {
        let url = item["url"].as_str().unwrap();
        assert!(url.is_empty() || url == "https://a.example/long", "{item}");
        let title = item["title"].as_str().unwrap().replace("<em>", "").replace("</em>", "");
        assert!(title.chars().count() <= TITLE_CHARS_MAX + 1, "{} characters", title.chars().count());
    }
    for format in ["csv", "json", "bibtex", "rss"] {
        let export = format!("/svc/results/export/?search_id={}&format={format}", search["id"]);
        let exported = app.admin.get(&export).await;
        assert_eq!(exported.status, 200, "{format}");
        assert!(!exported.body.to_string().contains("alert(1)"), "{format}: {}", exported.body);
    }

    // Nor can a user write one.
    let path = format!("/svc/results/{}/", rows(&mixed)[0]["swirl_id"]);
    for (field, value) in [("url", SCRIPTS[0].to_owned()), ("title", "x".repeat(TITLE_CHARS_MAX + 1))] {
        let refused = app.admin.patch(&path, &json!({field: value})).await;
        assert_eq!(refused.status, 400, "{field}: {refused:?}");
        assert!(refused.body["errors"][field].is_array(), "{}", refused.body);
    }
    assert_eq!(app.admin.patch(&path, &json!({"url": "https://a.example/mine"})).await.status, 200);
    app.stop().await;
}
