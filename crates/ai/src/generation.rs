//! Requests completions from generative models, with fallback to other providers of the same family.

use crate::access::Access;
use crate::apis::{ApiCall, ModelApiKind, RejectedRequest, api_of};
use crate::completion_stream::CompletionStream;
use crate::error::{ErrorResponse, of_fetch, with_provider_name};
use crate::selection::{Selection, select_providers};
use crate::tokens;
use async_trait::async_trait;
use domain::ai_provider::{AiProvider, EXTRACTIVE_MODEL, LOCAL};
use domain::ports::{
    AiProviderStore, Clock, Completion, Fetch, GenerativeModels, HttpRequest, HttpStream, ModelError,
    ModelErrorKind, ModelRequest, Prompt, chain,
};
use domain::settings::PluginSettings;
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How often a request is repeated without something that the service rejects.
const CHANGES_MAX: u32 = 2;
/// Maximum number of bytes read of an error response.
const ERROR_BYTES_MAX: usize = 64 * 1024;

/// The generative models of the configured AI providers.
pub struct AiGenerativeModels {
    store: Arc<dyn AiProviderStore>,
    fetch: Arc<dyn Fetch>,
    clock: Arc<dyn Clock>,
    settings: Arc<PluginSettings>,
}

impl AiGenerativeModels {
    pub fn new(
        store: Arc<dyn AiProviderStore>,
        fetch: Arc<dyn Fetch>,
        clock: Arc<dyn Clock>,
        settings: Arc<PluginSettings>,
    ) -> Self {
        Self { store, fetch, clock, settings }
    }

    /// Requests a completion from this provider, whatever its roles, active or not, without fallback.
    pub async fn complete_with(
        &self,
        provider: &AiProvider,
        prompt: &Prompt,
    ) -> Result<Completion, ModelError> {
        let time_max = self.time_max(prompt);
        let stream = self.start(provider, prompt, time_max, time_max).await?;
        Ok(Completion {
            provider: provider.clone(),
            requested_model: provider.spec.model.clone(),
            fallback_engaged: false,
            chunks: stream.into_chunks(),
        })
    }

    fn time_max(&self, prompt: &Prompt) -> Duration {
        prompt.time_max.min(self.settings.ai_timeout.0)
    }

    async fn select_providers(&self, request: &ModelRequest) -> Result<Selection, ModelError> {
        let providers = self.store.ai_providers().await.map_err(|error| {
            let message = format!("the AI providers cannot be read: {error}");
            ModelError { source: Some(error.into()), ..ModelError::new(ModelErrorKind::Unavailable, message) }
        })?;
        select_providers(providers, request)
    }

    /// Sends the request to one provider and waits up to `first_max` for its first chunk.
    async fn start(
        &self,
        provider: &AiProvider,
        prompt: &Prompt,
        time_max: Duration,
        first_max: Duration,
    ) -> Result<CompletionStream, ModelError> {
        if provider.spec.model == EXTRACTIVE_MODEL || provider.spec.name == LOCAL {
            let message = format!("'{}' is built in and writes nothing of its own", provider.spec.name);
            return Err(ModelError::new(ModelErrorKind::ConfigInvalid, message));
        }
        match timeout(first_max, self.send(provider, prompt, time_max)).await {
            Ok(stream) => stream,
            Err(_) => {
                let message = format!("'{}' did not answer in time", provider.spec.name);
                Err(ModelError::new(ModelErrorKind::Timeout, message))
            }
        }
    }

