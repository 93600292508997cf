//! `GET /svc/search/<id>/events/`: server-sent events of a search.

use crate::app_harness::{AppHarness, Client, items};
use domain::secret::Secret;
use domain::settings::Settings;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};
use std::time::Duration;
use testkit::source::{Behavior, Source};

/// All events of a search until the stream ends: (name, data).
async fn events(client: &Client, id: i64) -> Vec<(String, Value)> {
    let response = client.request(Method::GET, &format!("/svc/search/{id}/events/")).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream"));
    let text = tokio::time::timeout(Duration::from_secs(15), response.text()).await.unwrap().unwrap();
    let field = |block: &str, name: &str| {
        block.lines().filter_map(|line| line.strip_prefix(name)).map(str::trim).collect::<Vec<_>>().join("\n")
    };
    text.split("\n\n")
        .filter(|block| block.contains("event:"))
        .map(|block| {
            (field(block, "event:"), serde_json::from_str(&field(block, "data:")).unwrap_or(Value::Null))
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn providers_results_status_done() {
    let app = AppHarness::start().await;
    let (quick, slow) = (Source::start().await, Source::start().await);
    quick.reply(Behavior::Json(items("river", 2)).delayed(Duration::from_millis(150)));
    slow.reply(Behavior::Json(items("river bank", 2)).delayed(Duration::from_millis(600)));
    app.provider("Quick", &quick).await;
    app.provider("Slow", &slow).await;
    let created = app.admin.post("/svc/search/", &json!({"query_string": "river"})).await;
    let id = created.body["id"].as_i64().unwrap();

    let live = events(&app.admin, id).await;
    let names: Vec<&str> = live.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.iter().filter(|name| **name == "provider").count(), 2, "{names:?}");
    assert_eq!(names.last(), Some(&"done"));
    let first_results = live.iter().find(|(name, _)| name == "results").expect("results while it runs");
    assert_eq!(first_results.1["info"]["results"]["retrieved_total"], 2, "the quick source alone");
    let last_results = live.iter().rev().find(|(name, _)| name == "results").unwrap();
    assert_eq!(last_results.1["info"]["results"]["retrieved_total"], 4);

    let late = events(&app.admin, id).await;
    let names: Vec<&str> = late.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.iter().filter(|name| **name == "provider").count(), 2, "{names:?}");
    assert_eq!(names.last(), Some(&"done"), "a search that is ready tells the same end");
    let end = json!({"search_id": id, "status": "FULL_RESULTS_READY"});
    assert_eq!((&live.last().unwrap().1, &late.last().unwrap().1), (&end, &end));
    assert!(
        !late.iter().any(|(_, data)| data["status"] == "NEW_SEARCH"),
        "what is over is not told: {late:?}"
    );
    let other = app.user("otto", &[]).await;
    assert_eq!(other.get(&format!("/svc/search/{id}/events/")).await.status, 404);
    app.stop().await;
}

/// Without its list, `done` would leave a page without results.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_cannot_be_read_is_sent_later() {
    let app = AppHarness::with(|settings| Settings { database_url: Secret::default(), ..settings }).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    app.provider("Rivers", &source).await;
    let id = app.admin.search(&json!({"query_string": "river"})).await["id"].as_i64().unwrap();

    let address = format!("sqlite://{}", app.folder().join("tributary.db").display());
    let mut file = SqliteConnection::connect(&address).await.unwrap();
    sqlx::query("ALTER TABLE preferences RENAME TO hidden").execute(&mut file).await.unwrap();
    let repair = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        sqlx::query("ALTER TABLE hidden RENAME TO preferences").execute(&mut file).await.unwrap();
    };
    let (events, ()) = tokio::join!(events(&app.admin, id), repair);
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["status", "provider", "results", "done"]);
    app.stop().await;
}
