//! Testing a provider: a dry run, and one real query.

use super::with;
use crate::app_harness::{Answer, AppHarness, Client, items};
use reqwest::Method;
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

/// It changes when it is encoded for a URL, and is valid in a header.
const CANARY: &str = "canary/5-7 'x";

/// A provider with secrets in every possible field.
fn keyed_spec() -> Value {
    json!({
        "query_template": "{url}?key={key}&q={query_string}",
        "query_mappings": "DATE_SORT=by=date,PAGE=page=RESULT_PAGE,NOT_CHAR=-",
        "results_per_query": 25,
        "credentials": format!("key={CANARY}"),
        "http_request_headers": {"Accept": "application/json", "X-Team": CANARY, "Authorization": format!("ApiKey {CANARY}")},
    })
}

#[track_caller]
fn assert_no_secret(answer: &Answer) {
    let text = answer.body.to_string();
    let encoded: String = url::form_urlencoded::byte_serialize(CANARY.as_bytes()).collect();
    for form in [CANARY, encoded.as_str(), "canary"] {
        assert!(!text.contains(form), "'{form}' is shown: {text}");
    }
}

/// The existing searches and results, to check that none is added.
async fn stored_records(client: &Client) -> (Value, Value) {
    (client.get("/svc/search/").await.body, client.get("/svc/results/").await.body)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_shows_each_request_and_sends_none() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    let id = app.provider_with("Keyed", &source, keyed_spec()).await;
    let otto = app.user("otto", &[]).await;
    let path = format!("/svc/searchproviders/{id}/test/?q=a%20NOT%20b&sort=date&dry_run=true");
    for client in [&app.admin, &otto] {
        let answer = client.get(&path).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_no_secret(&answer);
        let request = |page: u32| {
            json!({
                "method": "GET",
                "url": format!("{}?key=••••&by=date&page={page}&q=a+-b", source.url()),
                "headers": {"Accept": "application/json", "Authorization": "ApiKey ••••", "X-Team": "••••"},
                "body": null,
            })
        };
        assert_eq!(answer.body, json!({"requests": [request(1), request(2), request(3)]}));
    }
    assert_eq!(source.connections(), 0);
    assert_eq!(stored_records(&app.admin).await, (json!([]), json!([])));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_shows_bodies_and_faults() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    let post = json!({
        "connector": "RequestsPost",
        "query_template": "{url}",
        "post_query_template": {"query": {"text": "{query_string}"}},
        "query_mappings": "NO_URL_ENCODE",
        "credentials": format!("bearer={CANARY}"),
    });
    let id = app.provider_with("Posted", &source, post).await;
    let answer = app.admin.get(&format!("/svc/searchproviders/{id}/test/?q=say%20%22x%22&dry_run=1")).await;
    assert_no_secret(&answer);
    let headers = json!({"Authorization": "Bearer ••••", "Content-Type": "application/json"});
    assert_eq!(
        answer.body["requests"],
        json!([{
            "method": "POST", "url": source.url(), "headers": headers, "body": {"query": {"text": "say \"x\""}},
        }])
    );
    let needy = json!({"credentials": "bearer={credentials}", "eval_credentials": "session['token']"});
    let id = app.provider_with("Needy", &source, needy).await;
    let answer = app.admin.get(&format!("/svc/searchproviders/{id}/test/?q=x&dry_run=true")).await;
    assert_eq!((answer.status.as_u16(), &answer.body["requests"]), (200, &json!([])), "{answer:?}");
    assert_eq!(answer.body["error"]["code"], "not_connected");
    let answer = app.admin.get(&format!("/svc/searchproviders/{id}/test/?q=x")).await;
    assert_eq!(
        (&answer.body["status"], &answer.body["error"]["code"]),
        (&json!("FAIL"), &json!("not_connected"))
    );
    assert_eq!(source.connections(), 0);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_real_question_is_asked_and_nothing_is_saved() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    let id = app.provider_with("Rivers", &source, json!({"active": false})).await;
    let otto = app.user("otto", &[]).await;
    let answer = otto.get(&format!("/svc/searchproviders/{id}/test/?q=river")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let shown = &answer.body;
    assert_eq!(
        (&shown["status"], &shown["provider"], &shown["found"], &shown["retrieved"], &shown["error"]),
        (&json!("OK"), &json!("Rivers"), &json!(2), &json!(2), &Value::Null)
    );
    assert_eq!(shown["sample"]["title"], "<em>river</em> number 1");
    assert_eq!(shown["sample"]["searchprovider"], "Rivers");
    assert!(shown["time"].as_f64().is_some_and(|time| time < 10.0));
    assert_eq!(source.requests().len(), 1);
    assert_eq!(source.requests()[0].query_value("q"), Some("river"));
    assert_eq!(stored_records(&otto).await, (json!([]), json!([])));

    source.reply(Behavior::Json(json!({"total": 0, "items": []})));
    let none = otto.get(&format!("/svc/searchproviders/{id}/test/")).await.body;
    assert_eq!((&none["status"], &none["found"], &none["sample"]), (&json!("OK"), &json!(0), &Value::Null));
    assert_eq!(source.requests()[1].query_value("q"), Some("test"), "a query is not needed");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_is_reported_without_secrets() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    let id = app.provider_with("Keyed", &source, keyed_spec()).await;
    let path = format!("/svc/searchproviders/{id}/test/?q=river");
    for (behavior, code) in [
        (Behavior::status(403), "denied"),
        (Behavior::text("application/json", "<html>"), "unreadable"),
        (Behavior::CloseAtOnce, "unreadable"),
        (Behavior::status(400), "query_invalid"),
    ] {
        source.reply(behavior);
        let answer = app.admin.get(&path).await;
        assert_no_secret(&answer);
        assert_eq!((&answer.body["status"], &answer.body["error"]["code"]), (&json!("FAIL"), &json!(code)));
        assert_eq!((&answer.body["found"], &answer.body["sample"]), (&json!(0), &Value::Null));
        assert!(answer.body["error"]["message"].as_str().is_some_and(|text| !text.is_empty()));
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_hidden_or_not_valid() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    let id = app.provider_with("Hidden", &source, json!({"shared": false})).await;
    let otto = app.user("otto", &[]).await;
    for path in [format!("/svc/searchproviders/{id}/test/"), "/svc/searchproviders/999999/test/".to_owned()] {
        for query in ["", "?dry_run=true&q=x"] {
            let answer = otto.get(&format!("{path}{query}")).await;
            assert_eq!((answer.status.as_u16(), answer.code()), (404, "not_found"), "{path}{query}");
        }
    }
    let path = format!("/svc/searchproviders/{id}/test/");
    for query in ["?q=", "?q=x&sort=size", "?dry_run=perhaps", &format!("?q={}", "x".repeat(2049))] {
        let answer = app.admin.get(&format!("{path}{query}")).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (400, "invalid"), "{query}: {answer:?}");
    }
    assert_eq!(source.connections(), 0);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_can_be_tried_before_it_is_saved() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    let mapped = json!({
        "url": source.url(), "response_mappings": "FOUND=total,RESULTS=items",
        "result_mappings": "title=title,body=body,url=url",
    });
    let spec = with("Unsaved", mapped);
    let path = "/svc/searchproviders/test/";
    let answer = app.admin.post(&format!("{path}?q=river"), &spec).await;
    assert_eq!((answer.status.as_u16(), &answer.body["status"]), (200, &json!("OK")), "{answer:?}");
    assert_eq!(answer.body["sample"]["title"], "<em>river</em> number 1");
    let dry = app.admin.post(&format!("{path}?q=river&dry_run=true"), &spec).await;
    assert_eq!(dry.body["requests"][0]["url"], format!("{}?q=river", source.url()));
    assert_eq!(source.requests().len(), 1);
    assert_eq!(app.admin.get("/svc/searchproviders/").await.body, json!([]));

    let wrong = app.admin.post(path, &with("Unsaved", json!({"connector": "RequestGet"}))).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.body["errors"]["connector"][0].as_str().unwrap().contains("RequestsGet"), "{wrong:?}");
    let otto = app.user("otto", &[]).await;
    assert_eq!(otto.post(path, &spec).await.status, 403);
    app.stop().await;
}

