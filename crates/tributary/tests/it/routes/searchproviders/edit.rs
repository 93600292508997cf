//! `PUT`, `PATCH`, `DELETE /svc/searchproviders/<id>/`.

use super::{smallest, with};
use crate::app_harness::{AppHarness, items};
use domain::ids::ProviderId;
use domain::ports::{ProviderEdits, ProviderStore};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

#[tokio::test(flavor = "multi_thread")]
async fn put_replaces_and_patch_changes_what_is_given() {
    let app = AppHarness::start().await;
    let spec = with("Rivers", json!({"description": "Water.", "tags": ["wet"], "results_per_query": 20}));
    let made = app.admin.post("/svc/searchproviders/", &spec).await.body;
    let path = format!("/svc/searchproviders/{}/", made["id"]);

    let patched = app.admin.patch(&path, &json!({"tags": ["flowing"], "default": false})).await;
    assert_eq!(patched.status, 200, "{patched:?}");
    let mut expected = made.clone();
    expected["tags"] = json!(["flowing"]);
    expected["default"] = json!(false);
    expected["date_updated"] = patched.body["date_updated"].clone();
    assert_eq!(patched.body, expected);
    assert!(made["date_updated"].as_str() < patched.body["date_updated"].as_str());

    let nothing = app.admin.patch(&path, &json!({})).await;
    expected["date_updated"] = nothing.body["date_updated"].clone();
    assert_eq!(nothing.body, expected, "an empty change changes nothing");

    let put = app.admin.put(&path, &smallest("Streams")).await;
    assert_eq!(put.status, 200, "{put:?}");
    assert_eq!((&put.body["id"], &put.body["owner"]), (&made["id"], &json!("admin")));
    assert_eq!(put.body["date_created"], made["date_created"]);
    let fresh = app.admin.post("/svc/searchproviders/", &smallest("Fresh")).await.body;
    for field in ["description", "tags", "default", "results_per_query", "query_template"] {
        assert_eq!(put.body[field], fresh[field], "{field} is back at its default");
    }
    let wrong = app.admin.patch(&path, &json!({"connector": "Nobody"})).await;
    assert_eq!(wrong.status, 400);
    assert_eq!(app.admin.get(&path).await.body, put.body, "a refused change changes nothing");
    app.stop().await;
}

