//! Connection test of one AI provider, active or not, without fallback.

use crate::embeddings::AiEmbeddingModels;
use crate::error::full_message;
use crate::generation::AiGenerativeModels;
use domain::ai_provider::{AiProvider, EXTRACTIVE_MODEL, Role};
use domain::ports::{CompletionChunk, EmbeddingError, ModelError, PortError, Prompt, Turn};
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Time limit of a connection test.
pub const PROBE_TIME_MAX: Duration = Duration::from_secs(30);
/// Enough for a model that reasons before it replies.
const ANSWER_TOKENS_MAX: u32 = 1000;
/// Maximum number of characters of the reply that are shown.
const SAMPLE_CHARS_MAX: usize = 200;

const QUESTION: &str = "This is a test of the connection. Answer with the single word: ready";
const RANKED_QUERY: &str = "How high is the water of the river?";
const RANKED: [&str; 2] =
    ["The water of the river stands at three metres and rises.", "The bakery opens at six in the morning."];

/// Why a connection test failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeErrorKind {
    Timeout,
    /// The model could not be called, or failed.
    Model,
    /// The model returned nothing that can be used.
    Empty,
}

/// An error whose message contains no secret.
pub type ProbeError = PortError<ProbeErrorKind>;

/// The outcome of a connection test.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    /// The role that was tested.
    pub role: Role,
    /// Seconds.
    pub time: f64,
    /// What the model returned, or why it failed.
    pub outcome: Result<String, ProbeError>,
}

/// Tests providers with the same code that searches use.
pub struct ModelProbe {
    generative: Arc<AiGenerativeModels>,
    embedding: Arc<AiEmbeddingModels>,
}

impl ModelProbe {
    pub fn new(generative: Arc<AiGenerativeModels>, embedding: Arc<AiEmbeddingModels>) -> Self {
        Self { generative, embedding }
    }

    /// Tests a provider for this role, or for the first role that it has.
    pub async fn probe(&self, provider: &AiProvider, role: Option<Role>) -> ProbeResult {
        let role = role.unwrap_or_else(|| role_of(provider));
        let started = Instant::now();
        let asking = async {
            match role {
                Role::Reader => self.test_embedding(provider).await,
                Role::Reranker => self.test_reranking(provider).await,
                Role::Query | Role::Connector | Role::Rag | Role::Chat => {
                    self.test_generation(provider).await
                }
            }
        };
        let outcome = timeout(PROBE_TIME_MAX, asking).await;
        let late = |_| Err(ProbeError::new(ProbeErrorKind::Timeout, "It did not answer in time."));
        let outcome = outcome.unwrap_or_else(late);
        ProbeResult { role, time: started.elapsed().as_secs_f64(), outcome }
    }

    async fn test_generation(&self, provider: &AiProvider) -> Result<String, ProbeError> {
        if provider.spec.model == EXTRACTIVE_MODEL {
            return Ok("Extracts sentences from the sources; no model is asked.".to_owned());
        }
        let prompt = Prompt {
            system: String::new(),
            turns: vec![Turn::User(QUESTION.to_owned())],
            tools: Vec::new(),
            answer_tokens_max: ANSWER_TOKENS_MAX,
            time_max: PROBE_TIME_MAX,
        };
        let failed =
            |error: ModelError| ProbeError::new(ProbeErrorKind::Model, full_message(&error)).caused_by(error);
        let mut completion = self.generative.complete_with(provider, &prompt).await.map_err(failed)?;
        let mut text = String::new();
        while let Some(chunk) = completion.chunks.next().await {
            match chunk.map_err(failed)? {
                CompletionChunk::Text(more) => text.push_str(&more),
                CompletionChunk::ReasoningEnd => text.clear(),
                CompletionChunk::Call(_) | CompletionChunk::Usage { .. } | CompletionChunk::Cut => {}
            }
        }
        let text = text.trim();
        if text.is_empty() {
            let sentence = "The service responded, but the model returned no text.";
            return Err(ProbeError::new(ProbeErrorKind::Empty, sentence));
        }
        Ok(text.chars().take(SAMPLE_CHARS_MAX).collect())
    }

    async fn test_embedding(&self, provider: &AiProvider) -> Result<String, ProbeError> {
        let vector = self.embedding.probe_embedding(provider).await.map_err(embedding_failed)?;
        if vector.is_empty() {
            return Err(ProbeError::new(ProbeErrorKind::Empty, "The service returned no vector."));
        }
        Ok(format!("A vector of {} numbers.", vector.len()))
    }

    async fn test_reranking(&self, provider: &AiProvider) -> Result<String, ProbeError> {
        let texts = RANKED.map(str::to_owned);
        let ranks = self.embedding.rank(provider, RANKED_QUERY, &texts).await.map_err(embedding_failed)?;
        match ranks[..] {
            [relevant, other] => {
                Ok(format!("{relevant:.2} for the relevant text, {other:.2} for the irrelevant one."))
            }
            _ => {
                let sentence = format!("2 texts were sent, but {} scores were returned.", ranks.len());
                Err(ProbeError::new(ProbeErrorKind::Empty, sentence))
            }
        }
    }
}

fn embedding_failed(error: EmbeddingError) -> ProbeError {
    let model = match &error {
        EmbeddingError::Failed { source, .. } => source.as_ref().and_then(|cause| cause.downcast_ref()),
        EmbeddingError::Unknown { .. } => None,
    };
    let message = model.map_or_else(|| error.to_string(), full_message);
    ProbeError::new(ProbeErrorKind::Model, message).caused_by(error)
}

/// The role to test: generation before embedding before reranking.
fn role_of(provider: &AiProvider) -> Role {
    let order = [Role::Rag, Role::Chat, Role::Query, Role::Connector, Role::Reader, Role::Reranker];
    order.into_iter().find(|role| provider.spec.serves(*role)).unwrap_or(Role::Rag)
}
