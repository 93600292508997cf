//! Expensive requests: long and partial bodies of anonymous callers, bodies with very many values, and requests with no
//! host or several.

use crate::app_harness::{Answer, AppHarness, licensed};
use domain::settings::Settings;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends this text unchanged. Returns the status and the body of the response.
async fn ask(app: &AppHarness, text: &str) -> (u16, Value) {
    let address = app.base.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let answer = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    (status, serde_json::from_str(body).unwrap_or_default())
}

fn post(path: &str, bytes: usize) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {bytes}\r\n\r\n"
    )
}

/// The body is never sent, so a response means that the service did not wait for it.
#[tokio::test(flavor = "multi_thread")]
async fn an_anonymous_caller_cannot_make_the_service_buffer_a_long_body() {
    let app = AppHarness::start().await;
    let open = ["/svc/login/", "/login/", "/svc/oidc_authenticate/", "/svc/callback/x/", "/svc/health/live/"];
    for path in open {
        let (status, body) = ask(&app, &post(path, 16 * 1024 + 1)).await;
        assert_eq!((status, &body["code"]), (413, &json!("too_large")), "{path}");
    }
    let shut = ["/svc/search/", "/svc/searchproviders/", "/svc/ingest/", "/mcp/", "/svc/nothing/"];
    for path in shut {
        let (status, body) = ask(&app, &post(path, 1024 * 1024)).await;
        assert_eq!((status, &body["code"]), (401, &json!("not_authenticated")), "{path}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_sign_in_without_a_length_is_cut_off() {
    let app = AppHarness::start().await;
    let head = "POST /svc/login/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let piece = format!("1000\r\n{}\r\n", " ".repeat(0x1000));
    let (status, body) = ask(&app, &format!("{head}{}", piece.repeat(5))).await;
    assert_eq!((status, &body["code"]), (413, &json!("too_large")));
    let sign_in = json!({"username": "admin", "password": crate::app_harness::ADMIN_PASSWORD}).to_string();
    let padded = format!("{sign_in}{}", " ".repeat(16 * 1024 - sign_in.len()));
    let request = app.anonymous().request(Method::POST, "/svc/login/");
    let answer = Answer::of(request.header("Content-Type", "application/json").body(padded)).await;
    assert_eq!(answer.status, 200, "what fits is read: {answer:?}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_names_exactly_one_host() {
    let app = AppHarness::start().await;
    let get = |hosts: &str| format!("GET /svc/health/live/ HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n");
    let table = [
        ("Host: a\r\n", 200),
        ("Host: a.example:8000\r\n", 200),
        ("", 400),
        ("Host: a\r\nHost: b\r\n", 400),
        ("Host: a\r\nhost: a\r\n", 400),
        ("Host:\r\n", 400),
        ("Host: a, b\r\n", 400),
        ("Host: user@a\r\n", 400),
    ];
    for (hosts, expected) in table {
        let (status, body) = ask(&app, &get(hosts)).await;
        assert_eq!(status, expected, "{hosts:?}: {body}");
        if expected == 400 {
            assert_eq!(body["code"], "invalid_host", "{hosts:?}");
            assert!(body["request_id"].is_string(), "{hosts:?}");
        }
    }
    let (status, _) = ask(&app, "GET /svc/health/live/ HTTP/1.0\r\n\r\n").await;
    assert_eq!(status, 200, "HTTP/1.0 knows no Host");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_of_very_many_values_is_refused() {
    let app = AppHarness::with(licensed).await;
    let lists = format!(r#"{{"query_string": "rivers", "unknown": [{}[0]]}}"#, "[0],".repeat(400_000));
    let numbers = format!(r#"{{"name": "x", "config": {{"n": [{}0]}}}}"#, "0,".repeat(60_000));
    let objects = format!("[{}{{}}]", r#"{"a":{}},"#.repeat(60_000));
    let cases = [
        (Method::POST, "/svc/search/", &lists),
        (Method::PATCH, "/svc/searchproviders/1/", &numbers),
        (Method::POST, "/svc/searchproviders/", &objects),
        (Method::POST, "/mcp/", &lists),
        (Method::POST, "/svc/ingest/", &numbers),
    ];
    for (method, path, body) in cases {
        let request = app.admin.request(method, path).header("Content-Type", "application/json");
        let answer = Answer::of(request.body(body.clone())).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (413, "too_large"), "{path}: {answer:?}");
        assert!(answer.body["detail"].as_str().unwrap().contains("50,000 values"), "{path}: {answer:?}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_document_is_taken_in_and_what_is_beside_it_is_skipped() {
    let app = AppHarness::with(|settings| licensed(Settings { storage_max_body_mb: 4, ..settings })).await;
    let words = "The river rises in the hills and runs to the sea. ".repeat(20_000);
    let unknown: Vec<Vec<u8>> = vec![vec![0]; 10_000];
    let body = json!({"url": "https://a.example/river", "title": "River", "unknown": unknown, "body": words});
    let answer = app.admin.post("/svc/ingest/", &body).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let body = json!({"url": "https://a.example/lake", "body": "x".repeat(5 * 1024 * 1024)});
    let answer = app.admin.post("/svc/ingest/", &body).await;
    assert_eq!((answer.status.as_u16(), answer.code()), (413, "too_large"));
    app.stop().await;
}

/// Error messages and fields are the same, however the body is parsed.
#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_field_is_named_in_a_short_and_in_a_long_body() {
    let app = AppHarness::start().await;
    let cases = [
        (r#""query_string": 5"#, "query_string", "A text is needed; this is a whole number."),
        (r#""query_string": "q", "tags": ["a", 1]"#, "tags[1]", "A text is needed; this is a whole number."),
        (r#""query_string": "q", "sort": "size""#, "sort", "relevancy or date"),
        (r#""query_string": "q", "retention": -1"#, "retention", "out of range"),
    ];
    for (fields, field, sentence) in cases {
        for padding in [0, 100_000] {
            let body = format!("{{{fields}, \"unknown\": \"{}\"}}", "x".repeat(padding));
            let request = app.admin.request(Method::POST, "/svc/search/");
            let answer = Answer::of(request.header("Content-Type", "application/json").body(body)).await;
            assert_eq!(answer.status, 400, "{fields}");
            let said = answer.body["errors"][field][0].as_str().unwrap_or_default();
            assert!(said.contains(sentence), "{fields}: {}", answer.body);
            assert!(!said.contains("line 1"), "{fields}: {said}");
        }
    }
    app.stop().await;
}
