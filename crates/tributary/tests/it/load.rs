//! `tributary load` and the commands beside it: what they store, refuse and leave unchanged.

use crate::app_harness::Client;
use crate::program::{Running, program, run, text};
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};
use std::path::Path;

/// The exit code of a command, and its output and error output.
fn output_of(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = run(folder, arguments);
    (output.status.code().unwrap(), text(&output.stdout) + &text(&output.stderr))
}

fn write(folder: &Path, name: &str, records: &Value) {
    std::fs::write(folder.join(name), records.to_string()).unwrap();
}

/// One record of each kind. References come before the records that they name.
fn everything() -> Value {
    json!([
        {"query_string": "river", "searchprovider_list": ["Mine"], "tags": ["saved"]},
        {"name": "Mine", "connector": "RequestsGet", "url": "https://a.example/",
            "query_processors": ["AdaptiveQueryProcessor", "phones.rewrite"], "credentials": "key=hush-source"},
        {"name": "Company model", "model": "gpt-5", "defaults": ["rag"], "tags": ["rag"], "api_key": "hush-model"},
        {"name": "phones", "qrx_type": "rewrite", "config_content": "mobiles; ombile,mobile"},
        {"idp": "microsoft", "name": "Microsoft", "client_id": "abc", "client_secret": "hush-client",
            "issuer": "https://login.example.com"},
        {"name": "company_style", "prompt": "Answer {query}", "tags": ["search-rag"]},
        {"name": "Spring", "product": "Riverbank", "accent": "#0f766e"},
    ])
}

async fn list(client: &Client, path: &str) -> Vec<Value> {
    let body = client.get(path).await.body;
    body.as_array().or_else(|| body["results"].as_array()).unwrap_or_else(|| panic!("{body}")).clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn records_of_every_kind_are_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    assert_eq!(output_of(here, &["setup"]).0, 0);
    write(here, "everything.json", &everything());
    let (code, first) = output_of(here, &["load", "everything.json"]);
    assert_eq!(code, 0, "{first}");
    let kinds = [
        "authenticators",
        "query transforms",
        "prompts",
        "AIProviders",
        "SearchProviders",
        "brandings",
        "searches",
    ];
    for kind in kinds {
        assert!(
            first.contains(&format!("{kind}: 1 added, 0 replaced, 0 already present")),
            "{kind}: {first}"
        );
    }
    assert!(first.contains("0 rejected") && !first.contains("hush"), "{first}");

    // The second time, named records exist already; a search is created again.
    let (code, again) = output_of(here, &["load", "everything.json"]);
    assert!(code == 0 && again.contains("searches: 1 added"), "{again}");
    assert_eq!(again.matches("0 added, 0 replaced, 1 already present").count(), 6, "{again}");
    let (code, replaced) = output_of(here, &["load", "everything.json", "--replace"]);
    assert!(code == 0 && replaced.matches("0 added, 1 replaced").count() == 6, "{replaced}");

    let token = text(&run(here, &["token", "add", "admin"]).stdout);
    let mut serve = program(here, &["serve"]);
    serve.env("SVC_PORT", "0");
    let service = Running::start(serve);
    let admin = service.client(Some(format!("Token {}", token.trim())));
    for (path, field, value) in [
        ("/svc/searchproviders/", "name", "Mine"),
        ("/svc/aiproviders/", "name", "Company model"),
        ("/svc/querytransforms/", "name", "phones"),
        ("/svc/authenticators/", "idp", "microsoft"),
        ("/svc/prompts/", "name", "company_style"),
        ("/svc/brandings/", "name", "Spring"),
    ] {
        let all = list(&admin, path).await;
        assert_eq!(all.iter().filter(|one| one[field] == value).count(), 1, "{path}: {all:?}");
    }
    assert_eq!(list(&admin, "/svc/search/").await.len(), 3);
    assert_eq!(service.terminate(), Some(0));
    let (_, audited) = output_of(here, &["audit", "list"]);
    for entry in ["created aiprovider", "created authenticator", "created searchprovider"] {
        assert!(audited.contains(entry), "{entry}: {audited}");
    }
    assert!(!audited.contains("hush"), "{audited}");
}

