//! Signed tokens in place of ours: `Authorization: Bearer` on the API, and `/svc/oidc_authenticate/`.

use super::authenticator;
use super::hub::{CLIENT, Hub};
use crate::house::{Answer, TestHouse};
use domain::settings::{Settings, Throttle};
use serde_json::{Value, json};

const AUDIENCE: &str = "tributary-api";

async fn house_with(hub: &Hub, more: Value) -> TestHouse {
    let settings = |settings| Settings {
        oidc_api_audience: AUDIENCE.to_owned(),
        throttle_login: Throttle(None),
        ..settings
    };
    let house = TestHouse::with(settings).await;
    house.user("somebody", &["staff"]).await;
    let mut fields = json!({
        "issuer": hub.url(""), "groups_claim": "groups", "groups_map": {"g-staff": "staff"},
    });
    fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    authenticator(&house, hub, fields).await;
    house
}

async fn me(house: &TestHouse, token: &str) -> Answer {
    house.with_header(&format!("Bearer {token}")).get("/svc/users/me/").await
}

async fn authenticate(house: &TestHouse, header: Option<&str>) -> Answer {
    let request = house.anonymous().request(reqwest::Method::POST, "/svc/oidc_authenticate/");
    Answer::of(match header {
        Some(text) => request.header("OIDC-Token", text),
        None => request,
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_token_opens_the_api() {
    let hub = Hub::start().await;
    let house = house_with(&hub, json!({})).await;
    let claims = json!({"aud": AUDIENCE, "sub": "7", "email": "eve@hub.example", "groups": ["g-staff"]});
    let token = hub.signed(&claims);
    let first = me(&house, &token).await;
    assert_eq!(first.status, 200, "{first:?}");
    assert_eq!(
        (&first.body["username"], &first.body["groups"]),
        (&json!("eve@hub.example"), &json!(["staff"]))
    );
    assert_eq!(first.body["is_admin"], false);
    let silent = hub.signed(&json!({"aud": [AUDIENCE, "x"], "sub": "7"}));
    let again = me(&house, &silent).await;
    assert_eq!(
        (&again.body["id"], &again.body["groups"]),
        (&first.body["id"], &json!(["staff"])),
        "not spoken of"
    );
    let empty = hub.signed(&json!({"aud": AUDIENCE, "sub": "7", "groups": []}));
    assert_eq!(me(&house, &empty).await.body["groups"], json!([]));
    let search = house.with_header(&format!("Bearer {token}")).search(&json!({"query_string": "tea"})).await;
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
        let answer = me(&house, &hub.signed(&wrong)).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (401, "authentication_failed"), "{wrong}");
    }
    for head in [json!({"alg": "none"}), json!({"alg": "HS256"}), json!({"kid": "x"}), json!({"crit": ["x"]})]
    {
        hub.book().head = head.clone();
        assert_eq!(me(&house, &hub.signed(&claims)).await.status, 401, "{head}");
    }
    hub.book().head = json!({});
    let other = Hub::start().await;
    let foreign = other.signed(&json!({"aud": AUDIENCE, "sub": "7"}));
    assert_eq!(me(&house, &foreign).await.status, 401, "nobody knows that issuer");
    for text in ["", "abc", "a.b.c", &"x".repeat(20_000)] {
        assert_eq!(me(&house, text).await.status, 401);
    }
    let patched = house.admin.patch("/svc/authenticators/hub/", &json!({"audience": "of-its-own"})).await;
    assert_eq!(patched.status, 200);
    assert_eq!(me(&house, &token).await.status, 401, "its own audience wins");
    assert_eq!(me(&house, &hub.signed(&json!({"aud": "of-its-own", "sub": "7"}))).await.status, 200);
    house.admin.patch("/svc/authenticators/hub/", &json!({"active": false, "audience": ""})).await;
    assert_eq!(me(&house, &token).await.status, 401, "switched off");
    house.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_token_is_exchanged_for_ours() {
    let hub = Hub::start().await;
    let house = house_with(&hub, json!({"sign_in": true})).await;
    let token = hub.signed(&json!({"aud": CLIENT, "sub": "8", "preferred_username": "fred"}));
    let answer = authenticate(&house, Some(&format!("Bearer {token}"))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!((&answer.body["user"], &answer.body["is_superuser"]), (&json!("fred"), &json!(false)));
    assert!(answer.body["swirl_version"].is_string() && answer.body["edition"].is_string());
    let ours = house.with_header(&format!("Token {}", answer.body["token"].as_str().unwrap()));
    assert_eq!(ours.get("/svc/users/me/").await.body["username"], "fred");
    assert_eq!(ours.post_nothing("/svc/swirl-logout/").await.status, 200);
    assert_eq!(ours.get("/svc/users/me/").await.status, 401);

    let wrong = hub.signed(&json!({"aud": "another", "sub": "8"}));
    for header in [None, Some(""), Some("Bearer"), Some("Bearer x"), Some(token.as_str())] {
        let answer = authenticate(&house, header).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (403, "permission_denied"), "{header:?}");
    }
    assert_eq!(authenticate(&house, Some(&format!("Bearer {wrong}"))).await.status, 403);
    house.admin.patch("/svc/authenticators/hub/", &json!({"sign_in": false})).await;
    assert_eq!(
        authenticate(&house, Some(&format!("Bearer {token}"))).await.status,
        403,
        "not offered any more"
    );
    house.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guessing_is_throttled() {
    let hub = Hub::start().await;
    let house = TestHouse::start().await;
    authenticator(&house, &hub, json!({"issuer": hub.url(""), "audience": AUDIENCE})).await;
    let mut refused = Vec::new();
    for _ in 0..200 {
        let status = me(&house, "a.b.c").await.status.as_u16();
        refused.push(status);
        if status == 429 {
            break;
        }
    }
    assert_eq!(refused.last(), Some(&429), "{} attempts", refused.len());
    house.stop().await;
}
