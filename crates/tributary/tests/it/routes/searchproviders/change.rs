//! `PUT`, `PATCH`, `DELETE /svc/searchproviders/<id>/`.

use super::{smallest, with};
use crate::house::{TestHouse, items};
use serde_json::{Value, json};
use testkit::source::{Behaviour, Source};

#[tokio::test(flavor = "multi_thread")]
async fn put_replaces_and_patch_changes_what_is_given() {
    let house = TestHouse::start().await;
    let draft = with("Rivers", json!({"description": "Water.", "tags": ["wet"], "results_per_query": 20}));
    let made = house.admin.post("/svc/searchproviders/", &draft).await.body;
    let path = format!("/svc/searchproviders/{}/", made["id"]);

    let patched = house.admin.patch(&path, &json!({"tags": ["flowing"], "default": false})).await;
    assert_eq!(patched.status, 200, "{patched:?}");
    let mut expected = made.clone();
    expected["tags"] = json!(["flowing"]);
    expected["default"] = json!(false);
    expected["date_updated"] = patched.body["date_updated"].clone();
    assert_eq!(patched.body, expected);
    assert!(made["date_updated"].as_str() < patched.body["date_updated"].as_str());

    let nothing = house.admin.patch(&path, &json!({})).await;
    expected["date_updated"] = nothing.body["date_updated"].clone();
    assert_eq!(nothing.body, expected, "an empty change changes nothing");

    let put = house.admin.put(&path, &smallest("Streams")).await;
    assert_eq!(put.status, 200, "{put:?}");
    assert_eq!((&put.body["id"], &put.body["owner"]), (&made["id"], &json!("admin")));
    assert_eq!(put.body["date_created"], made["date_created"]);
    let fresh = house.admin.post("/svc/searchproviders/", &smallest("Fresh")).await.body;
    for field in ["description", "tags", "default", "results_per_query", "query_template"] {
        assert_eq!(put.body[field], fresh[field], "{field} is back at its default");
    }
    let wrong = house.admin.patch(&path, &json!({"connector": "Nobody"})).await;
    assert_eq!(wrong.status, 400);
    assert_eq!(house.admin.get(&path).await.body, put.body, "a refused change changes nothing");
    house.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_read_can_be_sent_back() {
    let house = TestHouse::start().await;
    let draft = with("Rivers", json!({"credentials": "key=abc", "tags": ["wet"]}));
    let made = house.admin.post("/svc/searchproviders/", &draft).await.body;
    let path = format!("/svc/searchproviders/{}/", made["id"]);
    let without_time = |mut value: Value| {
        value.as_object_mut().unwrap().remove("date_updated");
        value
    };
    for answer in [house.admin.put(&path, &made).await, house.admin.patch(&path, &made).await] {
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(without_time(answer.body), without_time(made.clone()));
    }
    house.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_used_by_the_next_search() {
    let house = TestHouse::start().await;
    let (old, new) = (Source::start().await, Source::start().await);
    old.reply(Behaviour::Json(items("river", 1)));
    new.reply(Behaviour::Json(items("lake", 2)));
    let id = house.provider("Waters", &old).await;
    let path = format!("/svc/searchproviders/{id}/");
    house.admin.search(&json!({"query_string": "water"})).await;
    assert_eq!(house.admin.patch(&path, &json!({"url": new.url()})).await.status, 200);
    house.admin.search(&json!({"query_string": "water"})).await;
    assert_eq!((old.requests().len(), new.requests().len()), (1, 1));
    house.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn delete_leaves_saved_results() {
    let house = TestHouse::start().await;
    let source = Source::start().await;
    source.reply(Behaviour::Json(items("river", 2)));
    let id = house.provider("Rivers", &source).await;
    let path = format!("/svc/searchproviders/{id}/");
    let search = house.admin.search(&json!({"query_string": "river"})).await;

    let gone = house.admin.delete(&path).await;
    assert_eq!((gone.status.as_u16(), gone.body.as_str()), (204, Some("")));
    for answer in [
        house.admin.get(&path).await,
        house.admin.delete(&path).await,
        house.admin.patch(&path, &json!({})).await,
        house.admin.put(&path, &smallest("Rivers")).await,
    ] {
        assert_eq!(answer.status, 404, "{answer:?}");
    }
    let mixed = house.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await;
    assert_eq!(mixed.body["results"].as_array().unwrap().len(), 2);
    assert_eq!(mixed.body["info"]["Rivers"]["status"], "ok");
    let next = house.admin.search(&json!({"query_string": "river"})).await;
    assert_eq!(next["status"], "ERR_NO_SEARCHPROVIDERS");
    let again = house.admin.post("/svc/searchproviders/", &smallest("Rivers")).await;
    assert_eq!(again.status, 201, "the name is free again");
    assert_ne!(again.body["id"], id, "ids are not given twice");
    house.stop().await;
}
