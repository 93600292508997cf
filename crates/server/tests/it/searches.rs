//! Searches and results, from the first request to the last event.

use crate::app_harness::{AppHarness, request};
use serde_json::json;
use std::time::Duration;

/// Runs the next search as soon as it exists, as a worker would.
async fn work(app: &AppHarness, id: i64) {
    loop {
        if app.store.search(domain::ids::SearchId(id)).await.is_ok() {
            return app.run(id).await;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_posted_search_is_followed_read_changed_and_deleted() {
    let app = AppHarness::open().await;
    let (root, token) = app.user("root", true).await;
    let (_, other) = app.user("eve", true).await;
    app.provider(&root, "News").await;
    let made = app.call("POST", "/svc/search/", &token, json!({"query_string": "rivers"})).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let json = made.json();
    assert_eq!((json["status"].clone(), json["owner"].clone()), (json!("NEW_SEARCH"), json!("root")));
    assert_eq!(json["messages"][0], format!("Tributary {}", domain::VERSION));
    let id = json["id"].as_i64().expect("an id");
    let path = format!("/svc/search/{id}/");
    let results = format!("/svc/results/?search_id={id}");

    let early = app.get(&results, &token).await;
    assert_eq!((early.status.as_u16(), early.header("retry-after")), (503, "1"));
    assert_eq!(early.json()["code"], "not_ready");
    app.run(id).await;
    assert_eq!(app.get(&path, &token).await.json()["status"], "FULL_RESULTS_READY");
    let mixed = app.get(&results, &token).await.json();
    assert_eq!(mixed["results"].as_array().map(Vec::len), Some(2), "{mixed}");
    assert_eq!(mixed["info"]["News"]["status"], "ok");

    let first = format!("/svc/results/{}/", mixed["results"][0]["swirl_id"]);
    assert_eq!(app.get(&first, &token).await.json()["search_id"], id);
    let changed = app.call("PATCH", &first, &token, json!({"title": "better", "swirl_id": 999})).await.json();
    assert_eq!(
        (changed["title"].clone(), changed["searchprovider"].clone()),
        (json!("better"), json!("News"))
    );
    assert_eq!(changed["id"], mixed["results"][0]["swirl_id"]);
    for hidden in [&path, &results, &first, &format!("{path}events/"), &format!("/svc/search/?rerun={id}")] {
        assert_eq!(app.get(hidden, &other).await.status, 404, "{hidden}");
    }
    assert_eq!(app.get("/svc/search/", &other).await.json(), json!([]));
    assert_eq!(app.get("/svc/results/", &other).await.json(), json!([]));
    assert_eq!(app.call("DELETE", &first, &token, json!(null)).await.status, 204);
    assert_eq!(app.get("/svc/results/?items=5", &token).await.json()["count"], 1);

    let kept = app.call("PATCH", &path, &token, json!({"retention": 2})).await.json();
    assert_eq!((kept["status"].clone(), kept["retention"].clone()), (json!("FULL_RESULTS_READY"), json!(2)));
    let again = app.call("PATCH", &path, &token, json!({"query_string": "lakes"})).await.json();
    assert_eq!(again["status"], "NEW_SEARCH");
    assert_eq!(app.call("DELETE", &path, &token, json!(null)).await.status, 204);
    assert_eq!(app.get(&path, &token).await.status, 404);
}

#[tokio::test]
async fn a_url_starts_a_search_and_waits_for_it() {
    let app = AppHarness::open().await;
    let (root, token) = app.user("root", true).await;
    app.provider(&root, "News").await;
    let (found, ()) = tokio::join!(app.get("/api/svc/search?q=rivers&explain=false", &token), work(&app, 1));
    assert_eq!(found.status, 302, "{}", found.text);
    assert_eq!(found.header("location"), "/api/svc/results/?search_id=1&explain=false");
    let (mixed, ()) = tokio::join!(
        app.get("/svc/search/?qs=rivers&providers=news,99&result_mixer=Odd", &token),
        work(&app, 2)
    );
    assert_eq!(mixed.status, 200, "{}", mixed.text);
    assert_eq!(mixed.json()["info"]["results"]["retrieved"], 2);
    assert!(mixed.text.contains("Unknown mixer 'Odd'"), "{}", mixed.text);
    let list = app.get("/svc/search/?search_only=true&items=1", &token).await.json();
    assert_eq!((list["count"].clone(), list["results"][0]["id"].clone()), (json!(2), json!(2)));
    assert_eq!(list["next"], "http://search.example:8000/svc/search/?search_only=true&page=2&items=1");
    let (again, ()) = tokio::join!(app.get("/svc/search/?rerun=1", &token), async {
        while app.store.search(domain::ids::SearchId(1)).await.expect("it").run == 1 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        app.run(1).await;
    });
    assert_eq!((again.status.as_u16(), again.header("location")), (302, "/svc/results/?search_id=1"));
}

#[tokio::test]
async fn a_prefetch_starts_nothing() {
    let app = AppHarness::open().await;
    let (_, token) = app.user("ann", false).await;
    for (method, name) in [("GET", "sec-purpose"), ("GET", "purpose"), ("HEAD", "accept")] {
        for path in ["/svc/search/?q=a", "/svc/search/?qs=a", "/?q=a"] {
            let mut given = request(method, path, &token, None);
            given.headers_mut().insert(name, "prefetch".parse().expect("a header"));
            assert_eq!(app.send(given).await.status, 204, "{method} {path}");
        }
    }
    assert_eq!(app.get("/svc/search/", &token).await.json(), json!([]));
}

#[tokio::test]
async fn a_search_that_cannot_run_says_why() {
    let app = AppHarness::open().await;
    let (_, token) = app.user("ann", false).await;
    let (found, ()) = tokio::join!(app.get("/svc/search/?qs=rivers", &token), work(&app, 1));
    assert_eq!(found.status, 200, "{}", found.text);
    assert_eq!(found.json()["results"], json!([]));
    assert!(found.text.contains("No SearchProvider was queried"), "{}", found.text);
    assert_eq!(app.get("/svc/search/1/", &token).await.json()["status"], "ERR_NO_SEARCHPROVIDERS");
}

#[tokio::test]
async fn events_have_the_same_ends_before_and_after() {
    let app = AppHarness::open().await;
    let (root, token) = app.user("root", true).await;
    app.provider(&root, "News").await;
    app.call("POST", "/svc/search/", &token, json!({"query_string": "rivers"})).await;
    let (live, ()) = tokio::join!(app.get("/svc/search/1/events/", &token), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        app.run(1).await;
    });
    let late = app.get("/svc/search/1/events/", &token).await;
    for (answer, name) in [(&live, "live"), (&late, "late")] {
        assert_eq!(answer.header("content-type"), "text/event-stream");
        let names: Vec<&str> = answer.text.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
        for event in ["provider", "results", "status", "done"] {
            assert!(names.contains(&event), "{name}: {names:?}");
        }
        assert_eq!(names.iter().filter(|event| **event == "provider").count(), 1, "{name}: {names:?}");
        assert_eq!(names.last(), Some(&"done"), "{name}");
        assert!(
            answer.text.trim_end().ends_with(r#"{"search_id":1,"status":"FULL_RESULTS_READY"}"#),
            "{}",
            answer.text
        );
    }
    assert!(live.text.contains("NEW_SEARCH") && !late.text.contains("NEW_SEARCH"));
}
