//! The complete flows with a real OpenID Connect provider (`SVC_TEST_OIDC`): code flow with PKCE, groups, token
//! rotation.

use super::browser::{Browser, Page, SERVICE};
use super::path_of;
use crate::app_harness::{Answer, AppHarness, Client};
use domain::ports::{AuthenticatorStore, ConnectionStore, SourceTokens, UserStore};
use domain::settings::Settings;
use serde_json::{Value, json};
use std::time::Duration;

/// The issuer, if one is running.
fn provider() -> Option<String> {
    testkit::given("SVC_TEST_OIDC", "a real OpenID Connect provider")
}

async fn authenticator(app: &AppHarness, issuer: &str, more: Value) {
    let mut spec = json!({
        "idp": "people", "name": "People", "client_id": "tributary", "client_secret": "secret-of-the-client",
        "issuer": issuer, "app_uri": SERVICE, "scopes": "openid profile email groups", "use_basic_auth": true,
    });
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = app.admin.post("/svc/authenticators/", &spec).await;
    assert_eq!(answer.status, 201, "{answer:?}");
}

async fn set_groups(issuer: &str, user: &str, groups: &str) {
    let path = format!("/test/groups?user={user}&groups={groups}");
    let answer = Answer::of(Client::new(issuer, None).request(reqwest::Method::PUT, &path)).await;
    assert_eq!(answer.status, 204);
}

/// Completes the forms of the provider until the browser would return to the service.
async fn agree(browser: &mut Browser, start: &str, user: &str) -> Page {
    let mut page = browser.go_while(start, |url| !url.as_str().starts_with(SERVICE)).await;
    for _ in 0..4 {
        if page.url.as_str().starts_with(SERVICE) {
            return page;
        }
        let text = page.text();
        let form: &[(&str, &str)] = if text.contains("value=\"login\"") {
            &[("prompt", "login"), ("login", user), ("password", "x")]
        } else {
            &[("prompt", "consent")]
        };
        page = browser.go_until_back(&page, form).await;
    }
    panic!("the provider does not end: {} {}", page.url, page.text());
}

async fn me(browser: &mut Browser) -> Value {
    browser.go("/svc/users/me/").await.answer.body
}

#[tokio::test(flavor = "multi_thread")]
async fn people_sign_in_by_a_real_provider() {
    let Some(issuer) = provider() else { return };
    let app = AppHarness::start().await;
    app.user("somebody", &["staff", "finance"]).await;
    let mapped = json!({
        "sign_in": true, "groups_claim": "groups", "groups_map": {"g-staff": "staff", "g-finance": "finance"},
    });
    authenticator(&app, &issuer, mapped).await;
    set_groups(&issuer, "greta", "g-staff,g-finance,g-admin").await;
    let mut browser = Browser::new(&app.base);
    let back = agree(&mut browser, "/svc/oidc/people/login/?next=/?q=", "greta").await;
    assert!(back.url.as_str().contains("code="), "{}", back.url);
    let tampered = back.url.as_str().replace("state=", "state=x");
    assert_eq!(browser.go(&tampered).await.answer.status, 400);
    let signed_in = browser.go(back.url.as_str()).await;
    assert_eq!(signed_in.answer.status, 200, "{}", signed_in.text());
    assert_eq!(browser.go(back.url.as_str()).await.answer.status, 400, "a replayed code");
    let first = me(&mut browser).await;
    assert_eq!(
        (&first["username"], &first["email"]),
        (&json!("greta"), &json!("greta@people.example")),
        "{first}"
    );
    assert_eq!((&first["groups"], &first["is_admin"]), (&json!(["finance", "staff"]), &json!(false)));

    // The second sign-in has fewer groups, the third none.
    for (groups, expected) in [("g-staff", json!(["staff"])), ("", json!([]))] {
        set_groups(&issuer, "greta", groups).await;
        let mut other = Browser::new(&app.base);
        let back = agree(&mut other, "/svc/oidc/people/login/", "greta").await;
        other.go(back.url.as_str()).await;
        let again = me(&mut other).await;
        assert_eq!((&again["id"], &again["groups"]), (&first["id"], &expected), "{again}");
    }
    let mut hugo = Browser::new(&app.base);
    let back = agree(&mut hugo, "/svc/oidc/people/login/", "hugo").await;
    let mut thief = Browser::new(&app.base);
    assert_eq!(thief.go(back.url.as_str()).await.answer.status, 400, "another browser");
    assert_eq!(me(&mut thief).await["code"], "not_authenticated");
    app.stop().await;
}

/// Connects, waits until the token expires, refreshes it with a single-use refresh token, and calls the API with the
/// access token.
#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_a_real_provider_are_renewed_and_open_the_api() {
    let Some(issuer) = provider() else { return };
    let settings = |settings| Settings { oidc_api_audience: "tributary-api".to_owned(), ..settings };
    let app = AppHarness::with(settings).await;
    let connecting = json!({
        "idp": "sources", "client_id": "sources", "scopes": "openid offline_access",
        "initiate_auth_code_flow_params": {"prompt": "consent", "resource": "urn:tributary:api"},
        "exchange_code_params": {"resource": "urn:tributary:api"},
    });
    authenticator(&app, &issuer, connecting).await;
    let begun = app.admin.post_nothing("/svc/authenticators/sources/connect/").await;
    assert_eq!(begun.status, 200, "{begun:?}");
    let mut browser = Browser::new(&app.base);
    let back = agree(&mut browser, begun.body["auth_url"].as_str().unwrap(), "ida").await;
    let connected = app.admin.get(&path_of(back.url.as_str())).await;
    assert_eq!(connected.status, 303, "{connected:?}");

    let wired = app.service.app();
    let admin = wired.store.user_by_name("admin").await.unwrap().id;
    let id = wired.store.authenticators().await.unwrap()[0].id;
    let before = wired.store.connection(admin, id).await.unwrap().unwrap();
    let first = wired.authenticators.access_token(admin, "sources").await.unwrap();
    assert_eq!(first, before.tokens.access);
    let opened = app.with_header(&format!("Bearer {}", first.expose())).get("/svc/users/me/").await;
    assert_eq!((opened.status.as_u16(), &opened.body["username"]), (200, &json!("ida")), "{opened:?}");

    tokio::time::sleep(Duration::from_secs(8)).await;
    for _ in 0..2 {
        let asked = (0..10).map(|_| wired.authenticators.access_token(admin, "sources"));
        let tokens = futures_util::future::join_all(asked).await;
        let renewed = tokens[0].clone().unwrap();
        assert_ne!(renewed, first);
        assert!(tokens.into_iter().all(|token| token.unwrap() == renewed));
    }
    let after = wired.store.connection(admin, id).await.unwrap().unwrap();
    assert_eq!(after.version, before.version + 1, "renewed once");
    assert_ne!(after.tokens.refresh, before.tokens.refresh, "refresh tokens rotate");
    assert_eq!(app.admin.delete("/svc/authenticators/sources/connection/").await.status, 204);
    app.stop().await;
}
