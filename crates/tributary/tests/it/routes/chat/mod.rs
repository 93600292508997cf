//! `/svc/chat/`: conversations over the sources, with a model that calls tools.

mod export;
mod limits;
mod messages;
mod model_errors;
mod records;

use crate::app_harness::{Answer, Client};
use crate::rag_fixture::RagFixture;
use domain::settings::{Settings, Throttle};
use fakes::models::{ModelRequest, Reply};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

/// A service with a model for chats and without a throttle.
async fn chat_fixture() -> RagFixture {
    let scenario = RagFixture::with(|settings| Settings { throttle_chat: Throttle(None), ..settings }).await;
    let role = json!({"tags": ["chat"], "defaults": ["chat"]});
    RagFixture::ai_provider(&scenario.app, "Talker", &scenario.model, role).await;
    scenario
}

/// A service that answers in chats with sentences of its sources.
async fn chat_fixture_without_model() -> RagFixture {
    let scenario = RagFixture::with(|settings| Settings { throttle_chat: Throttle(None), ..settings }).await;
    let picker = json!({"name": "Picker", "model": "local/extractive", "tags": ["chat"], "active": true});
    assert_eq!(scenario.app.admin.post("/svc/aiproviders/", &picker).await.status, 201);
    scenario
}

/// Creates a chat. Returns its path.
async fn chat(client: &Client, spec: Value) -> String {
    let begun = client.post("/svc/chat/", &spec).await;
    assert_eq!(begun.status, 201, "{begun:?}");
    format!("/svc/chat/{}/", begun.body["id"])
}

async fn send_message(client: &Client, chat: &str, content: &str) -> Answer {
    client.post(&format!("{chat}messages/"), &json!({"content": content})).await
}

/// A model that searches once, and then answers with the text.
fn search_then_answer(text: &'static str) -> impl Fn(&ModelRequest) -> Reply + Send + Sync {
    move |request| match request.body["messages"].as_array().unwrap().last().unwrap()["role"].as_str() {
        Some("tool") => Reply::text(text),
        _ => Reply::call("search", json!({"query": "river mill"})),
    }
}

/// All events of an answer until the stream ends: (name, data).
async fn events(client: &Client, chat: &str, said: &Value) -> Vec<(String, Value)> {
    let request = client.request(Method::POST, &format!("{chat}messages/")).body(said.to_string());
    let request = request.header("Content-Type", "application/json").header("Accept", "text/event-stream");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream"));
    let text = tokio::time::timeout(Duration::from_secs(30), response.text()).await.unwrap().unwrap();
    let field = |block: &str, name: &str| {
        block.lines().filter_map(|line| line.strip_prefix(name)).map(str::trim).collect::<Vec<_>>().join("\n")
    };
    text.split("\n\n")
        .filter(|block| block.contains("event:"))
        .map(|block| (field(block, "event:"), serde_json::from_str(&field(block, "data:")).unwrap()))
        .collect()
}
