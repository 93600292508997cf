//! Stored secrets are bound to the host that they were entered for, and nobody can read them: not from results that
//! repeat them, not from fields that contain them, not from the files of the database.

use crate::app_harness::{Answer, AppHarness, items};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

/// The field errors of a refusal that requires the secret again.
fn secrets_required_again(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 400, "{answer:?}");
    let errors = answer.body["errors"].as_object().unwrap();
    assert!(errors.values().all(|text| text.to_string().contains("enter the secret again")), "{answer:?}");
    errors.keys().cloned().collect()
}

async fn two_sources() -> (Source, Source) {
    let (own, other) = (Source::start().await, Source::start().await);
    own.reply(Behavior::Json(items("river", 1)));
    other.reply(Behavior::Json(items("river", 1)));
    (own, other)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_secret_does_not_follow_a_changed_address() {
    let app = AppHarness::start().await;
    let (own, other) = two_sources().await;
    let more = json!({
        "credentials": "HTTPBasicAuth('svc','S3CRET-PASSWORD')", "http_request_headers": {"X-Api-Key": "HDRKEY-123"},
    });
    let id = app.provider_with("Intranet", &own, more).await;
    let path = format!("/svc/searchproviders/{id}/");
    let mut shown = app.admin.get(&path).await.body;
    shown["url"] = json!(other.url());
    let both = ["credentials", "http_request_headers"];
    assert_eq!(secrets_required_again(&app.admin.post("/svc/searchproviders/test/?q=x", &shown).await), both);
    assert_eq!(
        secrets_required_again(&app.admin.post("/svc/searchproviders/test/?q=x&dry_run=true", &shown).await),
        both
    );
    assert_eq!(secrets_required_again(&app.admin.put(&path, &shown).await), both);
    assert_eq!(secrets_required_again(&app.admin.patch(&path, &json!({"url": other.url()})).await), both);
    let elsewhere = json!({"query_template": format!("{}?q={{query_string}}", other.url())});
    assert_eq!(secrets_required_again(&app.admin.patch(&path, &elsewhere).await), both);
    assert!(other.requests().is_empty(), "{:?}", other.requests());

    // Another path on the same host keeps the secret, and a secret that is entered again is used for the new host.
    let moved = app.admin.patch(&path, &json!({"url": own.url_at("/v2")})).await;
    assert_eq!(moved.status, 200, "{moved:?}");
    let entered = json!({
        "url": other.url(), "credentials": "HTTPBasicAuth('svc','another')", "http_request_headers": {},
    });
    assert_eq!(app.admin.patch(&path, &entered).await.status, 200);
    app.admin.search(&json!({"query_string": "river"})).await;
    let sent = format!("{:?}", other.requests());
    assert!(sent.contains("c3ZjOmFub3RoZXI") && !sent.contains("HDRKEY-123"), "{sent}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_a_model_does_not_follow_a_changed_address() {
    let app = AppHarness::start().await;
    let (own, other) = two_sources().await;
    let model = json!({
        "name": "Model", "model": "gpt-5", "api_key": "sk-CANARY-AI", "tags": ["rag"], "config": {"api_base": own.url()},
    });
    let id = app.admin.post("/svc/aiproviders/", &model).await.body["id"].as_i64().unwrap();
    let path = format!("/svc/aiproviders/{id}/");
    let refused = app.admin.patch(&path, &json!({"config": {"api_base": other.url()}})).await;
    assert_eq!(secrets_required_again(&refused), ["api_key"]);
    let same =
        app.admin.patch(&path, &json!({"config": {"api_base": own.url_at("/v1"), "max_tokens": 9}})).await;
    assert_eq!(same.status, 200, "{same:?}");
    app.admin.post(&format!("{path}test/"), &json!({})).await;
    assert!(format!("{:?}", own.requests()).contains("sk-CANARY-AI") && other.requests().is_empty());
    let entered = json!({"api_key": "sk-other", "config": {"api_base": other.url()}});
    assert_eq!(app.admin.patch(&path, &entered).await.status, 200);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_secret_of_an_authenticator_does_not_follow_a_changed_address() {
    let app = AppHarness::start().await;
    let spec = json!({
        "idp": "hub", "name": "Hub", "client_id": "me", "client_secret": "CLIENT-CANARY",
        "auth_uri": "https://hub.example/authorize", "token_uri": "https://hub.example/token",
    });
    let made = app.admin.post("/svc/authenticators/", &spec).await;
    assert_eq!(made.status, 201, "{made:?}");
    let path = "/svc/authenticators/hub/";
    for field in ["token_uri", "auth_uri", "jwks_uri", "issuer", "revoke_uri", "user_data_url"] {
        let refused = app.admin.patch(path, &json!({field: "https://other.example/x"})).await;
        assert_eq!(secrets_required_again(&refused), ["client_secret"], "{field}");
    }
    let same = app.admin.patch(path, &json!({"token_uri": "https://hub.example/v2/token"})).await;
    assert_eq!(same.status, 200, "{same:?}");
    let entered = json!({"token_uri": "https://other.example/token", "client_secret": "new"});
    assert_eq!(app.admin.patch(path, &entered).await.status, 200);
    app.stop().await;
}

/// A source that repeats what it was sent, as some do.
fn echo() -> Value {
    let said = "URLKEY-CANARY1 c3ZjOlMzQ1JFVC1QQVNT HDRKEY-CANARY2 S3CRET-PASS INLINE-CANARY5";
    json!({"total": 1, "items": [{
        "title": format!("river {said}"), "body": said, "url": "https://s.example/?k=URLKEY-CANARY1", "author": said,
        "date": "2024-03-05", "links": {"self": format!("http://s.example/?k=URLKEY-CANARY1 {said}")},
    }]})
}

const CANARIES: [&str; 5] =
    ["URLKEY-CANARY1", "HDRKEY-CANARY2", "S3CRET-PASS", "c3ZjOlMzQ1JFVC1QQVNT", "INLINE-CANARY5"];

#[track_caller]
fn assert_no_secret(text: &str, what: &str) {
    for canary in CANARIES.iter().chain(&["MAP-CANARY6", "BODY-CANARY7"]) {
        assert!(!text.contains(canary), "{what} tells {canary}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_a_source_repeats_are_masked_in_results() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(echo()));
    let keyed = json!({
        "credentials": "k=URLKEY-CANARY1", "query_template": "{url}?q={query_string}&k={k}",
        "http_request_headers": {"X-Vendor-Key": "HDRKEY-CANARY2"},
    });
    app.provider_with("Keyed", &source, keyed).await;
    app.provider_with("Basic", &source, json!({"credentials": "HTTPBasicAuth('svc','S3CRET-PASS')"})).await;
    let inline = json!({"url": format!("{}?api_key=INLINE-CANARY5", source.url()), "query_template": "{url}&q={query_string}"});
    app.provider_with("Inline", &source, inline).await;
    let own = [("Keyed", vec![0, 1]), ("Basic", vec![2, 3]), ("Inline", vec![4])];
    for (name, canaries) in own {
        let search = app.admin.search(&json!({"query_string": "river", "searchprovider_list": [name]})).await;
        let id = &search["id"];
        let mut all = search.to_string();
        for path in [
            format!("/svc/results/?search_id={id}"),
            format!("/svc/results/?search_id={id}&result_mixer=RelevancyMixer&explain=true"),
            format!("/svc/search/{id}/events/"),
            format!("/?search_id={id}"),
        ] {
            all.push_str(&app.admin.get(&path).await.body.to_string());
        }
        assert!(all.contains("••••"), "{all}");
        for canary in canaries {
            assert!(!all.contains(CANARIES[canary]), "{name} tells {}: {all}", CANARIES[canary]);
        }
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_in_fields_of_a_provider_are_masked_and_come_back_whole() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    let id = app
        .provider_with(
            "Inline",
            &source,
            json!({
                "url": format!("{}?api_key=INLINE-CANARY5", source.url()),
                "query_template": "{url}&t={token}&q={query_string}",
                "query_mappings": "token=MAP-CANARY6,DATE_SORT=sort=date",
                "post_query_template": {"auth": {"apiKey": "BODY-CANARY7"}, "q": "{query_string}"},
            }),
        )
        .await;
    let path = format!("/svc/searchproviders/{id}/");
    let ann = app.user("ann", &[]).await;
    for client in [&ann, &app.admin] {
        let search = client.search(&json!({"query_string": "river"})).await;
        for read in [
            path.clone(),
            "/svc/searchproviders/".to_owned(),
            format!("{path}test/?q=river&dry_run=true"),
            format!("{path}test/?q=river"),
            format!("/svc/results/?search_id={}", search["id"]),
            "/svc/searchproviders/?text=INLINE".to_owned(),
        ] {
            let answer = client.get(&read).await;
            assert_eq!(answer.status, 200, "{read}");
            assert_no_secret(&answer.body.to_string(), &read);
        }
        assert_no_secret(&search.to_string(), "the search");
    }
    assert_eq!(
        ann.get("/svc/searchproviders/?text=CANARY5").await.body,
        json!([]),
        "a filter finds no secret"
    );
    assert_no_secret(&app.admin.get("/svc/audit/").await.body.to_string(), "the audit log");

    // Sending back what was read changes nothing; new values are stored.
    let shown = app.admin.get(&path).await.body;
    assert_eq!(shown["query_mappings"], "token=••••,DATE_SORT=sort=date");
    let saved = app.admin.put(&path, &shown).await;
    assert_eq!(saved.status, 200, "{saved:?}");
    let renamed = app.admin.patch(&path, &json!({"query_mappings": "token=••••,DATE_SORT=sort=new"})).await;
    assert_eq!(renamed.status, 200, "{renamed:?}");
    app.admin.search(&json!({"query_string": "river"})).await;
    let sent = source.requests().pop().unwrap();
    assert_eq!(
        (sent.query_value("api_key"), sent.query_value("t")),
        (Some("INLINE-CANARY5"), Some("MAP-CANARY6"))
    );
    let invented = app.admin.patch(&path, &json!({"query_mappings": "secret=••••"})).await;
    assert_eq!(invented.status, 400, "{invented:?}");
    let elsewhere = json!({"url": "http://other.example/?api_key=••••"});
    assert!(secrets_required_again(&app.admin.patch(&path, &elsewhere).await).contains(&"url".to_owned()));
    let folder = app.folder().to_owned();
    for entry in std::fs::read_dir(&folder).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        let bytes = std::fs::read(entry.path()).unwrap();
        assert_no_secret(&String::from_utf8_lossy(&bytes), &entry.path().display().to_string());
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_cannot_traverse_the_path_of_a_source() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    let more = json!({"query_template": "{url}a/{query_string}/x", "query_processors": []});
    let id = app.provider_with("Path", &source, more).await;
    for query in ["..", ".", "%252e%252e", "river"] {
        app.admin.get(&format!("/svc/searchproviders/{id}/test/?q={query}")).await;
    }
    let paths: Vec<String> = source.requests().into_iter().map(|request| request.path).collect();
    assert!(paths.iter().all(|path| path.starts_with("/a/") && path.ends_with("/x")), "{paths:?}");
    assert!(paths.iter().any(|path| path.contains("river")), "{paths:?}");
    assert!(!paths.iter().any(|path| path == "/a/x"), "{paths:?}");
    app.stop().await;
}
