//! `POST /svc/login/` and `POST /svc/swirl-logout/`: a token for a user name and a password, and its revocation.

use crate::app_harness::{ADMIN_PASSWORD, AppHarness};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_name_and_a_password_give_a_token() {
    let app = AppHarness::start().await;
    app.user("ann", &[]).await;
    let cases = [("admin", ADMIN_PASSWORD, true), ("ann", "password of ann", false)];
    for (username, password, is_superuser) in cases {
        let spec = json!({"username": username, "password": password});
        let answer = app.anonymous().post("/svc/login/", &spec).await;
        let keys: Vec<&String> = answer.body.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["token", "user", "swirl_version", "is_superuser", "edition"]);
        assert_eq!(
            (&answer.body["user"], &answer.body["is_superuser"]),
            (&json!(username), &json!(is_superuser))
        );
        assert_eq!(answer.body["swirl_version"], domain::VERSION);
        assert_eq!(answer.body["edition"], "community");
        let token = answer.body["token"].as_str().unwrap();
        let client = app.with_header(&format!("Token {token}"));
        assert_eq!(client.get("/svc/users/me/").await.body["username"], username);
        let listed = client.get("/svc/tokens/").await.body;
        let row = listed.as_array().unwrap().iter().find(|row| row["label"] == "login").unwrap();
        assert!(row["expires"].is_string(), "it does not last for ever: {row}");
        assert!(!listed.to_string().contains(token));
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_names_and_passwords_get_the_same_response() {
    let app = AppHarness::start().await;
    let mut sentences = std::collections::BTreeSet::new();
    for (username, password) in [
        ("admin", "wrong"),
        ("nobody", ADMIN_PASSWORD),
        ("", ""),
        ("ADMIN", ADMIN_PASSWORD),
        ("admin", "correct horse battery "),
    ] {
        let answer =
            app.anonymous().post("/svc/login/", &json!({"username": username, "password": password})).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (401, "authentication_failed"), "{username}");
        sentences.insert(answer.body["detail"].to_string());
    }
    assert_eq!(sentences.len(), 1, "{sentences:?}");
    for (spec, field) in [
        (json!({}), "username"),
        (json!({"username": "admin"}), "password"),
        (json!({"username": 7, "password": "x"}), "username"),
        (json!({"username": "admin", "password": null}), "password"),
    ] {
        let answer = app.anonymous().post("/svc/login/", &spec).await;
        assert_eq!(answer.status, 400, "{spec}: {answer:?}");
        assert!(answer.body["detail"].as_str().unwrap().contains(field), "{spec}: {}", answer.body);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_revokes_the_token_of_the_call_and_no_other() {
    let app = AppHarness::start().await;
    let login = async || {
        let spec = json!({"username": "admin", "password": ADMIN_PASSWORD});
        let answer = app.anonymous().post("/svc/login/", &spec).await;
        app.with_header(&format!("Token {}", answer.body["token"].as_str().unwrap()))
    };
    let (one, other) = (login().await, login().await);
    let out = one.send(reqwest::Method::POST, "/svc/swirl-logout/", &json!({})).await;
    assert_eq!((out.status.as_u16(), out.body), (200, json!({"status": "OK"})));
    assert_eq!(one.get("/svc/users/me/").await.status, 401);
    assert_eq!(other.get("/svc/users/me/").await.status, 200);
    assert_eq!(app.admin.get("/svc/users/me/").await.status, 200);

    let pair = BASE64_STANDARD.encode(format!("admin:{ADMIN_PASSWORD}"));
    let basic = app.with_header(&format!("Basic {pair}"));
    let refused = basic.post("/svc/swirl-logout/", &json!({})).await;
    assert_eq!(refused.status, 400, "a password cannot be revoked: {refused:?}");
    app.stop().await;
}
