//! Malformed requests, unknown paths and unsupported methods.

use super::table::{
    Access, BY_TOKEN, Body, DELETED_AGAIN, EXPORT, METRICS, NAMED_IN_BODY, RAG_DETAIL, Resource, Row, TABLE,
    TOKENS, WITHOUT_BODY,
};
use super::{Scenario, assert_refused, send};
use crate::app_harness::Answer;
use reqwest::Method;
use std::collections::BTreeSet;

fn with_json() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(|row| matches!(row.body, Body::Json(_)))
}

/// Proves that the bodies and paths of the table are valid, so that the rejections in other tests are meaningful.
#[tokio::test(flavor = "multi_thread")]
async fn every_route_accepts_its_valid_request() {
    let scenario = Scenario::start().await;
    let is_tried = |row: &&Row| {
        row.is_api()
            && ![BY_TOKEN, EXPORT, RAG_DETAIL].contains(&row.path)
            && (row.method, row.path) != ("DELETE", TOKENS)
    };
    for row in TABLE.iter().filter(is_tried) {
        let answer = send(scenario.allowed_client(row), row, &scenario.path(row)).await;
        assert_eq!(answer.status, row.success(), "{}: {answer:?}", row.name());
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{}", row.name());
        assert_eq!(answer.header("x-frame-options"), "DENY", "{}", row.name());
        assert!(!answer.header("x-request-id").is_empty(), "{}", row.name());
        if row.method == "DELETE" && !DELETED_AGAIN.contains(&row.path) {
            let gone = send(scenario.allowed_client(row), row, &scenario.path(row)).await;
            assert_refused(&gone, 404, "not_found", &row.name());
        }
    }
    let after = scenario.app.admin.get("/svc/users/me/").await;
    assert_refused(&after, 401, "authentication_failed", "the last row has revoked this token");
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_bodies() {
    let scenario = Scenario::start().await;
    for row in with_json() {
        let (client, path) = (scenario.allowed_client(row), scenario.path(row));
        for (body, code) in [
            ("", "malformed"),
            ("{", "malformed"),
            ("{\"a\": }", "malformed"),
            ("{} {}", "malformed"),
            ("\"text\"", "invalid"),
            ("7", "invalid"),
            ("null", "invalid"),
            ("[7]", "invalid"),
            ("[]", "invalid"),
        ] {
            let request = client.request(row.method.parse().unwrap(), &path);
            let answer = Answer::of(request.header("Content-Type", "application/json").body(body)).await;
            assert_refused(&answer, 400, code, &format!("{} with {body}", row.name()));
        }
    }
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unsupported_content_types() {
    let scenario = Scenario::start().await;
    for row in with_json() {
        let (client, path) = (scenario.allowed_client(row), scenario.path(row));
        let Body::Json(text) = row.body else { unreachable!() };
        for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/xml", ""] {
            let request = client.request(row.method.parse().unwrap(), &path);
            let request =
                if content_type.is_empty() { request } else { request.header("Content-Type", content_type) };
            let answer = Answer::of(request.body(text)).await;
            let what = format!("{} as '{content_type}'", row.name());
            assert_refused(&answer, 415, "unsupported_media_type", &what);
        }
    }
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_or_malformed_ids() {
    let scenario = Scenario::start().await;
    let words = ["999999", "0", "-1", "abc", "1.5", "99999999999999999999", "%00", "1%2F2"];
    for row in TABLE.iter().filter(|row| row.path.contains("{id}")) {
        for word in words {
            let answer = send(scenario.allowed_client(row), row, &row.path.replace("{id}", word)).await;
            assert_refused(&answer, 404, "not_found", &format!("{} with {word}", row.name()));
        }
    }
    let file = scenario.app.admin.get("/svc/api/docs/nothing.js").await;
    assert_refused(&file, 404, "not_found", "a file that is not there");
    for path in
        ["/svc/", "/svc/nothing/", "/svc/search/1/nothing/", "/nothing", "/api/", "/svc/api/docs/../schema"]
    {
        let answer = scenario.app.admin.get(path).await;
        if path.ends_with("schema") {
            // The client itself resolves the dots; the service sees an existing path.
            assert_eq!(answer.status, 200);
        } else {
            assert_refused(&answer, 404, "not_found", path);
        }
    }
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unsupported_methods() {
    let scenario = Scenario::start().await;
    let paths: BTreeSet<&str> = TABLE.iter().map(|row| row.path).collect();
    for path in paths {
        let rows: Vec<&Row> = TABLE.iter().filter(|row| row.path == path).collect();
        let known: BTreeSet<&str> = rows.iter().map(|row| row.method).collect();
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            if known.contains(method) {
                continue;
            }
            let what = format!("{method} {path}");
            let request =
                scenario.app.admin.request(method.parse::<Method>().unwrap(), &scenario.path(rows[0]));
            let answer = Answer::of(request).await;
            assert_refused(&answer, 405, "method_not_allowed", &what);
            let allowed: BTreeSet<&str> =
                answer.header("allow").split(',').filter(|word| *word != "HEAD").collect();
            assert_eq!(allowed, known, "{what}");
        }
    }
    scenario.app.stop().await;
}

/// Checks the table itself: resources, bodies and access are consistent with the paths.
#[test]
fn rows_are_consistent() {
    for row in TABLE {
        let has_place = row.path.contains("{id}") || NAMED_IN_BODY.contains(&row.path);
        assert_eq!(has_place, row.resource != Resource::None, "{}", row.name());
        let takes_body = ["POST", "PUT", "PATCH"].contains(&row.method) && !WITHOUT_BODY.contains(&row.path);
        assert_eq!(row.body != Body::None, takes_body, "{}", row.name());
        let is_service = row.path.starts_with("/svc/") || row.path == METRICS;
        assert!(is_service || row.access != Access::Admin, "{}", row.name());
    }
}