    async fn send(
        &self,
        provider: &AiProvider,
        prompt: &Prompt,
        time_max: Duration,
    ) -> Result<CompletionStream, ModelError> {
        let (kind, model) = api_of(provider).map_err(|error| with_provider_name(provider, error))?;
        let start = Instant::now();
        let call = ApiCall { provider, model, authorization: None, now: self.clock.now(), time_max };
        let access = Access::of(kind, &call, &*self.fetch).await?;
        let authorization = access.as_ref().map(|access| &access.authorization);
        let call = ApiCall { authorization, time_max: time_max.saturating_sub(start.elapsed()), ..call };
        let limited = with_token_limit(provider, prompt);
        let mut request = kind
            .api
            .completion_request(&call, &limited)
            .map_err(|error| with_provider_name(provider, error))?;
        let mut changes = 0;
        loop {
            let stream = self.fetch.stream(&request).await.map_err(|error| of_fetch(provider, &error))?;
            if (200..300).contains(&stream.status) {
                let stream = CompletionStream::new(provider, prompt, stream.body, kind.api.decoder());
                return stream.wait_for_first_chunk().await;
            }
            let (status, headers) = (stream.status, stream.headers.clone());
            let message = read_error_message(kind, stream).await;
            let error_message = message.as_deref().unwrap_or_default();
            let answer_tokens_max = limited.answer_tokens_max;
            let rejected =
                RejectedRequest { call: &call, request: &request, answer_tokens_max, error_message };
            match retry_without_unsupported_params(kind, &rejected, status) {
                Some(other) if changes < CHANGES_MAX => request = other,
                _ => {
                    if status == 401 {
                        access.iter().for_each(Access::forget);
                    }
                    let response = ErrorResponse { status, headers: &headers, message };
                    return Err(response.to_model_error(provider, prompt, self.clock.now()));
                }
            }
            changes += 1;
            request.time_max = time_max.saturating_sub(start.elapsed());
        }
    }
}

#[async_trait]
impl GenerativeModels for AiGenerativeModels {
    async fn select(&self, request: &ModelRequest) -> Result<AiProvider, ModelError> {
        Ok(self.select_providers(request).await?.first)
    }

    async fn complete(&self, request: &ModelRequest, prompt: &Prompt) -> Result<Completion, ModelError> {
        let Selection { first, fallbacks } = self.select_providers(request).await?;
        let (requested_model, is_asked) = (first.spec.model.clone(), first.spec.model != EXTRACTIVE_MODEL);
        let end = Instant::now() + self.time_max(prompt);
        let mut order: Vec<AiProvider> = vec![first];
        order.extend(fallbacks.into_iter().filter(|_| is_asked));
        let mut first_error = None;
        for (place, provider) in order.iter().enumerate() {
            let left = end.saturating_duration_since(Instant::now());
            // A provider that hangs leaves half of the time to the next one.
            let first_max = if place + 1 < order.len() { left / 2 } else { left };
            match self.start(provider, prompt, left, first_max).await {
                Ok(stream) => {
                    return Ok(Completion {
                        provider: provider.clone(),
                        requested_model,
                        fallback_engaged: place > 0,
                        chunks: stream.into_chunks(),
                    });
                }
                Err(error) => {
                    tracing::warn!(
                        ai_provider.id = provider.id.0,
                        ai_provider.name = %provider.spec.name,
                        error = %error,
                        "the AI provider {} failed: {}",
                        provider.spec.name,
                        chain(&error)
                    );
                    first_error.get_or_insert(error);
                }
            }
        }
        Err(first_error.unwrap_or_else(|| ModelError::no_provider(request.role)))
    }

    fn count_tokens(&self, provider: &AiProvider, text: &str) -> usize {
        tokens::count(&provider.spec.model, text)
    }

    fn tokens_max(&self, provider: &AiProvider) -> usize {
        tokens::window(provider, self.settings.rag_tok_default as usize)
    }
}

/// Applies `config.max_tokens` to the reply as well.
fn with_token_limit(provider: &AiProvider, prompt: &Prompt) -> Prompt {
    let most = provider.spec.config.get("max_tokens").and_then(serde_json::Value::as_u64);
    let most = most.filter(|most| *most > 0).and_then(|most| u32::try_from(most).ok()).unwrap_or(u32::MAX);
    Prompt { answer_tokens_max: prompt.answer_tokens_max.min(most), ..prompt.clone() }
}

/// The request without the parameters that the service rejected; None if it failed for another reason.
fn retry_without_unsupported_params(
    kind: &ModelApiKind,
    rejected: &RejectedRequest<'_>,
    status: u16,
) -> Option<HttpRequest> {
    if matches!(status, 400 | 422) { kind.api.without_unsupported(rejected) } else { None }
}

/// The error message of the service.
async fn read_error_message(kind: &ModelApiKind, mut stream: HttpStream) -> Option<String> {
    let mut body = Vec::new();
    while let Some(Ok(bytes)) = stream.body.next().await {
        let space = ERROR_BYTES_MAX - body.len();
        body.extend_from_slice(&bytes[..bytes.len().min(space)]);
        if body.len() == ERROR_BYTES_MAX {
            break;
        }
    }
    kind.api.error_message(&body)
}
