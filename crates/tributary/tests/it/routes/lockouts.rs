//! `/svc/lockouts/`: locked-out user names and addresses, and ending a lockout.

use crate::app_harness::{Answer, AppHarness};
use domain::settings::{Settings, Throttle};
use serde_json::json;

async fn guess(app: &AppHarness, username: &str, password: &str) -> Answer {
    app.anonymous().post("/svc/login/", &json!({"username": username, "password": password})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn lockouts_are_listed_and_ended() {
    let app =
        AppHarness::with(|settings| Settings { throttle_login: Throttle::per_minute(3), ..settings }).await;
    app.user("ann", &[]).await;
    assert_eq!(app.admin.get("/svc/lockouts/").await.body, json!([]));
    for _ in 0..3 {
        assert_eq!(guess(&app, "ann", "wrong").await.status, 401);
        assert_eq!(guess(&app, "my secret password", "wrong").await.status, 401);
    }
    assert_eq!(guess(&app, "ann", "password of ann").await.status, 429);
    let listed = app.admin.get("/svc/lockouts/").await;
    assert!(!listed.body.to_string().contains("secret"), "what people type there is not kept");
    let rows = listed.body.as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["username"].as_str().unwrap()).collect();
    assert_eq!(names, ["", "ann"]);
    for row in rows {
        assert_eq!(row["address"], "127.0.0.1");
        assert!((1..=21).contains(&row["seconds"].as_u64().unwrap()), "{row}");
    }
    assert_eq!(app.admin.delete("/svc/lockouts/nobody/").await.status, 404);
    assert_eq!(app.admin.delete("/svc/lockouts/ann/").await.status, 204);
    assert_eq!(guess(&app, "ann", "password of ann").await.status, 200);
    assert_eq!(guess(&app, "my secret password", "wrong").await.status, 429);
    assert_eq!(app.admin.delete("/svc/lockouts/").await.status, 204);
    assert_eq!(guess(&app, "my secret password", "wrong").await.status, 401);
    let noted = app.admin.get("/svc/audit/?kind=sign-in&action=reset").await.body;
    let names: Vec<&str> =
        noted.as_array().unwrap().iter().map(|row| row["record_name"].as_str().unwrap()).collect();
    assert_eq!(names, ["everybody", "ann"]);
    app.stop().await;
}
