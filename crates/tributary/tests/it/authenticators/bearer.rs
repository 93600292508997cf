//! Tokens signed by another service: `Authorization: Bearer` on the API, and `/svc/oidc_authenticate/`.

use super::authenticator;
use crate::app_harness::{Answer, AppHarness};
use domain::settings::{Settings, Throttle};
use fakes::identity_provider::{CLIENT, FakeIdp};
use serde_json::{Value, json};

const AUDIENCE: &str = "tributary-api";

async fn app_with(idp: &FakeIdp, more: Value) -> AppHarness {
    let settings = |settings| Settings {
        oidc_api_audience: AUDIENCE.to_owned(),
        throttle_login: Throttle(None),
        ..settings
    };
    let app = AppHarness::with(settings).await;
    app.user("somebody", &["staff"]).await;
    let mut fields = json!({
        "issuer": idp.url(""), "groups_claim": "groups", "groups_map": {"g-staff": "staff"},
    });
    fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    authenticator(&app, idp, fields).await;
    app
}

async fn me(app: &AppHarness, token: &str) -> Answer {
    app.with_header(&format!("Bearer {token}")).get("/svc/users/me/").await
}

async fn authenticate(app: &AppHarness, header: Option<&str>) -> Answer {
    let request = app.anonymous().request(reqwest::Method::POST, "/svc/oidc_authenticate/");
    Answer::of(match header {
        Some(text) => request.header("OIDC-Token", text),
        None => request,
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_token_opens_the_api() {
    let idp = FakeIdp::start().await;
    let app = app_with(&idp, json!({})).await;
    let claims = json!({"aud": AUDIENCE, "sub": "7", "email": "eve@hub.example", "groups": ["g-staff"]});
    let token = idp.signed(&claims);
    let first = me(&app, &token).await;
    assert_eq!(first.status, 200, "{first:?}");
    assert_eq!(
        (&first.body["username"], &first.body["groups"]),
        (&json!("eve@hub.example"), &json!(["staff"]))
    );
    assert_eq!(first.body["is_admin"], false);
    let silent = idp.signed(&json!({"aud": [AUDIENCE, "x"], "sub": "7"}));
    let again = me(&app, &silent).await;
    assert_eq!(
        (&again.body["id"], &again.body["groups"]),
        (&first.body["id"], &json!(["staff"])),
        "not spoken of"
    );
    let empty = idp.signed(&json!({"aud": AUDIENCE, "sub": "7", "groups": []}));
    assert_eq!(me(&app, &empty).await.body["groups"], json!([]));
    let search = app.with_header(&format!("Bearer {token}")).search(&json!({"query_string": "tea"})).await;
    assert!(search["id"].is_number());

    let long_ago = 1_600_000_000;
    for wrong in [
        json!({"aud": CLIENT, "sub": "7"}),
        json!({"sub": "7"}),
        json!({"aud": AUDIENCE, "sub": "7", "exp": long_ago}),
        json!({"aud": AUDIENCE, "sub": "7", "nbf": 4_000_000_000_u64}),
        json!({"aud": AUDIENCE, "sub": "7", "iss": "https://evil.example"}),
        json!({"aud": AUDIENCE, "sub": ""}),
    ] {
        let answer = me(&app, &idp.signed(&wrong)).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (401, "authentication_failed"), "{wrong}");
    }
    for head in [json!({"alg": "none"}), json!({"alg": "HS256"}), json!({"kid": "x"}), json!({"crit": ["x"]})]
    {
        idp.state().head = head.clone();
        assert_eq!(me(&app, &idp.signed(&claims)).await.status, 401, "{head}");
    }
    idp.state().head = json!({});
    let other = FakeIdp::start().await;
    let foreign = other.signed(&json!({"aud": AUDIENCE, "sub": "7"}));
    assert_eq!(me(&app, &foreign).await.status, 401, "nobody knows that issuer");
    for text in ["", "abc", "a.b.c", &"x".repeat(20_000)] {
        assert_eq!(me(&app, text).await.status, 401);
    }
    let patched = app.admin.patch("/svc/authenticators/hub/", &json!({"audience": "of-its-own"})).await;
    assert_eq!(patched.status, 200);
    assert_eq!(me(&app, &token).await.status, 401, "its own audience wins");
    assert_eq!(me(&app, &idp.signed(&json!({"aud": "of-its-own", "sub": "7"}))).await.status, 200);
    app.admin.patch("/svc/authenticators/hub/", &json!({"active": false, "audience": ""})).await;
    assert_eq!(me(&app, &token).await.status, 401, "switched off");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_token_is_exchanged_for_ours() {
    let idp = FakeIdp::start().await;
    let app = app_with(&idp, json!({"sign_in": true})).await;
    let token = idp.signed(&json!({"aud": CLIENT, "sub": "8", "preferred_username": "fred"}));
    let answer = authenticate(&app, Some(&format!("Bearer {token}"))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!((&answer.body["user"], &answer.body["is_superuser"]), (&json!("fred"), &json!(false)));
    assert!(answer.body["swirl_version"].is_string() && answer.body["edition"].is_string());
    let ours = app.with_header(&format!("Token {}", answer.body["token"].as_str().unwrap()));
    assert_eq!(ours.get("/svc/users/me/").await.body["username"], "fred");
    assert_eq!(ours.post_nothing("/svc/swirl-logout/").await.status, 200);
    assert_eq!(ours.get("/svc/users/me/").await.status, 401);

    let wrong = idp.signed(&json!({"aud": "another", "sub": "8"}));
    for header in [None, Some(""), Some("Bearer"), Some("Bearer x"), Some(token.as_str())] {
        let answer = authenticate(&app, header).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (403, "permission_denied"), "{header:?}");
    }
    assert_eq!(authenticate(&app, Some(&format!("Bearer {wrong}"))).await.status, 403);
    app.admin.patch("/svc/authenticators/hub/", &json!({"sign_in": false})).await;
    assert_eq!(
        authenticate(&app, Some(&format!("Bearer {token}"))).await.status,
        403,
        "not offered any more"
    );
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guessing_is_throttled() {
    let idp = FakeIdp::start().await;
    let app = AppHarness::start().await;
    authenticator(&app, &idp, json!({"issuer": idp.url(""), "audience": AUDIENCE})).await;
    let mut refused = Vec::new();
    for _ in 0..200 {
        let status = me(&app, "a.b.c").await.status.as_u16();
        refused.push(status);
        if status == 429 {
            break;
        }
    }
    assert_eq!(refused.last(), Some(&429), "{} attempts", refused.len());
    app.stop().await;
}
