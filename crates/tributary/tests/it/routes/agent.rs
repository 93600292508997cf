//! `/svc/agent/status/`: the features of this installation.

use crate::app_harness::{ADMIN_PASSWORD, AppHarness, licensed};
use domain::settings::Settings;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn features_license_and_models() {
    let app = AppHarness::with(|settings| Settings { corpus_hybrid: true, ..licensed(settings) }).await;
    let ann = app.user("ann", &[]).await;
    let told = ann.get("/svc/agent/status/").await;
    assert_eq!(told.status, 200);
    let features = json!({"cache": true, "chat_api": false, "rag": false, "egress": false, "hybrid": true});
    assert_eq!(told.body["features"], features);
    assert_eq!(
        (&told.body["version"], &told.body["edition"]),
        (&json!(domain::VERSION), &json!("enterprise"))
    );
    let login = json!({"username": "admin", "password": ADMIN_PASSWORD});
    let signed_in = app.admin.post("/svc/login/", &login).await;
    assert_eq!(signed_in.body["edition"], "enterprise", "{signed_in:?}");
    let license = &told.body["license"];
    assert_eq!((&license["owner"], &license["expires"]), (&json!("A test"), &json!("2099-12-31")));
    assert_eq!(license["cache_expires"], Value::Null);
    assert!(license["days_left"].as_i64().unwrap() > 1000);
    assert_eq!((&told.body["ai"]["rag"], &told.body["ai"]["reader"]), (&Value::Null, &json!("local")));

    let picker = json!({"name": "Picker", "model": "local/extractive", "tags": ["rag"], "active": true});
    assert_eq!(app.admin.post("/svc/aiproviders/", &picker).await.status, 201);
    let told = ann.get("/svc/agent/status/").await.body;
    assert_eq!((&told["features"]["rag"], &told["ai"]["rag"]), (&json!(true), &json!("Picker")));
    assert_eq!((&told["features"]["chat_api"], &told["ai"]["chat"]), (&json!(false), &Value::Null));
    app.stop().await;

    let app = AppHarness::start().await;
    let told = app.admin.get("/svc/agent/status/").await.body;
    assert_eq!((&told["features"]["cache"], &told["edition"]), (&json!(false), &json!("community")));
    assert_eq!(
        told["license"],
        json!({"owner": "", "expires": null, "cache_expires": null, "days_left": null})
    );
    app.stop().await;
}
