//! The MCP endpoint over HTTP: authentication, origins, rate limits, and the metadata for authorization.

use crate::app_harness::{Answer, AppHarness, Client, items};
use domain::settings::{Settings, Throttle, WebOrigin};
use reqwest::Method;
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

fn message(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

async fn send(client: &Client, message: &Value, headers: &[(&str, &str)]) -> Answer {
    let mut request = client.request(Method::POST, "/mcp").header("Content-Type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Answer::of(request.body(message.to_string())).await
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_stateless() {
    let app = AppHarness::start().await;
    let list = message("tools/list", json!({}));
    for path in ["/mcp", "/mcp/"] {
        let answer = app.admin.post(path, &list).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.header("mcp-session-id").is_empty());
        assert_eq!(answer.body["result"]["tools"].as_array().unwrap().len(), 10, "{path}");
    }
    let begun = message(
        "initialize",
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
    );
    let answer = send(&app.admin, &begun, &[("Accept", "application/json, text/event-stream")]).await;
    assert_eq!(answer.body["result"]["protocolVersion"], "2025-06-18", "{answer:?}");
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(send(&app.admin, &note, &[]).await.status, 202);
    let session = send(&app.admin, &list, &[("Mcp-Session-Id", "someone-elses")]).await;
    assert_eq!((session.status.as_u16(), session.code()), (404, "not_found"));
    for method in [Method::GET, Method::DELETE] {
        let answer = Answer::of(app.admin.request(method, "/mcp")).await;
        assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, "POST"), "{answer:?}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_messages_get_an_api_error() {
    let app = AppHarness::with(|settings| Settings { request_body_max_mb: 1, ..settings }).await;
    for (body, headers, status, code) in [
        (json!({"a": 1}), vec![], 400, "invalid"),
        (message("tools/list", json!({})), vec![("Accept", "text/html")], 400, "malformed"),
        (message("tools/list", json!({})), vec![("MCP-Protocol-Version", "1999-01-01")], 400, "malformed"),
        (message("ping", json!({"x": "y".repeat(1024 * 1024)})), vec![], 413, "too_large"),
    ] {
        let answer = send(&app.admin, &body, &headers).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (status, code), "{headers:?}");
    }
    let unknown = send(&app.admin, &message("nothing/here", json!({})), &[]).await;
    assert_eq!(unknown.body["error"]["code"], -32601, "{unknown:?}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_origins_are_refused() {
    let origin = WebOrigin("https://app.example".to_owned());
    let app = AppHarness::with(|settings| Settings { cors_origins: vec![origin], ..settings }).await;
    let list = message("tools/list", json!({}));
    let own = app.base.clone();
    for (origin, status) in
        [(own.as_str(), 200), ("https://app.example", 200), ("https://evil.example", 403), ("null", 403)]
    {
        let answer = send(&app.admin, &list, &[("Origin", origin)]).await;
        assert_eq!(answer.status, status, "{origin}: {answer:?}");
    }
    // A foreign name that resolves to this address (DNS rebinding).
    let rebound =
        send(&app.admin, &list, &[("Origin", "http://evil.example"), ("Host", "evil.example")]).await;
    assert_eq!((rebound.status.as_u16(), rebound.code()), (403, "permission_denied"));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_caller_has_a_rate() {
    let limit = |settings| Settings {
        throttle_mcp: Throttle::per_minute(3),
        throttle_search: Throttle::per_minute(1),
        ..settings
    };
    let app = AppHarness::with(limit).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    app.provider("Rivers", &source).await;
    let search = message("tools/call", json!({"name": "search", "arguments": {"query": "river"}}));
    let first = send(&app.admin, &search, &[]).await.body;
    assert_eq!(first["result"]["structuredContent"]["total"], 1, "{first}");
    let second = send(&app.admin, &search, &[]).await.body;
    assert_eq!(second["result"]["isError"], true, "searches count as such: {second}");
    assert!(second["result"]["content"][0]["text"].as_str().unwrap().contains("Try again in"), "{second}");
    assert_eq!(send(&app.admin, &message("ping", json!({})), &[]).await.status, 200);
    let refused = send(&app.admin, &message("ping", json!({})), &[]).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (429, "throttled"));
    assert!(!refused.header("retry-after").is_empty());
    let ann = app.user("ann", &[]).await;
    assert_eq!(send(&ann, &message("ping", json!({})), &[]).await.status, 200, "someone else");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_with_too_many_searches_is_told_what_to_do() {
    let app = AppHarness::with(|settings| Settings { searches_kept_max: 1, ..settings }).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    app.provider("Rivers", &source).await;
    let search = message("tools/call", json!({"name": "search", "arguments": {"query": "river"}}));
    let saved = json!({"query_string": "river", "tags": ["saved"]});
    app.admin.search(&saved).await;
    let second = send(&app.admin, &search, &[]).await.body;
    assert_eq!(second["result"]["isError"], true, "{second}");
    let text = second["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("the most that are kept for one user") && text.contains("Delete saved searches"),
        "{text}"
    );
    app.stop().await;
}

/// A call may take minutes, so calls are limited like event streams. Quick requests are not counted.
#[tokio::test(flavor = "multi_thread")]
async fn calls_at_the_same_time_are_bounded() {
    let none = |settings| Settings { event_streams_per_user: 0, ..settings };
    let app = AppHarness::with(none).await;
    let call = message("tools/call", json!({"name": "list_searches", "arguments": {}}));
    let refused = send(&app.admin, &call, &[]).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (429, "throttled"));
    assert_eq!(send(&app.admin, &message("ping", json!({})), &[]).await.status, 200);
    app.stop().await;
}

/// Progress is streamed in the response of the request itself; without a progress token the response is plain JSON.
#[tokio::test(flavor = "multi_thread")]
async fn progress_is_streamed_in_the_same_response() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    app.provider("Rivers", &source).await;
    let mut params = json!({"name": "search", "arguments": {"query": "river"}});
    let plain = send(&app.admin, &message("tools/call", params.clone()), &[]).await;
    assert_eq!(plain.header("content-type"), "application/json");
    params["_meta"] = json!({"progressToken": "p-1"});
    let told = send(&app.admin, &message("tools/call", params), &[]).await;
    assert_eq!(told.header("content-type"), "text/event-stream");
    let text = told.body.as_str().unwrap();
    assert!(text.contains("notifications/progress") && text.contains("\"progressToken\":\"p-1\""), "{text}");
    let (progress, result) = (text.find("notifications/progress"), text.find("structuredContent"));
    assert!(progress < result, "{text}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_names_the_authorization_server() {
    let app = AppHarness::start().await;
    let ping = message("ping", json!({}));
    let paths = ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"];
    for path in paths {
        let none = app.anonymous().get(path).await;
        assert_eq!((none.status.as_u16(), none.code()), (404, "not_found"), "{path}");
    }
    app.stop().await;

    let app = AppHarness::start().await;
    let spec = json!({"idp": "hub", "name": "Hub", "client_id": "c", "issuer": "https://hub.example",
        "audience": "tributary-api"});
    assert_eq!(app.admin.post("/svc/authenticators/", &spec).await.status, 201);
    for path in paths {
        let told = app.anonymous().get(path).await;
        assert_eq!(told.status, 200, "{path}: {told:?}");
        assert_eq!(told.body["resource"], format!("{}/mcp", app.base));
        assert_eq!(told.body["authorization_servers"], json!(["https://hub.example"]));
    }
    let refused = send(&app.anonymous(), &ping, &[]).await;
    assert_eq!(refused.status, 401);
    let challenges: Vec<&str> =
        refused.headers.get_all("www-authenticate").iter().map(|value| value.to_str().unwrap()).collect();
    let bearer = format!("Bearer resource_metadata=\"{}{}\"", app.base, paths[1]);
    assert_eq!(challenges, ["Basic realm=\"api\"", bearer.as_str()]);
    let elsewhere = app.anonymous().get("/svc/search/").await;
    assert_eq!(elsewhere.headers.get_all("www-authenticate").iter().count(), 1);
    app.stop().await;
}
