//! A version that was sent outside wins as soon as a scan has found it.

use super::library::{Library, SENT, titles};
use super::{AGREEMENT, FINAL, assert_explained, assert_led_by, member};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long a scan of one message may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Ben sent the link of a version to a client. His scan finds it; other people see only that it was sent outside.
pub async fn raises_a_version(library: &Library) {
    let before = library.versions(&library.ann, AGREEMENT, &[]).await;
    assert!(before.iter().all(|row| row.cache["shared_externally"] == false), "{before:?}");
    assert_eq!(titles(&before)[0], FINAL);

    let begun = library.ben.post("/svc/egress/scan/", &json!({"channel": "outlook"})).await;
    assert_eq!(begun.status, 202, "{begun:?}");
    let scan = wait_until_ended(library, &begun.body["scan_id"]).await;
    assert_eq!((&scan["status"], &scan["matches"]), (&json!("completed"), &json!(1)), "{scan}");
    let events = library.ben.get("/svc/egress/events/").await.body;
    let event = &events["results"][0];
    let told = (&event["status"], &event["match_method"], &event["external_domains"]);
    assert_eq!(told, (&json!("confirmed"), &json!("link_exact"), &json!(["client.example"])), "{events}");
    assert_eq!(event["signal_id"], library.signal(SENT), "{events}");

    let path = format!("/svc/egress/events/{}/", event["event_id"]);
    for other in [&library.ann, &library.cora, &library.app.admin] {
        assert_eq!(other.get("/svc/egress/events/").await.body["count"], 0, "they are Ben's");
        assert_eq!(other.patch(&path, &json!({"status": "dismissed"})).await.status, 404);
        assert_eq!(other.get(&format!("/svc/egress/scan/{}/", scan["scan_id"])).await.status, 404);
    }
    assert_raised(library).await;
    for (status, winner) in [("dismissed", FINAL), ("confirmed", SENT)] {
        let decided = library.ben.patch(&path, &json!({"status": status})).await;
        assert_eq!((decided.status.as_u16(), &decided.body["status"]), (200, &json!(status)), "{decided:?}");
        let rows = library.versions(&library.cleo, AGREEMENT, &[]).await;
        assert_led_by(&rows, winner, "Auto-selected", 4);
    }
}

/// Everybody who may see the version that was sent outside gets it, with the explanation.
async fn assert_raised(library: &Library) {
    for (client, count) in [(&library.cleo, 4), (&library.ann, 5)] {
        let rows = library.versions(client, AGREEMENT, &[]).await;
        assert_led_by(&rows, SENT, "Auto-selected", count);
        assert_eq!(rows[0].cache["shared_externally"], true, "{rows:?}");
        let run = library.run(client, &rows[0]).await;
        assert_explained(&run);
        let sent = member(&run, SENT);
        let told = (&sent["factors"]["egress_external"], &sent["contributions"]["egress_external"]);
        assert_eq!(told, (&json!(1.0), &json!(1.5)), "{run}");
        assert!(!run.to_string().contains("client.example"), "where it went is Ben's business: {run}");
    }
}

async fn wait_until_ended(library: &Library, scan: &Value) -> Value {
    let started = Instant::now();
    loop {
        let told = library.ben.get(&format!("/svc/egress/scan/{scan}/")).await;
        assert_eq!(told.status, 200, "{told:?}");
        if !["queued", "running"].contains(&told.body["status"].as_str().unwrap()) {
            return told.body;
        }
        assert!(started.elapsed() < PATIENCE, "{told:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
