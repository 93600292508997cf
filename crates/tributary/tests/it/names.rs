//! Names and labels of records: no line breaks or control characters, wherever they are shown or logged.

use crate::app_harness::AppHarness;
use serde_json::{Value, json};

const FORGED: &str = "Rivers\n2026-01-01T00:00:00Z ERROR the admin's password is wrong";

/// The routes with names, a record that is valid except for its name, and the field of the name.
fn table() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        (
            "/svc/searchproviders/",
            json!({
                "name": "Rivers", "url": "http://127.0.0.1:1/", "query_template": "{url}?q={query_string}",
                "response_mappings": "RESULTS=items", "result_mappings": "title=title",
            }),
            "name",
        ),
        ("/svc/users/", json!({"username": "ulla", "password": "password of ulla"}), "username"),
        ("/svc/users/", json!({"username": "ursa", "password": "password of ursa", "email": ""}), "email"),
        ("/svc/groups/", json!({"name": "people"}), "name"),
        ("/svc/querytransforms/", json!({"name": "phones", "config_content": "mobiles,mobile"}), "name"),
        (
            "/svc/prompts/",
            json!({"name": "spare", "prompt": "Answer {query}", "tags": ["search-rag"]}),
            "name",
        ),
        ("/svc/aiproviders/", json!({"name": "Spare", "model": "gpt-5", "active": false}), "name"),
        ("/svc/aiproviders/", json!({"name": "Other", "model": "gpt-5", "active": false}), "model"),
        (
            "/svc/authenticators/",
            json!({"idp": "ours", "name": "Ours", "client_id": "c", "active": false,
                   "auth_uri": "https://id.example/a", "token_uri": "https://id.example/t"}),
            "name",
        ),
        ("/svc/brandings/", json!({"name": "Ours", "product": "Ours"}), "name"),
        ("/svc/brandings/", json!({"name": "Theirs", "product": "Theirs"}), "product"),
        ("/svc/tokens/", json!({"label": "laptop"}), "label"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn names_with_line_breaks_or_control_characters_are_refused() {
    let app = AppHarness::start().await;
    for (path, spec, field) in table() {
        for name in [FORGED, "a\rb", "a\u{1b}[2J", "a\u{7f}", "a\u{85}b", "a\u{2028}b"] {
            let mut forged = spec.clone();
            forged[field] = json!(name);
            let refused = app.admin.post(path, &forged).await;
            assert_eq!(refused.status, 400, "{path} {field} {name:?}: {refused:?}");
            assert!(!refused.body["errors"][field].is_null(), "{path} {name:?}: {refused:?}");
        }
        let made = app.admin.post(path, &spec).await;
        assert_eq!(made.status, 201, "{path}: {made:?}");
    }
    app.stop().await;
}
