//! Changing passwords: which new ones are refused, and which sessions and tokens end with the old one.

use super::assert_refused;
use crate::app_harness::{ADMIN_PASSWORD, AppHarness, Client};
use crate::browser::{Browser, csrf_of};
use domain::password::INITIAL_PASSWORD_FILE;
use domain::user::TOKENS_PER_USER_MAX;
use reqwest::Method;
use serde_json::{Value, json};

/// A client with a token from `/svc/login/`.
async fn logged_in(app: &AppHarness, username: &str, password: &str) -> Client {
    let login = json!({"username": username, "password": password});
    let answer = app.anonymous().post("/svc/login/", &login).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    app.with_header(&format!("Token {}", answer.body["token"].as_str().unwrap()))
}

async fn id_of(client: &Client) -> Value {
    client.get("/svc/users/me/").await.body["id"].clone()
}

async fn status(client: &Client) -> u16 {
    client.get("/svc/users/me/").await.status.as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_ends_sessions_and_tokens_of_sign_ins() {
    let app = AppHarness::start().await;
    let by_hand = app.user("ann", &[]).await;
    let login = logged_in(&app, "ann", "password of ann").await;
    let mut own = Browser::signed_in(&app.base, "ann", "password of ann").await;
    let mut other = Browser::signed_in(&app.base, "ann", "password of ann").await;
    let csrf = csrf_of(&own.get("/").await);
    let change = json!({"current": "password of ann", "new": "a better one"}).to_string();
    let request = own.request(Method::POST, "/svc/users/me/password/").header("X-CSRF-Token", csrf);
    let changed = own.send(request.header("Content-Type", "application/json").body(change)).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(own.get("/svc/users/me/").await.status, 200, "the session that changed it goes on");
    assert_eq!(other.get("/svc/users/me/").await.status, 401);
    assert_eq!((status(&login).await, status(&by_hand).await), (401, 200));

    let login = logged_in(&app, "ann", "a better one").await;
    let path = format!("/svc/users/{}/", id_of(&login).await);
    assert_eq!(app.admin.patch(&path, &json!({"email": "ann@example.org"})).await.status, 200);
    assert_eq!(status(&login).await, 200, "the password is the same");
    assert_eq!(app.admin.patch(&path, &json!({"password": "given by admin"})).await.status, 200);
    assert_eq!(own.get("/svc/users/me/").await.status, 401);
    assert_eq!((status(&login).await, status(&by_hand).await), (401, 200));
    let entries = app.admin.get("/svc/audit/?items=100").await.body;
    assert!(entries.to_string().contains("login"), "the log names what was revoked: {entries}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_tokens_are_revoked_at_once() {
    let app = AppHarness::start().await;
    let (ann, bob) = (app.user("ann", &[]).await, app.user("bob", &[]).await);
    let login = logged_in(&app, "ann", "password of ann").await;
    let (of_ann, of_bob) = (id_of(&ann).await, id_of(&bob).await);
    let refused = bob.delete(&format!("/svc/tokens/?user={of_ann}")).await;
    assert_refused(&refused, 403, "permission_denied", "another user's");
    assert_eq!(ann.delete("/svc/tokens/").await.status, 204);
    assert_eq!((status(&ann).await, status(&login).await, status(&bob).await), (401, 401, 200));
    assert_eq!(app.admin.delete(&format!("/svc/tokens/?user={of_bob}")).await.status, 204);
    assert_eq!((status(&bob).await, status(&app.admin).await), (401, 200));
    assert_eq!(app.admin.delete("/svc/tokens/?user=999").await.status, 404);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_one_person_are_bounded() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    // This client uses one of them.
    for _ in 1..TOKENS_PER_USER_MAX {
        assert_eq!(ann.post("/svc/tokens/", &json!({"label": "export"})).await.status, 201);
    }
    let refused = ann.post("/svc/tokens/", &json!({"label": "one more"})).await;
    assert_refused(&refused, 409, "conflict", "one too many");
    assert!(refused.body["detail"].as_str().unwrap().contains("/svc/tokens/"), "{refused:?}");
    assert_eq!(ann.get("/svc/tokens/?items=100&page=1").await.body["count"], TOKENS_PER_USER_MAX);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn common_passwords_and_the_user_name_are_refused() {
    let app = AppHarness::start().await;
    let ann = app.user("ann.of.cleves", &[]).await;
    let path = format!("/svc/users/{}/", id_of(&ann).await);
    for password in ["password", "12345678", "Qwertyuiop", "Ann.of.Cleves"] {
        let own = json!({"current": "password of ann.of.cleves", "new": password});
        let answer = ann.post("/svc/users/me/password/", &own).await;
        assert_refused(&answer, 400, "invalid", password);
        assert!(answer.body["errors"]["new"].is_array(), "{answer:?}");
        let answer = app.admin.patch(&path, &json!({"password": password})).await;
        assert_refused(&answer, 400, "invalid", password);
    }
    let new = json!({"username": "baseball", "password": "baseball"});
    assert_eq!(app.admin.post("/svc/users/", &new).await.status, 400);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_with_the_first_password_goes_when_that_password_is_changed() {
    for by_admin in [false, true] {
        let app = AppHarness::start().await;
        let file = app.folder().join(INITIAL_PASSWORD_FILE);
        std::fs::write(&file, ADMIN_PASSWORD).unwrap();
        let ann = app.user("ann", &[]).await;
        let own = json!({"current": "password of ann", "new": "a better one"});
        assert_eq!(ann.post("/svc/users/me/password/", &own).await.status, 200);
        assert!(file.exists(), "somebody else's password");
        let changed = if by_admin {
            let path = format!("/svc/users/{}/", id_of(&app.admin).await);
            app.admin.patch(&path, &json!({"password": "a better one"})).await
        } else {
            let own = json!({"current": ADMIN_PASSWORD, "new": "a better one"});
            app.admin.post("/svc/users/me/password/", &own).await
        };
        assert_eq!(changed.status, 200, "{changed:?}");
        assert!(!file.exists());
        app.stop().await;
    }
}
