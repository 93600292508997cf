//! Calls of the semantic cache and of version decisions.

use super::call::{VERSIONS, Walk};
use crate::app_harness::{AppHarness, long_text};
use serde_json::{Value, json};

const PIN: &str = "/svc/canonical/pin-for-query/";

pub async fn call(walk: &Walk, row: &str) {
    match row {
        "POST /svc/ingest/" => ingest(walk).await,
        "POST /svc/cache/unindex/" => {
            let signal = ingest_document(walk, "unindexed").await;
            let removed = walk.post("/svc/cache/unindex/", &json!({"signal_id": signal})).await;
            assert_eq!(
                (removed.status.as_u16(), &removed.body["removed"]),
                (200, &json!(true)),
                "{removed:?}"
            );
            assert_eq!(walk.get(&format!("/svc/cache/{signal}/")).await.status, 404);
        }
        "POST /svc/cache/check_liveness/" => {
            let body = json!({"signal_id": walk.signals[0]});
            let checked = walk.post("/svc/cache/check_liveness/", &body).await;
            assert_eq!(checked.status, 200, "{checked:?}");
            let verdict = checked.body["verdict"].as_str().unwrap();
            assert!(["alive", "gone", "unknown"].contains(&verdict), "{checked:?}");
        }
        "GET /svc/canonical/" => {
            let (_, run) = walk.elected("river gauge agreement").await;
            let list = walk.get("/svc/canonical/").await;
            assert_eq!(
                (list.status.as_u16(), &list.body["results"][0]["run_id"]),
                (200, &json!(run)),
                "{list:?}"
            );
            assert!(list.body["count"].as_u64().unwrap() >= 1, "{list:?}");
            assert!(list.body["results"][0].get("members").is_none(), "{list:?}");
        }
        "GET /svc/canonical/<run_id>/" => one_run(walk).await,
        "POST /svc/canonical/pin-for-query/" => pins(walk).await,
        "POST /svc/canonical/<run_id>/approve/" => approve(walk).await,
        "POST /svc/canonical/<run_id>/reject/" => {
            let (_, run) = walk.elected("the agreement on the gauge").await;
            let path = format!("/svc/canonical/{run}/reject/");
            assert_eq!(walk.post(&path, &json!({})).await.status, 400, "a reason is needed");
            let rejected = walk.post(&path, &json!({"reason": "wrong_version"})).await;
            let told = (&rejected.body["status"], &rejected.body["reject_reason"]);
            assert_eq!(told, (&json!("rejected"), &json!("wrong_version")), "{rejected:?}");
        }
        "POST /svc/canonical/<signal_id>/unpin/" => {
            let signal = walk.signals[0];
            let pinned = walk.post(PIN, &json!({"signal_id": signal, "query": "to be unpinned"})).await;
            assert_eq!(pinned.status, 201, "{pinned:?}");
            let path = format!("/svc/canonical/{signal}/unpin/");
            let unpinned = walk.post(&path, &json!({"query": "to be unpinned"})).await;
            assert_eq!(
                (unpinned.status.as_u16(), &unpinned.body["removed"]),
                (200, &json!(1)),
                "{unpinned:?}"
            );
        }
        _ => panic!("the walk does not know {row}"),
    }
}

async fn ingest_document(walk: &Walk, name: &str) -> i64 {
    let payload = json!({
        "url": format!("https://h.example{}/{name}", walk.prefix), "body": long_text("a heron"), "wait": true,
    });
    let kept = walk.post("/svc/ingest/", &payload).await;
    assert_eq!(kept.status, 200, "{kept:?}");
    kept.body["signal_id"].as_i64().unwrap()
}

async fn ingest(walk: &Walk) {
    let signal = ingest_document(walk, "kept").await;
    let read = walk.get(&format!("/svc/cache/{signal}/")).await;
    assert_eq!((read.status.as_u16(), &read.body["state"]), (200, &json!("indexed")), "{read:?}");
    let closed = AppHarness::start().await;
    let payload = json!({"url": "https://h.example/kept", "body": long_text("a heron")});
    let refused = closed.admin.post(&walk.at("/svc/ingest/"), &payload).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (402, "cache_unlicensed"), "{refused:?}");
    assert!(!refused.body["detail"].as_str().unwrap().is_empty(), "{refused:?}");
    closed.stop().await;
}

async fn one_run(walk: &Walk) {
    let (first, run) = walk.elected("river gauge agreement").await;
    let told = walk.get(&format!("/svc/canonical/{run}/")).await;
    assert_eq!((told.status.as_u16(), &told.body["run_id"]), (200, &json!(run)), "{told:?}");
    assert_eq!(told.body["winner_signal_id"], first["cache"]["signal_id"], "{told:?}");
    let members = told.body["members"].as_array().unwrap();
    assert_eq!(members.len(), VERSIONS, "{told:?}");
    for member in members {
        assert!(member["score"].is_number() && member["factors"]["naming"].is_number(), "{member}");
    }
    assert_eq!(walk.get("/svc/canonical/999999/").await.status, 404);
}

/// A pin is created, exists already, conflicts with another, and replaces it by force.
async fn pins(walk: &Walk) {
    let [one, two, ..] = walk.signals[..] else { panic!("two versions") };
    let payload =
        |signal: i64, force: bool| json!({"signal_id": signal, "query": "pinned here", "force": force});
    for (signal, force, status) in [(one, false, 201), (one, false, 200), (two, false, 409), (two, true, 201)]
    {
        let answer = walk.post(PIN, &payload(signal, force)).await;
        assert_eq!(answer.status, status, "{signal} {force}: {answer:?}");
        let pin: &Value = match status {
            409 => {
                assert_eq!(answer.code(), "pin_exists", "{answer:?}");
                &answer.body["existing_pin"]
            }
            _ => &answer.body,
        };
        let pinned = if status == 409 { one } else { signal };
        assert_eq!((&pin["signal_id"], &pin["query"]), (&json!(pinned), &json!("pinned here")), "{answer:?}");
    }
    assert_eq!(walk.post(PIN, &payload(999_999, false)).await.status, 404);
    let other = walk.post(PIN, &json!({"signal_id": two, "query": "another query"})).await;
    assert_eq!(other.status, 201, "a pin is of one query: {other:?}");
}

async fn approve(walk: &Walk) {
    let query = "an agreement on a river gauge";
    let (first, run) = walk.elected(query).await;
    let path = format!("/svc/canonical/{run}/approve/");
    let approved = walk.post(&path, &json!({"comment": "It was signed."})).await;
    assert_eq!(
        (approved.status.as_u16(), &approved.body["status"]),
        (200, &json!("approved")),
        "{approved:?}"
    );
    assert_eq!(walk.post(&path, &json!({})).await.status, 409, "it is decided");
    let signal = &first["cache"]["signal_id"];
    assert_eq!(walk.get(&format!("/svc/cache/{signal}/")).await.body["state"], "pinned");
    let spec = json!({"query_string": query, "searchprovider_list": [domain::corpus::PROVIDER_NAME]});
    let search = walk.ann.search(&spec).await;
    let page = walk.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
    let badges: Vec<&Value> =
        page["results"].as_array().unwrap().iter().map(|row| &row["cache"]["badge"]).collect();
    assert_eq!(badges[..VERSIONS], ["Pinned", "Alternate", "Alternate"], "{page}");
    assert_eq!(&page["results"][0]["cache"]["signal_id"], signal, "{page}");
}