/// Five failures of unsaved providers do not open a circuit breaker.
#[tokio::test(flavor = "multi_thread")]
async fn an_unsaved_provider_leaves_no_history() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::status(500));
    let spec = with("Unsaved", json!({"url": source.url()}));
    for _ in 0..7 {
        let answer = app.admin.post("/svc/searchproviders/test/", &spec).await;
        assert_eq!(answer.body["error"]["code"], "unavailable", "{answer:?}");
    }
    assert_eq!(source.requests().len(), 7);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_tried_with_the_stored_secret() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    let id = app.provider_with("Keyed", &source, keyed_spec()).await;
    let mut edited = app.admin.get(&format!("/svc/searchproviders/{id}/")).await.body;
    edited["results_per_query"] = json!(5);
    let path = "/svc/searchproviders/test/?q=river";
    let answer = app.admin.post(path, &edited).await;
    assert_eq!(answer.body["status"], "OK", "{answer:?}");
    assert_no_secret(&answer);
    assert_eq!(source.requests().last().unwrap().query_value("key"), Some(CANARY));

    edited["credentials"] = json!("key=another");
    app.admin.post(path, &edited).await;
    assert_eq!(source.requests().last().unwrap().query_value("key"), Some("another"));
    let kept = app.admin.get(&format!("/svc/searchproviders/{id}/")).await.body;
    assert_eq!(kept["results_per_query"], 25, "nothing is saved");

    edited["credentials"] = json!("key=••••");
    edited["id"] = json!(999_999);
    assert_eq!(app.admin.post(path, &edited).await.status, 404);
    edited["id"] = json!("one");
    assert_eq!(app.admin.post(path, &edited).await.status, 400);
    edited.as_object_mut().unwrap().remove("id");
    let masked = app.admin.post(path, &edited).await;
    assert!(masked.body["errors"]["credentials"][0].as_str().unwrap().contains("masked"), "{masked:?}");
    let get = app.admin.request(Method::GET, "/svc/searchproviders/test/");
    assert_eq!(Answer::of(get).await.status, 405);
    app.stop().await;
}
