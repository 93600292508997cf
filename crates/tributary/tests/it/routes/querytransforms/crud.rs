//! Create, read, edit, delete and test query transforms.

use super::{create_transform, rule_errors};
use crate::app_harness::AppHarness;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn the_life_of_a_transform() {
    let app = AppHarness::start().await;
    let first = create_transform(&app.admin, " phones ", "rewrite", "mobiles; ombile,mobile").await;
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["id", "owner", "name", "shared", "qrx_type", "config_content", "date_created", "date_updated"]
    );
    assert_eq!((&first["name"], &first["owner"]), (&json!("phones"), &json!("admin")));
    assert_eq!((&first["shared"], &first["qrx_type"]), (&json!(true), &json!("rewrite")));
    let path = format!("/svc/querytransforms/{}/", first["id"]);
    assert_eq!(app.admin.get(&path).await.body, first);

    let given =
        json!({"name": "phones", "qrx_type": "synonym bag", "config_content": "\"a, b\",c", "shared": false});
    let replaced = app.admin.put(&path, &given).await;
    assert_eq!(replaced.status, 200, "{replaced:?}");
    assert_eq!((&replaced.body["qrx_type"], &replaced.body["shared"]), (&json!("bag"), &json!(false)));
    assert_eq!(replaced.body["config_content"], "\"a, b\",c", "the text stays as it was given");
    let changed = app.admin.patch(&path, &json!({"name": "handsets"})).await;
    assert_eq!(changed.body["name"], "handsets");
    assert_eq!(changed.body["config_content"], "\"a, b\",c");
    assert_eq!(changed.body["date_created"], first["date_created"]);

    create_transform(&app.admin, "cars", "bag", "car,automobile").await;
    let all = app.admin.get("/svc/querytransforms/").await;
    let names: Vec<&str> =
        all.body.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["handsets", "cars"]);
    let page = app.admin.get("/svc/querytransforms/?page=2&items=1").await.body;
    assert_eq!((&page["count"], &page["results"][0]["name"]), (&json!(2), &json!("cars")));

    assert_eq!(app.admin.delete(&path).await.status, 204);
    assert_eq!(app.admin.get(&path).await.status, 404);
    assert_eq!(app.admin.put(&path, &given).await.status, 404);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn name_and_type_are_unique_together() {
    let app = AppHarness::start().await;
    create_transform(&app.admin, "phones", "rewrite", "a,b").await;
    let bag = create_transform(&app.admin, "phones", "bag", "a,b").await;
    let again = json!({"name": "phones", "qrx_type": "rewrite", "config_content": "a,b"});
    let path = format!("/svc/querytransforms/{}/", bag["id"]);
    for answer in [
        app.admin.post("/svc/querytransforms/", &again).await,
        app.admin.put(&path, &again).await,
        app.admin.patch(&path, &json!({"qrx_type": "rewrite"})).await,
    ] {
        assert_eq!((answer.status.as_u16(), answer.code()), (409, "conflict"), "{answer:?}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_named_by_field_and_line() {
    let app = AppHarness::start().await;
    let whole = json!({"name": "phones", "qrx_type": "rewrite", "config_content": "a,b"});
    for (field, value) in [
        ("name", json!("")),
        ("name", json!("a.b")),
        ("name", json!("n".repeat(256))),
        ("qrx_type", json!("magic")),
        ("config_content", json!("")),
        ("config_content", json!("# nothing\n")),
        ("config_content", json!(7)),
        ("shared", json!("yes")),
    ] {
        let mut spec = whole.clone();
        spec[field] = value.clone();
        let answer = app.admin.post("/svc/querytransforms/", &spec).await;
        assert_eq!(answer.status, 400, "{field} {value}: {answer:?}");
        assert!(answer.body["errors"][field].is_array(), "{field} {value}: {}", answer.body);
    }
    let mut spec = whole.clone();
    spec["config_content"] = json!("a,b\r\n# a comment\r\n*phone,c\r\n\"d\ne\",f\r\n*,g\r\n");
    let answer = app.admin.post("/svc/querytransforms/", &spec).await;
    assert_eq!(
        rule_errors(&answer),
        ["line 3: A pattern may not begin with '*'.", "line 6: A pattern may not begin with '*'."]
    );
    assert_eq!(app.admin.get("/svc/querytransforms/").await.body, json!([]), "nothing was saved");

    let stored = app.admin.post("/svc/querytransforms/", &whole).await.body;
    let path = format!("/svc/querytransforms/{}/", stored["id"]);
    let answer = app.admin.patch(&path, &json!({"qrx_type": "synonym", "config_content": "a"})).await;
    assert_eq!(rule_errors(&answer), ["line 1: A term and a synonym are needed."]);
    assert_eq!(app.admin.get(&path).await.body, stored);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_are_tried_before_they_are_saved() {
    let app = AppHarness::start().await;
    let rules = "mobiles; ombile; mo bile,mobile\nof,";
    let trial = json!({"qrx_type": "rewrite", "config_content": rules, "query": "mobiles of today"});
    let answer = app.admin.post("/svc/querytransforms/preview/", &trial).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.body, json!({"query": "mobile today", "rules": 2, "mistakes": []}));
    let trial = json!({"qrx_type": "synonym", "config_content": "a,b\nc", "query": "a"});
    let answer = app.admin.post("/svc/querytransforms/preview/", &trial).await;
    let mistake = json!({"line": 2, "message": "A term and a synonym are needed."});
    assert_eq!(answer.body, json!({"query": "a", "rules": 0, "mistakes": [mistake]}));
    for (field, value) in [("query", "q".repeat(2049)), ("config_content", "c".repeat(1024 * 1024 + 1))] {
        let answer = app.admin.post("/svc/querytransforms/preview/", &json!({ field: value })).await;
        assert_eq!(answer.status, 400, "{field}");
        assert!(answer.body["errors"][field].is_array(), "{field}: {}", answer.body);
    }
    assert_eq!(app.admin.get("/svc/querytransforms/").await.body, json!([]));
    app.stop().await;
}
