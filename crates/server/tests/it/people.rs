//! Users, groups, tokens, and sign-in for programs.

use crate::app_harness::{AppHarness, PASSWORD};
use serde_json::json;

#[tokio::test]
async fn administrators_keep_at_least_one_of_them() {
    let app = AppHarness::open().await;
    let (root, admin) = app.user("root", true).await;
    let (ann, plain) = app.user("ann", false).await;
    let own = format!("/svc/users/{}/", root.id);
    assert_eq!(app.call("DELETE", &own, &admin, json!(null)).await.status, 409);
    assert_eq!(app.call("PATCH", &own, &admin, json!({"is_admin": false})).await.status, 409);
    let other = format!("/svc/users/{}/", ann.id);
    assert_eq!(app.call("DELETE", &other, &plain, json!(null)).await.status, 403);
    assert_eq!(app.call("PATCH", &other, &admin, json!({"is_admin": true})).await.status, 200);
    assert_eq!(app.call("PATCH", &own, &admin, json!({"is_admin": false})).await.status, 200);
    assert_eq!(
        app.call("DELETE", &other, &admin, json!(null)).await.status,
        403,
        "no longer an administrator"
    );
}

#[tokio::test]
async fn users_are_made_checked_and_deleted() {
    let app = AppHarness::open().await;
    let (_, admin) = app.user("root", true).await;
    let given = json!({"username": "bob", "password": "long enough", "email": "b@example.org"});
    let made = app.call("POST", "/svc/users/", &admin, given.clone()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert!(!made.text.contains("long enough") && !made.text.contains("argon2"), "{}", made.text);
    let again = app.call("POST", "/svc/users/", &admin, given).await;
    assert_eq!((again.status.as_u16(), again.json()["code"].clone()), (409, json!("conflict")));
    let bad = app.call("POST", "/svc/users/", &admin, json!({"username": "a b", "password": "x"})).await;
    assert_eq!(bad.status, 400);
    assert!(bad.json()["errors"]["username"].is_array() && bad.json()["errors"]["password"].is_array());
    let path = format!("/svc/users/{}/", made.json()["id"]);
    assert_eq!(app.call("DELETE", &path, &admin, json!(null)).await.status, 204);
    assert_eq!(app.get(&path, &admin).await.status, 404);
}

#[tokio::test]
async fn groups_are_made_renamed_and_deleted() {
    let app = AppHarness::open().await;
    let (_, admin) = app.user("root", true).await;
    let (_, plain) = app.user("ann", false).await;
    assert_eq!(app.get("/svc/groups/", &plain).await.status, 403);
    let made = app.call("POST", "/svc/groups/", &admin, json!({"name": "staff"})).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let path = format!("/svc/groups/{}/", made.json()["id"]);
    let renamed = app.call("PUT", &path, &admin, json!({"name": "team"})).await;
    assert_eq!((renamed.status.as_u16(), renamed.json()["name"].clone()), (200, json!("team")));
    let groups = app.get("/svc/groups/", &admin).await.json();
    let names: Vec<&str> =
        groups.as_array().into_iter().flatten().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["curators", "team"], "that of the curators is there from the start");
    assert_eq!(app.call("DELETE", &path, &admin, json!(null)).await.status, 204);
    assert_eq!(app.get(&path, &admin).await.status, 404);
}

#[tokio::test]
async fn tokens_are_shown_once_and_belong_to_their_owner() {
    let app = AppHarness::open().await;
    let (_, ann) = app.user("ann", false).await;
    let (_, bob) = app.user("bob", false).await;
    let made = app.call("POST", "/svc/tokens/", &ann, json!({"label": "laptop"})).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let token = format!("Token {}", made.json()["token"].as_str().expect("a token"));
    let path = format!("/svc/tokens/{}/", made.json()["id"]);
    assert_eq!(app.get("/svc/users/me/", &token).await.json()["username"], "ann");
    assert!(app.get(&path, &ann).await.json().get("token").is_none());
    assert_eq!(app.get(&path, &bob).await.status, 404);
    assert_eq!(app.call("DELETE", &path, &bob, json!(null)).await.status, 404);
    assert_eq!(app.get("/svc/tokens/", &bob).await.json().as_array().map(Vec::len), Some(1));
    let past = json!({"expires": "2001-01-01T00:00:00Z"});
    assert_eq!(app.call("POST", "/svc/tokens/", &ann, past).await.status, 400);
    assert_eq!(app.call("DELETE", &path, &ann, json!(null)).await.status, 204);
    assert_eq!(app.get("/svc/users/me/", &token).await.status, 401);
}

#[tokio::test]
async fn programs_sign_in_and_out() {
    let app = AppHarness::open().await;
    let (_, other) = app.user("ann", false).await;
    let wrong = app.call("POST", "/svc/login/", "", json!({"username": "ann", "password": "no"})).await;
    assert_eq!((wrong.status.as_u16(), wrong.json()["code"].clone()), (401, json!("authentication_failed")));
    let right = app.call("POST", "/svc/login", "", json!({"username": "ann", "password": PASSWORD})).await;
    let json = right.json();
    assert_eq!((right.status.as_u16(), json["user"].clone()), (200, json!("ann")));
    assert_eq!((json["is_superuser"].clone(), json["edition"].clone()), (json!(false), json!("community")));
    let token = format!("Token {}", json["token"].as_str().expect("a token"));
    let out = app.call("POST", "/svc/swirl-logout/", &token, json!({})).await;
    assert_eq!((out.status.as_u16(), out.json()["status"].clone()), (200, json!("OK")));
    assert_eq!(app.get("/svc/users/me/", &token).await.status, 401);
    assert_eq!(app.get("/svc/users/me/", &other).await.status, 200, "the other token stays");
}
