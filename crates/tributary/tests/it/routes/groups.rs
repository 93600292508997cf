//! `/svc/groups/`.

use crate::app_harness::AppHarness;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn the_life_of_a_group() {
    let app = AppHarness::start().await;
    let made = app.admin.post("/svc/groups/", &json!({"name": "research"})).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.body.as_object().unwrap().keys().collect::<Vec<_>>(), ["id", "name", "date_created"]);
    let path = format!("/svc/groups/{}/", made.body["id"]);
    assert_eq!(app.admin.get(&path).await.body, made.body);
    assert_eq!(app.admin.put(&path, &json!({"name": "studies"})).await.body["name"], "studies");
    assert_eq!(app.admin.patch(&path, &json!({"name": "reading"})).await.body["name"], "reading");
    assert_eq!(app.admin.patch(&path, &json!({})).await.body["name"], "reading");
    assert_eq!(app.admin.get(&path).await.body["date_created"], made.body["date_created"]);
    assert_eq!(app.admin.delete(&path).await.status, 204);
    assert_eq!(app.admin.get(&path).await.status, 404);
    assert_eq!(app.admin.delete(&path).await.status, 404);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_named() {
    let app = AppHarness::start().await;
    let research = app.admin.post("/svc/groups/", &json!({"name": "research"})).await.body;
    app.admin.post("/svc/groups/", &json!({"name": "archive"})).await;
    for spec in [
        json!({}),
        json!({"name": ""}),
        json!({"name": " "}),
        json!({"name": "n".repeat(151)}),
        json!({"name": 7}),
    ] {
        let answer = app.admin.post("/svc/groups/", &spec).await;
        assert_eq!(answer.status, 400, "{spec}: {answer:?}");
        assert!(answer.body["errors"]["name"].is_array(), "{spec}: {}", answer.body);
    }
    let path = format!("/svc/groups/{}/", research["id"]);
    for answer in [
        app.admin.post("/svc/groups/", &json!({"name": "research"})).await,
        app.admin.post("/svc/groups/", &json!({"name": "RESEARCH"})).await,
        app.admin.put(&path, &json!({"name": "archive"})).await,
        app.admin.patch(&path, &json!({"name": "archive"})).await,
    ] {
        assert_eq!((answer.status.as_u16(), answer.code()), (409, "conflict"), "{answer:?}");
        assert!(answer.body["errors"]["name"].is_array(), "{}", answer.body);
    }
    let all = app.admin.get("/svc/groups/").await.body;
    let names: Vec<&str> = all.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["curators", "research", "archive"], "the first is there from the start");
    let page = app.admin.get("/svc/groups/?page=3&items=1").await.body;
    assert_eq!((&page["count"], &page["results"][0]["name"]), (&json!(3), &json!("archive")));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn members_follow_their_group() {
    let app = AppHarness::start().await;
    let rosa = app.user("rosa", &["research", "archive"]).await;
    let groups = async || rosa.get("/svc/users/me/").await.body["groups"].clone();
    let all = app.admin.get("/svc/groups/").await.body;
    let research = all.as_array().unwrap().iter().find(|row| row["name"] == "research").unwrap();
    let path = format!("/svc/groups/{}/", research["id"]);
    assert_eq!(app.admin.patch(&path, &json!({"name": "studies"})).await.status, 200);
    assert_eq!(groups().await, json!(["archive", "studies"]));
    assert_eq!(app.admin.delete(&path).await.status, 204);
    assert_eq!(groups().await, json!(["archive"]), "the member stays");
    app.stop().await;
}
/// A provider names its groups. When a group is renamed, its members keep their access.
#[tokio::test(flavor = "multi_thread")]
async fn providers_follow_the_name_of_their_group() {
    let app = AppHarness::start().await;
    let rosa = app.user("rosa", &["research"]).await;
    let spec = json!({
        "name": "Hidden", "shared": false, "groups": ["research"], "url": "https://x.example/",
        "response_mappings": "RESULTS=a",
    });
    let provider = app.admin.post("/svc/searchproviders/", &spec).await.body;
    let seen = format!("/svc/searchproviders/{}/", provider["id"]);
    assert_eq!(rosa.get(&seen).await.status, 200);
    let all = app.admin.get("/svc/groups/").await.body;
    let group = all.as_array().unwrap().iter().find(|row| row["name"] == "research").unwrap();
    let path = format!("/svc/groups/{}/", group["id"]);
    assert_eq!(app.admin.patch(&path, &json!({"name": "studies"})).await.status, 200);
    assert_eq!(rosa.get(&seen).await.status, 200, "a new name takes nothing away");
    assert_eq!(app.admin.get(&seen).await.body["groups"], json!(["studies"]));

    let newcomer = app.user("nora", &["research"]).await;
    assert_eq!(newcomer.get(&seen).await.status, 404, "another group of the old name gains nothing");
    app.stop().await;
}
