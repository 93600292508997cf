//! `GET /svc/searchproviders/states/`.

use crate::app_harness::{AppHarness, items};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

#[tokio::test(flavor = "multi_thread")]
async fn a_skipped_source_shows_why_and_how_long() {
    let app = AppHarness::start().await;
    let (good, tired) = (Source::start().await, Source::start().await);
    good.reply(Behavior::Json(items("river", 2)));
    tired.reply(Behavior::status(429));
    app.provider("Good", &good).await;
    let id = app.provider("Tired", &tired).await;
    let before = app.admin.get("/svc/searchproviders/states/").await.body;
    assert_eq!(
        (&before[1]["state"], &before[1]["ok"], &before[1]["p50"]),
        (&json!("closed"), &json!(0), &Value::Null)
    );
    app.admin.search(&json!({"query_string": "river"})).await;
    let states = app.admin.get("/svc/searchproviders/states/").await.body;
    let (first, second) = (&states[0], &states[1]);
    assert_eq!(
        (&first["name"], &first["state"], &first["ok"], &first["failed"]),
        (&json!("Good"), &json!("closed"), &json!(1), &json!(0))
    );
    assert!(first["p50"].as_f64().unwrap() > 0.0 && first["until"].is_null(), "{first}");
    assert_eq!((&second["id"], &second["state"], &second["failed"]), (&json!(id), &json!("open"), &json!(1)));
    assert_eq!(second["reason"], "It requested a pause.");
    assert!(second["seconds"].as_u64().unwrap() > 0 && second["until"].is_string(), "{second}");
    assert_eq!(app.admin.delete(&format!("/svc/searchproviders/{id}/state/")).await.status, 204);
    let after = app.admin.get("/svc/searchproviders/states/").await.body;
    assert_eq!((&after[1]["state"], &after[1]["seconds"]), (&json!("closed"), &json!(0)));
    app.stop().await;
}
