//! Concurrent edits of the same record: none is lost, and an edit of an older version is refused.

mod permissions;
mod table;

use crate::app_harness::{Answer, AppHarness, Client};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use table::{Record, records};
use tokio::task::JoinSet;

/// Rounds of concurrent edits for each record.
const ROUNDS: usize = 12;
/// Malformed values of `If-Match`.
const MALFORMED: [&str; 5] = ["1", "\"1", "", "\"1\" \"2\"", "*, \"1\""];

async fn send_if(client: &Client, method: Method, path: &str, body: Option<&Value>, tag: &str) -> Answer {
    let request = client.request(method, path).header("If-Match", tag);
    match body {
        Some(body) => {
            let request = request.header("Content-Type", "application/json");
            Answer::of(request.body(body.to_string())).await
        }
        None => Answer::of(request).await,
    }
}

/// The ETag of a response, which must be a strong one.
fn tag(answer: &Answer) -> String {
    let tag = answer.header("ETag");
    assert!(tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"'), "{tag:?}: {answer:?}");
    tag.to_owned()
}

/// A valid edit that changes something in every round.
fn an_edit(record: &Record, round: usize) -> (Method, Value) {
    match &record.put {
        Some(put) => (Method::PUT, put(round)),
        None => (
            Method::PATCH,
            record.patches.iter().fold(json!({}), |mut body, (field, value)| {
                body[*field] = value(round);
                body
            }),
        ),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_an_older_version_is_refused() {
    let app = AppHarness::start().await;
    for record in records(&app).await {
        let (client, path) = (&record.client, record.path.as_str());
        let first = tag(&client.get(path).await);
        let (method, body) = an_edit(&record, 1);
        let made = client.send(method.clone(), path, &body).await;
        assert_eq!(made.status, 200, "{path}: {made:?}");
        let second = tag(&made);
        assert_ne!(first, second, "{path}");
        assert_eq!(tag(&client.get(path).await), second, "{path}");

        let mut methods = vec![(method.clone(), Some(an_edit(&record, 2).1))];
        methods.extend(
            record.patches.first().map(|(field, value)| (Method::PATCH, Some(json!({ *field: value(2) })))),
        );
        methods.extend(record.is_deletable.then_some((Method::DELETE, None)));
        for (method, body) in &methods {
            for old in [first.clone(), format!("W/{second}"), format!("\"x\", {first}")] {
                let refused = send_if(client, method.clone(), path, body.as_ref(), &old).await;
                let found = (refused.status.as_u16(), refused.code());
                assert_eq!(found, (412, "precondition_failed"), "{method} {path} {old}: {refused:?}");
            }
            for malformed in MALFORMED {
                let refused = send_if(client, method.clone(), path, body.as_ref(), malformed).await;
                assert_eq!((refused.status.as_u16(), refused.code()), (400, "malformed"), "{method} {path}");
            }
        }
        assert_eq!(tag(&client.get(path).await), second, "{path}: what was refused changed nothing");

        let mut current = second;
        for (round, given) in ["{}", "\"x\", {}", "*"].iter().enumerate() {
            let body = an_edit(&record, round + 3).1;
            let edited =
                send_if(client, method.clone(), path, Some(&body), &given.replace("{}", &current)).await;
            assert_eq!(edited.status, 200, "{path} {given}: {edited:?}");
            assert_ne!(tag(&edited), current, "{path}");
            current = tag(&edited);
            assert_eq!(tag(&client.get(path).await), current, "{path}");
        }
        if record.is_deletable {
            let deleted = send_if(client, Method::DELETE, path, None, &current).await;
            assert_eq!(deleted.status, 204, "{path}: {deleted:?}");
            for given in [current.as_str(), "*"] {
                let gone = send_if(client, Method::DELETE, path, None, given).await;
                assert_eq!(gone.status, 404, "{path}: {gone:?}");
            }
        }
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn patches_of_different_fields_at_the_same_time_all_hold() {
    let app = AppHarness::start().await;
    for record in records(&app).await.into_iter().filter(|record| record.patches.len() > 1) {
        for round in 0..ROUNDS {
            let mut edits = JoinSet::new();
            for (field, value) in &record.patches {
                let (client, path) = (record.client.clone(), record.path.clone());
                let body = json!({ *field: value(round) });
                edits.spawn(async move { client.patch(&path, &body).await });
            }
            for edited in edits.join_all().await {
                assert_eq!(edited.status, 200, "{}: {edited:?}", record.path);
            }
            let now = record.client.get(&record.path).await.body;
            for (field, value) in &record.patches {
                assert_eq!(now[*field], value(round), "{} in round {round}: {field} was lost", record.path);
            }
        }
    }
    app.stop().await;
}

/// After concurrent replacements, the record equals one of them completely.
#[tokio::test(flavor = "multi_thread")]
async fn replacements_at_the_same_time_leave_one_of_them_whole() {
    let app = AppHarness::start().await;
    for record in records(&app).await {
        let Some(put) = record.put else { continue };
        let mut edits = JoinSet::new();
        for round in 0..4 {
            let (client, path, body) = (record.client.clone(), record.path.clone(), put(round));
            edits.spawn(async move { client.put(&path, &body).await.status });
        }
        assert!(edits.join_all().await.iter().all(|status| *status == 200), "{}", record.path);
        let now = record.client.get(&record.path).await.body;
        let is_one = |body: &Value| {
            body.as_object().unwrap().iter().all(|(field, value)| {
                // Lists and objects may be shown with more fields; passwords and secrets are not shown.
                value.is_array()
                    || value.is_object()
                    || ["password", "credentials"].contains(&field.as_str())
                    || now[field] == *value
            })
        };
        assert!((0..4).any(|round| is_one(&put(round))), "{}: {now}", record.path);
    }
    app.stop().await;
}

/// Every editable record is in the table, and its OpenAPI description mentions its version.
#[tokio::test(flavor = "multi_thread")]
async fn every_record_that_can_be_edited_has_a_version() {
    // It has one field, is decided once by its owner, and cannot be read by itself.
    const WITHOUT: [&str; 1] = ["/svc/egress/events/{id}/"];
    let app = AppHarness::start().await;
    let tried: BTreeSet<String> =
        records(&app).await.into_iter().map(|record| record.route.to_owned()).collect();
    app.stop().await;
    let document: Value = serde_json::from_str(&server::openapi_json().unwrap()).unwrap();
    let mut editable = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let methods = item.as_object().unwrap();
        if !(methods.contains_key("put") || methods.contains_key("patch")) || WITHOUT.contains(&path.as_str())
        {
            continue;
        }
        editable.insert(path.clone());
        for (method, operation) in methods {
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let has_condition =
                parameters.iter().any(|one| one["name"] == "If-Match" && one["in"] == "header");
            let is_read = method == "get";
            assert_eq!(has_condition, !is_read, "{method} {path}");
            assert_eq!(operation["responses"].get("412").is_some(), !is_read, "{method} {path}");
            let has_tag = operation["responses"]["200"]["headers"].get("ETag").is_some();
            assert_eq!(has_tag, method != "delete", "{method} {path}");
        }
    }
    assert_eq!(editable, tried);
}
