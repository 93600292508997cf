//! Cross-site requests: what pages of other sites can make a browser send with the user's credentials is refused or
//! needs a confirmation.

use super::assert_refused;
use super::credentials::basic;
use crate::app_harness::{ADMIN_PASSWORD, Answer, AppHarness, Client, items};
use crate::browser::{Browser, csrf_of};
use domain::settings::{Settings, WebOrigin};
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use testkit::source::{Behavior, Source};

const FORM: &str = "application/x-www-form-urlencoded";
/// The headers that a browser sends with a form on a page of another site.
const FOREIGN_FORM: &[(&str, &str)] =
    &[("Origin", "http://evil.example"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")];
const FOREIGN_LINK: &[(&str, &str)] = &[("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")];
const OWN_LINK: &[(&str, &str)] = &[("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate")];

fn with(request: RequestBuilder, headers: &[(&str, &str)]) -> RequestBuilder {
    headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
}

async fn post(client: &Client, path: &str, headers: &[(&str, &str)]) -> Answer {
    let request = client.request(Method::POST, path).header("Content-Type", FORM);
    Answer::of(with(request, headers).body("")).await
}

async fn searches(client: &Client) -> usize {
    client.get("/svc/search/").await.body.as_array().unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_form_with_remembered_basic_credentials_changes_nothing() {
    let app = AppHarness::start().await;
    let admin = app.with_header(&basic("admin", ADMIN_PASSWORD));
    let made = app.admin.post("/svc/brandings/", &json!({"name": "Ours"})).await;
    let activate = format!("/svc/brandings/{}/activate/", made.body["id"]);
    let foreign: [&[(&str, &str)]; 6] = [
        FOREIGN_FORM,
        &[("Sec-Fetch-Site", "cross-site")],
        &[("Sec-Fetch-Site", "same-site"), ("Origin", "http://localhost:1")],
        // Plain HTTP and old browsers send only the origin.
        &[("Origin", "http://evil.example")],
        &[("Origin", "null")],
        &[("Origin", &app.base.replace("127.0.0.1", "localhost"))],
    ];
    for headers in foreign {
        for path in [activate.as_str(), "/svc/query_transform_form/", "/search/", "/svc/users/", "/logout/"] {
            let answer = post(&admin, path, headers).await;
            assert_refused(&answer, 403, "csrf_failed", &format!("{path} {headers:?}"));
            assert!(answer.body["detail"].as_str().unwrap().contains("another site"), "{answer:?}");
        }
    }
    for headers in [&[][..], &[("Sec-Fetch-Site", "same-origin")], &[("Origin", &*app.base)]] {
        let answer = post(&admin, &activate, headers).await;
        assert_eq!(answer.status, 200, "programs and our own pages: {headers:?}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_page_with_a_session_is_refused_even_with_its_csrf_token() {
    let app = AppHarness::with(|settings| Settings {
        cors_origins: vec![WebOrigin("https://app.example".to_owned())],
        ..settings
    })
    .await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let csrf = csrf_of(&browser.get("/").await);
    let ask = |browser: &Browser, headers: &[(&str, &str)]| {
        let request = browser.request(Method::POST, "/svc/groups/").header("X-CSRF-Token", &csrf);
        with(request.header("Content-Type", "application/json").body(r#"{"name":"made"}"#), headers)
    };
    for headers in [
        FOREIGN_FORM,
        &[("Origin", "https://app.example"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "cors")],
        &[("Origin", "https://app.example"), ("Authorization", "Token trb_stale")],
    ] {
        let request = ask(&browser, headers);
        assert_refused(&browser.send(request).await, 403, "csrf_failed", &format!("{headers:?}"));
    }
    let request = ask(&browser, &[("Sec-Fetch-Site", "same-origin"), ("Origin", &app.base)]);
    assert_eq!(browser.send(request).await.status, 201);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn listed_applications_and_tokens_keep_working() {
    let app = AppHarness::with(|settings| Settings {
        cors_origins: vec![WebOrigin("https://app.example".to_owned())],
        ..settings
    })
    .await;
    let listed: &[(&str, &str)] =
        &[("Origin", "https://app.example"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "cors")];
    let password = app.with_header(&basic("admin", ADMIN_PASSWORD));
    for (client, headers) in [(&password, listed), (&app.admin, listed), (&app.admin, FOREIGN_FORM)] {
        let request = client.request(Method::POST, "/svc/tokens/").header("Content-Type", "application/json");
        assert_eq!(Answer::of(with(request.body("{}"), headers)).await.status, 201, "{headers:?}");
    }
    let login = json!({"username": "admin", "password": ADMIN_PASSWORD}).to_string();
    for (headers, expected) in [(listed, 200), (&[][..], 200), (FOREIGN_FORM, 403)] {
        let request = app.anonymous().request(Method::POST, "/svc/login/");
        let request = request.header("Content-Type", "application/json").body(login.clone());
        assert_eq!(Answer::of(with(request, headers)).await.status, expected, "{headers:?}");
    }
    // A form on a page of an allowed origin is not a call of the API.
    let answer = post(&password, "/search/", &[&listed[..2], &FOREIGN_FORM[2..]].concat()).await;
    assert_refused(&answer, 403, "csrf_failed", "a form of a listed page");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_page_signs_nobody_in_or_out() {
    let app = AppHarness::start().await;
    let mut browser = Browser::open(&app.base);
    let csrf = csrf_of(&browser.get("/login/").await);
    let fields = format!("csrf_token={csrf}&username=admin&password={ADMIN_PASSWORD}");
    let request = browser.request(Method::POST, "/login/").header("Content-Type", FORM).body(fields);
    let answer = browser.send(with(request, FOREIGN_FORM)).await;
    assert_refused(&answer, 403, "csrf_failed", "somebody else's account");
    assert_eq!(answer.header("set-cookie"), "");

    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let csrf = csrf_of(&browser.get("/").await);
    let request = browser.request(Method::POST, "/logout/").header("Content-Type", FORM);
    let answer = browser.send(with(request.body(format!("csrf_token={csrf}")), FOREIGN_FORM)).await;
    assert_refused(&answer, 403, "csrf_failed", "signing out");
    assert_eq!(browser.get("/svc/users/me/").await.status, 200);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_are_led_to_the_sign_in_page_and_never_challenged() {
    let app = AppHarness::start().await;
    const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let navigations: [&[(&str, &str)]; 3] = [OWN_LINK, FOREIGN_LINK, &[("Accept", ACCEPT)]];
    for headers in navigations {
        let request = app.anonymous().request(Method::GET, "/svc/searchproviders/?page=2");
        let answer = Answer::of(with(request, headers)).await;
        let place = answer.header("location");
        assert_eq!((answer.status.as_u16(), place), (303, "/login/?next=/svc/searchproviders/%3Fpage%3D2"));
    }
    // A form whose session has ended leads to the sign-in page too.
    for (path, place) in
        [("/logout/", "/login/"), ("/svc/query_transform_form/", "/login/?next=/svc/query_transform_form/")]
    {
        let answer = post(&app.anonymous(), path, OWN_LINK).await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (303, place));
    }
    let fetches: [&[(&str, &str)]; 4] = [
        &[("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors")],
        &[("Cookie", "tributary_session=over")],
        &[("Cookie", "__Host-tributary_session=over")],
        &[("X-CSRF-Token", "over")],
    ];
    for headers in fetches {
        for (method, path) in [(Method::PATCH, "/svc/search/4/"), (Method::GET, "/svc/users/me/")] {
            let request = app.anonymous().request(method.clone(), path);
            let answer = Answer::of(with(request, headers)).await;
            assert_eq!((answer.status.as_u16(), answer.code()), (401, "not_authenticated"), "{headers:?}");
            assert_eq!(answer.header("www-authenticate"), "", "{method} {headers:?}");
        }
    }
    let wrong = json!({"username": "admin", "password": "wrong"}).to_string();
    let request =
        app.anonymous().request(Method::POST, "/svc/login/").header("Content-Type", "application/json");
    let answer = Answer::of(with(request.body(wrong), fetches[0])).await;
    assert_eq!((answer.status.as_u16(), answer.header("www-authenticate")), (401, ""));
    let program = app.anonymous().get("/svc/users/me/").await;
    assert_refused(&program, 401, "not_authenticated", "programs keep the challenge");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_on_a_foreign_page_starts_and_discards_nothing() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    app.provider("Rivers", &source).await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let id = app.admin.search(&json!({"query_string": "river"})).await["id"].clone();
    let asked = source.requests().len();
    let refused = [
        format!("/svc/search/?rerun={id}"),
        format!("/svc/search/?update={id}"),
        format!("/svc/results/?search_id={id}&mark_all_read=1"),
        format!("/svc/sapi/detail-search-rag/?search_id={id}"),
        format!("/?rerun={id}"),
        format!("/?search_id={id}&rag=true"),
        "/svc/searchproviders/1/test/?q=x".to_owned(),
    ];
    let password = app.with_header(&basic("admin", ADMIN_PASSWORD));
    for site in ["cross-site", "same-site"] {
        for path in &refused {
            for request in [browser.request(Method::GET, path), password.request(Method::GET, path)] {
                let answer = Answer::of(request.header("Sec-Fetch-Site", site)).await;
                assert_refused(&answer, 403, "csrf_failed", path);
            }
        }
    }
    for path in [
        "/?q=river%20%3Cb%3E&rag=true",
        "/svc/search/?q=river%20%3Cb%3E&rag=true",
        "/svc/search/?qs=river%20%3Cb%3E&rag=true",
    ] {
        let request = browser.request(Method::GET, path);
        let page = browser.send(with(request, FOREIGN_LINK)).await;
        let text = page.body.as_str().unwrap_or_default();
        assert_eq!(page.status, 200, "{path}");
        assert!(
            text.contains("<bdi>river &lt;b&gt;</bdi>") && text.contains("name=\"rag\" value=\"true\""),
            "{text}"
        );
        let request = browser.request(Method::GET, path);
        let picture =
            Answer::of(request.header("Sec-Fetch-Site", "same-site").header("Sec-Fetch-Mode", "no-cors"))
                .await;
        assert_refused(&picture, 403, "csrf_failed", path);
    }
    assert_eq!((searches(&app.admin).await, source.requests().len()), (1, asked), "nothing was started");

    // Reading works by any link, and pages of the service still start searches.
    let request = browser.request(Method::GET, &format!("/?search_id={id}"));
    assert_eq!(browser.send(with(request, FOREIGN_LINK)).await.status, 200);
    for headers in [OWN_LINK, &[("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")], &[]] {
        let request = browser.request(Method::GET, "/?q=river");
        assert_eq!(browser.send(with(request, headers)).await.status, 303, "{headers:?}");
    }
    let request = app.admin.request(Method::GET, "/svc/search/?qs=river");
    assert_eq!(Answer::of(with(request, FOREIGN_LINK)).await.status, 200, "a token is never sent by itself");
    app.stop().await;
}

/// The headers that a browser sends over plain HTTP, where it does not report the site of the page.
const PLAIN_HTTP: &[(&str, &str)] = &[
    ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    ("Accept-Language", "de,en;q=0.5"),
];

#[tokio::test(flavor = "multi_thread")]
async fn over_plain_http_a_foreign_page_starts_nothing_even_when_it_hides_itself() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    app.provider("Rivers", &source).await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let id = app.admin.search(&json!({"query_string": "river"})).await["id"].clone();
    let asked = source.requests().len();
    let password = app.with_header(&basic("admin", ADMIN_PASSWORD));
    let history = format!("{}/history/", app.base);
    let own = [PLAIN_HTTP, &[("Referer", history.as_str())]].concat();
    let foreign = [PLAIN_HTTP, &[("Referer", "http://evil.example/")]].concat();
    for headers in [foreign.as_slice(), PLAIN_HTTP] {
        for path in [format!("/svc/search/?rerun={id}"), format!("/?rerun={id}")] {
            for request in [browser.request(Method::GET, &path), password.request(Method::GET, &path)] {
                assert_refused(&Answer::of(with(request, headers)).await, 403, "csrf_failed", &path);
            }
        }
        let request = browser.request(Method::GET, "/?q=river");
        let page = browser.send(with(request, headers)).await;
        assert!(page.status == 200 && page.body.as_str().unwrap_or_default().contains("<bdi>river</bdi>"));
        assert_refused(&post(&password, "/search/", headers).await, 403, "csrf_failed", "a form");
    }
    assert_eq!((searches(&app.admin).await, source.requests().len()), (1, asked), "nothing was started");
    let request = browser.request(Method::GET, "/?q=river");
    assert_eq!(browser.send(with(request, &own)).await.status, 303, "our own page");
    let curl = [("User-Agent", "curl/8.5.0"), ("Accept", "*/*")];
    let request = password.request(Method::GET, &format!("/svc/search/?rerun={id}"));
    assert!(Answer::of(with(request, &curl)).await.status.as_u16() < 400, "a program");
    app.stop().await;
}
