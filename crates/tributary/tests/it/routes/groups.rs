//! `/svc/groups/`.

use crate::house::TestHouse;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn the_life_of_a_group() {
    let house = TestHouse::start().await;
    let made = house.admin.post("/svc/groups/", &json!({"name": "research"})).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.body.as_object().unwrap().keys().collect::<Vec<_>>(), ["id", "name", "date_created"]);
    let path = format!("/svc/groups/{}/", made.body["id"]);
    assert_eq!(house.admin.get(&path).await.body, made.body);
    assert_eq!(house.admin.put(&path, &json!({"name": "studies"})).await.body["name"], "studies");
    assert_eq!(house.admin.patch(&path, &json!({"name": "reading"})).await.body["name"], "reading");
    assert_eq!(house.admin.patch(&path, &json!({})).await.body["name"], "reading");
    assert_eq!(house.admin.get(&path).await.body["date_created"], made.body["date_created"]);
    assert_eq!(house.admin.delete(&path).await.status, 204);
    assert_eq!(house.admin.get(&path).await.status, 404);
    assert_eq!(house.admin.delete(&path).await.status, 404);
    house.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_named() {
    let house = TestHouse::start().await;
    let research = house.admin.post("/svc/groups/", &json!({"name": "research"})).await.body;
    house.admin.post("/svc/groups/", &json!({"name": "archive"})).await;
    for draft in [
        json!({}),
        json!({"name": ""}),
        json!({"name": " "}),
        json!({"name": "n".repeat(151)}),
        json!({"name": 7}),
    ] {
        let answer = house.admin.post("/svc/groups/", &draft).await;
        assert_eq!(answer.status, 400, "{draft}: {answer:?}");
        assert!(answer.body["errors"]["name"].is_array(), "{draft}: {}", answer.body);
    }
    let path = format!("/svc/groups/{}/", research["id"]);
    for answer in [
        house.admin.post("/svc/groups/", &json!({"name": "research"})).await,
        house.admin.put(&path, &json!({"name": "archive"})).await,
        house.admin.patch(&path, &json!({"name": "archive"})).await,
    ] {
        assert_eq!((answer.status.as_u16(), answer.code()), (409, "conflict"), "{answer:?}");
        assert!(answer.body["errors"]["name"].is_array(), "{}", answer.body);
    }
    let all = house.admin.get("/svc/groups/").await.body;
    let names: Vec<&str> = all.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["curators", "research", "archive"], "the first is there from the start");
    let page = house.admin.get("/svc/groups/?page=3&items=1").await.body;
    assert_eq!((&page["count"], &page["results"][0]["name"]), (&json!(3), &json!("archive")));
    house.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn members_follow_their_group() {
    let house = TestHouse::start().await;
    let rosa = house.user("rosa", &["research", "archive"]).await;
    let groups = async || rosa.get("/svc/users/me/").await.body["groups"].clone();
    let all = house.admin.get("/svc/groups/").await.body;
    let research = all.as_array().unwrap().iter().find(|row| row["name"] == "research").unwrap();
    let path = format!("/svc/groups/{}/", research["id"]);
    assert_eq!(house.admin.patch(&path, &json!({"name": "studies"})).await.status, 200);
    assert_eq!(groups().await, json!(["archive", "studies"]));
    assert_eq!(house.admin.delete(&path).await.status, 204);
    assert_eq!(groups().await, json!(["archive"]), "the member stays");
    house.stop().await;
}
/// A provider names its groups. When a group gets another name, its members keep what they could see.
#[tokio::test(flavor = "multi_thread")]
async fn providers_follow_the_name_of_their_group() {
    let house = TestHouse::start().await;
    let rosa = house.user("rosa", &["research"]).await;
    let draft = json!({
        "name": "Hidden", "shared": false, "groups": ["research"], "url": "https://x.example/",
        "response_mappings": "RESULTS=a",
    });
    let provider = house.admin.post("/svc/searchproviders/", &draft).await.body;
    let seen = format!("/svc/searchproviders/{}/", provider["id"]);
    assert_eq!(rosa.get(&seen).await.status, 200);
    let all = house.admin.get("/svc/groups/").await.body;
    let group = all.as_array().unwrap().iter().find(|row| row["name"] == "research").unwrap();
    let path = format!("/svc/groups/{}/", group["id"]);
    assert_eq!(house.admin.patch(&path, &json!({"name": "studies"})).await.status, 200);
    assert_eq!(rosa.get(&seen).await.status, 200, "a new name takes nothing away");
    assert_eq!(house.admin.get(&seen).await.body["groups"], json!(["studies"]));

    let newcomer = house.user("nora", &["research"]).await;
    assert_eq!(newcomer.get(&seen).await.status, 404, "another group of the old name gains nothing");
    house.stop().await;
}
