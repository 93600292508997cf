//! Access control, and the format of errors.

use crate::app_harness::{AppHarness, PASSWORD, request};
use axum::body::Body;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::settings::Settings;
use serde_json::{Value, json};

fn basic(username: &str, password: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{username}:{password}")))
}

#[tokio::test]
async fn every_documented_route_is_shut_without_credentials() {
    let app = AppHarness::open().await;
    let document: Value = serde_json::from_str(&server::openapi_json().expect("a document")).expect("JSON");
    let open = ["/svc/health/live/", "/svc/health/ready/", "/svc/login/", "/svc/oidc_authenticate/"];
    let mut count = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        for method in item.as_object().expect("operations").keys() {
            let path = path.replace("{id}", "1").replace("{file}", "index.css");
            let answer = app.send(request(&method.to_uppercase(), &path, "", None)).await;
            if open.contains(&path.as_str()) {
                assert_ne!(answer.status, 401, "{method} {path}");
                continue;
            }
            count += 1;
            assert_eq!(answer.status, 401, "{method} {path}");
            assert_eq!(answer.header("www-authenticate"), "Basic realm=\"api\"");
            assert_eq!(answer.json()["code"], "not_authenticated");
        }
    }
    assert!(count > 35, "{count}");
    assert_eq!(app.get("/svc/nothing/", "").await.status, 401);
}

#[tokio::test]
async fn both_schemes_open_and_wrong_ones_do_not() {
    let app = AppHarness::open().await;
    let (user, token) = app.user("ann", false).await;
    let table = [
        (basic("ann", PASSWORD), 200),
        (basic("ann", PASSWORD), 200),
        (basic("ann", "wrong"), 401),
        (basic("nobody", PASSWORD), 401),
        (basic("", ""), 401),
        (token.clone(), 200),
        (token.replace("Token", "token"), 200),
        (format!("{token}x"), 401),
        ("Token".to_owned(), 401),
        ("Bearer abc".to_owned(), 401),
        ("Basic ???".to_owned(), 401),
    ];
    for (authorization, status) in table {
        let answer = app.get("/svc/users/me/", &authorization).await;
        assert_eq!(answer.status, status, "{authorization}");
        match status {
            200 => assert_eq!(answer.json()["username"], "ann"),
            _ => assert_eq!(answer.json()["code"], "authentication_failed"),
        }
    }
    let tokens = app.store.tokens(Some(user.id), 0, 10).await.expect("tokens");
    app.store.delete_token(tokens.items[0].id).await.expect("revoked");
    assert_eq!(app.get("/svc/users/me/", &token).await.status, 401, "a revoked token");
}

#[tokio::test]
async fn a_new_password_is_in_force_at_once() {
    let app = AppHarness::open().await;
    let (_, admin) = app.user("root", true).await;
    let (user, _) = app.user("ann", false).await;
    assert_eq!(app.get("/svc/users/me/", &basic("ann", PASSWORD)).await.status, 200);
    let path = format!("/svc/users/{}/", user.id);
    let changed = app.call("PATCH", &path, &admin, json!({"password": "battery staple"})).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert!(!changed.text.contains("password"), "{}", changed.text);
    assert_eq!(app.get("/svc/users/me/", &basic("ann", PASSWORD)).await.status, 401);
    assert_eq!(app.get("/svc/users/me/", &basic("ann", "battery staple")).await.status, 200);
}

#[tokio::test]
async fn every_form_of_a_path_leads_to_the_same_route() {
    let app =
        AppHarness::with(Settings { api_aliases: vec!["swirl".to_owned()], ..Settings::default() }).await;
    let (_, token) = app.user("ann", false).await;
    for prefix in ["/svc", "/api/svc", "/swirl", "/api/swirl"] {
        for slash in ["", "/"] {
            let path = format!("{prefix}/search{slash}?page=1&items=2");
            let answer = app.get(&path, &token).await;
            assert_eq!(answer.status, 200, "{path}");
            assert!(answer.json()["count"].is_number(), "{}", answer.text);
        }
        let made = app.call("POST", &format!("{prefix}/search"), &token, json!({"query_string": "a"})).await;
        let expected = format!("http://search.example:8000{prefix}/results/?search_id=");
        assert!(made.json()["result_url"].as_str().expect("a url").starts_with(&expected), "{}", made.text);
    }
}

#[tokio::test]
async fn refusals_have_one_shape() {
    let app = AppHarness::open().await;
    let (_, token) = app.user("ann", false).await;
    let large = format!(r#"{{"query_string":"{}"}}"#, "a".repeat(2 * 1024 * 1024));
    let table = [
        ("GET", "/svc/nothing/", "", 404, "not_found"),
        ("GET", "/svc/search/abc/", "", 404, "not_found"),
        ("GET", "/svc/search/99/", "", 404, "not_found"),
        ("GET", "/svc/search/99999999999999999999/", "", 404, "not_found"),
        ("DELETE", "/svc/search/", "", 405, "method_not_allowed"),
        ("POST", "/svc/search/", "{", 400, "malformed"),
        ("POST", "/svc/search/", "{}", 400, "invalid"),
        ("POST", "/svc/search/", large.as_str(), 413, "too_large"),
        ("GET", "/svc/search/?q=%20", "", 400, "invalid"),
        ("GET", "/svc/search/?qs=", "", 400, "invalid"),
        ("GET", "/svc/search/?page=0", "", 400, "invalid"),
        ("GET", "/svc/search/?items=101", "", 400, "invalid"),
        ("GET", "/svc/search/?page=x", "", 400, "invalid"),
        ("GET", "/svc/results/?search_id=1&items=3", "", 400, "invalid"),
        ("GET", "/svc/users/", "", 403, "permission_denied"),
    ];
    for (method, path, body, status, code) in table {
        let mut given = request(method, path, &token, None);
        given.headers_mut().insert("content-type", "application/json".parse().expect("a header"));
        given.headers_mut().insert("x-request-id", "my-id-1".parse().expect("a header"));
        *given.body_mut() = Body::from(body.to_owned());
        let answer = app.send(given).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
        let json = answer.json();
        assert_eq!(json["code"], code, "{method} {path}");
        assert_eq!(json["request_id"], "my-id-1");
        assert!(json["detail"].as_str().is_some_and(|text| !text.is_empty()));
        assert_eq!(answer.header("x-request-id"), "my-id-1");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("content-type"), "application/json");
    }
    let wrong = app.call("DELETE", "/svc/search/", &token, json!(null)).await;
    assert_eq!(wrong.header("allow"), "GET,HEAD,POST");
    let mut text = request("POST", "/svc/search/", &token, None);
    text.headers_mut().insert("content-type", "text/plain".parse().expect("a header"));
    assert_eq!(app.send(text).await.status, 415);
    assert_eq!(app.get("/svc/search/", &token).await.header("x-request-id").len(), 32);
}
