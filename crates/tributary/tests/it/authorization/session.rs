//! Browser sessions: the cookie, the CSRF token, and the end of a session.

use super::assert_refused;
use crate::app_harness::{ADMIN_PASSWORD, Answer, AppHarness};
use crate::browser::{Browser, SESSION, csrf_of};
use reqwest::Method;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn the_cookie_is_hidden_from_scripts_and_other_sites() {
    for (public_url, is_secure) in [("", false), ("https://find.example", true)] {
        let app = AppHarness::with(|settings| domain::settings::Settings {
            public_url: public_url.to_owned(),
            ..settings
        })
        .await;
        let mut browser = Browser::open(&app.base);
        let answer = browser.sign_in("admin", ADMIN_PASSWORD, "").await;
        let cookie = answer.header("set-cookie");
        // The prefix prevents pages of a neighboring host from setting the cookie.
        let name = if is_secure { format!("__Host-{SESSION}") } else { SESSION.to_owned() };
        assert!(cookie.starts_with(&format!("{name}=")), "{cookie}");
        let attributes: Vec<&str> = cookie.split("; ").skip(1).collect();
        for attribute in ["HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(attributes.contains(&attribute), "{cookie}");
        }
        assert_eq!(attributes.contains(&"Secure"), is_secure, "{cookie}");
        assert!(!attributes.iter().any(|one| one.starts_with("Domain")), "{cookie}");
        assert!(browser.cookies[&name].len() >= 32, "a key that cannot be guessed");
        assert_eq!(browser.get("/svc/users/me/").await.status, 200);
        app.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_reads_freely_and_writes_with_its_csrf_token() {
    let app = AppHarness::start().await;
    app.user("ann", &[]).await;
    let mut browser = Browser::signed_in(&app.base, "ann", "password of ann").await;
    assert_eq!(browser.get("/svc/users/me/").await.body["username"], "ann");
    let csrf = csrf_of(&browser.get("/").await);
    let other = csrf_of(&Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await.get("/").await);

    let post = |browser: &Browser, csrf: Option<&str>| {
        let request =
            browser.request(Method::POST, "/svc/tokens/").header("Content-Type", "application/json");
        let request = request.body("{}");
        match csrf {
            Some(text) => request.header("X-CSRF-Token", text),
            None => request,
        }
    };
    for (given, what) in
        [(None, "none"), (Some(""), "empty"), (Some("guess"), "wrong"), (Some(&*other), "another's")]
    {
        let request = post(&browser, given);
        assert_refused(&browser.send(request).await, 403, "csrf_failed", what);
    }
    for method in [Method::PUT, Method::PATCH, Method::DELETE] {
        let request = browser.request(method.clone(), "/svc/search/1/");
        assert_refused(&browser.send(request).await, 403, "csrf_failed", method.as_str());
    }
    let request = post(&browser, Some(&csrf));
    assert_eq!(browser.send(request).await.status, 201);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_header_does_not_reject_a_valid_session() {
    let app = AppHarness::start().await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    for header in ["Token trb_gone", "Basic YWRtaW46d3Jvbmc=", "Bearer abc"] {
        let request = browser.request(Method::GET, "/svc/users/me/").header("Authorization", header);
        let answer = browser.send(request).await;
        assert_eq!((answer.status.as_u16(), &answer.body["username"]), (200, &json!("admin")), "{header}");
        let request = browser.request(Method::POST, "/svc/swirl-logout/").header("Authorization", header);
        assert_refused(&browser.send(request).await, 403, "csrf_failed", "the session still needs its text");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_ends_the_session_and_no_other() {
    let app = AppHarness::start().await;
    let mut first = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let mut second = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let kept = first.cookies.clone();
    assert_refused(&first.submit("/logout/", &[]).await, 403, "csrf_failed", "a link of another site");
    let csrf = csrf_of(&first.get("/").await);
    let out = first.submit("/logout/", &[("csrf_token", &csrf)]).await;
    assert_eq!((out.status.as_u16(), out.header("location")), (303, "/login/"));
    assert!(!first.cookies.contains_key(SESSION), "the cookie is taken away");
    first.cookies = kept;
    let after = first.get("/svc/users/me/").await;
    let told = (after.status.as_u16(), after.code(), after.header("www-authenticate"));
    assert_eq!(
        told,
        (401, "not_authenticated", ""),
        "the key is worth nothing any more, and nobody is challenged"
    );
    assert_eq!(second.get("/svc/users/me/").await.status, 200);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_ends_the_sessions_of_the_old_one() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    let mut browser = Browser::signed_in(&app.base, "ann", "password of ann").await;
    let id = ann.get("/svc/users/me/").await.body["id"].clone();
    let path = format!("/svc/users/{id}/");
    assert_eq!(app.admin.patch(&path, &json!({"email": "ann@example.org"})).await.status, 200);
    assert_eq!(browser.get("/svc/users/me/").await.status, 200, "another edit changes nothing");
    assert_eq!(app.admin.patch(&path, &json!({"password": "a newer password"})).await.status, 200);
    assert_eq!(browser.get("/svc/users/me/").await.status, 401);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_with_its_user_and_with_its_hours() {
    let app = AppHarness::with(|settings| domain::settings::Settings { session_hours: 0, ..settings }).await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    assert_eq!(browser.get("/svc/users/me/").await.status, 401, "a session of no hours is over at once");
    app.stop().await;

    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    let mut browser = Browser::signed_in(&app.base, "ann", "password of ann").await;
    let id = ann.get("/svc/users/me/").await.body["id"].clone();
    assert_eq!(app.admin.delete(&format!("/svc/users/{id}/")).await.status, 204);
    assert_eq!(browser.get("/svc/users/me/").await.status, 401);
    app.stop().await;
}

const STATE: &str = "/login/?format=json";

async fn submit_sign_in(browser: &mut Browser, csrf: &str, password: &str) -> Answer {
    let (next, format) = (("next", STATE), ("format", "json"));
    let fields = [("csrf_token", csrf), ("username", "ann"), ("password", password), next, format];
    browser.submit("/login/", &fields).await
}

/// What a page with a session that has ended does.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_signs_in_again_without_being_left() {
    let app = AppHarness::start().await;
    app.user("ann", &[]).await;
    let mut browser = Browser::open(&app.base);
    let state = browser.get(STATE).await;
    assert_eq!((&state.body["user"], &state.body["csrf"]), (&json!(""), &json!("")), "{state:?}");
    assert_eq!(state.body["has_services"], false);
    let form_csrf = state.body["form_csrf"].as_str().unwrap().to_owned();
    let wrong = submit_sign_in(&mut browser, &form_csrf, "wrong").await;
    assert_eq!((wrong.status.as_u16(), wrong.header("www-authenticate")), (401, ""));
    assert_eq!(wrong.body["error"], "Incorrect username or password.");
    let stale = submit_sign_in(&mut browser, &form_csrf, "password of ann").await;
    assert_eq!(
        (stale.status.as_u16(), &stale.body["user"]),
        (403, &json!("")),
        "each form has its own token"
    );
    let form_csrf = stale.body["form_csrf"].as_str().unwrap().to_owned();
    let right = submit_sign_in(&mut browser, &form_csrf, "password of ann").await;
    assert_eq!((right.status.as_u16(), right.header("location")), (303, STATE));
    let state = browser.get(STATE).await;
    assert_eq!(state.body["user"], "ann");
    let csrf = state.body["csrf"].as_str().unwrap();
    let request = browser.request(Method::POST, "/svc/tokens/").header("Content-Type", "application/json");
    let change = browser.send(request.header("X-CSRF-Token", csrf).body("{}")).await;
    assert_eq!(change.status, 201, "{change:?}");
    app.stop().await;
}
