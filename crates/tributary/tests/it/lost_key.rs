//! A restore without the key: the service works, reports which records must be entered again, and accepts them.

use crate::app_harness::{Client, items};
use crate::backup::{admin, command, key_of, serve};
use crate::program::{run, text};
use serde_json::{Value, json};
use std::path::Path;
use testkit::source::{Behavior, Source};

fn provider(name: &str, source: &Source) -> Value {
    json!({
        "name": name,
        "url": source.url(),
        "response_mappings": "FOUND=total,RESULTS=items",
        "result_mappings": "title=title,body=body,url=url,date_published=date,author=author",
    })
}

fn model() -> Value {
    json!({"name": "A model", "model": "gpt-5", "api_key": "canary", "active": true, "tags": ["rag"]})
}

fn authenticator() -> Value {
    json!({
        "idp": "hub", "name": "Hub", "client_id": "c", "client_secret": "canary",
        "auth_uri": "https://hub.example/auth", "token_uri": "https://hub.example/token",
    })
}

fn with(mut record: Value, more: Value) -> Value {
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record
}

async fn created(client: &Client, path: &str, record: &Value) -> String {
    let answer = client.post(path, record).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    format!("{path}{}/", answer.body["id"])
}

/// The paths of the records.
struct Records {
    sealed: String,
    open: String,
    inactive: String,
    model: String,
    authenticator: String,
}

/// A backup without its key, with records of every encrypted kind.
async fn backed_up(folder: &Path, sources: [&Source; 2]) -> Records {
    let running = serve(folder, &[]);
    let client = admin(&running);
    let providers = "/svc/searchproviders/";
    let secret = json!({"credentials": "X-Api-Key=canary"});
    let inactive = json!({
        "credentials": "X-Api-Key=canary", "active": false,
        "url": format!("{}?api_key=canary-in-the-address", sources[0].url()),
        "http_request_headers": {"X-Token": "canary"},
    });
    let records = Records {
        sealed: created(&client, providers, &with(provider("Sealed", sources[0]), secret)).await,
        open: created(&client, providers, &provider("Open", sources[1])).await,
        inactive: created(&client, providers, &with(provider("Inactive", sources[0]), inactive)).await,
        model: created(&client, "/svc/aiproviders/", &model()).await,
        authenticator: created(&client, "/svc/authenticators/", &authenticator()).await,
    };
    let made = command(folder, &["backup", "b"], &[]).await;
    assert!(made.status.success(), "{made:?}");
    running.kill();
    records
}

/// The status of a search, and the `info` of its results.
async fn run_search(client: &Client) -> (String, Value) {
    let search = client.search(&json!({"query_string": "river"})).await;
    let mixed = client.get(&format!("/svc/results/?search_id={}", search["id"])).await;
    assert_eq!(mixed.status, 200, "{mixed:?}");
    (search["status"].as_str().unwrap().to_owned(), mixed.body["info"].clone())
}

