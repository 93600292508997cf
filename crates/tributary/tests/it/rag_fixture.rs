//! Fixture for summaries and chats: a service with a source about a mill and a model that writes about it.

use crate::app_harness::{Answer, AppHarness, Client};
use domain::settings::Settings;
use fakes::models::openai::OpenAi;
use fakes::models::{KEY, ModelServer};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::source::{Behavior, Source};

pub struct RagFixture {
    pub app: AppHarness,
    pub model: ModelServer,
    pub source: Source,
    /// The id of the AIProvider.
    pub ai_provider: i64,
}

/// The documents of the source.
pub fn documents() -> Value {
    json!({"total": 2, "items": [
        {"title": "The river mill", "url": "https://mills.example/1", "date": "2024-03-05",
            "body": "The mill stands by the river and has ground corn for two hundred years."},
        {"title": "The mill wheel at the river", "url": "https://mills.example/2", "date": "2023-01-02",
            "body": "The wheel of the river mill is made of oak, larger than the first wheel that was lost in a flood."},
    ]})
}

impl RagFixture {
    pub async fn start() -> Self {
        Self::with(|settings| settings).await
    }

    pub async fn with(change: impl FnOnce(Settings) -> Settings) -> Self {
        let model = ModelServer::start(OpenAi).await;
        // The texts are few and short, so the threshold is low: scores are not tested here.
        let app =
            AppHarness::with(|settings| change(Settings { rag_score_inclusion_threshold: 0.05, ..settings }))
                .await;
        let source = Source::start().await;
        source.reply(Behavior::Json(documents()));
        app.provider("Mills", &source).await;
        let ai_provider = Self::ai_provider(&app, "Company model", &model, json!({})).await;
        Self { app, model, source, ai_provider }
    }

    /// Adds an AIProvider that writes summaries with this model. Returns its id.
    pub async fn ai_provider(app: &AppHarness, name: &str, model: &ModelServer, more: Value) -> i64 {
        let mut spec = json!({
            "name": name, "model": "gpt-4o", "api_key": KEY, "active": true, "tags": ["rag"], "defaults": ["rag"],
            "config": {"api_base": model.at("/v1")},
        });
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let made = app.admin.post("/svc/aiproviders/", &spec).await;
        assert_eq!(made.status, 201, "{made:?}");
        made.body["id"].as_i64().unwrap()
    }

    /// Runs a search about the mill. Returns its id.
    pub async fn search(&self) -> i64 {
        let search = self.app.admin.search(&json!({"query_string": "river mill"})).await;
        assert_eq!(search["status"], "FULL_RESULTS_READY", "{search}");
        search["id"].as_i64().unwrap()
    }

    pub async fn rag_search(&self, body: &Value) -> Answer {
        self.app.admin.post("/svc/rag-search/", body).await
    }

    /// Waits until the model is sending this many answers.
    pub async fn model_writes(&self, count: usize) {
        for _ in 0..1000 {
            if self.model.open() == count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the model sends {} answers, not {count}", self.model.open());
    }
}

/// All events of a summary until the stream ends: (name, data).
pub async fn events(client: &Client, request: EventRequest<'_>) -> Vec<(String, Value)> {
    let response = match request {
        EventRequest::Get(path) => client.request(Method::GET, path),
        EventRequest::RagSearch(body) => client
            .request(Method::POST, "/svc/rag-search/")
            .header("Content-Type", "application/json")
            .body(body.to_string()),
    };
    let response = response.header("Accept", "text/event-stream").send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream"));
    assert_eq!(response.headers()["x-accel-buffering"], "no", "a proxy passes every event on at once");
    let text = tokio::time::timeout(Duration::from_secs(30), response.text()).await.unwrap().unwrap();
    let field = |block: &str, name: &str| {
        block.lines().filter_map(|line| line.strip_prefix(name)).map(str::trim).collect::<Vec<_>>().join("\n")
    };
    text.split("\n\n")
        .filter(|block| block.contains("event:"))
        .map(|block| (field(block, "event:"), serde_json::from_str(&field(block, "data:")).unwrap()))
        .collect()
}

pub enum EventRequest<'a> {
    Get(&'a str),
    RagSearch(Value),
}
