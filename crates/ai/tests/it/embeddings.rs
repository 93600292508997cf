//! Embeddings and reranking: batches, cache and failures.

use crate::fixture::{Records, client};
use ai::AiEmbeddingModels;
use async_trait::async_trait;
use domain::ai_provider::{AiProvider, AiProviderSpec};
use domain::ids::{AiProviderId, UserId};
use domain::instant::Instant;
use domain::ports::{
    AiProviderEdits, AiProviderStore, EmbeddingError, EmbeddingInput, EmbeddingModels, StoreError,
};
use domain::settings::PluginSettings;
use fakes::models::bedrock::Bedrock;
use fakes::models::cohere::Cohere;
use fakes::models::gemini::{self, Gemini};
use fakes::models::ollama::Ollama;
use fakes::models::openai::OpenAi;
use fakes::models::{KEY, Manner, ModelServer, Refusal, Vendor};
use fakes::vector_documents;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testkit::clock::FixedClock;

fn record(id: i64, name: &str, model: &str, more: Value) -> AiProvider {
    let mut spec = json!({"name": name, "model": model, "api_key": KEY, "tags": ["reader"]});
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    AiProvider {
        id: AiProviderId(id),
        owner: None,
        spec: serde_json::from_value::<AiProviderSpec>(spec).unwrap(),
        is_unreadable: false,
        date_created: Default::default(),
        date_updated: Default::default(),
    }
}

fn models(records: Vec<AiProvider>) -> AiEmbeddingModels {
    let clock = Arc::new(FixedClock::default());
    AiEmbeddingModels::new(Arc::new(Records(records)), client(), clock, Arc::new(PluginSettings::default()))
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text {number}")).collect()
}

/// A service, its model, the configuration, and the maximum number of texts per request.
struct Case {
    vendor: fn() -> Arc<dyn Vendor>,
    model: &'static str,
    config: fn(&str) -> Value,
    batch_max: usize,
}

const CASES: &[Case] = &[
    Case {
        vendor: || Arc::new(OpenAi),
        model: "text-embedding-3-small",
        config: |url| json!({"api_base": format!("{url}/v1")}),
        batch_max: 128,
    },
    Case {
        vendor: || Arc::new(Gemini { is_vertex: false }),
        model: "gemini/gemini-embedding-001",
        config: |url| json!({"api_base": url}),
        batch_max: 100,
    },
    Case {
        vendor: || Arc::new(Gemini { is_vertex: true }),
        model: "vertex_ai/text-embedding-005",
        config: |url| json!({"api_base": url, "VERTEX_PROJECT": gemini::PROJECT, "VERTEX_LOCATION": gemini::LOCATION}),
        batch_max: 100,
    },
    Case {
        vendor: || Arc::new(Gemini { is_vertex: true }),
        model: "vertex_ai/gemini-embedding-001",
        config: |url| json!({"api_base": url, "VERTEX_PROJECT": gemini::PROJECT, "VERTEX_LOCATION": gemini::LOCATION}),
        batch_max: 1,
    },
    Case {
        vendor: || Arc::new(Ollama::default()),
        model: "ollama/llama3.2",
        config: |url| json!({"api_base": url}),
        batch_max: 128,
    },
    Case {
        vendor: || Arc::new(Cohere),
        model: "cohere/embed-v4.0",
        config: |url| json!({"api_base": url}),
        batch_max: 96,
    },
    Case {
        vendor: || Arc::new(Cohere),
        model: "cohere/embed-v4.0",
        config: |url| json!({"api_base": url, "batch_max": 7}),
        batch_max: 7,
    },
    Case {
        vendor: || Arc::new(Bedrock),
        model: "bedrock/amazon.titan-embed-text-v2:0",
        config: |url| json!({"api_base": url}),
        batch_max: 1,
    },
    Case {
        vendor: || Arc::new(Bedrock),
        model: "bedrock/cohere.embed-multilingual-v3",
        config: |url| json!({"api_base": url}),
        batch_max: 96,
    },
];

