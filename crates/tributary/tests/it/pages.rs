//! The web pages: signing in, searching, and escaping of texts from sources.

use crate::app_harness::{ADMIN_PASSWORD, Answer, AppHarness, items};
use crate::browser::{Browser, SESSION, csrf_of};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;
use testkit::source::{Behavior, Source};

fn text(page: &Answer) -> &str {
    page.body.as_str().unwrap()
}

/// The targets of the links of a page, as a browser resolves them.
fn links(page: &Answer) -> Vec<String> {
    let values = text(page).split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    values.map(|link| link.replace("&#x2f;", "/").replace("&amp;", "&")).collect()
}

/// The page of a finished search; until then the page reloads itself.
pub async fn finished_page(browser: &mut Browser, location: &str) -> Answer {
    for _ in 0..200 {
        let page = browser.get(location).await;
        if !text(&page).contains("<noscript><meta http-equiv=\"refresh\"") {
            return page;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{location} does not end");
}

#[track_caller]
fn assert_strict(page: &Answer) {
    let policy = page.header("content-security-policy");
    for part in [
        "default-src 'none'",
        "script-src 'self';",
        "style-src 'self';",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(part), "{part}: {policy}");
    }
    for part in ["unsafe", "*", "http"] {
        assert!(!policy.contains(part), "{part}: {policy}");
    }
    assert!(page.header("content-type").starts_with("text/html"), "{}", page.header("content-type"));
    let own = text(page).matches("<script type=\"module\" src=\"&#x2f;static&#x2f;").count();
    assert_eq!(text(page).matches("<script").count(), own, "only our own modules");
    assert!(!text(page).contains(" style=") && !text(page).contains(" onclick"));
}

/// Every input and button has an accessible name.
#[track_caller]
fn assert_labeled(page: &Answer) {
    let html = text(page);
    let mut count = 0;
    for tag in html.split("<input ").skip(1).map(|rest| rest.split('>').next().unwrap()) {
        if tag.contains("type=\"hidden\"") {
            continue;
        }
        let id = tag.split("id=\"").nth(1).map(|rest| rest.split('"').next().unwrap());
        let has_label = id.is_some_and(|id| html.contains(&format!("<label for=\"{id}\">")));
        let before = &html[..tag.as_ptr() as usize - html.as_ptr() as usize];
        let is_in_label = before.rfind("<label") > before.rfind("</label>");
        assert!(has_label || is_in_label || tag.contains("aria-label=\""), "<input {tag}> has no label");
        count += 1;
    }
    assert!(count > 0);
    for button in html.split("<button").skip(1) {
        let inside = button.split_once('>').unwrap().1.split("</button>").next().unwrap();
        assert!(!inside.trim().is_empty(), "a button without a word");
    }
    for image in html.split("<img ").skip(1) {
        assert!(image.split('>').next().unwrap().contains("alt="), "a picture without alt");
    }
    assert!(html.contains("<html lang=\"en\">") && html.contains("<title>") && html.contains("<main"));
}

#[tokio::test(flavor = "multi_thread")]
async fn anonymous_visitors_are_redirected_to_the_sign_in_page() {
    let app = AppHarness::start().await;
    let mut browser = Browser::open(&app.base);
    for (path, place) in [
        ("/", "/login/"),
        ("/?q=river", "/login/?next=/%3Fq%3Driver"),
        ("/?search_id=1", "/login/?next=/%3Fsearch_id%3D1"),
    ] {
        let answer = browser.get(path).await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (303, place), "{path}");
    }
    let page = browser.get("/login/").await;
    assert_eq!(page.status, 200);
    assert_strict(&page);
    assert_labeled(&page);
    assert_eq!(app.admin.get("/svc/search/").await.body, json!([]), "nothing was searched");
    app.stop().await;
}

/// `Accept` of browsers when a user opens an address.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

