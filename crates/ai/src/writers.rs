//! Asks a generative model and reads what it writes; another one of its family steps in when it fails before its
//! first piece.

use crate::choice::{Choice, choose};
use crate::dialects::{Call, DialectKind, dialect_of};
use crate::failures::{Refused, named, of_fetch};
use crate::tokens;
use crate::writing::Reading;
use async_trait::async_trait;
use domain::ai_provider::{AiProvider, EXTRACTIVE_MODEL, LOCAL};
use domain::contracts::{
    AiProviderStore, Clock, Fetch, HttpRequest, HttpStream, ModelError, ModelErrorKind, Prompt, WriterWanted,
    Writers, Writing,
};
use domain::settings::Settings;
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Most bytes of a refusal that are read.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;

/// The generative models that the records name.
pub struct AiWriters {
    store: Arc<dyn AiProviderStore>,
    fetch: Arc<dyn Fetch>,
    clock: Arc<dyn Clock>,
    settings: Arc<Settings>,
}

impl AiWriters {
    pub fn new(
        store: Arc<dyn AiProviderStore>,
        fetch: Arc<dyn Fetch>,
        clock: Arc<dyn Clock>,
        settings: Arc<Settings>,
    ) -> Self {
        Self { store, fetch, clock, settings }
    }

    /// Asks this one, whatever its roles are and whether it is active or not, and nobody else.
    pub async fn ask(&self, provider: &AiProvider, prompt: &Prompt) -> Result<Writing, ModelError> {
        let time_max = self.time_max(prompt);
        let reading = self.begin(provider, prompt, time_max, time_max).await?;
        Ok(Writing {
            provider: provider.clone(),
            requested_model: provider.spec.model.clone(),
            fallback_engaged: false,
            pieces: reading.pieces(),
        })
    }

    fn time_max(&self, prompt: &Prompt) -> Duration {
        prompt.time_max.min(self.settings.ai_timeout.0)
    }

    async fn choice(&self, wanted: &WriterWanted) -> Result<Choice, ModelError> {
        let providers = self.store.ai_providers().await.map_err(|error| {
            ModelError::new(ModelErrorKind::Unavailable, format!("the AI providers cannot be read: {error}"))
        })?;
        choose(providers, wanted)
    }

    /// Asks one provider and waits, for `first_max` at most, until it has said something.
    async fn begin(
        &self,
        provider: &AiProvider,
        prompt: &Prompt,
        time_max: Duration,
        first_max: Duration,
    ) -> Result<Reading, ModelError> {
        if provider.spec.model == EXTRACTIVE_MODEL || provider.spec.name == LOCAL {
            let message = format!("'{}' is built in and writes nothing of its own", provider.spec.name);
            return Err(ModelError::new(ModelErrorKind::ConfigInvalid, message));
        }
        match timeout(first_max, self.open(provider, prompt, time_max)).await {
            Ok(reading) => reading,
            Err(_) => {
                let message = format!("'{}' did not answer in time", provider.spec.name);
                Err(ModelError::new(ModelErrorKind::Timeout, message))
            }
        }
    }

    async fn open(
        &self,
        provider: &AiProvider,
        prompt: &Prompt,
        time_max: Duration,
    ) -> Result<Reading, ModelError> {
        let (kind, model) = dialect_of(provider).map_err(|error| named(provider, error))?;
        let start = Instant::now();
        let call = Call { provider, model, now: self.clock.now(), time_max };
        let mut request =
            kind.dialect.ask(&call, &limited(provider, prompt)).map_err(|error| named(provider, error))?;
        let mut has_relented = false;
        loop {
            let stream = self.fetch.stream(&request).await.map_err(|error| of_fetch(provider, &error))?;
            if (200..300).contains(&stream.status) {
                return Reading::new(provider, stream.body, kind.dialect.pieces()).begun().await;
            }
            let (status, headers) = (stream.status, stream.headers.clone());
            let complaint = complaint(kind, stream).await;
            match relented(kind, &request, status, complaint.as_deref()) {
                Some(other) if !has_relented => request = other,
                _ => {
                    let refused = Refused { status, headers: &headers, complaint };
                    return Err(refused.error(provider, prompt, self.clock.now()));
                }
            }
            has_relented = true;
            request.time_max = time_max.saturating_sub(start.elapsed());
        }
    }
}

#[async_trait]
impl Writers for AiWriters {
    async fn chosen(&self, wanted: &WriterWanted) -> Result<AiProvider, ModelError> {
        Ok(self.choice(wanted).await?.first)
    }

    async fn write(&self, wanted: &WriterWanted, prompt: &Prompt) -> Result<Writing, ModelError> {
        let Choice { first, fallbacks } = self.choice(wanted).await?;
        let (requested_model, is_asked) = (first.spec.model.clone(), first.spec.model != EXTRACTIVE_MODEL);
        let end = Instant::now() + self.time_max(prompt);
        let mut order: Vec<AiProvider> = vec![first];
        order.extend(fallbacks.into_iter().filter(|_| is_asked));
        let mut first_error = None;
        for (place, provider) in order.iter().enumerate() {
            let left = end.saturating_duration_since(Instant::now());
            // One that hangs leaves the next one as much time as it took.
            let first_max = if place + 1 < order.len() { left / 2 } else { left };
            match self.begin(provider, prompt, left, first_max).await {
                Ok(reading) => {
                    return Ok(Writing {
                        provider: provider.clone(),
                        requested_model,
                        fallback_engaged: place > 0,
                        pieces: reading.pieces(),
                    });
                }
                Err(error) => {
                    tracing::warn!(
                        ai_provider.id = provider.id.0,
                        ai_provider.name = %provider.spec.name,
                        error = %error,
                        "the AI provider {} wrote nothing: {error}",
                        provider.spec.name
                    );
                    first_error.get_or_insert(error);
                }
            }
        }
        Err(first_error.unwrap_or_else(|| ModelError::no_provider(wanted.role)))
    }

    fn count_tokens(&self, provider: &AiProvider, text: &str) -> usize {
        tokens::count(&provider.spec.model, text)
    }

    fn tokens_max(&self, provider: &AiProvider) -> usize {
        tokens::window(provider, self.settings.rag_tok_default as usize)
    }
}

/// `config.max_tokens` holds for the answer too.
fn limited(provider: &AiProvider, prompt: &Prompt) -> Prompt {
    let most = provider.spec.config.get("max_tokens").and_then(serde_json::Value::as_u64);
    let most = most.filter(|most| *most > 0).and_then(|most| u32::try_from(most).ok()).unwrap_or(u32::MAX);
    Prompt { answer_tokens_max: prompt.answer_tokens_max.min(most), ..prompt.clone() }
}

/// A request without what a service does not take, if that is why it refused.
fn relented(
    kind: &DialectKind,
    request: &HttpRequest,
    status: u16,
    complaint: Option<&str>,
) -> Option<HttpRequest> {
    if !matches!(status, 400 | 422) {
        return None;
    }
    kind.dialect.relent(request, complaint?)
}

/// The service's own sentence.
async fn complaint(kind: &DialectKind, mut stream: HttpStream) -> Option<String> {
    let mut body = Vec::new();
    while let Some(Ok(piece)) = stream.body.next().await {
        let space = REFUSAL_BYTES_MAX - body.len();
        body.extend_from_slice(&piece[..piece.len().min(space)]);
        if body.len() == REFUSAL_BYTES_MAX {
            break;
        }
    }
    kind.dialect.complaint(&body)
}
