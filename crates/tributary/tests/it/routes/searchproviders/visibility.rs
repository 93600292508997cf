//! Who sees which provider, and which of its fields.

use super::{names, with};
use crate::app_harness::{AppHarness, items};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

#[tokio::test(flavor = "multi_thread")]
async fn shared_or_by_group() {
    let app = AppHarness::start().await;
    let list = json!([
        with("All", json!({})),
        with("AllAndGroups", json!({"groups": ["research"]})),
        with("Research", json!({"shared": false, "groups": ["research"]})),
        with("Both", json!({"shared": false, "groups": ["research", "archive"]})),
        with("Nobody", json!({"shared": false})),
    ]);
    let made = app.admin.post("/svc/searchproviders/", &list).await;
    assert_eq!(made.status, 201, "{made:?}");
    let people = [
        (app.user("otto", &[]).await, vec!["All", "AllAndGroups"]),
        (app.user("rosa", &["research"]).await, vec!["All", "AllAndGroups", "Research", "Both"]),
        (app.user("arno", &["archive"]).await, vec!["All", "AllAndGroups", "Both"]),
        (app.admin.clone(), vec!["All", "AllAndGroups", "Research", "Both", "Nobody"]),
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
    app.stop().await;
}

/// A hidden provider cannot be searched by its id, name or tag, nor be noticed in the response.
#[tokio::test(flavor = "multi_thread")]
async fn a_hidden_provider_cannot_be_searched_or_noticed() {
    let app = AppHarness::start().await;
    let spec = with("Hidden", json!({"shared": false, "groups": ["research"], "tags": ["veiled"]}));
    let id = app.admin.post("/svc/searchproviders/", &spec).await.body["id"].clone();
    let otto = app.user("otto", &[]).await;
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
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_that_may_hold_secrets_are_for_editors() {
    let app = AppHarness::start().await;
    let more = json!({
        "credentials": "key=abc",
        "eval_credentials": "session['t']",
        "http_request_headers": {"X-Key": "canary-header"},
        "page_fetch_config_json": {"cache": "true", "diffbot": {"token": "canary-token"}},
    });
    let made = app.admin.post("/svc/searchproviders/", &with("Keyed", more)).await.body;
    let path = format!("/svc/searchproviders/{}/", made["id"]);
    let otto = app.user("otto", &[]).await;
    for shown in [otto.get(&path).await.body, otto.get("/svc/searchproviders/").await.body[0].clone()] {
        let fields = shown.as_object().unwrap();
        let hidden = ["credentials", "eval_credentials", "http_request_headers", "page_fetch_config_json"];
        for field in hidden {
            assert!(!fields.contains_key(field), "{shown}");
        }
        assert_eq!(shown["name"], "Keyed");
        assert_eq!(fields.len(), made.as_object().unwrap().len() - hidden.len(), "the rest is there");
    }
    app.stop().await;
}

/// The value of a header in the last request to the source.
fn sent_header(source: &Source, name: &str) -> Option<String> {
    source.requests().last().expect("a request").header(name).map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_headers_are_masked_and_a_mask_keeps_them() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    let headers = json!({"Accept": "application/json", "X-Api-Key": "canary-1", "X-Team": "rivers"});
    let fetching = json!({"cache": "true", "headers": {"Cookie": "canary-2"}, "timeout": 5});
    let more = json!({"http_request_headers": headers, "page_fetch_config_json": fetching});
    let id = app.provider_with("Keyed", &source, more).await;
    let path = format!("/svc/searchproviders/{id}/");
    let shown = app.admin.get(&path).await.body;
    let masked = json!({"Accept": "application/json", "X-Api-Key": "••••", "X-Team": "rivers"});
    assert_eq!(shown["http_request_headers"], masked);
    let fetching = json!({"cache": "true", "headers": {"Cookie": "••••"}, "timeout": 5});
    assert_eq!(shown["page_fetch_config_json"], fetching);
    let ask = format!("{path}test/?q=river");

    // Sending it back completely or in part, as it was shown, changes nothing.
    assert_eq!(app.admin.put(&path, &shown).await.status, 200);
    assert_eq!(app.admin.patch(&path, &json!({"description": "again"})).await.status, 200);
    assert_eq!(app.admin.get(&ask).await.body["status"], "OK");
    assert_eq!(sent_header(&source, "x-api-key").as_deref(), Some("canary-1"));
    // Testing before saving: the masks stand for the secrets of the provider with the id.
    assert_eq!(app.admin.post("/svc/searchproviders/test/", &shown).await.body["status"], "OK");
    assert_eq!(sent_header(&source, "x-api-key").as_deref(), Some("canary-1"));
    // Another value replaces it, a header that is left out is removed, and a mask without a stored value is refused.
    let changed = json!({"http_request_headers": {"X-Api-Key": "canary-3"}});
    assert_eq!(app.admin.patch(&path, &changed).await.body["http_request_headers"]["X-Api-Key"], "••••");
    assert_eq!(app.admin.get(&ask).await.body["status"], "OK");
    let seen = ["x-api-key", "x-team"].map(|name| sent_header(&source, name));
    assert_eq!(seen, [Some("canary-3".to_owned()), None]);
    let mut unknown = shown.clone();
    unknown["http_request_headers"] = json!({"X-Other-Key": "••••"});
    let refusals = [
        app.admin.put(&path, &unknown).await,
        app.admin.post("/svc/searchproviders/test/", &unknown).await,
        app.admin
            .post("/svc/searchproviders/", &with("Other", json!({"http_request_headers": masked})))
            .await,
        app.admin
            .post("/svc/searchproviders/", &with("Other", json!({"page_fetch_config_json": fetching})))
            .await,
    ];
    for refused in refusals {
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.body["errors"].to_string().contains("masked"), "{refused:?}");
    }
    app.stop().await;
}
