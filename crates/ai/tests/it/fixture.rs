//! A fake service, the guarded client and the models.

use crate::rows::Row;
use ai::AiGenerativeModels;
use async_trait::async_trait;
use domain::ai_provider::{AiProvider, AiProviderSpec, Role};
use domain::ids::{AiProviderId, UserId};
use domain::instant::Instant;
use domain::ports::{
    AiProviderEdits, AiProviderStore, Completion, CompletionChunk, GenerativeModels, ModelError,
    ModelRequest, Prompt, StoreError, ToolCall, Turn,
};
use domain::settings::PluginSettings;
use fakes::models::ModelServer;
use futures_util::StreamExt;
use outbound::{ClientLimits, GuardedClient};
use std::sync::Arc;
use std::time::Duration;
use testkit::clock::FixedClock;

/// Longer than any test needs.
pub const AMPLE: Duration = Duration::from_secs(30);

/// A store that only holds AI provider records.
pub struct Records(pub Vec<AiProvider>);

#[async_trait]
impl AiProviderStore for Records {
    async fn create_ai_provider(
        &self,
        _spec: AiProviderSpec,
        _owner: Option<UserId>,
        _now: Instant,
    ) -> Result<AiProvider, StoreError> {
        Err(StoreError::failed("read only"))
    }
    async fn ai_provider(&self, id: AiProviderId) -> Result<AiProvider, StoreError> {
        self.0.iter().find(|one| one.id == id).cloned().ok_or(StoreError::NotFound)
    }
    async fn ai_providers(&self) -> Result<Vec<AiProvider>, StoreError> {
        Ok(self.0.clone())
    }
}

#[async_trait]
impl AiProviderEdits for Records {
    async fn replace_ai_provider(
        &self,
        _id: AiProviderId,
        _spec: AiProviderSpec,
        _now: Instant,
    ) -> Result<AiProvider, StoreError> {
        Err(StoreError::failed("read only"))
    }
    async fn delete_ai_provider(&self, _id: AiProviderId) -> Result<(), StoreError> {
        Err(StoreError::failed("read only"))
    }
}

pub fn client() -> Arc<GuardedClient> {
    let limits = ClientLimits {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(20),
        body_bytes_max: 10_000_000,
        redirects_max: 3,
        allow: Vec::new(),
    };
    Arc::new(GuardedClient::new(limits).unwrap())
}

pub fn models(providers: Vec<AiProvider>) -> AiGenerativeModels {
    let clock = Arc::new(FixedClock::default());
    AiGenerativeModels::new(
        Arc::new(Records(providers)),
        client(),
        clock,
        Arc::new(PluginSettings::default()),
    )
}

/// A fake service and its record.
pub struct Fixture {
    pub server: ModelServer,
    pub provider: AiProvider,
    pub models: AiGenerativeModels,
}

impl Fixture {
    pub async fn of(row: &Row) -> Self {
        let server = ModelServer::of((row.vendor)()).await;
        let provider = row.provider(1, server.url());
        Self { models: models(vec![provider.clone()]), server, provider }
    }

    pub async fn complete(&self, prompt: &Prompt) -> Result<Completion, ModelError> {
        self.models.complete(&model_request(), prompt).await
    }

    /// Requests a completion and reads it to its end.
    pub async fn collect_reply(&self, prompt: &Prompt) -> CollectedReply {
        match self.complete(prompt).await {
            Ok(completion) => CollectedReply::of(completion).await,
            Err(error) => CollectedReply { error: Some(error), ..CollectedReply::default() },
        }
    }
}

pub fn model_request() -> ModelRequest {
    ModelRequest::of(Role::Rag, None)
}

pub fn prompt(time_max: Duration) -> Prompt {
    Prompt {
        system: "Answer from the sources alone.".to_owned(),
        turns: vec![Turn::User("What stands by the river?".to_owned())],
        tools: Vec::new(),
        answer_tokens_max: 500,
        time_max,
    }
}

/// A complete reply.
#[derive(Debug, Default)]
pub struct CollectedReply {
    pub text: String,
    pub texts: usize,
    pub calls: Vec<ToolCall>,
    pub usage: Option<(u64, u64)>,
    pub is_cut: bool,
    pub error: Option<ModelError>,
}

impl CollectedReply {
    pub async fn of(mut completion: Completion) -> Self {
        let mut reply = Self::default();
        while let Some(chunk) = completion.chunks.next().await {
            assert!(reply.error.is_none(), "an error is the last");
            match chunk {
                Ok(CompletionChunk::Text(text)) => {
                    reply.text.push_str(&text);
                    reply.texts += 1;
                }
                Ok(CompletionChunk::Call(call)) => reply.calls.push(call),
                Ok(CompletionChunk::ReasoningEnd) => reply.text.clear(),
                Ok(CompletionChunk::Cut) => reply.is_cut = true,
                Ok(CompletionChunk::Usage { tokens_in, tokens_out }) => {
                    reply.usage = Some((tokens_in, tokens_out))
                }
                Err(error) => reply.error = Some(error),
            }
        }
        reply
    }
}