async fn assert_lists_work(client: &Client, records: &Records) {
    for path in
        ["/svc/searchproviders/", "/svc/searchproviders/states/", "/svc/aiproviders/", "/svc/authenticators/"]
    {
        assert_eq!(client.get(path).await.status, 200, "{path}");
    }
    let unreadable = |path: String| async move {
        let answer = client.get(&path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        assert!(!answer.body.to_string().contains("canary"), "{answer:?}");
        answer.body["unreadable_fields"].clone()
    };
    assert_eq!(unreadable(records.sealed.clone()).await, json!(["credentials"]));
    assert_eq!(unreadable(records.open.clone()).await, Value::Null);
    let named = unreadable(records.inactive.clone()).await;
    for field in ["credentials", "http_request_headers", "url"] {
        assert!(named.as_array().unwrap().contains(&json!(field)), "{field} is not in {named}");
    }
    for (path, field) in [(&records.model, "api_key"), (&records.authenticator, "client_secret")] {
        let named = unreadable(path.clone()).await;
        assert!(named.as_array().unwrap().contains(&json!(field)), "{field} is not in {named}");
    }
}

/// Edits without a secret keep the stored one; it cannot be sent elsewhere.
async fn assert_edits_keep_secrets(client: &Client, records: &Records) {
    for path in [&records.sealed, &records.inactive] {
        let edited = client.patch(path, &json!({"description": "edited"})).await;
        assert_eq!(edited.status, 200, "{edited:?}");
        assert_eq!(edited.body["description"], "edited");
        assert!(
            edited.body["unreadable_fields"].as_array().is_some_and(|list| !list.is_empty()),
            "{edited:?}"
        );
        let whole = client.put(path, &edited.body).await;
        assert_eq!(whole.status, 200, "{whole:?}");
        assert_eq!(whole.body["unreadable_fields"], edited.body["unreadable_fields"]);
        let elsewhere = client.patch(path, &json!({"url": "https://elsewhere.example/"})).await;
        assert_eq!(elsewhere.status, 400, "{elsewhere:?}");
    }
}

/// A record that is encrypted as a whole is not overwritten by a record without its secret.
async fn assert_whole_records_need_their_secrets(folder: &Path, client: &Client, records: &Records) {
    let table =
        [(&records.model, "api_key", model()), (&records.authenticator, "client_secret", authenticator())];
    for (path, field, whole) in table {
        let mut omitted = whole.clone();
        omitted.as_object_mut().unwrap().remove(field);
        let empty = with(whole.clone(), json!({field: ""}));
        let masked = with(whole, json!({field: "••••"}));
        let refusals = [
            client.patch(path, &json!({"active": true})).await,
            client.patch(path, &empty).await,
            client.patch(path, &masked).await,
            client.put(path, &omitted).await,
            client.put(path, &empty).await,
            client.put(path, &masked).await,
        ];
        for refused in refusals {
            assert_eq!(refused.status, 400, "{refused:?}");
            let why = refused.body["errors"][field].to_string();
            assert!(why.contains("encrypted with another key"), "{refused:?}");
        }
        for record in [omitted, empty, masked] {
            std::fs::write(folder.join("again.json"), json!([record]).to_string()).unwrap();
            let loaded = command(folder, &["load", "again.json", "--replace"], &[]).await;
            let said = text(&loaded.stdout) + &text(&loaded.stderr);
            assert!(!loaded.status.success() && said.contains("encrypted with another key"), "{said}");
        }
        let kept = client.get(path).await.body;
        assert!(kept["unreadable_fields"].as_array().is_some_and(|list| !list.is_empty()), "{kept}");
    }
}

async fn assert_repair_works(client: &Client, records: &Records) {
    let table = [
        (&records.sealed, json!({"credentials": "X-Api-Key=new"})),
        (&records.model, json!({"api_key": "new", "model": "gpt-5"})),
        (
            &records.authenticator,
            json!({"client_id": "c", "client_secret": "new", "auth_uri": "https://hub.example/auth",
                "token_uri": "https://hub.example/token"}),
        ),
    ];
    for (path, entered) in table {
        let repaired = client.patch(path, &entered).await;
        assert_eq!(repaired.status, 200, "{repaired:?}");
        assert_eq!(repaired.body["unreadable_fields"], Value::Null, "{repaired:?}");
        assert_eq!(repaired.body["active"], true, "{repaired:?}");
    }
    let incomplete =
        client.patch(&records.inactive, &json!({"credentials": "X-Api-Key=new", "active": true})).await;
    assert_eq!(incomplete.status, 400, "the address is entered again too: {incomplete:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restore_without_the_key_the_service_works_and_is_repaired() {
    let (sealed, open) = (Source::start().await, Source::start().await);
    for source in [&sealed, &open] {
        source.reply(Behavior::Json(items("river", 3)));
    }
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let records = backed_up(here.path(), [&sealed, &open]).await;
    let file = here.path().join("b").display().to_string();
    let restored = command(there.path(), &["restore", &file, "--force"], &[]).await;
    assert!(restored.status.success(), "{restored:?}");

    let running = serve(there.path(), &[]);
    let client = admin(&running);
    assert_lists_work(&client, &records).await;
    let (status, info) = run_search(&client).await;
    assert_eq!(status, "PARTIAL_RESULTS_READY", "{info}");
    assert_eq!(info["Sealed"]["error"]["code"], "secrets_unreadable", "{info}");
    assert!(info["Sealed"]["error"]["message"].as_str().unwrap().contains("enter them again"), "{info}");
    assert_eq!(info["Open"]["status"], "ok", "{info}");
    assert!(info.get("Inactive").is_none(), "{info}");
    assert!(sealed.requests().is_empty(), "a source without its credentials is not asked");
    let tried = client.get(&format!("{}test/", records.sealed)).await;
    assert_eq!(tried.body["error"]["code"], "secrets_unreadable", "{tried:?}");
    assert_edits_keep_secrets(&client, &records).await;
    assert_whole_records_need_their_secrets(there.path(), &client, &records).await;
    let examined = run(there.path(), &["doctor", "--offline"]);
    let said = text(&examined.stdout);
    for named in [
        "SearchProvider 'Sealed'",
        "SearchProvider 'Inactive'",
        "AIProvider 'A model'",
        "Authenticator 'hub'",
    ] {
        assert!(said.contains(named), "{named} is not in {said}");
    }
    assert!(said.contains("/admin/searchproviders/") && said.contains("SVC_SECRET_KEY"), "{said}");
    assert_repair_works(&client, &records).await;
    let (status, info) = run_search(&client).await;
    assert_eq!(status, "FULL_RESULTS_READY", "{info}");
    assert!(!sealed.requests().is_empty());
    running.kill();

    // The key is found again: secrets that nobody entered again are restored, together with the edits.
    let key = key_of(here.path());
    let running = serve(there.path(), &[("SVC_SECRET_KEY", &key)]);
    let client = admin(&running);
    let found = client.get(&records.inactive).await.body;
    assert_eq!(found["unreadable_fields"], Value::Null, "{found}");
    assert_eq!((&found["description"], &found["credentials"]), (&json!("edited"), &json!("X-Api-Key=••••")));
    assert_eq!(found["http_request_headers"], json!({"X-Token": "••••"}));
    assert!(found["url"].as_str().unwrap().contains("api_key="), "{found}");
    running.kill();
}
