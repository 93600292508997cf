//! Signing in with invalid tokens, stolen callbacks and disabled authenticators.

use super::browser::{Browser, Page, SERVICE};
use super::{authenticator, authorize_as};
use crate::app_harness::AppHarness;
use fakes::identity_provider::{CLIENT_SECRET, FakeIdp};
use serde_json::{Value, json};

/// Saves an authenticator with which people sign in.
async fn sign_in_by(app: &AppHarness, idp: &FakeIdp, more: Value) {
    let mut fields = json!({
        "issuer": idp.url(""), "auth_uri": "", "token_uri": "", "user_data_url": "", "sign_in": true,
        "app_uri": SERVICE, "groups_claim": "groups", "groups_map": {"g-staff": "staff", "g-finance": "finance"},
    });
    fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    authenticator(app, idp, fields).await;
}

/// Authorizes as `account` and returns to the service.
async fn sign_in(browser: &mut Browser, app: &AppHarness, account: &str) -> Page {
    let place = authorize_sign_in(browser, app, account).await;
    browser.go(&place).await
}

async fn authorize_sign_in(browser: &mut Browser, app: &AppHarness, account: &str) -> String {
    let start = browser.go_once("/svc/oidc/hub/login/?next=/?search_id=7").await;
    assert_eq!(start.answer.status, 303, "{:?}", start.answer);
    let place = authorize_as(start.answer.header("location"), account).await;
    assert!(place.starts_with(SERVICE), "{place} {}", app.base);
    place
}

async fn me(browser: &mut Browser) -> Value {
    browser.go("/svc/users/me/").await.answer.body
}

