//! Tokens that cannot be refreshed, and tokens that must not be sent to another host.

use super::{authenticator, connect, files, search};
use crate::app_harness::{AppHarness, items};
use domain::settings::Settings;
use fakes::identity_provider::{FakeIdp, TokenBehavior};
use serde_json::json;
use std::time::Duration;
use testkit::source::{Behavior, Source};

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_refresh_is_reported_and_the_search_continues() {
    let (app, idp, lakes) = (AppHarness::start().await, FakeIdp::start().await, Source::start().await);
    lakes.reply(Behavior::Json(items("river", 2)));
    app.provider("Lakes", &lakes).await;
    authenticator(&app, &idp, json!({})).await;
    files(&app, &idp).await;
    idp.state().token_lifetime = Duration::ZERO;
    let ann = app.user("ann", &[]).await;
    assert_eq!(connect(&ann, "ann").await.status, 303);

    idp.state().behavior = TokenBehavior::Unavailable;
    let search_record = ann.search(&json!({"query_string": "river"})).await;
    assert_eq!(search_record["status"], "PARTIAL_RESULTS_READY", "{search_record}");
    let (status, _, mixed) = search(&ann).await;
    assert_eq!(status, "error", "{mixed}");
    let info = &mixed["info"]["Files"];
    assert_eq!(info["error"]["code"], "unavailable", "{info}");
    assert!(info["error"]["message"].as_str().unwrap().contains("could not be renewed now"), "{info}");
    assert_eq!(mixed["info"]["Lakes"]["status"], "ok");
    assert_eq!(ann.get("/svc/authenticators/").await.body[0]["connected"], true, "it may work again");

    idp.state().behavior = TokenBehavior::RejectRefresh;
    let search_record = ann.search(&json!({"query_string": "river"})).await;
    assert_eq!(search_record["status"], "PARTIAL_RESULTS_READY", "{search_record}");
    let path = format!("/svc/results/?search_id={}", search_record["id"]);
    let first = ann.get(&path).await.body;
    assert_eq!(first["info"]["Files"]["status"], "not_connected", "{first}");
    let messages = first["messages"].to_string();
    assert!(messages.contains("Hub is not connected to your account"), "{messages}");
    let refreshes = idp.state().refreshes;
    idp.state().behavior = TokenBehavior::Normal;
    let (status, titles, mixed) = search(&ann).await;
    assert_eq!((status.as_str(), titles.len()), ("not_connected", 0), "{mixed}");
    assert_eq!(idp.state().refreshes, refreshes, "what is over is not tried again");
    assert_eq!(ann.get("/svc/authenticators/").await.body[0]["connected"], false);
    assert_eq!(mixed["info"]["Lakes"]["status"], "ok");
    idp.state().token_lifetime = Duration::from_secs(3600);
    assert_eq!(connect(&ann, "ann").await.status, 303);
    assert_eq!(search(&ann).await.1, ["river of ann"]);
    app.stop().await;
}

/// A disconnect during a refresh wins.
#[tokio::test(flavor = "multi_thread")]
async fn a_disconnect_during_a_refresh_wins() {
    let (app, idp) = (AppHarness::start().await, FakeIdp::start().await);
    authenticator(&app, &idp, json!({})).await;
    files(&app, &idp).await;
    idp.state().token_lifetime = Duration::ZERO;
    let ann = app.user("ann", &[]).await;
    assert_eq!(connect(&ann, "ann").await.status, 303);
    idp.state().token_lifetime = Duration::from_secs(3600);
    idp.state().behavior = TokenBehavior::Slow(Duration::from_millis(500));
    let disconnect = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        ann.delete("/svc/authenticators/hub/connection/").await.status
    };
    let ((status, ..), gone) = tokio::join!(search(&ann), disconnect);
    assert_eq!((status.as_str(), gone.as_u16()), ("not_connected", 204));
    assert_eq!(search(&ann).await.0, "not_connected");
    let newest = idp.state().issued.last().cloned().unwrap();
    assert!(idp.state().revoked.contains(&newest), "what came too late was taken back");
    app.stop().await;
}

/// The token is sent to the source that the administrator saved, and not to the target of its redirect.
#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_elsewhere_gets_no_token() {
    let (idp, elsewhere) = (FakeIdp::start().await, Source::start().await);
    elsewhere.reply(Behavior::Json(items("river", 1)));
    let port = elsewhere.address().port();
    let allow = vec![format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let app = AppHarness::with(|settings| Settings { outbound_allow: allow, ..settings }).await;
    authenticator(&app, &idp, json!({})).await;
    let leader = Source::start().await;
    app.provider_with("Files", &leader, json!({"authenticator": "hub"})).await;
    let ann = app.user("ann", &[]).await;
    assert_eq!(connect(&ann, "ann").await.status, 303);
    let targets = [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://{}@127.0.0.1:{port}/", leader.address()),
        format!("http://{}%2F@127.0.0.1:{port}/", leader.address()),
    ];
    for (number, target) in targets.iter().enumerate() {
        for code in [301, 302, 303, 307, 308] {
            leader.reply(Behavior::redirect(target.clone(), code));
            search(&ann).await;
            let first = leader.requests().last().cloned().unwrap();
            assert!(first.header("authorization").unwrap_or_default().starts_with("Bearer canary-access"));
        }
        assert!(number > 1 || !elsewhere.requests().is_empty(), "{target} is reached");
    }
    let received = format!("{:?}", elsewhere.requests());
    assert!(!received.contains("canary"), "{received}");
    app.stop().await;
}
