//! Server-side request forgery: responses of sources never lead the service to a forbidden address.

use crate::app_harness::{AppHarness, items};
use serde_json::json;
use testkit::source::{Behavior, Source};

/// Redirect targets that would reach the machine itself or its network.
const FORBIDDEN: &[&str] = &[
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://0.0.0.0:{port}/",
    "http://2130706433:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://0x7f.1:{port}/",
    "http://127.1:{port}/",
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.0.1/",
    "http://[fd00::1]/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://user@127.0.0.1:{port}/",
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "gopher://127.0.0.1:{port}/",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_reaches_nothing_private() {
    let app = AppHarness::start().await;
    let inside = Source::start().await;
    inside.reply(Behavior::Json(items("inside", 1)));
    let outside = Source::start().await;
    app.provider("Outside", &outside).await;
    for target in FORBIDDEN {
        let target = target.replace("{port}", &inside.address().port().to_string());
        outside.reply(Behavior::redirect(target.clone(), 302));
        let mixed = app.admin.get("/svc/search/?qs=inside").await;
        let info = &mixed.body["info"]["Outside"];
        assert_eq!(info["status"], "error", "{target}: {}", mixed.body);
        assert_eq!(mixed.body["results"], json!([]), "{target}");
    }
    assert_eq!(inside.requests().len(), 0, "nothing reached the inside");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_allowed_neighbour_is_reached_and_no_other_port() {
    let (neighbour, other) = (Source::start().await, Source::start().await);
    neighbour.reply(Behavior::Json(items("river", 1)));
    other.reply(Behavior::Json(items("river", 1)));
    let allow = vec![neighbour.address().to_string()];
    let app =
        AppHarness::with(|settings| domain::settings::Settings { outbound_allow: allow, ..settings }).await;
    let first = Source::start().await;
    app.provider_with("First", &first, json!({"credentials": "bearer=canary-token"})).await;

    first.reply(Behavior::redirect(neighbour.url().to_string(), 302));
    let mixed = app.admin.get("/svc/search/?qs=river").await;
    assert_eq!(mixed.body["info"]["First"]["status"], "ok", "{}", mixed.body);
    let received = format!("{:?}", neighbour.requests());
    assert!(!received.contains("canary-token"), "credentials go to the provider's own origin only");
    assert!(format!("{:?}", first.requests()).contains("canary-token"));

    first.reply(Behavior::redirect(other.url().to_string(), 302));
    let mixed = app.admin.get("/svc/search/?qs=river").await;
    assert_eq!(mixed.body["info"]["First"]["error"]["code"], "address_refused", "{}", mixed.body);
    assert_eq!(other.requests().len(), 0);
    assert!(!mixed.body.to_string().contains("canary-token"));
    app.stop().await;
}
