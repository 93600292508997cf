//! Alerts of subscribed searches: signed requests with new results.

use crate::app_harness::{AppHarness, eventually, items};
use domain::secret::Secret;
use domain::settings::{Seconds, Settings};
use federation::ALERTS_WAITING_MAX;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use testkit::source::{Behavior, Source};

const SECRET: &str = "canary-of-alerts";

async fn app(receiver: &Source) -> AppHarness {
    app_that_reaches(receiver, Vec::new()).await
}

/// `allow` are further addresses that the service may reach.
async fn app_that_reaches(receiver: &Source, allow: Vec<String>) -> AppHarness {
    let url = receiver.url().join("hooks/token-of-the-receiver").unwrap();
    AppHarness::with(|settings| Settings {
        subscribe_every: Seconds::new(1),
        alert_webhook_url: Secret::new(url.as_str()),
        alert_webhook_secret: Secret::new(SECRET),
        public_url: "https://find.example/".to_owned(),
        outbound_allow: allow,
        ..settings
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn new_results_are_sent_to_the_receiver() {
    let (source, receiver) = (Source::start().await, Source::start().await);
    source.reply(Behavior::Sequence(vec![
        Behavior::Json(items("river", 1)),
        Behavior::Json(items("river", 3)),
    ]));
    // The first request fails and is repeated.
    receiver.reply(Behavior::Sequence(vec![Behavior::status(503), Behavior::Json(json!({}))]));
    let app = app(&receiver).await;
    app.provider("Rivers", &source).await;
    let ann = app.user("ann", &[]).await;
    let search = ann.search(&json!({"query_string": "river bank", "tags": ["alert"]})).await;
    let path = format!("/svc/search/{}/", search["id"]);
    ann.patch(&path, &json!({"subscribe": true})).await;

    eventually("two requests", async || receiver.requests().len() >= 2).await;
    let requests = receiver.requests();
    let request = &requests[1];
    assert_eq!((request.method.as_str(), request.header("content-type")), ("POST", Some("application/json")));
    let signature = request.header("x-tributary-signature").unwrap();
    assert_eq!((signature.split_once('=').unwrap().0, signature.len()), ("sha256", 7 + 64));
    assert!(request.header("x-tributary-timestamp").unwrap().parse::<i64>().unwrap() > 1_700_000_000);
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!((&body["event"], &body["new_results"]), (&json!("new_results"), &json!(2)));
    assert_eq!(body["id"], format!("{}-2", search["id"]));
    assert_eq!(body["user"]["username"], "ann");
    let url = format!("https://find.example/?search_id={}&new=true", search["id"]);
    let expected = json!({"id": search["id"], "query": "river bank", "url": url});
    assert_eq!(body["search"], expected);
    assert_eq!(body["results"].as_array().unwrap().len(), 2);
    assert_eq!(body["results"][0]["source"], "Rivers");

    // Later updates find nothing new.
    let asked = source.requests().len();
    eventually("more updates", async || source.requests().len() >= asked + 2).await;
    assert_eq!(receiver.requests().len(), 2);
    let shown = app.admin.get("/svc/settings/").await.body.to_string();
    assert!(shown.contains("SVC_ALERT_WEBHOOK_SECRET") && !shown.contains(SECRET), "{shown}");
    assert!(!shown.contains("token-of-the-receiver"), "URLs of chat services are credentials: {shown}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_does_not_follow_a_redirect_to_another_place() {
    for code in [302, 307] {
        let (source, receiver, other) = (Source::start().await, Source::start().await, Source::start().await);
        source.reply(Behavior::Sequence(vec![
            Behavior::Json(items("river", 1)),
            Behavior::Json(items("river", 3)),
        ]));
        receiver.reply(Behavior::redirect(other.url().to_string(), code));
        other.reply(Behavior::Json(json!({})));
        let app = app_that_reaches(&receiver, vec![other.address().to_string()]).await;
        app.provider("Rivers", &source).await;
        let search = app.admin.search(&json!({"query_string": "river", "tags": ["alert"]})).await;
        app.admin.patch(&format!("/svc/search/{}/", search["id"]), &json!({"subscribe": true})).await;
        eventually("a second attempt", async || receiver.requests().len() >= 2).await;
        for request in other.requests() {
            assert!(request.body.is_empty(), "{code}: names of users stay with the receiver");
            assert_eq!(request.header("x-tributary-signature"), None, "{code}");
        }
        app.stop().await;
    }
}

#[test]
fn the_document_has_the_limit_of_waiting_alerts() {
    let text = include_str!("../../../../docs/search.md");
    assert!(text.contains(&format!("While {ALERTS_WAITING_MAX} alerts wait")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_is_down_holds_a_limited_number_of_alerts() {
    const ALERTS_MAX: usize = ALERTS_WAITING_MAX as usize;
    /// Alerts that are being sent do not wait, and updates look at the queue at the same time.
    const MORE: usize = 5;
    let (source, receiver) = (Source::start().await, Source::start().await);
    source.reply(Behavior::Json(items("river", 1)));
    receiver.reply(Behavior::status(503));
    let app = app(&receiver).await;
    app.provider("Rivers", &source).await;
    let mut searches = Vec::new();
    for _ in 0..ALERTS_MAX + 2 * MORE {
        searches.push(app.admin.search(&json!({"query_string": "river", "tags": ["alert"]})).await);
    }
    source.reply(Behavior::Json(items("river", 3)));
    let paths = searches.iter().map(|search| format!("/svc/search/{}/", search["id"])).collect::<Vec<_>>();
    for path in &paths {
        app.admin.patch(path, &json!({"subscribe": true})).await;
    }
    for path in &paths {
        let updated = async || app.admin.get(path).await.body["status"] == "FULL_UPDATE_READY";
        eventually("an update", updated).await;
    }
    let alerts = || {
        let ids = receiver
            .requests()
            .into_iter()
            .map(|request| serde_json::from_slice::<Value>(&request.body).unwrap()["id"].to_string());
        ids.collect::<BTreeSet<String>>().len()
    };
    eventually("alerts", async || alerts() >= ALERTS_MAX).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(alerts() <= ALERTS_MAX + MORE, "{}", alerts());
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_without_the_tag_has_no_alerts() {
    let (source, receiver) = (Source::start().await, Source::start().await);
    source.reply(Behavior::Sequence(vec![
        Behavior::Json(items("river", 1)),
        Behavior::Json(items("river", 3)),
    ]));
    receiver.reply(Behavior::Json(json!({})));
    let app = app(&receiver).await;
    app.provider("Rivers", &source).await;
    let search = app.admin.search(&json!({"query_string": "river", "subscribe": true})).await;
    let path = format!("/svc/search/{}/", search["id"]);
    eventually("an update", async || app.admin.get(&path).await.body["status"] == "FULL_UPDATE_READY").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(receiver.requests().is_empty());
    app.stop().await;
}
