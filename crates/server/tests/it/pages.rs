//! Pages, sessions and the documentation.

use crate::app_harness::{Answer, AppHarness, PASSWORD, request};
use axum::body::Body;
use axum::http::Request;
use serde_json::json;

fn form(path: &str, cookie: &str, body: &str) -> Request<Body> {
    Request::post(path)
        .header("host", "search.example:8000")
        .header("content-type", "application/x-www-form-urlencoded")
        .header("cookie", cookie)
        .body(Body::from(body.to_owned()))
        .expect("a request")
}

fn with_cookie(method: &str, path: &str, cookie: &str) -> Request<Body> {
    let mut given = request(method, path, "", Some(json!({"query_string": "a"})));
    given.headers_mut().insert("cookie", cookie.parse().expect("a header"));
    given
}

fn cookie_of(answer: &Answer) -> String {
    answer.header("set-cookie").split(';').next().unwrap_or_default().to_owned()
}

fn hidden(text: &str) -> String {
    let after = text.split("name=\"csrf_token\" value=\"").nth(1).expect("a field");
    after.split('"').next().unwrap_or_default().to_owned()
}

async fn signed_in(app: &AppHarness) -> String {
    let page = app.get("/login/", "").await;
    assert_eq!(page.status, 200);
    let body =
        format!("csrf_token={}&username=ann&password={}", hidden(&page.text), PASSWORD.replace(' ', "+"));
    let answer = app.send(form("/login/", &cookie_of(&page), &body)).await;
    assert_eq!((answer.status.as_u16(), answer.header("location")), (303, "/"), "{}", answer.text);
    assert!(answer.header("set-cookie").contains("HttpOnly; SameSite=Lax"));
    cookie_of(&answer)
}

#[tokio::test]
async fn the_sign_in_form_is_ours_or_refused() {
    let app = AppHarness::open().await;
    app.user("ann", false).await;
    assert_eq!(app.get("/", "").await.header("location"), "/login/");
    let body = format!("csrf_token=guess&username=ann&password={}", PASSWORD.replace(' ', "+"));
    assert_eq!(app.send(form("/login/", "", &body)).await.status, 403);
    let page = app.get("/login/", "").await;
    let wrong = format!("csrf_token={}&username=ann&password=no", hidden(&page.text));
    let refused = app.send(form("/login/", &cookie_of(&page), &wrong)).await;
    assert_eq!(refused.status, 401);
    assert!(
        refused.text.contains("Incorrect") && !refused.header("set-cookie").contains("tributary_session")
    );
}

/// `Accept` of browsers when a user opens an address.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

fn opened(path: &str, cookie: &str, accept: &str) -> Request<Body> {
    let mut given = request("GET", path, "", None);
    given.headers_mut().insert("cookie", cookie.parse().expect("a header"));
    given.headers_mut().insert("accept", accept.parse().expect("a header"));
    given
}

#[tokio::test]
async fn signing_in_leads_back_to_the_whole_address() {
    let app = AppHarness::open().await;
    let table = [
        ("/?search_id=3&page=2", "*/*", "/login/?next=/%3Fsearch_id%3D3%26page%3D2"),
        ("/review/?show=pins", "*/*", "/login/?next=/review/%3Fshow%3Dpins"),
        ("/chat/7/", BROWSER, "/login/?next=/chat/7/"),
        ("/nothing/", BROWSER, "/login/?next=/nothing/"),
        ("/svc/search/7/", BROWSER, "/login/?next=/svc/search/7/"),
    ];
    for (path, accept, expected) in table {
        let answer = app.send(opened(path, "", accept)).await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (303, expected), "{path}");
    }
    for (path, accept) in [("/chat/7/", "text/html"), ("/nothing/", "*/*"), ("/svc/search/7/", "*/*")] {
        assert_eq!(app.send(opened(path, "", accept)).await.status, 401, "{path} {accept}");
    }
    let page = app.get("/login/?next=/%3Fsearch_id%3D3%26page%3D2", "").await;
    assert!(page.text.contains("value=\"&#x2f;?search_id=3&amp;page=2\""), "{}", page.text);
}

#[tokio::test]
async fn an_address_that_leads_nowhere_is_a_page_for_people_and_an_error_for_programs() {
    let app = AppHarness::open().await;
    app.user("ann", true).await;
    let cookie = signed_in(&app).await;
    for path in ["/nothing/", "/nothing", "/review/abc/", "/chat/999/", "/admin/nothing/"] {
        let page = app.send(opened(path, &cookie, BROWSER)).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(page.header("content-type").starts_with("text/html"), "{path}");
        assert!(page.header("content-security-policy").contains("default-src 'none'"), "{path}");
        assert!(page.text.contains("<h1>Page not found</h1>"), "{path}: {}", page.text);
        let error = app.send(opened(path, &cookie, "application/json")).await;
        assert_eq!(
            (error.status.as_u16(), error.header("content-type")),
            (404, "application/json"),
            "{path}"
        );
        assert!(error.text.contains("not_found"), "{path}");
    }
    let error = app.send(opened("/svc/nothing/", &cookie, BROWSER)).await;
    assert_eq!((error.status.as_u16(), error.header("content-type")), (404, "application/json"));
}

