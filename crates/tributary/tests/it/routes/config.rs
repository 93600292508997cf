//! `/api/config/default/`: the first request of the pages.

use crate::app_harness::AppHarness;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn names_limits_and_thresholds() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    let config = ann.get("/api/config/default").await.body;
    assert_eq!((&config["minimumConfidenceScore"], &config["minimumScore"]), (&json!(0.7), &json!(100.0)));
    assert_eq!(
        (&config["webConfig"]["name"], &config["webConfig"]["api"]),
        (&json!("Tributary"), &json!("/svc"))
    );
    assert_eq!(config["ragConfig"]["timeout"], 60);
    assert!(config["ragConfig"]["available"].is_boolean() && config["oidcConfig"].is_array());
    let made =
        app.admin.post("/svc/brandings/", &json!({"name": "x", "product": "Delta", "button": "Find"})).await;
    assert_eq!(made.status, 201);
    let config = ann.get("/api/config/default/").await.body;
    assert_eq!(
        (&config["webConfig"]["name"], &config["webConfig"]["button"]),
        (&json!("Delta"), &json!("Find"))
    );
    assert_eq!(app.anonymous().get("/api/config/default/").await.status, 401);
    app.stop().await;
}
