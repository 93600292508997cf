//! Who sees which provider, and how much of it.

use super::{names, with};
use crate::house::TestHouse;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn shared_or_by_group() {
    let house = TestHouse::start().await;
    let list = json!([
        with("All", json!({})),
        with("AllAndGroups", json!({"groups": ["research"]})),
        with("Research", json!({"shared": false, "groups": ["research"]})),
        with("Both", json!({"shared": false, "groups": ["research", "archive"]})),
        with("Nobody", json!({"shared": false})),
    ]);
    let made = house.admin.post("/svc/searchproviders/", &list).await;
    assert_eq!(made.status, 201, "{made:?}");
    let people = [
        (house.user("otto", &[]).await, vec!["All", "AllAndGroups"]),
        (house.user("rosa", &["research"]).await, vec!["All", "AllAndGroups", "Research", "Both"]),
        (house.user("arno", &["archive"]).await, vec!["All", "AllAndGroups", "Both"]),
        (house.admin.clone(), vec!["All", "AllAndGroups", "Research", "Both", "Nobody"]),
    ];
    for (client, expected) in people {
        let seen = client.get("/svc/searchproviders/").await;
        assert_eq!(names(&seen.body), expected);
        let count = expected.len();
        assert_eq!(seen.header("x-total-count"), count.to_string());
        let page = client.get("/svc/searchproviders/?page=2&items=1").await.body;
        assert_eq!((&page["count"], names(&page["results"])), (&json!(count), vec![expected[1]]));
        for row in made.body.as_array().unwrap() {
            let status = client.get(&format!("/svc/searchproviders/{}/", row["id"])).await.status;
            let sees = expected.contains(&row["name"].as_str().unwrap());
            assert_eq!(status, if sees { 200 } else { 404 }, "{}", row["name"]);
        }
    }
    house.stop().await;
}

/// A provider that is hidden cannot be asked for by its id, its name or its tag, nor be noticed in the answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_hidden_provider_cannot_be_searched_or_noticed() {
    let house = TestHouse::start().await;
    let draft = with("Hidden", json!({"shared": false, "groups": ["research"], "tags": ["veiled"]}));
    let id = house.admin.post("/svc/searchproviders/", &draft).await.body["id"].clone();
    let otto = house.user("otto", &[]).await;
    let told = async |reference: &Value| {
        let search = otto.search(&json!({"query_string": "x", "searchprovider_list": [reference]})).await;
        assert_eq!(search["status"], "ERR_NO_SEARCHPROVIDERS", "{reference}");
        let word = reference.as_str().map_or_else(|| reference.to_string(), str::to_owned);
        let lines = search["messages"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
        let timeless = lines.map(|line| line.split_once("] ").map_or(line, |(_, rest)| rest));
        timeless.map(|line| line.replace(&format!(": {word}"), ": <it>")).collect::<Vec<String>>()
    };
    for (hidden, absent) in
        [(json!(id), json!(999)), (json!("Hidden"), json!("Absent")), (json!("veiled"), json!("unused"))]
    {
        let (hidden, absent) = (told(&hidden).await, told(&absent).await);
        assert!(hidden.iter().any(|line| line.contains("<it>")), "{hidden:?}");
        assert_eq!(hidden, absent, "the same is said of what is hidden and of what is not there");
    }
    house.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_that_may_hold_secrets_are_for_editors() {
    let house = TestHouse::start().await;
    let more = json!({
        "credentials": "key=abc",
        "eval_credentials": "session['t']",
        "http_request_headers": {"X-Key": "canary-header"},
    });
    let made = house.admin.post("/svc/searchproviders/", &with("Keyed", more)).await.body;
    let path = format!("/svc/searchproviders/{}/", made["id"]);
    let otto = house.user("otto", &[]).await;
    for shown in [otto.get(&path).await.body, otto.get("/svc/searchproviders/").await.body[0].clone()] {
        let fields = shown.as_object().unwrap();
        for field in ["credentials", "eval_credentials", "http_request_headers"] {
            assert!(!fields.contains_key(field), "{shown}");
        }
        assert_eq!(shown["name"], "Keyed");
        assert_eq!(fields.len(), made.as_object().unwrap().len() - 3, "the rest is there");
    }
    house.stop().await;
}
