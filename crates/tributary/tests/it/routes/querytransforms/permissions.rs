//! Who may see, use and write transforms.

use super::create_transform;
use crate::app_harness::{AppHarness, items};
use serde_json::json;
use testkit::source::{Behavior, Source};

#[tokio::test(flavor = "multi_thread")]
async fn shared_transforms_are_for_all_and_others_for_their_owner() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    app.provider("Rivers", &source).await;
    let open = create_transform(&app.admin, "open", "rewrite", "brook,river").await;
    let closed = create_transform(&app.admin, "closed", "rewrite", "brook,lake").await;
    let closed = format!("/svc/querytransforms/{}/", closed["id"]);
    assert_eq!(app.admin.patch(&closed, &json!({"shared": false})).await.status, 200);

    let ann = app.user("ann", &[]).await;
    let seen = ann.get("/svc/querytransforms/").await.body;
    assert_eq!(seen.as_array().unwrap().len(), 1, "{seen}");
    assert_eq!(seen[0]["id"], open["id"]);
    assert_eq!(ann.get(&closed).await.status, 404);
    let by_closed = json!({"query_string": "brook", "pre_query_processors": ["closed.rewrite"]});
    let refused = ann.post("/svc/search/", &by_closed).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    let sentence = refused.body["errors"]["pre_query_processors"][0].as_str().unwrap();
    assert!(sentence.contains("open.rewrite") && !sentence.contains("lake"), "{sentence}");
    let search =
        ann.search(&json!({"query_string": "brook", "pre_query_processors": ["open.rewrite"]})).await;
    assert_eq!(search["query_string_processed"], "river", "{search}");
    assert_eq!(app.admin.search(&by_closed).await["query_string_processed"], "lake");

    // A transform that is no longer visible is reported when the search runs again.
    let open = format!("/svc/querytransforms/{}/", open["id"]);
    assert_eq!(app.admin.patch(&open, &json!({"shared": false})).await.status, 200);
    ann.get(&format!("/svc/search/?rerun={}", search["id"])).await;
    let again = ann.ready(search["id"].as_i64().unwrap()).await;
    assert_eq!(again["query_string_processed"], "brook");
    let told = again["messages"].to_string();
    assert!(told.contains("open.rewrite failed and was skipped: it no longer exists"), "{told}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_administrators_write() {
    let app = AppHarness::start().await;
    let transform = create_transform(&app.admin, "phones", "rewrite", "a,b").await;
    let path = format!("/svc/querytransforms/{}/", transform["id"]);
    let ann = app.user("ann", &[]).await;
    let spec = json!({"name": "mine", "config_content": "a,b"});
    for answer in [
        ann.post("/svc/querytransforms/", &spec).await,
        ann.post("/svc/querytransforms/preview/", &spec).await,
        ann.put(&path, &spec).await,
        ann.patch(&path, &spec).await,
        ann.delete(&path).await,
        ann.get("/svc/query_transform_form/").await,
        ann.post("/svc/query_transform_form/", &spec).await,
    ] {
        assert_eq!((answer.status.as_u16(), answer.code()), (403, "permission_denied"), "{answer:?}");
    }
    assert_eq!(app.admin.get(&path).await.body, transform);
    app.stop().await;
}
