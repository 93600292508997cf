//! `/svc/tokens/`: shown once, several for each person, revoked individually.

use crate::app_harness::{AppHarness, Client};
use serde_json::{Value, json};

fn client_of(app: &AppHarness, made: &Value) -> Client {
    app.with_header(&format!("Token {}", made["token"].as_str().unwrap()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_shown_once_and_known_by_its_start() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    let made = ann.post("/svc/tokens/", &json!({"label": "laptop"})).await;
    assert_eq!(made.status, 201, "{made:?}");
    insta::assert_json_snapshot!(made.body, {
        ".id" => "[id]", ".token" => "[token]", ".prefix" => "[prefix]", ".date_created" => "[time]",
    }, @r#"
    {
      "token": "[token]",
      "id": "[id]",
      "user": "ann",
      "label": "laptop",
      "prefix": "[prefix]",
      "expires": null,
      "last_used": null,
      "date_created": "[time]"
    }
    "#);
    let token = made.body["token"].as_str().unwrap();
    assert!(token.starts_with("trb_") && token.len() > 40, "{token}");
    assert!(token.starts_with(made.body["prefix"].as_str().unwrap()));

    let path = format!("/svc/tokens/{}/", made.body["id"]);
    let client = client_of(&app, &made.body);
    assert_eq!(client.get("/svc/users/me/").await.body["username"], "ann");
    for answer in [
        ann.get(&path).await,
        ann.get("/svc/tokens/").await,
        ann.get("/svc/tokens/?page=1").await,
        app.admin.get(&path).await,
        app.admin.get("/svc/tokens/").await,
    ] {
        assert_eq!(answer.status, 200);
        assert!(!answer.body.to_string().contains(token), "{}", answer.body);
        assert!(!answer.body.to_string().contains("\"hash\""), "{}", answer.body);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_work_side_by_side_and_one_is_revoked_at_once() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    let mut made = Vec::new();
    for label in ["one", "two", "two"] {
        made.push(ann.post("/svc/tokens/", &json!({"label": label})).await.body);
    }
    let clients: Vec<Client> = made.iter().map(|row| client_of(&app, row)).collect();
    for client in &clients {
        assert_eq!(client.get("/svc/users/me/").await.status, 200);
    }
    assert_eq!(ann.delete(&format!("/svc/tokens/{}/", made[1]["id"])).await.status, 204);
    for (client, status) in clients.iter().zip([200, 401, 200]) {
        assert_eq!(client.get("/svc/users/me/").await.status, status);
    }
    assert_eq!(ann.delete(&format!("/svc/tokens/{}/", made[1]["id"])).await.status, 404);
    let own = clients[0].delete(&format!("/svc/tokens/{}/", made[0]["id"])).await;
    assert_eq!(own.status, 204, "a token may revoke itself");
    assert_eq!(clients[0].get("/svc/users/me/").await.status, 401);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ones_own_for_people_and_all_for_administrators() {
    let app = AppHarness::start().await;
    let (ann, otto) = (app.user("ann", &[]).await, app.user("otto", &[]).await);
    let made = ann.post("/svc/tokens/", &json!({"label": "laptop"})).await.body;
    let path = format!("/svc/tokens/{}/", made["id"]);
    let owners = |list: &Value| {
        list.as_array()
            .unwrap()
            .iter()
            .map(|row| row["user"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(owners(&ann.get("/svc/tokens/").await.body), ["ann", "ann"]);
    assert_eq!(owners(&otto.get("/svc/tokens/").await.body), ["otto"]);
    let mut all = owners(&app.admin.get("/svc/tokens/").await.body);
    all.sort();
    assert_eq!(all, ["admin", "ann", "ann", "otto"]);
    assert_eq!(ann.get("/svc/tokens/?page=1&items=1").await.body["count"], 2);

    assert_eq!(otto.get(&path).await.status, 404);
    assert_eq!(otto.delete(&path).await.status, 404);
    assert_eq!(client_of(&app, &made).get("/svc/users/me/").await.status, 200);
    assert_eq!(app.admin.get(&path).await.body["user"], "ann");
    assert_eq!(app.admin.delete(&path).await.status, 204, "an administrator may revoke it");
    assert_eq!(client_of(&app, &made).get("/svc/users/me/").await.status, 401);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_has_a_label_and_an_end() {
    let app = AppHarness::start().await;
    let now = app.service.app().clock.now();
    let later = now + chrono::Duration::hours(1);
    let made = app.admin.post("/svc/tokens/", &json!({"expires": later, "user": "otto"})).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.body["user"], "admin", "nobody makes tokens for others");
    let end = made.body["expires"].as_str().unwrap();
    assert!(end.starts_with(&later.format("%Y-%m-%dT%H:%M:%S").to_string()), "{end}");

    let past = now - chrono::Duration::hours(1);
    for (spec, field) in [
        (json!({"expires": past}), "expires"),
        (json!({"expires": "tomorrow"}), "expires"),
        (json!({"expires": 7}), "expires"),
        (json!({"label": "l".repeat(201)}), "label"),
        (json!({"label": null}), "label"),
    ] {
        let answer = app.admin.post("/svc/tokens/", &spec).await;
        assert_eq!(answer.status, 400, "{spec}: {answer:?}");
        assert!(answer.body["errors"][field].is_array(), "{spec}: {}", answer.body);
    }
    app.stop().await;
}

/// The token works until its expiry, and not a moment longer.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_works_until_its_expiry() {
    let app = AppHarness::start().await;
    let end = app.service.app().clock.now() + chrono::Duration::milliseconds(1500);
    let made = app.admin.post("/svc/tokens/", &json!({"expires": end})).await.body;
    let client = client_of(&app, &made);
    assert_eq!(client.get("/svc/users/me/").await.status, 200);
    while app.service.app().clock.now() < end {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(client.get("/svc/users/me/").await.status, 401);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_use_is_shown() {
    let app = AppHarness::start().await;
    let made = app.admin.post("/svc/tokens/", &json!({})).await.body;
    let path = format!("/svc/tokens/{}/", made["id"]);
    assert_eq!(made["last_used"], Value::Null);
    client_of(&app, &made).get("/svc/users/me/").await;
    assert!(app.admin.get(&path).await.body["last_used"].is_string());
    app.stop().await;
}
