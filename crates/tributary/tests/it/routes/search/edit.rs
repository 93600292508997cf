//! `GET`, `PUT`, `PATCH`, `DELETE /svc/search/<id>/`, and `rerun`.

use crate::app_harness::{AppHarness, items};
use serde_json::json;
use testkit::source::{Behavior, Source};

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_the_query_runs_again_and_another_edit_does_not() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    app.provider("Rivers", &source).await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    let path = format!("/svc/search/{}/", search["id"]);
    assert_eq!(source.requests().len(), 1);

    let renamed = app.admin.patch(&path, &json!({"retention": 2})).await;
    assert_eq!((renamed.status.as_u16(), &renamed.body["retention"]), (200, &json!(2)));
    assert_eq!(renamed.body["status"], "FULL_RESULTS_READY");
    assert_eq!(source.requests().len(), 1, "nothing that runs has changed");

    let edited = app.admin.put(&path, &json!({"query_string": "deep river"})).await;
    assert_eq!(edited.body["status"], "NEW_SEARCH");
    assert_eq!(edited.body["retention"], 0, "PUT replaces");
    let again = app.admin.ready(search["id"].as_i64().unwrap()).await;
    assert_eq!(again["status"], "FULL_RESULTS_READY");
    assert_eq!(source.requests().len(), 2);
    let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await;
    assert_eq!(
        mixed.body["info"]["results"]["retrieved_total"], 2,
        "old results are gone, nothing is doubled"
    );
    assert_eq!(mixed.body["info"]["search"]["query_string"], "deep river");

    let bad = app.admin.patch(&path, &json!({"query_string": ""})).await;
    assert_eq!(bad.status, 400);
    let patched = app.admin.patch(&path, &json!({"query_string": "river bank"})).await;
    assert_eq!(patched.body["status"], "NEW_SEARCH");
    app.admin.ready(search["id"].as_i64().unwrap()).await;
    assert_eq!(source.requests().len(), 3);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rerun_discards_and_starts_again() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Sequence(vec![
        Behavior::Json(items("river", 5)),
        Behavior::Json(items("river", 2)),
    ]));
    app.provider("Rivers", &source).await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    let id = search["id"].as_i64().unwrap();

    let rerun = app.admin.get(&format!("/svc/search/?rerun={id}")).await;
    let location = format!("/svc/results/?search_id={id}");
    assert_eq!((rerun.status.as_u16(), rerun.header("location")), (302, &*location), "{rerun:?}");
    let again = app.admin.ready(id).await;
    assert!(again["messages"].to_string().contains("Rerun requested"));
    let mixed = app.admin.get(&format!("/svc/results/?search_id={id}")).await;
    assert_eq!(mixed.body["info"]["results"]["retrieved_total"], 2);

    assert_eq!(app.admin.get("/svc/search/?rerun=999999").await.status, 404);
    let other = app.user("otto", &[]).await;
    assert_eq!(other.get(&format!("/svc/search/?rerun={id}")).await.status, 404);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_a_search_deletes_its_results() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    app.provider("Rivers", &source).await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await;
    let result = mixed.body["results"][0]["swirl_id"].as_i64().unwrap();
    assert_eq!(app.admin.get(&format!("/svc/results/{result}/")).await.status, 200);

    let path = format!("/svc/search/{}/", search["id"]);
    assert_eq!(app.admin.delete(&path).await.status, 204);
    assert_eq!(app.admin.get(&path).await.status, 404);
    assert_eq!(app.admin.delete(&path).await.status, 404);
    assert_eq!(app.admin.get(&format!("/svc/results/{result}/")).await.status, 404);
    assert_eq!(app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await.status, 404);
    app.stop().await;
}
