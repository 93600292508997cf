//! Without valid credentials every route is rejected, except the public ones.

use super::table::{Access, CALLBACK, ELSEWHERE, LOGO, METADATA, METADATA_OF_TOOLS, Row, TABLE};
use super::{Scenario, assert_refused, send};
use crate::app_harness::{ADMIN_PASSWORD, AppHarness, Client};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::ports::{TokenStore, UserStore};
use domain::user::TokenSpec;
use serde_json::json;
use std::time::Duration;

pub fn basic(username: &str, password: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{username}:{password}")))
}

fn protected_rows() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(|row| row.access != Access::Open)
}

/// Calls every protected route; the records must still exist afterwards.
async fn assert_all_rejected(scenario: &Scenario, client: &Client, code: &str, who: &str) {
    let mut count = 0;
    for row in protected_rows() {
        let what = format!("{who}: {}", row.name());
        let answer = send(client, row, &scenario.path(row)).await;
        match row.access {
            Access::Page | Access::AdminPage => {
                let place = match row.path {
                    "/" => "/login/".to_owned(),
                    path => format!("/login/?next={path}"),
                };
                assert_eq!((answer.status.as_u16(), answer.header("location")), (303, &*place), "{what}");
            }
            _ => assert_refused(&answer, 401, code, &what),
        }
        count += 1;
    }
    assert!(count > 40, "{count} routes");
    for row in protected_rows().filter(|row| row.method == "GET" && row.path.contains("{id}")) {
        let answer = scenario.allowed_client(row).get(&scenario.path(row)).await;
        assert_eq!(answer.status, 200, "{who} has changed {}", row.path);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody() {
    let scenario = Scenario::start().await;
    assert_all_rejected(&scenario, &scenario.app.anonymous(), "not_authenticated", "nobody").await;
    let unknown = scenario.app.anonymous().get("/svc/nothing/").await;
    assert_refused(&unknown, 401, "not_authenticated", "unknown paths are not revealed either");
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password() {
    let scenario = Scenario::without_lockout().await;
    let client = scenario.app.with_header(&basic("admin", "wrong horse battery"));
    assert_all_rejected(&scenario, &client, "authentication_failed", "wrong password").await;
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_token() {
    let scenario = Scenario::without_lockout().await;
    let made = scenario.app.admin.post("/svc/tokens/", &json!({})).await.body;
    let client = scenario.app.with_header(&format!("Token {}", made["token"].as_str().unwrap()));
    assert_eq!(client.get("/svc/users/").await.status, 200);
    let revoked = scenario.app.admin.delete(&format!("/svc/tokens/{}/", made["id"])).await;
    assert_eq!(revoked.status, 204);
    assert_all_rejected(&scenario, &client, "authentication_failed", "revoked token").await;
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_token() {
    let scenario = Scenario::without_lockout().await;
    let wired = scenario.app.service.app();
    let admin = wired.store.user_by_name("admin").await.unwrap();
    let now = wired.clock.now();
    let token_until = async |expires| {
        let made = server::token::make();
        let spec = TokenSpec { expires: Some(expires), ..TokenSpec::default() };
        wired.store.create_token(admin.id, spec, made.hash, made.prefix, now).await.unwrap();
        scenario.app.with_header(&format!("Token {}", made.token.expose()))
    };
    let valid = token_until(now + Duration::from_secs(60)).await;
    assert_eq!(valid.get("/svc/users/").await.status, 200);
    let expired = token_until(now - Duration::from_secs(1)).await;
    assert_all_rejected(&scenario, &expired, "authentication_failed", "expired token").await;
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_users_token_and_password() {
    let scenario = Scenario::without_lockout().await;
    let gone = scenario.app.user("gone", &[]).await;
    let pair = scenario.app.with_header(&basic("gone", "password of gone"));
    assert_eq!(pair.get("/svc/users/me/").await.status, 200, "the pair is remembered now");
    let id = gone.get("/svc/users/me/").await.body["id"].clone();
    assert_eq!(scenario.app.admin.delete(&format!("/svc/users/{id}/")).await.status, 204);
    assert_all_rejected(&scenario, &gone, "authentication_failed", "deleted user's token").await;
    assert_refused(
        &pair.get("/svc/users/me/").await,
        401,
        "authentication_failed",
        "deleted user's password",
    );
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_authorization_headers() {
    let app = AppHarness::start().await;
    let long = format!("Token {}", "x".repeat(5000));
    for header in ["", "Token", "Token ", "Basic", "Basic ???", "Basic YWRtaW4=", "Bearer abc", "abc", &long]
    {
        let answer = app.with_header(header).get("/svc/users/me/").await;
        assert_refused(&answer, 401, "authentication_failed", header);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_count_whole_and_schemes_in_any_case() {
    let app = AppHarness::start().await;
    let made = app.admin.post("/svc/tokens/", &json!({})).await.body;
    let token = made["token"].as_str().unwrap();
    for header in [basic("nobody", ADMIN_PASSWORD), basic("", ""), format!("Token {token}x")] {
        let answer = app.with_header(&header).get("/svc/users/me/").await;
        assert_refused(&answer, 401, "authentication_failed", &header);
    }
    for scheme in ["Token", "token"] {
        let answer = app.with_header(&format!("{scheme} {token}")).get("/svc/users/me/").await;
        assert_eq!((answer.status.as_u16(), &answer.body["username"]), (200, &json!("admin")), "{scheme}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn public_routes_stay_public() {
    let app = AppHarness::start().await;
    let stale = app.with_header("Token trb_gone");
    for row in TABLE.iter().filter(|row| row.access == Access::Open && row.method == "GET") {
        for client in [app.anonymous(), stale.clone()] {
            // No identity provider is configured: these pages answer with an error.
            let status = match row.path {
                ELSEWHERE | METADATA | METADATA_OF_TOOLS | LOGO => 404,
                CALLBACK => 400,
                _ => 200,
            };
            assert_eq!(send(&client, row, row.path).await.status, status, "{}", row.name());
        }
    }
    let open: Vec<String> = TABLE.iter().filter(|row| row.access == Access::Open).map(Row::name).collect();
    let expected = [
        "POST /svc/login/",
        "POST /svc/oidc_authenticate/",
        "GET /svc/health/live/",
        "GET /svc/health/ready/",
        "GET /.well-known/oauth-protected-resource/",
        "GET /.well-known/oauth-protected-resource/mcp/",
        "GET /svc/oidc/hub/login/",
        "GET /svc/callback/hub-callback/",
        "GET /login/",
        "POST /login/",
        "GET /static/tributary.css",
        "GET /static/tributary.svg",
        "GET /branding/colours.css",
        "GET /branding/opensearch.xml",
        "GET /branding/logo/light/",
    ];
    assert_eq!(open, expected);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn basic_works_and_a_changed_password_is_forgotten_at_once() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    let old = app.with_header(&basic("ann", "password of ann"));
    for _ in 0..2 {
        assert_eq!(old.get("/svc/users/me/").await.body["username"], "ann");
    }
    let id = ann.get("/svc/users/me/").await.body["id"].clone();
    let changed =
        app.admin.patch(&format!("/svc/users/{id}/"), &json!({"password": "a newer password"})).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_refused(&old.get("/svc/users/me/").await, 401, "authentication_failed", "the old password");
    let new = app.with_header(&basic("ann", "a newer password"));
    assert_eq!(new.get("/svc/users/me/").await.body["username"], "ann");
    assert_eq!(ann.get("/svc/users/me/").await.status, 200, "tokens are revoked apart from passwords");
    app.stop().await;
}
