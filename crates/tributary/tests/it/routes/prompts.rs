//! `/svc/prompts/`: prompt templates for models.

use crate::app_harness::{AppHarness, Client};
use serde_json::{Value, json};

const LIST: &str = "/svc/prompts/";
/// The maximum number of prompts of one person.
const OWN_MAX: usize = 100;

fn spec(name: &str) -> Value {
    json!({"name": name, "prompt": "Answer {query}", "note": "n", "footer": "f", "tags": ["search-rag"]})
}

async fn create_prompt(client: &Client, spec: &Value) -> (String, Value) {
    let answer = client.post(LIST, spec).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    (format!("{LIST}{}/", answer.body["id"]), answer.body)
}

async fn names(client: &Client, query: &str) -> Vec<String> {
    let all = client.get(&format!("{LIST}{query}")).await.body;
    all.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_prompts_are_there_and_stay() {
    let app = AppHarness::start().await;
    let otto = app.user("otto", &[]).await;
    let standard = [
        "search_rag_standard",
        "search_rag_deeplink",
        "chat_rag_instructions_standard",
        "chat_rag_standard",
        "chat_rag_deeplink",
    ];
    assert_eq!(names(&otto, "").await, standard);
    assert_eq!(names(&otto, "?tag=chat-rag").await, ["chat_rag_standard", "chat_rag_deeplink"]);
    assert_eq!(otto.get(&format!("{LIST}?tag=chats")).await.status, 400);
    for one in otto.get(LIST).await.body.as_array().unwrap() {
        assert_eq!(
            (&one["owner"], &one["standard"], &one["active"]),
            (&json!(""), &json!(true), &json!(true))
        );
        let path = format!("{LIST}{}/", one["id"]);
        for client in [&app.admin, &otto] {
            for answer in [
                client.put(&path, &spec("x")).await,
                client.patch(&path, &json!({"active": false})).await,
                client.delete(&path).await,
            ] {
                assert_eq!((answer.status.as_u16(), answer.code()), (409, "conflict"), "{answer:?}");
                assert!(answer.body["detail"].as_str().unwrap().contains("copy it"), "{answer:?}");
            }
        }
    }
    assert_eq!(otto.post(LIST, &spec("search_rag_standard")).await.status, 409, "the name is taken");
    let wired = app.service.app();
    let before = otto.get(LIST).await.body;
    ai::ensure_records(&*wired.store, wired.clock.now()).await.unwrap();
    assert_eq!(otto.get(LIST).await.body, before, "another start changes nothing");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_keeps_prompts_of_their_own() {
    let app = AppHarness::start().await;
    let (ann, otto) = (app.user("ann", &[]).await, app.user("otto", &[]).await);
    let (path, shown) = create_prompt(&ann, &spec("company_style")).await;
    let keys: Vec<&String> = shown.as_object().unwrap().keys().collect();
    let expected = [
        "id",
        "owner",
        "standard",
        "name",
        "prompt",
        "note",
        "footer",
        "tags",
        "active",
        "shared",
        "date_created",
        "date_updated",
    ];
    assert_eq!(keys, expected);
    assert_eq!(
        (&shown["owner"], &shown["standard"], &shown["shared"]),
        (&json!("ann"), &json!(false), &json!(false))
    );
    for stranger in [&otto, &app.admin] {
        assert_eq!(stranger.get(&path).await.status, 404);
        assert_eq!(stranger.delete(&path).await.status, 404);
        assert!(!names(stranger, "").await.contains(&"company_style".to_owned()));
    }
    let patched = ann.patch(&path, &json!({"note": "In short."})).await.body;
    assert_eq!((&patched["note"], &patched["prompt"]), (&json!("In short."), &json!("Answer {query}")));
    let share = json!({"shared": true});
    for answer in
        [ann.patch(&path, &share).await, ann.post(LIST, &json!({"name": "b", "shared": true})).await]
    {
        assert_eq!((answer.status.as_u16(), answer.code()), (403, "permission_denied"), "{answer:?}");
    }
    let (shared, _) =
        create_prompt(&app.admin, &json!({"name": "ours", "prompt": "p", "tags": ["chat"], "shared": true}))
            .await;
    assert_eq!(ann.get(&shared).await.body["owner"], "admin");
    for answer in [ann.patch(&shared, &json!({"note": "x"})).await, ann.delete(&shared).await] {
        assert_eq!((answer.status.as_u16(), answer.code()), (403, "permission_denied"), "{answer:?}");
    }
    assert_eq!(app.admin.put(&shared, &spec("ours")).await.status, 200);
    assert_eq!(ann.get(&shared).await.status, 404, "no longer shared");
    assert_eq!(ann.delete(&path).await.status, 204);
    assert_eq!(ann.get(&path).await.status, 404);
    let audit = app.admin.get("/svc/audit/?kind=prompt").await.body;
    let told: Vec<&str> = audit.as_array().unwrap().iter().filter_map(|one| one["action"].as_str()).collect();
    assert_eq!(told, ["deleted", "replaced", "created", "changed", "created"]);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_named_and_numbers_are_bounded() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    for (more, field) in [
        (json!({"name": "two words"}), "name"),
        (json!({"name": ""}), "name"),
        (json!({"prompt": " "}), "prompt"),
        (json!({"tags": []}), "tags"),
        (json!({"tags": ["search"]}), "tags"),
        (json!({"footer": "x".repeat(20_001)}), "footer"),
    ] {
        let mut wrong = spec("right");
        wrong.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = ann.post(LIST, &wrong).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (400, "invalid"), "{more}");
        assert!(answer.body["errors"].get(field).is_some(), "{more}: {answer:?}");
    }
    for number in 0..OWN_MAX {
        create_prompt(&ann, &spec(&format!("p{number}"))).await;
    }
    let refused = ann.post(LIST, &spec("more")).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (409, "conflict"), "{refused:?}");
    create_prompt(&app.admin, &spec("more")).await;
    app.stop().await;
}