#[test]
fn what_is_refused_is_named_and_the_rest_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    assert_eq!(output_of(here, &["setup"]).0, 0);
    assert_eq!(output_of(here, &["user", "add", "anna"]).0, 0);
    let records = json!([
        {"name": "Result", "search_id": 1},
        {"name": "Nothing"},
        {"name": "A", "connector": "RequestGet", "url": "https://a.example/"},
        {"name": "B", "defaults": ["writer"], "model": "gpt-5"},
        {"name": "C", "defaults": [], "model": "gpt-5", "config": {"roles": "rag"}},
        {"query_string": ""},
        {"query_string": "river", "result_mixer": "NoSuchMixer"},
        {"idp": "Upper Case", "client_id": "abc", "client_secret": "••••"},
        {"name": "t", "qrx_type": "bag", "config_content": ""},
        {"name": "search_rag_standard", "prompt": "Mine", "tags": ["search-rag"]},
        {"name": "Pale", "accent": "#ffffff"},
        {"name": "D", "url": ["hush"]},
        {"name": "E\u{0}", "url": "https://e.example/"},
        "tea",
        {"name": "Fine", "url": "https://fine.example/"},
    ]);
    write(here, "mixed.json", &records);
    std::fs::write(here.join("broken.json"), "{").unwrap();
    let (code, told) = output_of(here, &["load", "mixed.json", "broken.json", "absent.json", "--replace"]);
    assert_eq!(code, 1, "{told}");
    for sentence in [
        "record 1: results are not loaded",
        "record 2: unknown kind of record",
        "record 3, SearchProvider: connector: Unknown connector 'RequestGet'",
        "record 4, AIProvider: defaults: Unknown role 'writer'",
        "record 5, AIProvider: config: roles is a list of texts",
        "record 6, search: query_string:",
        "record 7, search: result_mixer:",
        "record 8, authenticator: auth_uri:",
        "record 9, query transform: config_content: At least one rule is needed.",
        "record 10, prompt: 'search_rag_standard' is a standard prompt",
        "record 11, branding: accent: This color is too light",
        "record 12, SearchProvider: url: A text is needed",
        "record 13, SearchProvider: name: The NUL character",
        "record 14: expected a JSON object",
        "added SearchProvider Fine",
        "broken.json: not valid JSON",
        "absent.json: cannot be read",
        "SearchProviders: 1 added, 0 replaced, 0 already present",
        "16 rejected",
    ] {
        assert!(told.contains(sentence), "{sentence}: {told}");
    }
    assert!(!told.contains("hush"), "{told}");

    // Users who are not administrators may only load searches and prompts.
    write(here, "everything.json", &everything());
    let (code, told) = output_of(here, &["load", "everything.json", "--user", "anna"]);
    assert!(code == 1 && told.contains("'anna' is not an administrator"), "{told}");
    assert!(told.contains("prompts: 1 added") && told.contains("searches: 1 added"), "{told}");
    assert!(told.contains("5 rejected"), "{told}");
    write(here, "shared.json", &json!({"name": "x", "prompt": "x", "tags": ["chat"], "shared": true}));
    let (code, told) = output_of(here, &["load", "shared.json", "--user", "anna"]);
    assert!(code == 1 && told.contains("only administrators may share prompts"), "{told}");
    // An administrator does not replace a private prompt of somebody else either.
    let (code, told) = output_of(here, &["load", "everything.json", "--replace"]);
    assert!(code == 1 && told.contains("the prompt 'company_style' belongs to another user"), "{told}");
}

