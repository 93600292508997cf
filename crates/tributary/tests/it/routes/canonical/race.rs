//! Concurrent pins: the database decides, and the history explains the outcome.

use super::{Fixture, PIN};
use crate::app_harness::{Answer, AppHarness, Client, licensed};
use domain::secret::Secret;
use domain::settings::Settings;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use testkit::postgres;

const REQUESTS: usize = 200;
const QUERY: &str = "river gauge";

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_at_once_leave_one_pin() {
    let fixture = Fixture::start().await;
    race(&fixture).await;
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_at_once_on_postgresql() {
    let Some(server) = postgres::server("two hundred pins at once") else { return };
    postgres::with_database(&server, |url| async move {
        let settings = |settings| Settings { database_url: Secret::new(url), ..licensed(settings) };
        let fixture = Fixture::of(AppHarness::with(settings).await).await;
        race(&fixture).await;
        fixture.app.stop().await;
    })
    .await;
}

/// Two curators, two documents; every second request uses force.
async fn race(fixture: &Fixture) {
    let people: [&Client; 2] = [&fixture.ann, &fixture.cora];
    let documents = [fixture.first, fixture.second];
    let asked = (0..REQUESTS).map(|number| {
        let payload = json!({
            "signal_id": documents[(number / 2) % 2], "query": QUERY, "force": number % 2 == 0,
        });
        let client = people[(number / 4) % 2];
        async move { client.post(PIN, &payload).await }
    });
    let answers: Vec<Answer> = join_all(asked).await;
    let mut counted: BTreeMap<u16, usize> = BTreeMap::new();
    for answer in &answers {
        *counted.entry(answer.status.as_u16()).or_default() += 1;
        if answer.status == 409 {
            assert_eq!(answer.code(), "pin_exists", "{answer:?}");
            assert!(answer.body["existing_pin"]["signal_id"].is_i64(), "{answer:?}");
        }
    }
    assert!(counted.keys().all(|status| [200, 201, 409].contains(status)), "{counted:?}");

    let pins = fixture.ann.get("/svc/canonical/pins/").await.body;
    assert_eq!(pins["count"], 1, "{pins}");
    let pinned = pins["results"][0]["signal_id"].as_i64().unwrap();
    let lines = history(&fixture.ann).await;
    // Exactly the requests that created a pin have an entry in the history.
    assert_eq!(counted.get(&201), Some(&lines.len()), "{counted:?}");
    assert!(lines.len() > 1, "hardly anything was written: {lines:?}");
    assert_eq!(explained(&lines), Some(pinned), "{lines:?}");
    for id in documents {
        let expected = if id == pinned { "pinned" } else { "indexed" };
        assert_eq!(fixture.state(id).await, expected, "{id}");
    }
}

/// All entries, oldest first.
async fn history(client: &Client) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut page = 1;
    loop {
        let path = format!("/svc/canonical/pins/history/?page={page}&items=100&query=River+gauge");
        let told = client.get(&path).await.body;
        lines.extend(told["results"].as_array().unwrap().iter().cloned());
        if told["next"].is_null() {
            break;
        }
        page += 1;
    }
    lines.reverse();
    let ids: Vec<i64> = lines.iter().map(|line| line["id"].as_i64().unwrap()).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "each comes after the one before it: {ids:?}");
    lines
}

/// The pinned document after all entries, each of which must follow from the previous state.
fn explained(lines: &[Value]) -> Option<i64> {
    let mut pinned: Option<i64> = None;
    for line in lines {
        let signal = line["signal_id"].as_i64();
        match line["action"].as_str().unwrap() {
            "pinned" => {
                assert_eq!(pinned, None, "{line}");
                pinned = signal;
            }
            "replaced" => {
                assert_eq!(pinned, line["before"].as_i64(), "{line}");
                assert_ne!(pinned, signal, "{line}");
                pinned = signal;
            }
            _ => {
                assert_eq!(pinned, signal, "{line}");
                pinned = None;
            }
        }
    }
    pinned
}
