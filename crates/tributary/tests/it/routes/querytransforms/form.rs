//! The form for administrators in a browser.

use super::create_transform;
use crate::app_harness::{ADMIN_PASSWORD, Answer, AppHarness};
use crate::browser::{Browser, csrf_of};
use reqwest::Method;
use serde_json::json;

const FORM: &str = "/svc/query_transform_form/";
const EDGE: &str = "----edge-of-a-browser";

/// A form as a browser sends it; the field `file` is a file.
fn encoded(fields: &[(&str, &str)]) -> String {
    let mut body = String::new();
    for (name, value) in fields {
        let more = match *name {
            "file" => "; filename=\"rules.csv\"\r\nContent-Type: text/csv",
            _ => "",
        };
        body +=
            &format!("--{EDGE}\r\nContent-Disposition: form-data; name=\"{name}\"{more}\r\n\r\n{value}\r\n");
    }
    body + &format!("--{EDGE}--\r\n")
}

async fn send(browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Answer {
    let request = browser.request(Method::POST, path);
    let request = request.header("Content-Type", format!("multipart/form-data; boundary={EDGE}"));
    browser.send(request.body(encoded(fields))).await
}

fn text(page: &Answer) -> &str {
    page.body.as_str().unwrap()
}

async fn admin(app: &AppHarness) -> (Browser, String) {
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let page = browser.get(FORM).await;
    assert_eq!(page.status, 200, "{page:?}");
    let csrf = csrf_of(&page);
    (browser, csrf)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_uploaded_and_uploaded_again() {
    let app = AppHarness::start().await;
    let (mut browser, csrf) = admin(&app).await;
    let fields = |file: &'static str, query: &'static str| {
        let csrf = csrf.clone();
        async move |browser: &mut Browser| {
            let fields = [
                ("csrf_token", csrf.as_str()),
                ("name", "phones"),
                ("content_type", "rewrite"),
                ("file", file),
                ("query", query),
            ];
            send(browser, FORM, &fields).await
        }
    };
    let answer = fields("\u{feff}\"mobiles; mo bile\",mobile\r\n", "mobiles & more")(&mut browser).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    let page = browser.get(answer.header("location")).await;
    assert_eq!(page.status, 200, "{page:?}");
    assert!(text(&page).contains("<b>phones.rewrite</b>: Saved with 1 rule."), "{}", text(&page));
    assert!(text(&page).contains("<b>mobile &amp; more</b>"), "{}", text(&page));
    let all = app.admin.get("/svc/querytransforms/").await.body;
    assert_eq!(all[0]["config_content"], "\u{feff}\"mobiles; mo bile\",mobile\r\n", "as it was sent");
    assert_eq!((&all[0]["shared"], &all[0]["owner"]), (&json!(true), &json!("admin")));

    let answer = fields("mobiles,phone\na,b", "")(&mut browser).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    let again = app.admin.get("/svc/querytransforms/").await.body;
    assert_eq!(again.as_array().unwrap().len(), 1, "the same name and type replaces");
    assert_eq!((&again[0]["id"], &again[0]["config_content"]), (&all[0]["id"], &json!("mobiles,phone\na,b")));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_shown_with_their_lines_and_nothing_is_saved() {
    let app = AppHarness::start().await;
    let (mut browser, csrf) = admin(&app).await;
    let token = ("csrf_token", csrf.as_str());
    let cases: [(&[(&str, &str)], &str); 5] = [
        (
            &[("name", "x"), ("content_type", "rewrite"), ("file", "a,b\n*c,<d>")],
            "line 2: A pattern may not begin",
        ),
        (
            &[("name", "x"), ("content_type", "synonym"), ("config_content", "a")],
            "line 1: A term and a synonym",
        ),
        (&[("name", "x"), ("content_type", "magic"), ("file", "a,b")], "content_type: Use one of"),
        (&[("name", "a.b"), ("content_type", "bag"), ("file", "a,b")], "name: A dot"),
        (&[("name", "x"), ("content_type", "bag")], "At least one rule is needed."),
    ];
    for (fields, expected) in cases {
        let page = send(&mut browser, FORM, &[&[token], fields].concat()).await;
        assert_eq!(page.status, 400, "{expected}: {page:?}");
        assert!(text(&page).contains(expected), "{expected}: {}", text(&page));
        assert!(text(&page).contains("role=\"alert\"") && !text(&page).contains("<d>"));
    }
    assert_eq!(app.admin.get("/svc/querytransforms/").await.body, json!([]));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_saves_nothing_and_keeps_what_was_typed() {
    let app = AppHarness::start().await;
    let (mut browser, csrf) = admin(&app).await;
    let fields = [
        ("csrf_token", csrf.as_str()),
        ("name", "cars"),
        ("content_type", "bag"),
        ("shared", "false"),
        ("file", "car,automobile"),
        ("query", "my car"),
        ("action", "preview"),
    ];
    let page = send(&mut browser, FORM, &fields).await;
    assert_eq!(page.status, 200, "{page:?}");
    let html = text(&page);
    assert!(html.contains("<b>my (car OR automobile)</b>"), "{html}");
    assert!(html.contains(">car,automobile</textarea>") && html.contains("value=\"cars\""), "{html}");
    assert!(html.contains("<option value=\"bag\" selected>"), "{html}");
    assert!(html.contains("<option value=\"false\" selected>"), "{html}");
    assert_eq!(app.admin.get("/svc/querytransforms/").await.body, json!([]));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_is_for_administrators_and_needs_its_csrf_token() {
    let app = AppHarness::start().await;
    let mut nobody = Browser::open(&app.base);
    let answer = nobody.get(FORM).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("location")),
        (303, "/login/?next=/svc/query_transform_form/")
    );
    let answer = send(&mut nobody, FORM, &[("name", "x")]).await;
    assert_eq!(answer.status, 401, "{answer:?}");
    let answer = nobody.sign_in("admin", ADMIN_PASSWORD, FORM).await;
    assert_eq!((answer.status.as_u16(), answer.header("location")), (303, FORM));

    let (mut browser, csrf) = admin(&app).await;
    let whole = [("name", "x"), ("content_type", "bag"), ("file", "a,b")];
    for token in [None, Some(""), Some("guess")] {
        let mut fields = whole.to_vec();
        fields.extend(token.map(|text| ("csrf_token", text)));
        let answer = send(&mut browser, FORM, &fields).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (403, "csrf_failed"), "{token:?}");
    }
    let answer = browser.submit(FORM, &[("csrf_token", csrf.as_str()), ("name", "x")]).await;
    assert_eq!(answer.status, 415, "{answer:?}");
    let large = "a".repeat(3 * 1024 * 1024);
    let answer = send(&mut browser, FORM, &[("csrf_token", csrf.as_str()), ("file", large.as_str())]).await;
    assert_eq!(answer.status, 413, "{answer:?}");
    assert_eq!(app.admin.get("/svc/querytransforms/").await.body, json!([]));
    app.stop().await;
}

/// The form also works for scripts, under every prefix, and lists the existing transforms.
#[tokio::test(flavor = "multi_thread")]
async fn by_token_and_under_the_other_prefix() {
    let app = AppHarness::start().await;
    create_transform(&app.admin, "there", "synonym", "a,b").await;
    let fields = [("name", "phones"), ("content_type", "synonym bag"), ("file", "a,b"), ("shared", "false")];
    let request = app.admin.request(Method::POST, "/api/svc/query_transform_form");
    let request = request.header("Content-Type", format!("multipart/form-data; boundary={EDGE}"));
    let answer = Answer::of(request.body(encoded(&fields))).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    assert!(answer.header("location").starts_with("/api/svc/query_transform_form/?saved="), "{answer:?}");
    let page = app.admin.get(answer.header("location")).await;
    let html = text(&page);
    assert!(html.contains(">there.synonym</a>") && html.contains(">phones.bag</a>"), "{html}");
    assert!(!html.contains("csrf_token"), "a token needs none");
    assert_eq!(app.admin.get("/svc/querytransforms/").await.body[1]["shared"], false);
    let gone = app.admin.get("/svc/query_transform_form/?saved=999").await;
    assert_eq!(gone.status, 200);
    app.stop().await;
}