#[tokio::test]
async fn every_service_reads_in_batches_and_in_order() {
    for case in CASES {
        let server = ModelServer::of((case.vendor)()).await;
        let models = models(vec![record(1, "R", case.model, json!({"config": (case.config)(server.url())}))]);
        let mut asked = texts(case.batch_max + 2);
        asked.push(asked[0].clone());
        asked.push("  ".to_owned());
        let read = models.embed_many("r", EmbeddingInput::Passage, &asked).await;
        let read = read.unwrap_or_else(|error| panic!("{}: {error}", case.model));
        let expected: Vec<Vec<f32>> = asked
            .iter()
            .map(|text| if text.trim().is_empty() { Vec::new() } else { vector_documents::embed(text) })
            .collect();
        assert_eq!(read, expected, "{}", case.model);
        let requests = server.requests().len();
        assert_eq!(requests, (case.batch_max + 2).div_ceil(case.batch_max), "{}", case.model);
        // Vectors are cached; a model name works too; a query is embedded separately from a passage.
        let again = models.embed_many(case.model, EmbeddingInput::Passage, &asked[..1]).await;
        assert_eq!((again, server.requests().len()), (Ok(expected[..1].to_vec()), requests));
        assert_eq!(models.embed("R", &asked[0]).await, Ok(expected[0].clone()));
        assert_eq!(server.requests().len(), requests + 1, "{}", case.model);
    }
}

#[tokio::test]
async fn prefixes_and_dimensions_are_sent() {
    let server = ModelServer::of(Arc::new(OpenAi)).await;
    let config = json!({
        "api_base": format!("{}/v1", server.url()), "query_prefix": "query: ", "passage_prefix": "passage: ",
        "dimensions": vector_documents::DIMENSIONS,
    });
    let models = models(vec![record(1, "R", "e5", json!({"config": config}))]);
    for (input, sent) in [(EmbeddingInput::Query, "query: a"), (EmbeddingInput::Passage, "passage: a")] {
        let read = models.embed_many("R", input, &["a".to_owned()]).await;
        assert_eq!(read, Ok(vec![vector_documents::embed(sent)]));
        let body = server.requests().pop().unwrap().body;
        assert_eq!(
            (&body["input"], &body["dimensions"]),
            (&json!([sent]), &json!(vector_documents::DIMENSIONS))
        );
    }
}

#[tokio::test]
async fn failures_are_reported_without_the_key() {
    let server = ModelServer::of(Arc::new(Cohere)).await;
    let config = |more: Value| {
        let mut config = json!({"api_base": server.url()});
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"config": config})
    };
    let models = models(vec![
        record(1, "R", "cohere/embed-v4.0", config(json!({}))),
        record(2, "Wrong length", "cohere/embed-v4.0", config(json!({"dimensions": 3}))),
    ]);
    let failure = |behavior: Option<Manner>, model: &'static str| {
        behavior.into_iter().for_each(|behavior| server.behaves_once(behavior));
        let models = &models;
        async move { models.embed(model, "the mill").await.expect_err("a failure").to_string() }
    };
    let refusal = Refusal::new(404, format!("no such model, {KEY}"));
    let message = failure(Some(Manner::Refuses(refusal)), "R").await;
    assert!(
        message.contains("'R' answered with status 404: no such model") && !message.contains(KEY),
        "{message}"
    );
    let message = failure(Some(Manner::Garbage), "R").await;
    assert!(message.contains("'R'") && message.contains("cannot be read"), "{message}");
    let message = failure(None, "Wrong length").await;
    assert!(message.contains("16 numbers where 3 were expected"), "{message}");
    let message = failure(None, "Rx").await;
    assert!(message.contains("the reader model 'Rx' is not known"), "{message}");
    assert_eq!(models.embed("R", " ").await, Err(EmbeddingError::failed("the query has no word")));
}

#[tokio::test]
async fn the_default_reader_ranks_unless_it_is_the_built_in_one() {
    let local = |more: Value| record(1, "local", "local", more);
    let other = |more: Value| record(2, "Other", "gpt", more);
    let default = || json!({"defaults": ["reader"]});
    for (records, expected) in [
        (vec![], None),
        (vec![local(default())], None),
        (vec![local(default()), other(json!({}))], None),
        (vec![local(json!({})), other(default())], Some("Other")),
        (vec![other(json!({}))], Some("Other")),
        (vec![other(json!({"active": false}))], None),
        (vec![other(json!({"shared": false}))], None),
        (vec![other(json!({"tags": ["chat"]}))], None),
    ] {
        let shown = format!("{records:?}");
        assert_eq!(models(records).ranking_model().await, Ok(expected.map(str::to_owned)), "{shown}");
    }
}

