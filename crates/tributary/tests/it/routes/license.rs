//! `/svc/license/`: the contents of a signed license.

use crate::app_harness::AppHarness;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::secret::Secret;
use domain::settings::Settings;
use license::signed_text;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

fn signed(pair: &Ed25519KeyPair, mut fields: Value) -> String {
    let text = signed_text(fields.as_object().unwrap());
    fields["key"] = json!(BASE64_STANDARD.encode(pair.sign(text.as_bytes())));
    fields.to_string()
}

/// A service with this license; the public key of its issuer is in the data folder.
async fn app_with(license: String, pair: &Ed25519KeyPair) -> AppHarness {
    let key = BASE64_STANDARD.encode(pair.public_key().as_ref());
    AppHarness::with(move |settings| {
        fs::write(PathBuf::from(&settings.data_dir).join("public_key.pem"), key).unwrap();
        Settings { license: Secret::new(license), ..settings }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_license_is_believed_and_a_changed_one_is_not() {
    let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    let pair = Ed25519KeyPair::from_pkcs8(made.as_ref()).unwrap();
    let license = signed(
        &pair,
        json!({"owner": "Delta Ltd", "expiration": "2999-12-31", "features": {"chat_api": true}, "cache": true}),
    );
    let app = app_with(license.clone(), &pair).await;
    let told = app.admin.get("/svc/license/").await.body;
    assert_eq!(
        (&told["status"], &told["owner"], &told["cache"]),
        (&json!("valid"), &json!("Delta Ltd"), &json!(true))
    );
    assert_eq!((&told["expiration"], &told["cache_expiration"]), (&json!("2999-12-31"), &Value::Null));
    assert_eq!(told["features"], json!({"chat_api": true}));
    assert!(told["days_left"].as_i64().unwrap() > 1000);
    let shown = app.admin.get("/svc/settings/").await.body.to_string();
    assert!(!shown.contains("Delta Ltd"), "a license is a secret among the settings");
    app.stop().await;

    let app = app_with(license.replace("2999", "3999"), &pair).await;
    let told = app.admin.get("/svc/license/").await.body;
    assert_eq!(
        (&told["status"], &told["owner"], &told["cache"]),
        (&json!("invalid"), &json!(""), &json!(false))
    );
    app.stop().await;

    let app = AppHarness::start().await;
    assert_eq!(app.admin.get("/svc/license/").await.body["status"], "none");
    app.stop().await;
}
