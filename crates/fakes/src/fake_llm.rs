//! A fake generative model that returns a fixed text or fails, and records its requests.

use async_trait::async_trait;
use domain::ai_provider::{AiProvider, AiProviderSpec};
use domain::ids::AiProviderId;
use domain::instant::Instant;
use domain::ports::{
    Completion, CompletionChunk, GenerativeModels, ModelError, ModelErrorKind, ModelRequest, Prompt,
};
use std::sync::Mutex;

pub struct FakeLlm {
    says: Result<String, ModelErrorKind>,
    asked: Mutex<Vec<(ModelRequest, Prompt)>>,
}

impl FakeLlm {
    pub fn replying(text: &str) -> Self {
        Self { says: Ok(text.to_owned()), asked: Mutex::default() }
    }

    pub fn failing(kind: ModelErrorKind) -> Self {
        Self { says: Err(kind), asked: Mutex::default() }
    }

    pub fn asked(&self) -> Vec<(ModelRequest, Prompt)> {
        self.asked.lock().expect("no panic").clone()
    }
}

#[async_trait]
impl GenerativeModels for FakeLlm {
    async fn select(&self, request: &ModelRequest) -> Result<AiProvider, ModelError> {
        Err(ModelError::no_provider(request.role))
    }

    async fn complete(&self, request: &ModelRequest, prompt: &Prompt) -> Result<Completion, ModelError> {
        self.asked.lock().expect("no panic").push((*request, prompt.clone()));
        let text = self.says.clone().map_err(|kind| ModelError::new(kind, "it failed"))?;
        let provider = AiProvider {
            id: AiProviderId(1),
            owner: None,
            spec: AiProviderSpec {
                name: "Fake LLM".to_owned(),
                model: "fake-llm-1".to_owned(),
                ..AiProviderSpec::default()
            },
            is_unreadable: false,
            date_created: Instant::UNIX_EPOCH,
            date_updated: Instant::UNIX_EPOCH,
        };
        Ok(Completion {
            provider,
            requested_model: String::new(),
            fallback_engaged: false,
            chunks: Box::pin(futures_util::stream::iter([Ok(CompletionChunk::Text(text))])),
        })
    }

    fn count_tokens(&self, _provider: &AiProvider, text: &str) -> usize {
        text.len()
    }

    fn tokens_max(&self, _provider: &AiProvider) -> usize {
        1000
    }
}
