//! Calls of egress scans and their events.

use super::call::Walk;
use domain::corpus::{Channel, MatchMethod, NewEvent, NewScan, ScanCounts};
use domain::ids::SignalId;
use domain::ports::{AddedEvents, EgressStore, ScanOutcome};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long a scan of a mailbox with one message may take.
const PATIENCE: Duration = Duration::from_secs(20);

pub async fn call(walk: &Walk, row: &str) {
    match row {
        "POST /svc/egress/scan/" => {
            let payload = json!({"channel": "outlook", "date_from": "2026-01-01", "date_to": "2026-12-31"});
            let begun = walk.post("/svc/egress/scan/", &payload).await;
            assert_eq!(begun.status, 202, "{begun:?}");
            wait_until_ended(walk, begun.body["scan_id"].as_i64().unwrap()).await;
            let scoped = walk.post("/svc/egress/scan/", &json!({"matter_tag": "river"})).await;
            assert_eq!(
                (scoped.status.as_u16(), &scoped.body["matter_tag"]),
                (202, &json!("river")),
                "{scoped:?}"
            );
            wait_until_ended(walk, scoped.body["scan_id"].as_i64().unwrap()).await;
        }
        "GET /svc/egress/scan/<scan_id>/" => {
            let begun = walk.post("/svc/egress/scan/", &json!({})).await;
            let scan = wait_until_ended(walk, begun.body["scan_id"].as_i64().unwrap()).await;
            assert_eq!((&scan["status"], &scan["messages_seen"]), (&json!("completed"), &json!(1)), "{scan}");
            assert_eq!(scan["messages_external"], 1, "{scan}");
            let counts = ["matches", "candidates"];
            assert!(counts.iter().all(|count| scan[count] == 0), "{scan}");
        }
        "GET /svc/egress/events/" => {
            store_event(walk, "message of the list").await;
            let list = walk.get("/svc/egress/events/").await;
            assert_eq!(list.status, 200, "{list:?}");
            let event = &list.body["results"][0];
            assert_eq!(event["external_domains"], json!(["client.example"]), "{list:?}");
            for field in ["signal_id", "channel", "sent_at", "match_method", "status"] {
                assert!(event.get(field).is_some(), "{field}: {event}");
            }
            let others = walk.app.admin.get(&walk.at("/svc/egress/events/")).await;
            assert_eq!(others.body["count"], 0, "they are their owner's: {others:?}");
        }
        "PATCH /svc/egress/events/<event_id>/" => {
            store_event(walk, "message of the decision").await;
            let list = walk.get("/svc/egress/events/?status=candidate").await;
            let id = list.body["results"][0]["event_id"].as_i64().unwrap();
            for status in ["confirmed", "dismissed"] {
                let path = format!("/svc/egress/events/{id}/");
                let decided = walk.ask("PATCH", &path, &json!({"status": status})).await;
                assert_eq!(
                    (decided.status.as_u16(), &decided.body["status"]),
                    (200, &json!(status)),
                    "{decided:?}"
                );
            }
        }
        _ => panic!("the walk does not know {row}"),
    }
}

async fn wait_until_ended(walk: &Walk, scan: i64) -> Value {
    let started = Instant::now();
    loop {
        let told = walk.get(&format!("/svc/egress/scan/{scan}/")).await;
        assert_eq!(told.status, 200, "{told:?}");
        if !["queued", "running"].contains(&told.body["status"].as_str().unwrap()) {
            return told.body;
        }
        assert!(started.elapsed() < PATIENCE, "{told:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Stores the event of a scan that found an attachment of the same name and size.
async fn store_event(walk: &Walk, message: &str) {
    let wired = walk.app.service.app();
    let (store, now) = (&wired.store, wired.clock.now());
    let wanted = NewScan {
        user: walk.ann_id,
        channel: Channel::Outlook,
        matter_tag: String::new(),
        date_from: None,
        date_to: None,
    };
    let ScanOutcome::Queued(scan) = store.begin_scan(wanted, now, now).await.unwrap() else {
        panic!("another scan runs")
    };
    let event = NewEvent {
        signal_id: SignalId(walk.signals[0]),
        signal_title: "River gauge agreement v1".to_owned(),
        external_domains: vec!["client.example".to_owned()],
        sent_at: now,
        method: MatchMethod::FilenameSize,
        message_key: message.to_owned(),
    };
    let added = store.add_events(scan.scan_id, ScanCounts::default(), vec![event], now).await.unwrap();
    assert_eq!(added, Some(AddedEvents { matches: 0, candidates: 1 }));
}
