//! The request that waits for a search gets its results from memory: they are what every later request reads.

use crate::app_harness::{AppHarness, items};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

/// The response without the times of its own lines, which say when it was made.
fn without_times(mut body: Value) -> Value {
    let lines = body["messages"].as_array_mut().unwrap();
    for line in lines {
        let text = line.as_str().unwrap();
        *line = json!(text.split_once("] ").map_or(text, |(_, words)| words));
    }
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn the_results_of_a_waiting_request_are_those_that_are_stored() {
    let app = AppHarness::start().await;
    let (rivers, towns, broken) = (Source::start().await, Source::start().await, Source::start().await);
    let mut odd = items("river", 12);
    odd["items"][3]["title"] = json!("NUL \u{0}, quote ' \" , emoji 🦉, <b>river</b>");
    odd["items"][4]["body"] = json!("");
    rivers.reply(Behavior::Json(odd));
    towns.reply(Behavior::Json(items("river", 5)));
    broken.reply(Behavior::Text { content_type: "application/json".to_owned(), body: "{broken".into() });
    for (name, source) in [("Towns", &towns), ("Rivers", &rivers), ("Broken", &broken)] {
        app.provider(name, source).await;
    }
    let waited = app.admin.get("/svc/search/?qs=river&explain=true").await;
    assert_eq!(waited.status, 200, "{waited:?}");
    let id = &waited.body["info"]["search"]["id"];
    let read = app.admin.get(&format!("/svc/results/?search_id={id}&explain=true")).await;
    assert_eq!(read.status, 200, "{read:?}");
    assert_eq!(waited.body["results"].as_array().map(Vec::len), Some(10), "{:?}", waited.body);
    assert_eq!(without_times(waited.body), without_times(read.body));
}