#[test]
fn one_kind_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    assert_eq!(output_of(here, &["setup"]).0, 0);
    write(here, "everything.json", &everything());
    for (command, kind) in [("load-authenticators", "authenticators"), ("load-branding", "brandings")] {
        let (code, told) = output_of(here, &[command, "everything.json"]);
        assert_eq!(code, 1, "{told}");
        assert!(told.contains(&format!("{kind}: 1 added")) && told.contains("6 rejected"), "{told}");
        assert!(told.contains("`tributary load` accepts every kind"), "{told}");
        let (_, help) = output_of(here, &[command, "--help"]);
        assert!(help.contains(&format!("tributary {command} ")) && !help.contains("my-searches"), "{help}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_prompts_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    assert_eq!(output_of(here, &["setup"]).0, 0);
    let url = format!("sqlite://{}", here.join("data/tributary.db").display());
    let mut file = SqliteConnection::connect(&url).await.unwrap();
    let tampered = "UPDATE prompts SET draft = json_set(draft, '$.prompt', 'Lie.') WHERE owner IS NULL";
    let changed = sqlx::query(tampered).execute(&mut file).await.unwrap().rows_affected();
    assert_eq!(changed, ai::PROMPTS.len() as u64);
    let (code, told) = output_of(here, &["reload-prompts"]);
    assert!(code == 0 && told.matches(": restored").count() == ai::PROMPTS.len(), "{told}");
    let lies = "SELECT count(*) FROM prompts WHERE draft LIKE '%Lie.%'";
    assert_eq!(sqlx::query_scalar::<_, i64>(lies).fetch_one(&mut file).await.unwrap(), 0);
    // A name that somebody used before the program had a prompt of that name.
    sqlx::query("UPDATE prompts SET owner = (SELECT id FROM users) WHERE name = 'chat_rag_standard'")
        .execute(&mut file)
        .await
        .unwrap();
    file.close().await.unwrap();
    let (code, told) = output_of(here, &["reload-prompts"]);
    assert!(code == 1 && told.contains("chat_rag_standard: not loaded: "), "{told}");
}

#[test]
fn names_and_tags_follow_the_ready_sources() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    assert_eq!(output_of(here, &["setup", "arxiv", "wikipedia"]).0, 0);
    assert!(output_of(here, &["sync-providers"]).1.contains("Nothing to change in 2 providers."));
    // The name in an earlier version, with a tag of the user.
    let ready = tributary::bundled_providers::find("guardian").unwrap().spec;
    let mut own = serde_json::to_value(&ready).unwrap();
    own["name"] = json!("The old name");
    own["tags"] = json!(["mine"]);
    own["credentials"] = json!("key=hush");
    own["active"] = json!(false);
    write(here, "own.json", &own);
    assert_eq!(output_of(here, &["load", "own.json"]).0, 0);
    let would = format!("  The old name: renamed to {}, add tags {}", ready.name, ready.tags.join(", "));
    for _ in 0..2 {
        let (code, told) = output_of(here, &["sync-providers"]);
        assert!(code == 0 && told.contains(&would), "{told}");
        assert!(told.contains("1 of 3 providers would change"), "{told}");
    }
    assert!(output_of(here, &["sync-providers", "Nobody"]).1.contains("no provider 'Nobody'"));
    let (code, told) = output_of(here, &["sync-providers", "--apply", "The old name"]);
    assert!(code == 0 && told.contains("1 of 3 providers changed."), "{told}");
    assert!(output_of(here, &["sync-providers"]).1.contains("Nothing to change in 3 providers."));
    let (_, audited) = output_of(here, &["audit", "list", "--kind", "searchprovider"]);
    let changed: Vec<&str> = audited.lines().filter(|line| line.contains("The old name")).collect();
    assert!(audited.contains("name: \"The old name\" -> "), "{audited}");
    assert!(!changed.is_empty() && !audited.contains("credentials: \"••••\" ->"), "{audited}");
}
