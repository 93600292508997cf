//! Secrets of providers: they are sent to their source, and appear nowhere else.

use super::smallest;
use crate::app_harness::{AppHarness, Client, items};
use reqwest::Method;
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

/// It changes when it is encoded for a URL, so that masking only the plain text would be noticed.
const CANARY: &str = "canary/5-7ä~x";

async fn create_keyed_provider(app: &AppHarness, source: &Source) -> String {
    let more = json!({
        "query_template": "{url}?q={query_string}&key={key}",
        "credentials": format!("key={CANARY}"),
    });
    let id = app.provider_with("Keyed", source, more).await;
    format!("/svc/searchproviders/{id}/")
}

/// The key that the source receives with a new search.
async fn key_received(app: &AppHarness, source: &Source) -> String {
    app.admin.search(&json!({"query_string": "river"})).await;
    source.requests().last().unwrap().query_value("key").unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn masked_empty_and_absent_keep_and_anything_else_replaces() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    let path = create_keyed_provider(&app, &source).await;
    assert_eq!(key_received(&app, &source).await, CANARY);
    let shown = app.admin.get(&path).await.body;
    assert_eq!(shown["credentials"], "key=••••");

    let mut masked = shown.clone();
    masked["description"] = json!("edited");
    let mut empty = shown.clone();
    empty["credentials"] = json!("");
    let mut absent = shown.clone();
    absent.as_object_mut().unwrap().remove("credentials");
    for (method, body) in [
        (Method::PUT, masked),
        (Method::PUT, empty),
        (Method::PUT, absent),
        (Method::PATCH, json!({"credentials": "key=••••"})),
        (Method::PATCH, json!({"credentials": "••••"})),
        (Method::PATCH, json!({"credentials": ""})),
        (Method::PATCH, json!({"description": "again"})),
    ] {
        let answer = app.admin.send(method.clone(), &path, &body).await;
        assert_eq!(answer.status, 200, "{method} {body}: {answer:?}");
        assert_eq!(answer.body["credentials"], "key=••••", "{method} {body}");
        assert_eq!(key_received(&app, &source).await, CANARY, "{method} {body}");
    }
    let malformed = app.admin.patch(&path, &json!({"credentials": "HTTPBasicAuth('me'"})).await;
    assert_eq!(malformed.status, 400, "the connector checks what it gets: {malformed:?}");
    assert_eq!(key_received(&app, &source).await, CANARY);
    let replaced = app.admin.patch(&path, &json!({"credentials": "key=another"})).await;
    assert_eq!(replaced.body["credentials"], "key=••••", "{replaced:?}");
    assert_eq!(key_received(&app, &source).await, "another");
    app.stop().await;
}

/// Texts that would reveal the secret: plain, URL-encoded, and its beginning.
fn forms() -> [String; 3] {
    let encoded = url::form_urlencoded::byte_serialize(CANARY.as_bytes()).collect();
    [CANARY.to_owned(), encoded, "canary".to_owned()]
}

#[track_caller]
fn assert_no_secret(text: &str, what: &str) {
    for form in forms() {
        assert!(!text.contains(&form), "{what} tells '{form}': {text}");
    }
}

/// Everything that can be read about a search, as text.
async fn everything(client: &Client, search: &Value) -> String {
    let id = &search["id"];
    let mut all = String::new();
    for path in [
        "/svc/searchproviders/".to_owned(),
        format!("/svc/search/{id}/"),
        "/svc/search/".to_owned(),
        format!("/svc/search/{id}/events/"),
        format!("/svc/results/?search_id={id}"),
        "/svc/results/".to_owned(),
        format!("/?search_id={id}"),
    ] {
        let answer = client.get(&path).await;
        assert_eq!(answer.status, 200, "{path}");
        all.push_str(&format!("{path}\n{:?}\n{}\n", answer.headers, answer.body));
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_appears_in_no_answer_however_the_source_behaves() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    let path = create_keyed_provider(&app, &source).await;
    let echo = format!("the key {CANARY} in {} is not known", forms()[1]);
    let behaviors = [
        Behavior::Json(items("river", 2)),
        Behavior::status(500),
        Behavior::Status { code: 403, headers: Vec::new(), body: echo.clone().into() },
        Behavior::text("application/json", echo),
        Behavior::CloseAtOnce,
        Behavior::HalfAnswer,
        Behavior::redirect("/elsewhere", 302),
        Behavior::redirect("http://127.0.0.1:1/", 302),
    ];
    for behavior in behaviors {
        let what = format!("{behavior:?}");
        source.reply(behavior);
        let search = app.admin.search(&json!({"query_string": "river"})).await;
        assert_no_secret(&everything(&app.admin, &search).await, &what);
        // Several failures in a row would open the circuit breaker.
        assert_eq!(app.admin.delete(&format!("{path}state/")).await.status, 204);
    }
    source.reply(Behavior::Json(items("river", 2)));
    let mixed = app.admin.get("/svc/search/?qs=river").await.body;
    let sent = mixed["info"]["Keyed"]["query_to_provider"].as_str().unwrap();
    assert!(
        sent.contains("q=river") && sent.contains("key="),
        "the request is shown without its key: {sent}"
    );
    let renamed = app.admin.put(&path, &smallest("Keyed")).await;
    assert_no_secret(&renamed.body.to_string(), "PUT");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_in_a_header_reaches_its_source_and_no_answer() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    for (number, (credentials, header, expected)) in [
        ("bearer=canary-b", "authorization", "Bearer canary-b"),
        ("X-Api-Key=canary-x", "x-api-key", "canary-x"),
        ("HTTPBasicAuth('me','canary-h')", "authorization", "Basic bWU6Y2FuYXJ5LWg="),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("Header {number}");
        app.provider_with(&name, &source, json!({"credentials": credentials, "default": false})).await;
        let spec = json!({"query_string": "river", "searchprovider_list": [name]});
        let search = app.admin.search(&spec).await;
        assert_eq!(source.requests().last().unwrap().header(header), Some(expected), "{credentials}");
        let all = everything(&app.admin, &search).await;
        assert!(!all.contains("canary") && !all.contains("bWU6Y2FuYXJ5LWg="), "{credentials}: {all}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_data_folder_holds_no_secret_in_the_clear() {
    let app = AppHarness::start().await;
    if !app.service.app().is_embedded() {
        return app.stop().await;
    }
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    let path = create_keyed_provider(&app, &source).await;
    app.admin.search(&json!({"query_string": "river"})).await;
    let token = app.admin.post("/svc/tokens/", &json!({})).await.body["token"].as_str().unwrap().to_owned();
    app.user("ann", &[]).await;
    let mut needles = forms().to_vec();
    needles.extend([token, "password of ann".to_owned(), crate::app_harness::ADMIN_PASSWORD.to_owned()]);
    assert_eq!(app.admin.patch(&path, &json!({"description": "needle in the hay"})).await.status, 200);

    let mut found_plain_text = false;
    for entry in std::fs::read_dir(&app.service.app().data_dir).unwrap() {
        let file = entry.unwrap().path();
        if !file.is_file() {
            continue;
        }
        let bytes = std::fs::read(&file).unwrap();
        found_plain_text |= holds(&bytes, "needle in the hay");
        for needle in &needles {
            assert!(!holds(&bytes, needle), "{} holds '{needle}'", file.display());
        }
    }
    assert!(found_plain_text, "the search through the files would find what is there");
    app.stop().await;
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
