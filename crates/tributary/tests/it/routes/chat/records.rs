//! Chats as records: listed, renamed, rated, deleted.

use super::{chat, chat_fixture, send_message};
use crate::app_harness::AppHarness;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn listed_renamed_and_deleted() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    let first = chat(&ann, json!({"title": " Dams "})).await;
    let second = chat(&ann, json!({"searchprovider_list": ["Mills", 3]})).await;
    let titles = async || -> Vec<String> {
        let list = ann.get("/svc/chat/").await;
        list.body.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(titles().await, ["", "Dams"]);
    let renamed = ann.patch(&first, &json!({"title": "Weirs"})).await;
    assert_eq!((renamed.status.as_u16(), &renamed.body["title"]), (200, &json!("Weirs")), "{renamed:?}");
    assert_eq!(titles().await, ["Weirs", ""], "the one changed last is first");
    assert_eq!(ann.get(&second).await.body["searchprovider_list"], json!(["Mills", 3]));
    let paged = ann.get("/svc/chat/?page=2&items=1").await.body;
    assert_eq!((&paged["count"], &paged["results"][0]["title"]), (&json!(2), &json!("")));
    assert_eq!(app.admin.get("/svc/chat/").await.body, json!([]), "nobody sees another's");

    assert_eq!(ann.delete(&second).await.status, 204);
    assert_eq!(ann.get(&second).await.status, 404);
    chat(&ann, json!({})).await;
    let theirs = chat(&app.admin, json!({})).await;
    assert_eq!(ann.delete("/svc/chat/").await.status, 204);
    assert_eq!(ann.get("/svc/chat/").await.body, json!([]));
    assert_eq!(app.admin.get(&theirs).await.status, 200);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_named() {
    let scenario = chat_fixture().await;
    let app = &scenario.app;
    let path = chat(&app.admin, json!({})).await;
    let rag_only = scenario.ai_provider;
    for (spec, field) in [
        (json!({"title": "x".repeat(256)}), "title"),
        (json!({"ai_provider": 999_999}), "ai_provider"),
        (json!({"ai_provider": rag_only}), "ai_provider"),
        (json!({"prompt": "no_such_prompt"}), "prompt"),
        (json!({"searchprovider_list": vec!["a"; 501]}), "searchprovider_list"),
        (json!({"searchprovider_list": ["x".repeat(300)]}), "searchprovider_list"),
    ] {
        for answer in [app.admin.post("/svc/chat/", &spec).await, app.admin.patch(&path, &spec).await] {
            assert_eq!((answer.status.as_u16(), answer.code()), (400, "invalid"), "{spec} {answer:?}");
            assert!(answer.body["errors"][field].is_array(), "{field}: {answer:?}");
        }
    }
    for name in ["chat_rag_instructions_standard", "chat_rag_standard"] {
        let answer = app.admin.patch(&path, &json!({"prompt": name})).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_rated() {
    let scenario = chat_fixture().await;
    scenario.model.says("Hello.");
    let admin = &scenario.app.admin;
    let path = chat(admin, json!({})).await;
    let answer = send_message(admin, &path, "Hello").await.body;
    let rating = format!("{path}messages/{}/rating/", answer["id"]);
    for wrong in [
        json!({"rating": 0}),
        json!({"rating": 2}),
        json!({"rating": 1, "reasons": vec!["x"; 21]}),
        json!({"rating": 1, "comment": "x".repeat(2001)}),
    ] {
        let refused = admin.post(&rating, &wrong).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (400, "invalid"), "{wrong} {refused:?}");
    }
    for given in [json!({"rating": 1, "reasons": ["helpful"], "comment": "Good."}), json!({"rating": -1})] {
        let rated = admin.post(&rating, &given).await;
        assert_eq!(rated.status, 200, "{rated:?}");
        assert_eq!(rated.body["rating"]["rating"], given["rating"]);
        assert_eq!(admin.get(&path).await.body["messages"][1]["rating"], rated.body["rating"]);
    }
    let said = admin.get(&path).await.body["messages"][0]["id"].clone();
    let own = admin.post(&format!("{path}messages/{said}/rating/"), &json!({"rating": 1})).await;
    assert_eq!((own.status.as_u16(), own.code()), (422, "impossible"), "{own:?}");
    let elsewhere = chat(admin, json!({})).await;
    let strange =
        admin.post(&format!("{elsewhere}messages/{}/rating/", answer["id"]), &json!({"rating": 1})).await;
    assert_eq!(strange.status, 404, "the answer is of another chat");
    scenario.app.stop().await;
}
