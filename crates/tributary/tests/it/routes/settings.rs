//! `/svc/settings/`.

use crate::app_harness::{ADMIN_PASSWORD, AppHarness};
use domain::settings::Settings;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn every_setting_is_shown_without_secrets() {
    let app = AppHarness::start().await;
    let answer = app.admin.get("/svc/settings/").await;
    let rows = answer.body.as_array().unwrap();
    assert_eq!(rows.len(), Settings::TABLE.len());
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    let keys: Vec<&String> = rows[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["name", "value", "default", "origin", "meaning", "kind"]);
    let of = |name: &str| (row(name)["value"].clone(), row(name)["origin"].clone());
    assert_eq!(of("SVC_PORT"), (json!("0"), json!("program")));
    assert_eq!(of("SVC_EXPLAIN"), (json!("True"), json!("default")));
    assert_eq!(of("SVC_ADMIN_PASSWORD"), (json!("***"), json!("program")));
    assert_eq!(row("SVC_ADMIN_PASSWORD")["kind"], "secret");
    assert!(rows.iter().all(|row| !row["meaning"].as_str().unwrap().is_empty()));
    assert!(!Value::from(answer.body.to_string()).to_string().contains(ADMIN_PASSWORD));
    app.stop().await;
}
