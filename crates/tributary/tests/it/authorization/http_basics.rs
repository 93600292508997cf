//! Headers of every response, and limits of requests.

use super::assert_refused;
use crate::app_harness::{Answer, AppHarness};
use domain::settings::Settings;
use reqwest::Method;

#[tokio::test(flavor = "multi_thread")]
async fn a_request_id_is_kept_or_made() {
    let app = AppHarness::start().await;
    let ask = async |client: &crate::app_harness::Client, path: &str, id: &str| {
        Answer::of(client.request(Method::GET, path).header("X-Request-Id", id)).await
    };
    let longest = "a".repeat(64);
    for id in ["abc-1_2.3", longest.as_str()] {
        for path in ["/svc/users/me/", "/svc/nothing/", "/svc/health/live/", "/", "/static/tributary.css"] {
            let answer = ask(&app.admin, path, id).await;
            assert_eq!(answer.header("x-request-id"), id, "{path}");
        }
        let refused = ask(&app.anonymous(), "/svc/search/", id).await;
        assert_eq!(refused.body["request_id"], id);
    }
    let too_long = "a".repeat(65);
    let mut made = std::collections::BTreeSet::new();
    for id in ["", "a b", "a\"b", "<b>", too_long.as_str()] {
        let answer = ask(&app.admin, "/svc/users/me/", id).await;
        let own = answer.header("x-request-id").to_owned();
        assert!(own.len() == 32 && own.chars().all(|c| c.is_ascii_hexdigit()), "{id}: {own}");
        made.insert(own);
    }
    made.insert(app.admin.get("/svc/users/me/").await.header("x-request-id").to_owned());
    assert_eq!(made.len(), 6, "each request has its own");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_has_the_security_headers() {
    let app = AppHarness::start().await;
    let paths = [
        "/svc/users/me/",
        "/svc/nothing/",
        "/svc/search/?q=",
        "/svc/health/live/",
        "/svc/api/docs/",
        "/svc/api/schema/",
        "/",
        "/login/",
        "/static/tributary.css",
    ];
    for path in paths {
        for client in [&app.admin, &app.anonymous()] {
            let answer = client.get(path).await;
            assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
            assert_eq!(answer.header("x-frame-options"), "DENY", "{path}");
            assert_eq!(answer.header("referrer-policy"), "same-origin", "{path}");
            assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin", "{path}");
            assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin", "{path}");
            assert!(answer.header("permissions-policy").contains("camera=()"), "{path}");
            let is_file = path.starts_with("/static/");
            assert_eq!(answer.header("cache-control") == "no-store", !is_file, "{path}: {answer:?}");
            assert_eq!(answer.header("server"), "", "{path}");
        }
    }
    let style = app.anonymous().get("/static/tributary.css").await;
    assert_eq!(style.header("content-type"), "text/css; charset=utf-8");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_may_be_as_large_as_the_setting_says() {
    let app = AppHarness::with(|settings| Settings { request_body_max_mb: 1, ..settings }).await;
    let limit = 1024 * 1024;
    let padded = |bytes: usize| {
        let body = r#"{"label": "x"}"#;
        format!("{body}{}", " ".repeat(bytes - body.len()))
    };
    for (bytes, expected) in [(limit, 201), (limit + 1, 413), (2 * limit, 413)] {
        let request = app.admin.request(Method::POST, "/svc/tokens/");
        let answer = Answer::of(request.header("Content-Type", "application/json").body(padded(bytes))).await;
        match expected {
            413 => assert_refused(&answer, 413, "too_large", &bytes.to_string()),
            _ => assert_eq!(answer.status, expected, "{bytes}"),
        }
    }
    let request = app.anonymous().request(Method::POST, "/svc/login/");
    let open = Answer::of(request.header("Content-Type", "application/json").body(padded(limit + 1))).await;
    assert_refused(&open, 413, "too_large", "also where no credentials are needed");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_may_be_as_large_as_the_setting_says() {
    let app = AppHarness::with(|settings| Settings { request_body_max_mb: 1, ..settings }).await;
    let body = format!("username=admin&password={}", "x".repeat(1024 * 1024));
    let request = app.anonymous().request(Method::POST, "/login/");
    let request = request.header("Content-Type", "application/x-www-form-urlencoded").body(body);
    assert_refused(&Answer::of(request).await, 413, "too_large", "the sign-in form");
    app.stop().await;
}

/// Databases do not store the NUL character, so it is rejected by name in every field.
#[tokio::test(flavor = "multi_thread")]
async fn the_nul_character_is_refused() {
    let app = AppHarness::start().await;
    let cases = [
        ("/svc/groups/", r#"{"name": "a\u0000b"}"#, "name"),
        ("/svc/users/", r#"{"username": "a", "password": "long\u0000enough"}"#, "password"),
        ("/svc/tokens/", r#"{"label": "\u0000"}"#, "label"),
        ("/svc/searchproviders/", r#"{"name": "a", "config": {"deep": ["\u0000"]}}"#, "config"),
        ("/svc/search/", r#"{"query_string": "a", "tags": ["\u0000"]}"#, "tags"),
    ];
    for (path, body, field) in cases {
        let request = app.admin.request(Method::POST, path).header("Content-Type", "application/json");
        let answer = Answer::of(request.body(body)).await;
        assert_refused(&answer, 400, "invalid", path);
        assert!(answer.body["errors"][field].is_array(), "{path}: {}", answer.body);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_version_is_hidden_from_anonymous_callers() {
    let app = AppHarness::start().await;
    for path in ["/login/", "/", "/svc/", "/svc/health/live/", "/svc/nothing/"] {
        let answer = app.anonymous().get(path).await;
        assert!(!answer.body.to_string().contains(domain::VERSION), "{path}: {answer:?}");
    }
    app.stop().await;
}