#[tokio::test]
async fn the_built_in_model_needs_no_record() {
    let models = models(Vec::new());
    for name in ["", "local", "default"] {
        let read =
            models.embed_many(name, EmbeddingInput::Passage, &["the river".to_owned(), String::new()]).await;
        let read = read.expect("vectors");
        assert_eq!(read[0], models.embed(name, "the river").await.expect("a vector"));
        assert!(read[1].iter().all(|number| *number == 0.0) && read[0].len() == read[1].len());
    }
}

#[tokio::test]
async fn rerankers_rank() {
    let vendors: [(Arc<dyn Vendor>, &str); 2] =
        [(Arc::new(Cohere), "cohere/rerank-v3.5"), (Arc::new(Bedrock), "bedrock/cohere.rerank-v3-5:0")];
    for (vendor, model) in vendors {
        let server = ModelServer::of(vendor).await;
        let more = json!({"tags": ["reranker"], "config": {"api_base": server.url()}});
        let models = models(vec![record(1, "R", model, more)]);
        let texts = ["the mill", "the mill by the river", " "].map(str::to_owned);
        assert_eq!(models.rerank("mill river", &texts).await, Ok(Some(vec![0.5, 1.0, 0.0])), "{model}");
        assert_eq!(models.rerank("mill", &[]).await, Ok(Some(Vec::new())));
        let many = vec!["x".to_owned(); 101];
        assert!(models.rerank("mill", &many).await.is_err(), "so many are not ranked");
        server.behaves(Manner::Throttles(None));
        let error = models.rerank("mill", &texts).await.expect_err("it rests");
        assert!(error.to_string().contains("'R' answered with status 429"), "{error}");
    }
    assert_eq!(models(Vec::new()).rerank("mill", &["x".to_owned()]).await, Ok(None));
}

/// Counts reads of the records and lets a test change them.
struct Counted {
    records: Mutex<Vec<AiProvider>>,
    reads: AtomicUsize,
}

#[async_trait]
impl AiProviderStore for Counted {
    async fn create_ai_provider(
        &self,
        _spec: AiProviderSpec,
        _owner: Option<UserId>,
        _now: Instant,
    ) -> Result<AiProvider, StoreError> {
        Err(StoreError::NotFound)
    }
    async fn ai_provider(&self, _id: AiProviderId) -> Result<AiProvider, StoreError> {
        Err(StoreError::NotFound)
    }
    async fn ai_providers(&self) -> Result<Vec<AiProvider>, StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        Ok(self.records.lock().unwrap().clone())
    }
}

#[async_trait]
impl AiProviderEdits for Counted {
    async fn replace_ai_provider(
        &self,
        _id: AiProviderId,
        _spec: AiProviderSpec,
        _now: Instant,
    ) -> Result<AiProvider, StoreError> {
        Err(StoreError::NotFound)
    }
    async fn delete_ai_provider(&self, _id: AiProviderId) -> Result<(), StoreError> {
        Err(StoreError::NotFound)
    }
}

#[tokio::test]
async fn records_are_read_again_after_some_seconds() {
    let clock = Arc::new(FixedClock::default());
    let store = Arc::new(Counted { records: Mutex::default(), reads: AtomicUsize::new(0) });
    let models =
        AiEmbeddingModels::new(store.clone(), client(), clock.clone(), Arc::new(PluginSettings::default()));
    for _ in 0..5 {
        assert_eq!(models.ranking_model().await, Ok(None));
    }
    assert_eq!(store.reads.load(Ordering::SeqCst), 1);
    store.records.lock().unwrap().push(record(1, "New", "gpt", json!({})));
    clock.advance(ai::PROVIDERS_TTL - Duration::from_millis(1));
    assert_eq!(models.ranking_model().await, Ok(None));
    clock.advance(Duration::from_millis(1));
    assert_eq!(models.ranking_model().await, Ok(Some("New".to_owned())));
    clock.set(Instant::UNIX_EPOCH);
    models.ranking_model().await.expect("a name");
    assert_eq!(store.reads.load(Ordering::SeqCst), 3, "a clock that was set back keeps nothing");
}