/// Settings within settings: those that a patch does not name remain, masked secrets too.
#[tokio::test(flavor = "multi_thread")]
async fn patch_changes_settings_within_settings() {
    let app = AppHarness::start().await;
    let spec = with(
        "Rivers",
        json!({
            "config": {"swirl": {"rag": {"swirl_rag_max_to_consider": 4}, "connector_use": {"rate_limit": "30/minute"}}},
            "page_fetch_config_json": {"cache": "true", "timeout": 5, "diffbot": {"token": "canary", "a.example": {}}},
            "query_template_json": {"q": "{query_string}", "size": 10},
        }),
    );
    let made = app.admin.post("/svc/searchproviders/", &spec).await;
    assert_eq!(made.status, 201, "{made:?}");
    let path = format!("/svc/searchproviders/{}/", made.body["id"]);
    let change = json!({
        "config": {"swirl": {"rag": {"swirl_rag_fetch_timeout": 7}, "connector_use": null}},
        "page_fetch_config_json": {"timeout": 9, "diffbot": {"token": "••••", "b.example": {}}},
        "query_template_json": {"q": "{query_string}"},
    });
    let patched = app.admin.patch(&path, &change).await;
    assert_eq!(patched.status, 200, "{patched:?}");
    let read = app.admin.get(&path).await.body;
    for body in [&patched.body, &read] {
        assert_eq!(
            body["config"],
            json!({"swirl": {"rag": {"swirl_rag_max_to_consider": 4, "swirl_rag_fetch_timeout": 7}}})
        );
        assert_eq!(
            body["page_fetch_config_json"],
            json!({"cache": "true", "timeout": 9,
                "diffbot": {"token": "••••", "a.example": {}, "b.example": {}}})
        );
        assert_eq!(body["query_template_json"], json!({"q": "{query_string}"}), "a template is one value");
    }
    let id = ProviderId(made.body["id"].as_i64().unwrap());
    let stored = app.service.app().store.provider(id).await.unwrap();
    assert_eq!(json!(stored.spec.page_fetch_config_json)["diffbot"]["token"], "canary");
    for (change, field) in [
        (json!({"config": {"swirl": {"connector_use": {"rate_limit": "often"}}}}), "config"),
        (json!({"config": {"swirl": {"rag": {"swirl_rag_max_to_consider": "many"}}}}), "config"),
    ] {
        let refused = app.admin.patch(&path, &change).await;
        assert_eq!(refused.status, 400, "{change}: {refused:?}");
        assert!(refused.body["errors"].get(field).is_some(), "{change}: {refused:?}");
    }
    assert_eq!(app.admin.get(&path).await.body, read, "a refused change changes nothing");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_read_can_be_sent_back() {
    let app = AppHarness::start().await;
    let spec = with("Rivers", json!({"credentials": "key=abc", "tags": ["wet"]}));
    let made = app.admin.post("/svc/searchproviders/", &spec).await.body;
    let path = format!("/svc/searchproviders/{}/", made["id"]);
    let without_time = |mut value: Value| {
        value.as_object_mut().unwrap().remove("date_updated");
        value
    };
    for answer in [app.admin.put(&path, &made).await, app.admin.patch(&path, &made).await] {
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(without_time(answer.body), without_time(made.clone()));
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mappings_come_back_word_for_word() {
    let app = AppHarness::start().await;
    let made = app.admin.post("/svc/searchproviders/", &smallest("Rivers")).await.body;
    let path = format!("/svc/searchproviders/{}/", made["id"]);
    let texts = json!({
        "query_mappings": " lang=en ,, DATE_SORT=sort=date,MATCH_ALL ,",
        "response_mappings": " RESULTS= items ,FOUND=total,FOUND=other",
        "result_mappings": " title = name ,body='It's {a}, not {b}' ,, NO_PAYLOAD",
        "page_fetch_config_json": {"z": 1, "cache": "false", "timeout": "5", "a.example": {"timeout": 2}},
    });
    let put = app.admin.put(&path, &with("Rivers", texts.clone())).await;
    assert_eq!(put.status, 200, "{put:?}");
    let read = app.admin.get(&path).await.body;
    for (field, value) in texts.as_object().unwrap() {
        for body in [&put.body, &read] {
            assert_eq!(body[field].to_string(), value.to_string(), "{field}");
        }
    }
    app.stop().await;
}

/// They can only be written past the checks, as by another version. The failure is that of their provider alone.
#[tokio::test(flavor = "multi_thread")]
async fn stored_mappings_that_are_wrong_are_reported_when_they_are_used() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    app.provider("Right", &source).await;
    let wrong = [
        ("query_mappings", "=x", "query_mappings: '=x' has no key before '='."),
        ("response_mappings", "items", "response_mappings: 'items' is not of the form KEY=path."),
        (
            "result_mappings",
            "title=",
            "result_mappings: 'title=' needs a key before '=' and a source after it.",
        ),
    ];
    let wired = app.service.app();
    for (field, text, _) in wrong {
        let id = app.provider(field, &source).await;
        let stored = wired.store.provider(ProviderId(id)).await.unwrap();
        let mut spec = serde_json::to_value(&stored.spec).unwrap();
        spec[field] = json!(text);
        let spec = serde_json::from_value(spec).unwrap();
        wired.store.replace_provider(stored.id, spec, wired.clock.now()).await.unwrap();
        let read = app.admin.get(&format!("/svc/searchproviders/{id}/")).await;
        assert_eq!(read.body[field], text, "{read:?}");
    }
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    assert_eq!(search["status"], "PARTIAL_RESULTS_READY");
    let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
    assert_eq!((&mixed["info"]["Right"]["status"], source.requests().len()), (&json!("ok"), 1));
    for (name, _, sentence) in wrong {
        let info = &mixed["info"][name];
        assert_eq!(info["status"], "error", "{info}");
        assert!(info.to_string().contains(sentence), "{info}");
        assert!(mixed["messages"].to_string().contains(sentence), "{}", mixed["messages"]);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_used_by_the_next_search() {
    let app = AppHarness::start().await;
    let (old, new) = (Source::start().await, Source::start().await);
    old.reply(Behavior::Json(items("river", 1)));
    new.reply(Behavior::Json(items("lake", 2)));
    let id = app.provider("Waters", &old).await;
    let path = format!("/svc/searchproviders/{id}/");
    app.admin.search(&json!({"query_string": "water"})).await;
    assert_eq!(app.admin.patch(&path, &json!({"url": new.url()})).await.status, 200);
    app.admin.search(&json!({"query_string": "water"})).await;
    assert_eq!((old.requests().len(), new.requests().len()), (1, 1));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn delete_leaves_saved_results() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    let id = app.provider("Rivers", &source).await;
    let path = format!("/svc/searchproviders/{id}/");
    let search = app.admin.search(&json!({"query_string": "river"})).await;

    let gone = app.admin.delete(&path).await;
    assert_eq!((gone.status.as_u16(), gone.body.as_str()), (204, Some("")));
    for answer in [
        app.admin.get(&path).await,
        app.admin.delete(&path).await,
        app.admin.patch(&path, &json!({})).await,
        app.admin.put(&path, &smallest("Rivers")).await,
    ] {
        assert_eq!(answer.status, 404, "{answer:?}");
    }
    let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await;
    assert_eq!(mixed.body["results"].as_array().unwrap().len(), 2);
    assert_eq!(mixed.body["info"]["Rivers"]["status"], "ok");
    let next = app.admin.search(&json!({"query_string": "river"})).await;
    assert_eq!(next["status"], "ERR_NO_SEARCHPROVIDERS");
    let again = app.admin.post("/svc/searchproviders/", &smallest("Rivers")).await;
    assert_eq!(again.status, 201, "the name is free again");
    assert_ne!(again.body["id"], id, "ids are not given twice");
    app.stop().await;
}
