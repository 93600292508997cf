use super::*;
use serde_json::json;

fn spec(more: Value) -> AuthenticatorSpec {
    let mut fields = json!({
        "idp": "hub", "name": "Hub", "client_id": "tributary", "client_secret": "canary",
        "auth_uri": "https://hub.example/auth", "token_uri": "https://hub.example/token",
    });
    fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(fields).unwrap()
}

#[test]
fn mistakes_are_named() {
    assert!(spec(json!({})).check().is_empty(), "{}", spec(json!({})).check());
    let many: BTreeMap<String, String> = (0..=PARAMS_MAX).map(|n| (n.to_string(), String::new())).collect();
    let groups: BTreeMap<String, String> = (0..=GROUPS_MAX).map(|n| (n.to_string(), String::new())).collect();
    let table = [
        (json!({"idp": ""}), "idp"),
        (json!({"idp": "12"}), "idp"),
        (json!({"idp": "A b"}), "idp"),
        (json!({"idp": "x".repeat(IDP_CHARS_MAX + 1)}), "idp"),
        (json!({"name": " "}), "name"),
        (json!({"client_id": ""}), "client_id"),
        (json!({"client_secret": "••••"}), "client_secret"),
        (json!({"client_secret": "x".repeat(CLIENT_SECRET_CHARS_MAX + 1)}), "client_secret"),
        (json!({"auth_uri": ""}), "auth_uri"),
        (json!({"token_uri": "ftp://hub.example/"}), "token_uri"),
        (json!({"token_uri": "https://u:p@hub.example/"}), "token_uri"),
        (json!({"issuer": "hub.example"}), "issuer"),
        (json!({"sign_in": true}), "issuer"),
        (json!({"app_uri": "https://find.example/"}), "app_uri"),
        (json!({"callback_path": "/login/"}), "callback_path"),
        (json!({"callback_path": "//evil/callback/x"}), "callback_path"),
        (json!({"callback_path": "/svc/callback/a/b"}), "callback_path"),
        (json!({"user_data_method": "PUT"}), "user_data_method"),
        (json!({"expires_in": EXPIRES_IN_MAX + 1}), "expires_in"),
        (json!({"exchange_code_params": {"a": 1}}), "exchange_code_params"),
        (json!({"user_data_params": many}), "user_data_params"),
        (json!({"groups_map": groups}), "groups_map"),
    ];
    for (more, field) in table {
        let errors = spec(more.clone()).check();
        assert!(errors.iter().any(|(name, _)| name == field), "{more}: {errors}");
    }
    let by_issuer =
        json!({"auth_uri": "", "token_uri": "", "issuer": "https://hub.example", "sign_in": true});
    assert!(spec(by_issuer).check().is_empty());
}

#[test]
fn secrets_are_masked_and_kept() {
    let stored = spec(json!({
        "exchange_code_params": {"assertion_key": "canary", "resource": "x"},
        "user_data_headers": {"X-Api-Key": "canary", "Accept": "text/html"},
    }));
    let shown = format!("{stored:?}");
    assert!(!shown.contains("canary") && shown.contains("text/html"), "{shown}");
    assert_eq!(stored.masked().keeping(&stored), stored);
    assert_eq!(AuthenticatorSpec { client_secret: String::new(), ..stored.clone() }.keeping(&stored), stored);
    let changed = AuthenticatorSpec { client_secret: "new".to_owned(), ..stored.masked() }.keeping(&stored);
    assert_eq!(changed.client_secret, "new");
}

#[test]
fn an_unreadable_record_is_not_overwritten_without_its_secret() {
    let at = Instant::default();
    let stored = Authenticator {
        id: AuthenticatorId(1),
        spec: AuthenticatorSpec { idp: "hub".to_owned(), ..AuthenticatorSpec::default() },
        is_unreadable: true,
        date_created: at,
        date_updated: at,
    };
    for (secret, is_entered) in [("", false), ("••••", false), ("new", true)] {
        let replaced = spec(json!({"client_secret": secret})).in_place_of(&stored);
        assert_eq!(replaced.is_ok(), is_entered, "{secret:?}: {replaced:?}");
    }
}

#[test]
fn callbacks() {
    let table = [
        ("/svc/callback/microsoft-callback", Some("microsoft-callback")),
        ("/api/swirl/callback/x/", Some("x")),
        ("/callback/x", None),
        ("/svc/callback/", None),
        ("https://evil.example/callback/x", None),
        ("/svc/callback/x?y", None),
    ];
    for (path, word) in table {
        assert_eq!(callback_word(path), word, "{path}");
    }
    assert_eq!(spec(json!({})).callback(), "/svc/callback/hub-callback");
    assert_eq!(spec(json!({"callback_path": "/swirl/callback/m"})).callback(), "/swirl/callback/m");
}
