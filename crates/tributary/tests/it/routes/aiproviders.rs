//! `/svc/aiproviders/`: records of AI models. Their keys are never returned.

use crate::app_harness::{Answer, AppHarness, Client};
use domain::ids::AiProviderId;
use domain::ports::AiProviderStore;
use fakes::models::cohere::Cohere;
use fakes::models::openai::OpenAi;
use fakes::models::{KEY, Manner, ModelServer, Refusal};
use reqwest::Method;
use serde_json::{Value, json};

const LIST: &str = "/svc/aiproviders/";
const SECRET: &str = "canary-model-key";

async fn create(app: &AppHarness, spec: Value) -> (String, Value) {
    let answer = app.admin.post(LIST, &spec).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    (format!("{LIST}{}/", answer.body["id"]), answer.body)
}

async fn named(client: &Client, name: &str) -> Option<Value> {
    let all = client.get(LIST).await.body;
    all.as_array().unwrap().iter().find(|one| one["name"] == name).cloned()
}

async fn stored_key(app: &AppHarness, shown: &Value) -> String {
    let id = AiProviderId(shown["id"].as_i64().unwrap());
    app.service.app().store.ai_provider(id).await.unwrap().spec.api_key
}

async fn test_provider(client: &Client, path: &str) -> Answer {
    Answer::of(client.request(Method::POST, path)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_brings_a_record_for_each_service() {
    let app = AppHarness::start().await;
    let all = app.admin.get(LIST).await.body;
    let names: Vec<&str> = all.as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    for template in ai::PROVIDERS {
        assert!(names.contains(&template.name), "{} is not in {names:?}", template.name);
    }
    assert_eq!(names.len(), ai::PROVIDERS.len());
    for one in all.as_array().unwrap() {
        assert_eq!(one["active"], one["name"] == "local", "{one}");
        assert_eq!(
            (&one["owner"], &one["api_key_set"], &one["shared"]),
            (&json!(""), &json!(false), &json!(true))
        );
        assert_eq!(one["config"]["roles"], one["tags"]);
    }
    let local = named(&app.admin, "local").await.unwrap();
    assert_eq!((&local["tags"], &local["defaults"]), (&json!(["reader"]), &json!(["reader"])));

    // The next start keeps the changes of people.
    let path = |one: &Value| format!("{LIST}{}/", one["id"]);
    let (gone, changed) =
        (named(&app.admin, "Groq").await.unwrap(), named(&app.admin, "OpenAI").await.unwrap());
    assert_eq!(app.admin.delete(&path(&gone)).await.status, 204);
    assert_eq!(app.admin.patch(&path(&changed), &json!({"model": "gpt-5-mini"})).await.status, 200);
    let wired = app.service.app();
    ai::ensure_records(&*wired.store, wired.clock.now()).await.unwrap();
    assert_eq!(named(&app.admin, "Groq").await, None);
    assert_eq!(named(&app.admin, "OpenAI").await.unwrap()["model"], "gpt-5-mini");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_written_and_never_read() {
    let app = AppHarness::start().await;
    let before = named(&app.admin, "OpenAI").await.unwrap();
    let path = format!("{LIST}{}/", before["id"]);
    let patched = app.admin.patch(&path, &json!({"active": true, "api_key": SECRET})).await;
    assert_eq!((patched.status.as_u16(), &patched.body["active"]), (200, &json!(true)), "{patched:?}");
    assert_eq!(patched.body["api_key_set"], true);
    assert_eq!(
        (&patched.body["model"], &patched.body["tags"]),
        (&before["model"], &before["tags"]),
        "the rest stays"
    );
    assert_eq!(app.admin.get(LIST).await.body[0]["name"], "OpenAI", "the one updated last first");
    for kept in [json!({"active": false}), json!({"api_key": ""}), json!({"api_key": "••••"})] {
        let answer = app.admin.patch(&path, &kept).await;
        assert_eq!((answer.status.as_u16(), &answer.body["api_key_set"]), (200, &json!(true)), "{kept}");
        assert_eq!(stored_key(&app, &before).await, SECRET, "{kept}");
    }
    let whole = app.admin.get(&path).await.body;
    assert_eq!(app.admin.put(&path, &whole).await.status, 200);
    assert_eq!(stored_key(&app, &before).await, SECRET, "sent back as it was shown");
    let keys: Vec<&String> = whole.as_object().unwrap().keys().collect();
    let expected = [
        "id",
        "name",
        "owner",
        "shared",
        "active",
        "api_key_set",
        "model",
        "config",
        "tags",
        "defaults",
        "prompt_overrides",
        "date_created",
        "date_updated",
    ];
    assert_eq!(keys, expected);
    let otto = app.user("otto", &[]).await;
    for (client, path) in [(&app.admin, LIST), (&app.admin, &path), (&otto, LIST), (&otto, &path)] {
        let shown = client.get(path).await.body.to_string();
        assert!(!shown.contains(SECRET) && !shown.contains("\"api_key\""), "{shown}");
    }
    let audit = app.admin.get("/svc/audit/?kind=aiprovider").await.body.to_string();
    assert!(audit.contains("OpenAI") && audit.contains("api_key") && !audit.contains(SECRET), "{audit}");
    assert!(!files_hold(app.folder(), SECRET), "the key is sealed at rest");
    app.stop().await;
}

fn files_hold(folder: &std::path::Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return files_hold(&path, text);
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_and_secrets_of_the_config() {
    let app = AppHarness::start().await;
    let config = json!({"roles": ["RAG", "chat"], "AWS_SECRET_ACCESS_KEY": SECRET, "max_tokens": 900,
        "api_base": "https://models.example/v1"});
    let (path, shown) =
        create(&app, json!({"name": "Own", "model": "m", "tags": ["query"], "config": config})).await;
    assert_eq!((&shown["owner"], &shown["tags"]), (&json!("admin"), &json!(["rag", "chat"])), "{shown}");
    let masked = json!({"AWS_SECRET_ACCESS_KEY": "••••", "max_tokens": 900,
        "api_base": "https://models.example/v1", "roles": ["rag", "chat"]});
    assert_eq!(shown["config"], masked);
    let secret = async || {
        let id = AiProviderId(shown["id"].as_i64().unwrap());
        app.service.app().store.ai_provider(id).await.unwrap().spec.config["AWS_SECRET_ACCESS_KEY"].clone()
    };
    let mut edited = shown.clone();
    edited["tags"] = json!(["reader"]);
    let saved = app.admin.put(&path, &edited).await;
    assert_eq!(
        (saved.status.as_u16(), &saved.body["tags"]),
        (200, &json!(["reader"])),
        "roles as they were shown"
    );
    assert_eq!(secret().await, SECRET);
    let config = json!({"roles": ["reranker"], "AWS_SECRET_ACCESS_KEY": "••••",
        "api_base": "https://models.example/v2"});
    let saved = app.admin.patch(&path, &json!({"config": config})).await;
    assert_eq!(saved.body["tags"], json!(["reranker"]), "{saved:?}");
    assert_eq!((secret().await, &saved.body["config"]["max_tokens"]), (json!(SECRET), &json!(900)));
    let saved = app.admin.patch(&path, &json!({"config": {"roles": ["chat"], "max_tokens": null}})).await;
    assert_eq!(saved.body["tags"], json!(["chat"]), "{saved:?}");
    let config =
        json!({"AWS_SECRET_ACCESS_KEY": "••••", "api_base": "https://models.example/v2", "roles": ["chat"]});
    assert_eq!((secret().await, &saved.body["config"]), (json!(SECRET), &config), "the rest remains");
    let otto = app.user("otto", &[]).await;
    let seen = otto.get(&path).await.body;
    assert_eq!((&seen["config"], seen.get("prompt_overrides")), (&json!({"roles": ["chat"]}), None));
    app.stop().await;
}

/// The key of a service account may be given as the object that Google's console saves, as a text or as a path.
#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_a_service_account_is_masked_whatever_its_form() {
    const NAME: &str = "GOOGLE_APPLICATION_CREDENTIALS";
    let app = AppHarness::start().await;
    let otto = app.user("otto", &[]).await;
    let key = json!({"type": "service_account", "client_email": "a@mill.example", "private_key_id": "canary-key-id",
        "private_key": SECRET, "token_uri": "https://oauth2.googleapis.com/token", "more": [{"secret": SECRET}]});
    for (name, given) in [
        ("object", key.clone()),
        ("text", key.to_string().into()),
        ("path", json!("/etc/canary-key-id.json")),
    ] {
        let config = json!({NAME: given, "VERTEX_PROJECT": "mill-project", "VERTEX_LOCATION": "global"});
        let spec = json!({"name": name, "model": "vertex_ai/gemini-2.5-pro", "config": config});
        let (path, created) = create(&app, spec).await;
        let stored = async || {
            let id = AiProviderId(created["id"].as_i64().unwrap());
            app.service.app().store.ai_provider(id).await.unwrap().spec.config[NAME].clone()
        };
        let masked = json!({NAME: "••••", "VERTEX_PROJECT": "mill-project", "VERTEX_LOCATION": "global"});
        assert_eq!((&created["config"][NAME], stored().await), (&json!("••••"), given.clone()), "{name}");
        // Changes keep it: of another setting, with the mask, and of all that was shown.
        let patched = app.admin.patch(&path, &json!({"config": {"max_tokens": 900}})).await;
        assert_eq!((patched.status.as_u16(), stored().await), (200, given.clone()), "{name} {patched:?}");
        let patched = app.admin.patch(&path, &json!({"config": {NAME: "••••", "max_tokens": null}})).await;
        assert_eq!((patched.status.as_u16(), stored().await), (200, given.clone()), "{name} {patched:?}");
        let shown = app.admin.get(&path).await.body;
        let mut config = shown["config"].clone();
        config.as_object_mut().unwrap().shift_remove("roles");
        assert_eq!(config, masked, "{name}");
        assert_eq!(app.admin.put(&path, &shown).await.status, 200, "{name}");
        assert_eq!(stored().await, given, "{name}");
    }
    let paths = [LIST, "/svc/audit/?kind=aiprovider"];
    for (client, path) in [(&app.admin, paths[0]), (&app.admin, paths[1]), (&otto, paths[0])] {
        let shown = client.get(path).await.body.to_string();
        assert!(!shown.contains(SECRET) && !shown.contains("canary-key-id"), "{shown}");
    }
    assert!(!files_hold(app.folder(), SECRET), "the key is sealed at rest");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn private_ones_are_for_their_owner() {
    let app = AppHarness::start().await;
    let (path, _) = create(&app, json!({"name": "Own", "model": "m", "shared": false})).await;
    let otto = app.user("otto", &[]).await;
    assert_eq!(otto.get(&path).await.status, 404);
    assert_eq!(named(&otto, "Own").await, None);
    assert!(named(&otto, "OpenAI").await.is_some(), "shared ones are for all");
    for answer in [
        otto.post(LIST, &json!({"name": "Mine", "model": "m"})).await,
        otto.patch(&path, &json!({"active": true})).await,
        otto.delete(&path).await,
        test_provider(&otto, &format!("{path}test/")).await,
    ] {
        assert_eq!((answer.status.as_u16(), answer.code()), (403, "permission_denied"), "{answer:?}");
    }
    assert_eq!(app.admin.patch(&path, &json!({"shared": true})).await.status, 200);
    assert_eq!(otto.get(&path).await.status, 200);
    assert_eq!(app.admin.delete(&path).await.status, 204);
    assert_eq!(app.admin.get(&path).await.status, 404);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_filtered_and_mistakes_are_named() {
    let app = AppHarness::start().await;
    for query in ["tag=reranker", "role=Reranker"] {
        let found = app.admin.get(&format!("{LIST}?{query}")).await.body;
        assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
        assert_eq!(found[0]["name"], "Cohere rerank");
    }
    let page = app.admin.get(&format!("{LIST}?tag=reader&items=2")).await.body;
    assert!(
        page["count"].as_i64().unwrap() > 4 && page["next"].as_str().unwrap().contains("tag=reader"),
        "{page}"
    );
    let wrong = app.admin.get(&format!("{LIST}?role=rga")).await;
    assert_eq!(wrong.status, 400);
    assert!(
        wrong.body["errors"]["role"].to_string().contains("Unknown role 'rga'. Known: reader"),
        "{wrong:?}"
    );
    let (path, _) = create(&app, json!({"name": "Own", "model": "m"})).await;
    for (spec, field) in [
        (json!({"model": "m"}), "name"),
        (json!({"name": "A"}), "model"),
        (json!({"name": "A", "model": "m", "tags": ["writer"]}), "tags"),
        (json!({"name": "A", "model": "m", "config": {"roles": ["writer"]}}), "config"),
        (json!({"name": "A", "model": "m", "config": {"api_base": "no address"}}), "config"),
        (json!({"name": "A", "model": "azure/m"}), "config"),
        (json!({"name": "A", "model": "azure/m", "config": {"api_base": " "}}), "config"),
        (json!({"name": "A", "model": "m", "api_key": "••••"}), "api_key"),
        (json!({"name": "A", "model": "m", "api_key": "x".repeat(513)}), "api_key"),
    ] {
        let answer = app.admin.post(LIST, &spec).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (400, "invalid"), "{spec}");
        assert!(answer.body["errors"].get(field).is_some(), "{spec}: {answer:?}");
    }
    let prepared = app.admin.post(LIST, &json!({"name": "A", "model": "azure/m", "active": false})).await;
    assert_eq!(prepared.status, 201, "the address may follow: {prepared:?}");
    assert_eq!(app.admin.post(LIST, &json!({"name": "OpenAI", "model": "m"})).await.status, 409);
    assert_eq!(app.admin.patch(&path, &json!({"name": "OpenAI"})).await.status, 409);
    assert_eq!(app.admin.patch("/svc/aiproviders/999999/", &json!({})).await.status, 404);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_tried_before_it_is_used() {
    let app = AppHarness::start().await;
    let (openai, cohere) = (ModelServer::start(OpenAi).await, ModelServer::start(Cohere).await);
    openai.says("ready");
    let of = |name: &str, model: &str, tag: &str, base: String| json!({"name": name, "model": model, "tags": [tag], "active": false, "api_key": KEY, "config": {"api_base": base}});
    let writer = create(&app, of("Writer", "gpt-5", "rag", openai.at("/v1"))).await.0;
    let reader = create(&app, of("Reader", "text-embedding-3-small", "reader", openai.at("/v1"))).await.0;
    let ranker =
        create(&app, of("Ranker", "cohere/rerank-v3.5", "reranker", cohere.url().to_owned())).await.0;
    let test = async |path: &str| {
        let answer = test_provider(&app.admin, path).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.body["time"].as_f64().unwrap() < 30.0);
        answer.body
    };
    for (path, role, sample) in [
        (&writer, "rag", "ready"),
        (&reader, "reader", "A vector of "),
        (&ranker, "reranker", " for the relevant text"),
    ] {
        let trial = test(&format!("{path}test/")).await;
        assert_eq!(
            (&trial["status"], &trial["role"], &trial["error"]),
            (&json!("OK"), &json!(role), &Value::Null)
        );
        assert!(trial["sample"].as_str().unwrap().contains(sample), "{trial}");
    }
    // The same test twice sends two requests: nothing is cached.
    let before = openai.requests().len();
    test(&format!("{reader}test/")).await;
    assert_eq!(openai.requests().len(), before + 1);
    openai.behaves(Manner::Refuses(Refusal::new(401, format!("the key {KEY} is wrong"))));
    for path in [&writer, &reader] {
        let trial = test(&format!("{path}test/")).await;
        assert_eq!((&trial["status"], &trial["sample"]), (&json!("FAIL"), &Value::Null), "{trial}");
        let error = trial["error"].as_str().unwrap();
        assert!(!error.is_empty() && !error.contains(KEY), "{error}");
    }
    for (name, role, sample) in
        [("local", "reader", "A vector of "), ("Extractive answer", "rag", "no model is asked")]
    {
        let path = format!("{LIST}{}/test/", named(&app.admin, name).await.unwrap()["id"]);
        let trial = test(&path).await;
        assert_eq!((&trial["status"], &trial["role"]), (&json!("OK"), &json!(role)), "{trial}");
        assert!(trial["sample"].as_str().unwrap().contains(sample), "{trial}");
    }
    assert_eq!(test(&format!("{ranker}test/?role=chat")).await["role"], "chat");
    assert_eq!(test_provider(&app.admin, &format!("{ranker}test/?role=x")).await.status, 400);
    assert_eq!(test_provider(&app.admin, "/svc/aiproviders/999999/test/").await.status, 404);
    app.stop().await;
}