impl Browser {
    /// Loads a page without following its redirect.
    async fn go_once(&mut self, path: &str) -> Page {
        self.go_while(path, |_| false).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_in_attempts_are_throttled() {
    let (app, idp) = (AppHarness::start().await, FakeIdp::start().await);
    sign_in_by(&app, &idp, json!({})).await;
    let mut begun = 0;
    for _ in 0..200 {
        let answer = app.anonymous().get("/svc/oidc/hub/login/").await;
        if answer.status == 429 {
            assert!(!answer.header("retry-after").is_empty(), "{answer:?}");
            assert!(answer.body.as_str().unwrap().contains("Try again in"), "{answer:?}");
            break;
        }
        assert_eq!(answer.status, 303, "{answer:?}");
        begun += 1;
    }
    assert!((60..200).contains(&begun), "{begun} records of strangers");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn people_sign_in_with_the_groups_that_the_map_gives() {
    let (app, idp) = (AppHarness::start().await, FakeIdp::start().await);
    app.user("somebody", &["staff", "finance", "g-other"]).await;
    sign_in_by(&app, &idp, json!({})).await;
    let mut browser = Browser::new(&app.base);
    let page = browser.go("/login/").await.text().replace("&#x2f;", "/");
    assert!(page.contains("Sign in with Hub") && page.contains("/svc/oidc/hub/login/?next=%2F"), "{page}");
    idp.state().claims = json!({"groups": ["g-staff", "g-other", "admin"]});
    let back = sign_in(&mut browser, &app, "dora").await;
    assert_eq!(back.url.as_str(), format!("{SERVICE}/?search_id=7"));
    let first = me(&mut browser).await;
    assert_eq!((&first["username"], &first["email"]), (&json!("dora"), &json!("dora@hub.example")));
    assert_eq!((&first["groups"], &first["is_admin"]), (&json!(["staff"]), &json!(false)));

    // The same person in another browser, with other claims.
    for (claim, expected) in [
        (json!({"groups": ["g-staff", "g-finance"]}), json!(["finance", "staff"])),
        (json!({"groups": "g-finance"}), json!(["finance"])),
        (json!({}), json!([])),
    ] {
        idp.state().claims = claim;
        let mut other = Browser::new(&app.base);
        sign_in(&mut other, &app, "dora").await;
        let again = me(&mut other).await;
        assert_eq!((&again["id"], &again["groups"]), (&first["id"], &expected));
    }
    assert_eq!(me(&mut browser).await["groups"], json!([]), "in every session at once");

    // A user name that is taken gives no access to that user.
    let mut thief = Browser::new(&app.base);
    sign_in(&mut thief, &app, "admin").await;
    let thief = me(&mut thief).await;
    assert_eq!((&thief["username"], &thief["is_admin"]), (&json!("admin-2"), &json!(false)));
    // Nobody can sign in with a password that was never set.
    for password in ["", "!", "admin-2"] {
        let tried = json!({"username": "admin-2", "password": password});
        assert_eq!(app.anonymous().post("/svc/login/", &tried).await.status, 401);
    }
    let log = app.admin.get("/svc/audit/?kind=user").await.body.to_string();
    assert!(log.contains("admin-2") && log.contains("dora"), "{log}");
    app.stop().await;
}

/// What is wrong, the claims, the header fields, and the change after signing.
type Case = (&'static str, Value, Value, fn(String) -> String);

#[tokio::test(flavor = "multi_thread")]
async fn invalid_id_tokens_are_rejected() {
    let (app, idp) = (AppHarness::start().await, FakeIdp::start().await);
    sign_in_by(&app, &idp, json!({})).await;
    let long_ago = 1_600_000_000;
    let fine: fn(String) -> String = |token| token;
    let unsigned: fn(String) -> String = |token| format!("{}.", token.rsplit_once('.').unwrap().0);
    let cut: fn(String) -> String = |token| token.rsplit_once('.').unwrap().0.to_owned();
    let changed: fn(String) -> String = |token| {
        let parts: Vec<&str> = token.split('.').collect();
        let claims = parts[1].replace('J', "K");
        format!("{}.{claims}.{}", parts[0], parts[2])
    };
    let table: [Case; 13] = [
        ("a wrong nonce", json!({"nonce": "another"}), json!({}), fine),
        ("no nonce", json!({"nonce": null}), json!({}), fine),
        ("an expired token", json!({"exp": long_ago}), json!({}), fine),
        ("no expiry", json!({"exp": null}), json!({}), fine),
        ("another audience", json!({"aud": "another"}), json!({}), fine),
        ("several audiences", json!({"aud": ["tributary", "another"]}), json!({}), fine),
        ("another issuer", json!({"iss": "https://evil.example"}), json!({}), fine),
        ("nobody", json!({"sub": ""}), json!({}), fine),
        ("a tampered token", json!({}), json!({}), changed),
        ("no signature", json!({}), json!({"alg": "none"}), unsigned),
        ("half a token", json!({}), json!({}), cut),
        ("a shared secret", json!({}), json!({"alg": "HS256"}), fine),
        ("an unknown key", json!({}), json!({"kid": "hub-2"}), fine),
    ];
    for (what, claims, head, tamper) in table {
        {
            let mut state = idp.state();
            (state.claims, state.head, state.tamper) = (claims, head, tamper);
        }
        let mut browser = Browser::new(&app.base);
        let back = sign_in(&mut browser, &app, "mallory").await;
        let text = back.text();
        assert_eq!(back.answer.status, 403, "{what}: {text}");
        assert!(text.contains("The token was not accepted"), "{what}: {text}");
        assert_eq!(browser.cookie("tributary_session"), None, "{what}");
        assert_eq!(me(&mut browser).await["code"], "not_authenticated", "{what}");
    }
    let users = app.admin.get("/svc/users/").await.body;
    assert_eq!(users.as_array().unwrap().len(), 1, "nobody was created: {users}");
    assert!(idp.state().key_reads <= 3, "keys are not read for every wrong token: {}", idp.state().key_reads);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_belongs_to_one_browser_and_works_once() {
    let (app, idp) = (AppHarness::start().await, FakeIdp::start().await);
    sign_in_by(&app, &idp, json!({})).await;
    let (mut dora, mut other) = (Browser::new(&app.base), Browser::new(&app.base));
    // Somebody opens the callback of another person and would be signed in as that person.
    let place = authorize_sign_in(&mut dora, &app, "dora").await;
    assert_eq!(other.go(&place).await.answer.status, 400);
    authorize_sign_in(&mut other, &app, "other").await;
    let place = authorize_sign_in(&mut dora, &app, "dora").await;
    assert_eq!(other.go(&place).await.answer.status, 400, "with a cookie of its own");
    assert_eq!(other.cookie("tributary_session"), None);

    let place = authorize_sign_in(&mut dora, &app, "dora").await;
    assert_eq!(dora.go(&place.replace("state=", "state=x")).await.answer.status, 400, "a bad state");
    assert_eq!(dora.cookie("tributary_session"), None);
    dora.go(&place).await;
    assert!(dora.cookie("tributary_session").is_some());
    assert_eq!(dora.go(&place).await.answer.status, 400, "a replayed code");
    let place = authorize_sign_in(&mut dora, &app, "dora").await;
    let mixed_up = format!("{place}&iss=https://evil.example");
    assert_eq!(dora.go(&mixed_up).await.answer.status, 400, "the answer of another service");
    let denied = authorize_sign_in(&mut dora, &app, "nobody").await;
    let page = dora.go(&denied).await;
    assert!(page.answer.status == 400 && page.text().contains("access_denied"), "{}", page.text());
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_enabled_authenticators_sign_people_in() {
    let (app, idp) = (AppHarness::start().await, FakeIdp::start().await);
    sign_in_by(&app, &idp, json!({"sign_in": false})).await;
    let mut browser = Browser::new(&app.base);
    assert!(!browser.go("/login/").await.text().contains("Hub"));
    for name in ["hub", "other", "7"] {
        let page = browser.go(&format!("/svc/oidc/{name}/login/")).await;
        assert_eq!(page.answer.status, 404, "{name}");
        assert!(page.text().contains("is not available"), "{}", page.text());
    }
    let patched =
        app.admin.patch("/svc/authenticators/hub/", &json!({"sign_in": true, "active": false})).await;
    assert_eq!(patched.status, 200);
    assert_eq!(browser.go("/svc/oidc/hub/login/").await.answer.status, 404);
    // An issuer that publishes another name, and one that is unavailable.
    let elsewhere = format!("{}/", idp.url("")).replace("127.0.0.1", "localhost");
    let on = json!({"active": true, "issuer": elsewhere, "client_secret": CLIENT_SECRET});
    assert_eq!(app.admin.patch("/svc/authenticators/hub/", &on).await.status, 200);
    let page = browser.go("/svc/oidc/hub/login/").await;
    assert_eq!(page.answer.status, 422, "{}", page.text());
    let away = json!({"issuer": "http://127.0.0.1:1", "client_secret": CLIENT_SECRET});
    assert_eq!(app.admin.patch("/svc/authenticators/hub/", &away).await.status, 200);
    assert_eq!(browser.go("/svc/oidc/hub/login/").await.answer.status, 503);
    app.stop().await;
}
