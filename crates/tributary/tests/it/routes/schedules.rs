//! `/svc/schedules/`: administrators list schedules, change their interval, and switch them off.

use crate::app_harness::AppHarness;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use std::time::Duration;

fn time(value: &Value) -> DateTime<Utc> {
    value.as_str().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn administrators_read_them() {
    let app = AppHarness::start().await;
    let all = app.admin.get("/svc/schedules/").await.body;
    let names: Vec<&str> = all.as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    for name in ["expire", "subscribe", "sweep_bodies", "cleanup_stale_canonical_runs"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let one = app.admin.get("/svc/schedules/subscribe/").await.body;
    let keys: Vec<&String> = one.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["name", "every_seconds", "next_run", "last_run", "enabled"]);
    assert_eq!(
        (&one["every_seconds"], &one["enabled"], &one["last_run"]),
        (&json!(14_400), &json!(true), &Value::Null)
    );
    assert_eq!(app.admin.get("/svc/schedules/nothing/").await.status, 404);
    let otto = app.user("otto", &[]).await;
    assert_eq!(otto.get("/svc/schedules/").await.status, 403);
    assert_eq!(otto.patch("/svc/schedules/expire/", &json!({"enabled": false})).await.status, 403);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interval_is_changed_within_its_limits() {
    let app = AppHarness::start().await;
    let path = "/svc/schedules/subscribe/";
    let before = app.admin.get(path).await.body;
    for (given, field) in [
        (json!({"every_seconds": 0}), "every_seconds"),
        (json!({"every_seconds": 2_592_001}), "every_seconds"),
        (json!({"every_seconds": -1}), "every_seconds"),
        (json!({"every_seconds": "often"}), "every_seconds"),
        (json!({"enabled": "perhaps"}), "enabled"),
    ] {
        let refused = app.admin.patch(path, &given).await;
        assert_eq!(refused.status, 400, "{given}: {refused:?}");
        assert!(refused.body.to_string().contains(field), "{refused:?}");
    }
    let same = app.admin.patch(path, &json!({"every_seconds": 14_400, "name": "other"})).await;
    assert_eq!((same.status.as_u16(), &same.body), (200, &before), "nothing has changed");
    let changed = app.admin.patch(path, &json!({"every_seconds": 60})).await;
    assert_eq!((changed.status.as_u16(), &changed.body["every_seconds"]), (200, &json!(60)), "{changed:?}");
    assert!(time(&changed.body["next_run"]) < time(&before["next_run"]));
    assert_eq!(app.admin.get(path).await.body, changed.body, "it is stored");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_switched_off_does_not_run() {
    let app = AppHarness::start().await;
    let path = "/svc/schedules/subscribe/";
    let off = json!({"every_seconds": 1, "enabled": false});
    assert_eq!(app.admin.patch(path, &off).await.body["enabled"], false);
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!(app.admin.get(path).await.body["last_run"], Value::Null);
    let due_while_off = time(&app.admin.get(path).await.body["next_run"]);
    let on = app.admin.patch(path, &json!({"enabled": true})).await.body;
    assert!(time(&on["next_run"]) > due_while_off, "it does not make up for the pause");
    let mut ran = Value::Null;
    for _ in 0..100 {
        ran = app.admin.get(path).await.body["last_run"].clone();
        if !ran.is_null() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(!ran.is_null(), "it comes again");
    app.stop().await;
}