#[tokio::test]
async fn a_session_reads_freely_and_writes_with_its_csrf_text() {
    let app = AppHarness::open().await;
    let (ann, _) = app.user("ann", false).await;
    let cookie = signed_in(&app).await;
    let page = app.send(with_cookie("GET", "/", &cookie)).await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-security-policy").contains("default-src 'none'"));
    assert_eq!(page.header("x-frame-options"), "DENY");
    let csrf = hidden(&page.text);
    assert_eq!(app.send(with_cookie("GET", "/svc/users/me", &cookie)).await.json()["username"], "ann");

    let refused = app.send(with_cookie("POST", "/svc/search/", &cookie)).await;
    assert_eq!((refused.status.as_u16(), refused.json()["code"].clone()), (403, json!("csrf_failed")));
    let mut right = with_cookie("POST", "/svc/search/", &cookie);
    right.headers_mut().insert("x-csrf-token", csrf.parse().expect("a header"));
    assert_eq!(app.send(right).await.status, 201);

    let mut stale = with_cookie("GET", "/svc/users/me/", &cookie);
    stale.headers_mut().insert("authorization", "Token trb_gone".parse().expect("a header"));
    assert_eq!(app.send(stale).await.status, 200, "a stale token does not shut out a session");

    assert_eq!(app.send(form("/logout/", &cookie, "")).await.status, 403);
    let out = app.send(form("/logout/", &cookie, &format!("csrf_token={csrf}"))).await;
    assert_eq!((out.status.as_u16(), out.header("location")), (303, "/login/"));
    assert_eq!(app.send(with_cookie("GET", "/svc/users/me/", &cookie)).await.status, 401, "{}", ann.username);
}

#[tokio::test]
async fn the_search_page_shows_sources_and_escapes_them() {
    let app = AppHarness::open().await;
    let (root, token) = app.user("root", true).await;
    app.provider(&root, "<i>News</i>").await;
    let (moved, ()) = tokio::join!(app.get("/?q=rivers", &token), async {
        while app.store.search(domain::ids::SearchId(1)).await.is_err() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        app.run(1).await;
    });
    assert_eq!((moved.status.as_u16(), moved.header("location")), (303, "/?search_id=1"), "{}", moved.text);
    let page = app.get("/?search_id=1", &token).await;
    assert_eq!(page.status, 200, "{}", page.text);
    for text in ["&lt;b&gt;second", "&lt;i&gt;News", "2 of 2"] {
        assert!(page.text.contains(text), "{text}: {}", page.text);
    }
    // An address that is not a link is shown in the details, as text.
    let links = page.text.split("href=\"").skip(1);
    assert!(!page.text.contains("<i>News") && !page.text.contains("<b>second"), "{}", page.text);
    assert!(links.into_iter().all(|link| !link.starts_with("javascript")), "{}", page.text);
    assert_eq!(app.get("/?search_id=99", &token).await.status, 404);
    let long = format!("/?q={}", "a".repeat(3000));
    assert_eq!(app.get(&long, &token).await.status, 400);
}

#[tokio::test]
async fn documentation_works_offline_under_every_prefix() {
    let app = AppHarness::open().await;
    let (_, token) = app.user("ann", false).await;
    for path in ["/svc/api/docs/", "/svc/api/docs", "/api/svc/api/docs"] {
        let page = app.get(path, &token).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(
            page.text.contains("<base href=\"")
                && !page.text.contains("http://")
                && !page.text.contains("https://")
        );
    }
    for file in ["swagger-ui.css", "swagger-ui-bundle.js", "swagger-ui-standalone-preset.js"] {
        let found = app.get(&format!("/api/svc/api/docs/{file}"), &token).await;
        assert_eq!(found.status, 200, "{file}");
        assert!(found.text.len() > 1000, "{file}");
    }
    let start = app.get("/svc/api/docs/swagger-initializer.js", &token).await;
    assert!(start.text.contains("../schema/"), "{}", start.text);
    assert_eq!(app.get("/svc/api/docs/nothing.js", &token).await.status, 404);
    assert_eq!(
        app.get("/svc/api/schema", &token).await.json()["openapi"].as_str().map(|v| &v[..2]),
        Some("3.")
    );
    assert_eq!(app.get("/svc/health/live", "").await.text, r#"{"status":"ok"}"#);
    assert_eq!(app.get("/svc/health/ready", "").await.status, 200);
    assert_eq!(app.get("/static/tributary.css", "").await.header("content-type"), "text/css; charset=utf-8");
}