async fn opened(browser: &mut Browser, path: &str, accept: &str) -> Answer {
    let request = browser.request(Method::GET, path).header("Accept", accept);
    browser.send(request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_in_leads_back_to_the_whole_address() {
    let app = AppHarness::start().await;
    let mut browser = Browser::open(&app.base);
    for (path, accept, expected) in [
        ("/?search_id=3&page=2", "*/*", "/login/?next=/%3Fsearch_id%3D3%26page%3D2"),
        ("/review/?show=pins", "*/*", "/login/?next=/review/%3Fshow%3Dpins"),
        ("/chat/7/", BROWSER, "/login/?next=/chat/7/"),
        ("/nothing/", BROWSER, "/login/?next=/nothing/"),
        ("/svc/search/7/", BROWSER, "/login/?next=/svc/search/7/"),
    ] {
        let answer = opened(&mut browser, path, accept).await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (303, expected), "{path}");
    }
    for (path, accept) in [("/chat/7/", "text/html"), ("/nothing/", "*/*"), ("/svc/search/7/", "*/*")] {
        assert_eq!(opened(&mut browser, path, accept).await.status, 401, "{path} {accept}");
    }
    let page = browser.get("/login/?next=/%3Fsearch_id%3D3%26page%3D2").await;
    assert!(text(&page).contains("value=\"&#x2f;?search_id=3&amp;page=2\""), "{page:?}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_address_is_a_page_for_people_and_an_error_for_programs() {
    let app = AppHarness::start().await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    for path in ["/nothing/", "/nothing", "/review/abc/", "/chat/999/", "/admin/nothing/"] {
        let page = opened(&mut browser, path, BROWSER).await;
        assert_eq!(page.status, 404, "{path}");
        assert_strict(&page);
        assert!(text(&page).contains("<h1>Page not found</h1>"), "{path}: {page:?}");
        let error = opened(&mut browser, path, "application/json").await;
        assert_eq!((error.status.as_u16(), error.code()), (404, "not_found"), "{path}");
        assert_eq!(error.header("content-type"), "application/json", "{path}");
    }
    let error = opened(&mut browser, "/svc/nothing/", BROWSER).await;
    assert_eq!((error.status.as_u16(), error.header("content-type")), (404, "application/json"));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sign_in_form() {
    let app = AppHarness::start().await;
    let mut browser = Browser::open(&app.base);
    let wrong = browser.sign_in("admin", "wrong", "").await;
    assert_eq!(wrong.status, 401);
    assert!(text(&wrong).contains("Incorrect username or password."));
    assert!(text(&wrong).contains("value=\"admin\"") && !text(&wrong).contains("value=\"wrong\""));
    assert!(!browser.cookies.contains_key(SESSION));
    assert_strict(&wrong);

    let mut other = Browser::open(&app.base);
    let foreign = csrf_of(&other.get("/login/").await);
    browser.get("/login/").await;
    for csrf in ["", "guess", &foreign] {
        let fields = [("csrf_token", csrf), ("username", "admin"), ("password", ADMIN_PASSWORD)];
        let refused = browser.submit("/login/", &fields).await;
        assert_eq!(refused.status, 403, "{csrf}");
        assert!(!browser.cookies.contains_key(SESSION));
    }
    let hostile = browser.sign_in("\"><script>alert(1)</script>", "x", "").await;
    assert_strict(&hostile);

    for (next, expected) in [
        ("/?search_id=3", "/?search_id=3"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("javascript:alert(1)", "/"),
    ] {
        let answer = Browser::open(&app.base).sign_in("admin", ADMIN_PASSWORD, next).await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (303, expected), "{next}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_search_page_lists_what_was_found() {
    let app = AppHarness::start().await;
    let (source, broken) = (Source::start().await, Source::start().await);
    source.reply(Behavior::Json(items("deep river", 12)));
    broken.reply(Behavior::status(500));
    app.provider_with("Rivers", &source, json!({"results_per_query": 20})).await;
    app.provider("Broken", &broken).await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let start = browser.get("/").await;
    assert_eq!(start.status, 200);
    assert_strict(&start);
    assert_labeled(&start);

    let moved = browser.get("/?q=deep+river").await;
    assert_eq!(moved.status, 303, "{moved:?}");
    let location = moved.header("location").to_owned();
    assert!(location.starts_with("/?search_id="), "{location}");
    let page = finished_page(&mut browser, &location).await;
    assert_eq!(page.status, 200);
    assert_strict(&page);
    assert_labeled(&page);
    let html = text(&page);
    assert_eq!(html.matches("<article").count(), 10);
    let found = links(&page).iter().filter(|link| link.starts_with("https://deep-river.example/")).count();
    assert_eq!(found, 10, "{html}");
    assert!(html.contains("value=\"deep river\""), "the query stays in the box");
    assert!(html.contains("<mark>deep</mark> <mark>river</mark>") && !html.contains("em&gt;"), "{html}");
    assert!(html.contains("12 of 12") && html.contains("These results are incomplete."), "{html}");
    assert_eq!(source.requests().len(), 1, "a reload does not search again");
    let second = browser.get(&format!("{location}&page=2")).await;
    assert_eq!(text(&second).matches("<article").count(), 2);
    assert!(text(&second).contains("rel=\"prev\"") && !text(&second).contains("rel=\"next\""));
    assert_eq!(source.requests().len(), 1);

    let missing = browser.get("/?search_id=999").await;
    assert_eq!(missing.status, 404);
    assert_strict(&missing);
    let long = browser.get(&format!("/?q={}", "x".repeat(2049))).await;
    assert_eq!(long.status, 400);
    assert_strict(&long);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_texts_of_a_source_stay_texts() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    let evil = "<script>alert(1)</script>";
    let quote = "\" onmouseover=\"alert(1)";
    source.reply(Behavior::Json(json!({"total": 5, "items": [
        {"title": format!("river {evil}"), "body": format!("river {evil}"), "url": "javascript:alert(1)",
         "date": "2024-03-05", "author": evil},
        {"title": "river data", "body": "river &lt;script&gt;alert(1)&lt;/script&gt;", "url": "data:text/html,<script>alert(1)</script>"},
        {"title": "river quote", "body": quote, "url": format!("https://x.example/{quote}")},
        {"title": "river image", "body": "river <img src=x onerror=alert(1)>", "url": "JaVaScRiPt:alert(2)"},
        {"title": "river file", "body": "river", "url": "file:///etc/passwd", "author": quote},
    ]})));
    app.provider_with("<b>Rivers</b>", &source, json!({})).await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let moved = browser.get("/?q=river+%3Cscript%3Ealert(1)%3C%2Fscript%3E").await;
    assert_eq!(moved.status, 303, "{moved:?}");
    let page = finished_page(&mut browser, moved.header("location")).await;
    assert_eq!(page.status, 200);
    assert_strict(&page);
    let html = text(&page);
    assert_eq!(html.matches("<article").count(), 5, "{html}");
    assert!(!html.contains("<img src=x") && !html.contains("<b>Rivers"), "{html}");
    assert!(!html.contains("\" onmouseover=") && !html.contains(" onerror=alert(1)>"), "{html}");
    let links = links(&page);
    for link in &links {
        let is_safe =
            link.starts_with(['/', '#']) || link.starts_with("https://") || link.starts_with("http://");
        assert!(is_safe, "{link}");
    }
    let own = links.iter().filter(|link| link.starts_with("https://x.example/")).count();
    assert_eq!(own, 1, "the one web address is a link: {links:?}");

    let api = browser.get(&format!("/svc/results/{}", moved.header("location").replace("/?", "?"))).await;
    assert_eq!(
        api.header("content-type"),
        "application/json",
        "the API sends texts as JSON, never as a page"
    );
    for item in api.body["results"].as_array().unwrap() {
        let shown = format!("{} {}", item["title"].as_str().unwrap(), item["body"].as_str().unwrap());
        let plain = shown.replace("<em>", "").replace("</em>", "");
        assert!(
            shown.contains("<em>river</em>") && !plain.contains('<'),
            "only our own marks are left: {shown}"
        );
    }
    app.stop().await;
}
