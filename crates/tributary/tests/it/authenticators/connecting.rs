//! Authenticator records, and the whole flow of one person: not connected, connected, searched, disconnected.

use super::{authenticator, authorize_as, authorize_connection, connect, files, path_of, search};
use crate::app_harness::{AppHarness, items};
use fakes::identity_provider::{CLIENT_SECRET, FakeIdp};
use serde_json::json;
use testkit::source::{Behavior, Source};

#[tokio::test(flavor = "multi_thread")]
async fn a_person_connects_searches_and_disconnects() {
    let (app, idp, lakes) = (AppHarness::start().await, FakeIdp::start().await, Source::start().await);
    lakes.reply(Behavior::Json(items("river", 2)));
    app.provider("Lakes", &lakes).await;
    authenticator(&app, &idp, json!({})).await;
    let ann = app.user("ann", &[]).await;
    assert_eq!(ann.get("/svc/authenticators/").await.body, json!([]), "no source of hers needs one");
    files(&app, &idp).await;

    let listed = ann.get("/svc/sapi/authenticators/").await.body;
    let not_connected =
        json!([{"idp": "hub", "name": "Hub", "connected": false, "expires_at": null, "account": ""}]);
    assert_eq!(listed, not_connected);
    let (status, titles, mixed) = search(&ann).await;
    assert_eq!((status.as_str(), titles.len()), ("not_connected", 0), "{mixed}");
    assert_eq!(mixed["info"]["Lakes"]["status"], "ok", "the search goes on: {mixed}");
    let messages = mixed["messages"].to_string();
    assert!(messages.contains("Hub is not connected to your account"), "{messages}");

    let back = connect(&ann, "anna").await;
    assert_eq!((back.status.as_u16(), back.header("location")), (303, "/?q=tea"), "{back:?}");
    let listed = ann.get("/svc/authenticators/").await.body;
    assert_eq!((&listed[0]["connected"], &listed[0]["account"]), (&json!(true), &json!("anna@hub.example")));
    assert!(listed[0]["expires_at"].is_string());
    let (status, titles, mixed) = search(&ann).await;
    assert_eq!((status.as_str(), titles), ("ok", vec!["river of anna".to_owned()]), "{mixed}");
    assert!(!mixed.to_string().contains("canary"), "{mixed}");

    assert_eq!(ann.delete("/svc/authenticators/hub/connection/").await.status, 204);
    let asked = idp.state().received_authorization.len();
    assert_eq!(search(&ann).await.0, "not_connected", "at once");
    assert_eq!(idp.state().received_authorization.len(), asked, "the source is not asked");
    assert_eq!(idp.state().revoked, ["canary-refresh-2"]);
    assert_eq!(ann.get("/svc/authenticators/").await.body, not_connected);
    assert_eq!(ann.delete("/svc/authenticators/hub/connection/").await.status, 404);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn records_are_kept_and_their_secrets_are_masked() {
    let (app, idp) = (AppHarness::start().await, FakeIdp::start().await);
    let made = authenticator(&app, &idp, json!({"exchange_code_params": {"api_key": "canary"}})).await;
    assert_eq!(
        (&made["client_secret"], &made["exchange_code_params"]["api_key"]),
        (&json!("••••"), &json!("••••"))
    );
    let path = format!("/svc/authenticators/{}/", made["id"]);
    for path in [path.as_str(), "/svc/authenticators/hub/"] {
        let read = app.admin.get(path).await;
        assert_eq!((read.status.as_u16(), &read.body), (200, &made));
    }
    let changed = app.admin.patch(&path, &json!({"name": "The hub"})).await;
    assert_eq!((changed.status.as_u16(), &changed.body["name"]), (200, &json!("The hub")), "{changed:?}");
    let mut whole = changed.body.clone();
    whole["name"] = json!("Hub");
    let replaced = app.admin.put(&path, &whole).await;
    assert_eq!(replaced.status, 200, "{replaced:?}");
    // Sending the masked secrets back kept the stored ones: connecting still works.
    let ann = app.user("ann", &[]).await;
    files(&app, &idp).await;
    assert_eq!(connect(&ann, "ann").await.status, 303);

    let taken = app.admin.post("/svc/authenticators/", &whole).await;
    assert_eq!((taken.status.as_u16(), taken.code()), (400, "invalid"), "a mask is no secret: {taken:?}");
    whole["client_secret"] = json!("x");
    whole["exchange_code_params"] = json!({});
    let taken = app.admin.post("/svc/authenticators/", &whole).await;
    assert_eq!((taken.status.as_u16(), taken.code()), (409, "conflict"), "{taken:?}");
    let wrong = json!({"token_uri": "nowhere", "idp": "7", "client_secret": "x", "exchange_code_params": {"api_key": "y"}});
    let wrong = app.admin.patch(&path, &wrong).await;
    assert_eq!(wrong.status, 400);
    assert!(
        wrong.body["errors"]["token_uri"].is_array() && wrong.body["errors"]["idp"].is_array(),
        "{wrong:?}"
    );
    for (method, body) in [("GET", None), ("PATCH", Some("{}")), ("DELETE", None)] {
        let request = ann.request(method.parse().unwrap(), &path).header("Content-Type", "application/json");
        let answer = crate::app_harness::Answer::of(request.body(body.unwrap_or_default())).await;
        assert_eq!(answer.status, 403, "{method}: {answer:?}");
    }
    let log = app.admin.get("/svc/audit/?kind=authenticator").await;
    assert_eq!(log.status, 200, "{log:?}");
    let text = log.body.to_string();
    assert!(text.contains("The hub") && !text.contains(CLIENT_SECRET) && !text.contains("canary"), "{text}");
    let connections = app.admin.get("/svc/audit/?kind=connection").await.body.to_string();
    assert!(connections.contains("created") && connections.contains("ann"), "{connections}");
    assert_eq!(app.admin.delete(&path).await.status, 204);
    assert_eq!(app.admin.get(&path).await.status, 404);
    assert_eq!(search(&ann).await.0, "error", "the authenticator is gone");
    app.stop().await;
}

/// A code is valid only for the person who began the flow, in time, once, and at its redirect URI.
#[tokio::test(flavor = "multi_thread")]
async fn a_flow_belongs_to_the_person_who_began_it() {
    let (app, idp) = (AppHarness::start().await, FakeIdp::start().await);
    authenticator(&app, &idp, json!({})).await;
    files(&app, &idp).await;
    let (ann, bob) = (app.user("ann", &[]).await, app.user("bob", &[]).await);
    let is_refused = |answer: &crate::app_harness::Answer| {
        let text = answer.body.as_str().unwrap_or_default().to_owned();
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(text.contains("<h1") && !text.contains("canary"), "a page for people: {text}");
        text
    };
    // Bob opens the callback of Ann's flow: neither may get the other's account.
    let place = path_of(&authorize_connection(&ann, "bobs-account").await);
    assert!(is_refused(&bob.get(&place).await).contains("start again"));
    is_refused(&ann.get(&place).await);
    let place = path_of(&authorize_connection(&ann, "ann").await);
    is_refused(&app.anonymous().get(&place).await);
    assert_eq!(search(&ann).await.0, "not_connected");

    let place = path_of(&authorize_connection(&ann, "ann").await);
    is_refused(&ann.get(&place.replace("hub-callback", "other-callback")).await);
    is_refused(&ann.get(&place).await);
    for state in ["", "x", &"s".repeat(5000)] {
        is_refused(&ann.get(&format!("/svc/callback/hub-callback?code=canary-code-1&state={state}")).await);
    }
    let denied = path_of(&authorize_connection(&ann, "nobody").await);
    assert!(is_refused(&ann.get(&denied).await).contains("access_denied"));
    let place = path_of(&authorize_connection(&ann, "ann").await);
    let wrong_code = place.replace("code=canary-code", "code=wrong-code");
    assert!(is_refused(&ann.get(&wrong_code).await).contains("invalid_grant"));
    assert_eq!(search(&ann).await.0, "not_connected");

    let place = path_of(&authorize_connection(&ann, "ann").await);
    assert_eq!(ann.get(&place).await.status, 303);
    is_refused(&ann.get(&place).await);
    assert_eq!(search(&ann).await.1, ["river of ann"]);
    assert_eq!(search(&bob).await.0, "not_connected");

    // The final redirect target is a path of the service; anything else becomes the start page.
    let begun = ann.post_nothing("/svc/authenticators/hub/connect/?next=https://evil.example/").await;
    let place = authorize_as(begun.body["auth_url"].as_str().unwrap(), "ann").await;
    assert_eq!(ann.get(&path_of(&place)).await.header("location"), "/");
    let unknown = ann.post_nothing("/svc/authenticators/other/connect/").await;
    assert_eq!(unknown.status, 404);
    app.stop().await;
}
