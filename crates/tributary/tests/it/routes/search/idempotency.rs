//! `Idempotency-Key` with `POST /svc/search/`.

use crate::app_harness::{Answer, AppHarness, Client};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

async fn post(client: &Client, path: &str, key: &str, body: &Value) -> Answer {
    let request = client.request(Method::POST, path).header("Content-Type", "application/json");
    Answer::of(request.header("Idempotency-Key", key).body(body.to_string())).await
}

async fn count(client: &Client) -> usize {
    client.get("/svc/search/").await.body.as_array().map_or(0, Vec::len)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_creates_no_second_search() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    let body = json!({"query_string": "river", "results_requested": 5000, "tags": ["a"]});
    let first = post(&ann, "/svc/search/", "key-1", &body).await;
    assert_eq!((first.status.as_u16(), first.header("idempotent-replayed")), (201, ""), "{first:?}");
    let id = first.body["id"].as_i64().unwrap();
    ann.ready(id).await;
    ann.patch(&format!("/svc/search/{id}/"), &json!({"tags": ["b"]})).await;

    // The first response is returned, even if the search was edited, and under every prefix.
    for path in ["/svc/search/", "/api/svc/search/", "/svc/search"] {
        let again = post(&ann, path, "key-1", &body).await;
        assert_eq!((again.status.as_u16(), again.header("idempotent-replayed")), (201, "true"), "{path}");
        // Links have the prefix of their request.
        let text = again.body.to_string().replace("/api/svc/", "/svc/");
        assert_eq!(text, first.body.to_string(), "{path}");
        assert_eq!(again.header("etag"), first.header("etag"), "{path}");
    }
    assert_eq!(count(&ann).await, 1);
    ann.delete(&format!("/svc/search/{id}/")).await;
    let anew = post(&ann, "/svc/search/", "key-1", &body).await;
    assert_eq!((anew.status.as_u16(), anew.header("idempotent-replayed")), (201, ""), "{anew:?}");
    assert_ne!(anew.body["id"], first.body["id"], "the key went with its search");
    assert_eq!(count(&ann).await, 1);

    let other = post(&app.admin, "/svc/search/", "key-1", &body).await;
    assert_ne!(other.body["id"], first.body["id"], "keys of others are theirs");
    let unkeyed = [ann.post("/svc/search/", &body).await, ann.post("/svc/search/", &body).await];
    assert_ne!(unkeyed[0].body["id"], unkeyed[1].body["id"]);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_at_once_with_one_key_create_one_search() {
    let app = AppHarness::start().await;
    let body = json!({"query_string": "river"});
    let answers = join_all((0..12).map(|_| post(&app.admin, "/svc/search/", "key-1", &body))).await;
    for answer in &answers {
        assert_eq!((answer.status.as_u16(), &answer.body["id"]), (201, &answers[0].body["id"]), "{answer:?}");
    }
    let replayed = answers.iter().filter(|answer| answer.header("idempotent-replayed") == "true").count();
    assert_eq!((replayed, count(&app.admin).await), (11, 1));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_belongs_to_one_request() {
    let app = AppHarness::start().await;
    let (body, other) = (json!({"query_string": "river"}), json!({"query_string": "lake"}));
    assert_eq!(post(&app.admin, "/svc/search/", "key-1", &body).await.status, 201);
    let refused = post(&app.admin, "/svc/search/", "key-1", &other).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (422, "idempotency_key_reused"), "{refused:?}");
    let long = "k".repeat(255);
    assert_eq!(post(&app.admin, "/svc/search/", &long, &body).await.status, 201);
    for bad in ["", &format!("{long}k")] {
        let refused = post(&app.admin, "/svc/search/", bad, &body).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.body["errors"]["Idempotency-Key"].is_array(), "{}", refused.body);
    }
    assert_eq!(count(&app.admin).await, 2);
    // A refused request does not use up its key.
    let invalid = json!({"query_string": ""});
    assert_eq!(post(&app.admin, "/svc/search/", "key-2", &invalid).await.status, 400);
    assert_eq!(post(&app.admin, "/svc/search/", "key-2", &body).await.status, 201);
    app.stop().await;
}
