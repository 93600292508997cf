//! Embedding and reranking models: the built-in model and those of AI providers.

use crate::access::Access;
use crate::apis::{ApiCall, ModelApiKind, api_of};
use crate::error::{ErrorResponse, of_fetch, with_provider_name};
use crate::selection::select_providers;
use async_trait::async_trait;
use domain::ai_provider::{AiProvider, LOCAL, Role};
use domain::instant::Instant;
use domain::ports::{
    AiProviderStore, Clock, EmbeddingError, EmbeddingInput, EmbeddingModels, Fetch, HttpRequest,
    HttpResponse, ModelError, ModelErrorKind, ModelRequest, Prompt, Turn,
};
use domain::settings::PluginSettings;
use futures_util::{StreamExt, TryStreamExt, stream};
use moka::sync::Cache;
use relevancy::embedder::{MODEL_NAME, embed};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Duration;
use syntax::suggest;
use tokio::sync::Mutex;

/// How long the provider records are cached; a change takes effect after this time at the latest.
pub const PROVIDERS_TTL: Duration = Duration::from_secs(3);
/// Maximum size of the vector cache in bytes.
pub const CACHE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Maximum number of texts in one request, even if the service accepts more.
pub const BATCH_MAX: usize = 128;
/// Maximum number of concurrent requests of one call.
const REQUESTS_AT_ONCE: usize = 4;
/// Longer texts are truncated: no model accepts more.
pub const TEXT_CHARS_MAX: usize = 8_000;
/// Maximum number of texts in one reranking request.
pub const RANKED_MAX: usize = 100;

/// Names of the built-in model besides its own and the empty one.
const BUILT_IN: [&str; 3] = ["built-in", "default", LOCAL];

/// Cache key: a hash of provider, input kind and text.
type Key = [u8; 32];

/// The embedding and reranking models of the configured AI providers, and the built-in one.
pub struct AiEmbeddingModels {
    store: Arc<dyn AiProviderStore>,
    fetch: Arc<dyn Fetch>,
    clock: Arc<dyn Clock>,
    settings: Arc<PluginSettings>,
    providers: Mutex<Option<(Instant, Arc<Vec<AiProvider>>)>>,
    cache: Cache<Key, Arc<[f32]>>,
}

impl AiEmbeddingModels {
    pub fn new(
        store: Arc<dyn AiProviderStore>,
        fetch: Arc<dyn Fetch>,
        clock: Arc<dyn Clock>,
        settings: Arc<PluginSettings>,
    ) -> Self {
        let weigh = |_: &Key, vector: &Arc<[f32]>| {
            u32::try_from(size_of::<Key>() + size_of_val::<[f32]>(vector)).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder().max_capacity(CACHE_BYTES_MAX).weigher(weigh).build();
        Self { store, fetch, clock, settings, providers: Mutex::new(None), cache }
    }

    /// The active shared providers.
    async fn shared_providers(&self) -> Result<Arc<Vec<AiProvider>>, EmbeddingError> {
        let now = self.clock.now();
        let mut cached = self.providers.lock().await;
        if let Some((read_at, providers)) = cached.as_ref() {
            // If the clock was set back, the records count as old.
            let age = (now - *read_at).to_std().unwrap_or(Duration::MAX);
            if age < PROVIDERS_TTL {
                return Ok(Arc::clone(providers));
            }
        }
        let all = self.store.ai_providers().await;
        let all = all.map_err(|error| {
            let message = format!("the records of the AI providers cannot be read: {error}");
            EmbeddingError::failed(message).caused_by(error)
        })?;
        let usable = |provider: &AiProvider| provider.spec.active && provider.is_for(None);
        let providers: Arc<Vec<AiProvider>> = Arc::new(all.into_iter().filter(usable).collect());
        *cached = Some((now, Arc::clone(&providers)));
        Ok(providers)
    }

    async fn default_of(&self, role: Role) -> Result<Option<AiProvider>, EmbeddingError> {
        let providers = self.shared_providers().await?;
        let selection = select_providers(providers.to_vec(), &ModelRequest::of(role, None));
        Ok(selection.ok().map(|selection| selection.first))
    }

    /// The provider with the role `reader` that has this name or this model.
    async fn find_provider(&self, model: &str) -> Result<AiProvider, EmbeddingError> {
        let providers = self.shared_providers().await?;
        let readers = || providers.iter().filter(|provider| provider.spec.serves(Role::Reader));
        let by_name = readers().find(|provider| provider.spec.name.eq_ignore_ascii_case(model));
        let by_model = || readers().find(|provider| provider.spec.model == model);
        by_name.or_else(by_model).cloned().ok_or_else(|| {
            let known = readers().map(|provider| provider.spec.name.as_str());
            let known: Vec<&str> = std::iter::once(MODEL_NAME).chain(known).collect();
            let hint = match suggest::nearest(model, known.iter().copied()) {
                Some(name) => format!("did you mean '{name}'?"),
                None => format!("use {}, or leave it out", known.join(", ")),
            };
            EmbeddingError::Unknown { model: model.to_owned(), hint }
        })
    }

    /// Embeds texts with a service or from the cache. The vector of a blank text is empty.
    async fn embed_texts(
        &self,
        provider: &AiProvider,
        input: EmbeddingInput,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let (kind, model) = api_of(provider).map_err(failed(provider))?;
        let target = Target { kind, provider, model, input };
        let mut vectors: HashMap<Key, Arc<[f32]>> = HashMap::new();
        let (mut keys, mut missing) = (Vec::with_capacity(texts.len()), Vec::new());
        for text in texts {
            let text = target.text(text);
            let key = text.as_ref().map(|text| target.key(text));
            keys.push(key);
            let (Some(text), Some(key)) = (text, key) else { continue };
            // Equal texts are sent once.
            if let Entry::Vacant(place) = vectors.entry(key) {
                place.insert(self.cache.get(&key).unwrap_or_else(|| {
                    missing.push((key, text));
                    Arc::default()
                }));
            }
        }
        let batches = missing.chunks(target.batch_max(self.call(&target, None)));
        let requests: Vec<_> = batches.map(|batch| self.embed_batch(&target, batch)).collect();
        let read = stream::iter(requests).buffered(REQUESTS_AT_ONCE);
        let read: Vec<Vec<Vec<f32>>> = read.try_collect().await.map_err(failed(provider))?;
        for ((key, _), vector) in missing.iter().zip(read.into_iter().flatten()) {
            vectors.insert(*key, vector.into());
        }
        let of = |key: &Option<Key>| key.as_ref().and_then(|key| vectors.get(key)).map(|one| one.to_vec());
        let all: Vec<Vec<f32>> = keys.iter().map(|key| of(key).unwrap_or_default()).collect();
        check_lengths(&all, target.dimensions())?;
        for (key, _) in &missing {
            self.cache.insert(*key, Arc::clone(&vectors[key]));
        }
        Ok(all)
    }

    /// Scores each text against the query with this provider, whatever its roles, active or not.
    pub(crate) async fn rank(
        &self,
        provider: &AiProvider,
        query: &str,
        texts: &[String],
    ) -> Result<Vec<f32>, EmbeddingError> {
        let (kind, model) = api_of(provider).map_err(failed(provider))?;
        let target = Target { kind, provider, model, input: EmbeddingInput::Passage };
        // Services reject blank texts, so a dash is sent instead.
        let mut texts: Vec<String> =
            texts.iter().map(|text| target.text(text).unwrap_or_else(|| "-".to_owned())).collect();
        let access = self.access(&target).await.map_err(failed(provider))?;
        let request = kind.api.rerank_request(&self.call(&target, access.as_ref()), query, &texts);
        let request = request.map_err(failed(provider))?;
        let count = texts.len();
        texts.push(query.to_owned());
        let answer = self.send(&target, &request, &texts, access.as_ref()).await.map_err(failed(provider))?;
        kind.api.parse_scores(&answer, count).map_err(failed(provider))
    }

    /// Embeds a test sentence with this provider, whatever its roles, active or not.
    pub(crate) async fn probe_embedding(&self, provider: &AiProvider) -> Result<Vec<f32>, EmbeddingError> {
        // The time makes sure that the vector does not come from the cache.
        let text = format!("A test at {}.", self.clock.now());
        if is_built_in(&provider.spec.name) || is_built_in(&provider.spec.model) {
            return Ok(embed(&text).as_slice().to_vec());
        }
        let vectors = self.embed_texts(provider, EmbeddingInput::Query, &[text]).await?;
        Ok(vectors.into_iter().next().unwrap_or_default())
    }

    async fn embed_batch(
        &self,
        target: &Target<'_>,
        batch: &[(Key, String)],
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let texts: Vec<String> = batch.iter().map(|(_, text)| text.clone()).collect();
        let access = self.access(target).await?;
        let call = self.call(target, access.as_ref());
        let request = target.kind.api.embedding_request(&call, target.input, &texts)?;
        let answer = self.send(target, &request, &texts, access.as_ref()).await?;
        let vectors = target.kind.api.parse_vectors(&answer)?;
        if vectors.len() == texts.len() && vectors.iter().flatten().all(|number| number.is_finite()) {
            return Ok(vectors);
        }
        let sentence = format!("{} texts were sent and {} vectors came back", texts.len(), vectors.len());
        Err(ModelError::new(ModelErrorKind::Unreadable, sentence))
    }

    async fn send(
        &self,
        target: &Target<'_>,
        request: &HttpRequest,
        texts: &[String],
        access: Option<&Access>,
    ) -> Result<HttpResponse, ModelError> {
        let Target { kind, provider, .. } = target;
        let answer = self.fetch.fetch(request).await.map_err(|error| of_fetch(provider, &error))?;
        if (200..300).contains(&answer.status) {
            return Ok(answer);
        }
        if answer.status == 401 {
            access.iter().for_each(|access| access.forget());
        }
        let message = kind.api.error_message(&answer.body);
        let response = ErrorResponse { status: answer.status, headers: &answer.headers, message };
        Err(response.to_model_error(provider, &as_prompt(texts), self.clock.now()))
    }

    async fn access(&self, target: &Target<'_>) -> Result<Option<Access>, ModelError> {
        Access::of(target.kind, &self.call(target, None), &*self.fetch).await
    }

    fn call<'a>(&self, target: &Target<'a>, access: Option<&'a Access>) -> ApiCall<'a> {
        ApiCall {
            provider: target.provider,
            model: target.model,
            authorization: access.map(|access| &access.authorization),
            now: self.clock.now(),
            time_max: self.settings.ai_timeout.0,
        }
    }
}

/// A model of a provider, and the kind of input.
#[derive(Clone, Copy)]
struct Target<'a> {
    kind: &'static ModelApiKind,
    provider: &'a AiProvider,
    model: &'a str,
    input: EmbeddingInput,
}

impl Target<'_> {
    /// The text as it is sent, with the prefix that the model was trained with; None for a blank text.
    fn text(&self, text: &str) -> Option<String> {
        let text = text.trim();
        let prefix = match self.input {
            EmbeddingInput::Query => "query_prefix",
            EmbeddingInput::Passage => "passage_prefix",
        };
        let prefix = self.provider.spec.config_text(prefix).unwrap_or_default();
        (!text.is_empty()).then(|| prefix.chars().chain(text.chars()).take(TEXT_CHARS_MAX).collect())
    }

    /// Includes the modification date of the provider, so that a change invalidates the cache.
    fn key(&self, text: &str) -> Key {
        let AiProvider { id, date_updated, .. } = self.provider;
        let who = format!("{id}\0{}\0{:?}\0", date_updated.timestamp_micros(), self.input);
        Sha256::new().chain_update(who).chain_update(text).finalize().into()
    }

    /// Maximum number of texts in one request; `config.batch_max` may lower it.
    fn batch_max(&self, call: ApiCall<'_>) -> usize {
        let own = self.provider.spec.config.get("batch_max").and_then(Value::as_u64);
        let own = own.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        BATCH_MAX.min(self.kind.batch_max).min(self.kind.api.batch_max(&call)).min(own).max(1)
    }

    fn dimensions(&self) -> Option<usize> {
        usize::try_from(self.provider.spec.config.get("dimensions")?.as_u64()?).ok()
    }
}

/// Checks that all vectors have the same, configured number of dimensions. Vectors of blank texts are empty.
fn check_lengths(vectors: &[Vec<f32>], wanted: Option<usize>) -> Result<(), EmbeddingError> {
    let mut lengths = vectors.iter().map(Vec::len).filter(|length| *length > 0);
    let first = lengths.next();
    let expected = wanted.or(first);
    match first.into_iter().chain(lengths).find(|length| Some(*length) != expected) {
        None => Ok(()),
        Some(length) => Err(EmbeddingError::failed(format!(
            "its vectors have {length} numbers where {} were expected",
            expected.unwrap_or_default()
        ))),
    }
}

/// The texts as a prompt, which error messages must not repeat.
fn as_prompt(texts: &[String]) -> Prompt {
    Prompt {
        system: String::new(),
        turns: texts.iter().cloned().map(Turn::User).collect(),
        tools: Vec::new(),
        answer_tokens_max: 0,
        time_max: Duration::ZERO,
    }
}

fn failed(provider: &AiProvider) -> impl Fn(ModelError) -> EmbeddingError + '_ {
    |error| {
        let error = with_provider_name(provider, error);
        EmbeddingError::failed(error.message.as_str()).caused_by(error)
    }
}

fn is_built_in(model: &str) -> bool {
    let model = model.trim();
    model.is_empty() || model == MODEL_NAME || BUILT_IN.iter().any(|name| model.eq_ignore_ascii_case(name))
}

#[async_trait]
impl EmbeddingModels for AiEmbeddingModels {
    async fn embed(&self, model: &str, text: &str) -> Result<Vec<f32>, EmbeddingError> {
        if is_built_in(model) {
            return Ok(embed(text).as_slice().to_vec());
        }
        let vectors = self.embed_many(model, EmbeddingInput::Query, &[text.to_owned()]).await?;
        let vector = vectors.into_iter().next().filter(|vector| !vector.is_empty());
        vector.ok_or_else(|| EmbeddingError::failed("the query has no word"))
    }

    async fn embed_many(
        &self,
        model: &str,
        input: EmbeddingInput,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        if is_built_in(model) {
            return Ok(texts.iter().map(|text| embed(text).as_slice().to_vec()).collect());
        }
        let provider = self.find_provider(model).await?;
        let time_max = self.settings.ai_timeout.0;
        let read = tokio::time::timeout(time_max, self.embed_texts(&provider, input, texts)).await;
        read.unwrap_or_else(|late| Err(EmbeddingError::failed("it did not answer in time").caused_by(late)))
    }

    async fn ranking_model(&self) -> Result<Option<String>, EmbeddingError> {
        let reader = self.default_of(Role::Reader).await?;
        Ok(reader.map(|provider| provider.spec.name).filter(|name| !name.eq_ignore_ascii_case(LOCAL)))
    }

    async fn rerank(&self, query: &str, texts: &[String]) -> Result<Option<Vec<f32>>, EmbeddingError> {
        if texts.len() > RANKED_MAX {
            return Err(EmbeddingError::failed(format!("at most {RANKED_MAX} texts are ranked at once")));
        }
        let Some(provider) = self.default_of(Role::Reranker).await? else { return Ok(None) };
        if texts.is_empty() {
            return Ok(Some(Vec::new()));
        }
        self.rank(&provider, query, texts).await.map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_model_has_several_names() {
        for name in ["", " ", MODEL_NAME, "built-in", "Default", "LOCAL"] {
            assert!(is_built_in(name), "{name}");
        }
        assert!(!is_built_in("text-embedding-3-small"));
    }

    #[test]
    fn vectors_have_one_length() {
        let of = |lengths: &[usize]| lengths.iter().map(|length| vec![1.0; *length]).collect::<Vec<_>>();
        for (lengths, wanted, is_good) in [
            (&[3, 3, 0, 3][..], None, true),
            (&[0, 0], Some(3), true),
            (&[], None, true),
            (&[3, 3], Some(3), true),
            (&[3, 3], Some(4), false),
            (&[3, 4], None, false),
        ] {
            assert_eq!(check_lengths(&of(lengths), wanted).is_ok(), is_good, "{lengths:?} {wanted:?}");
        }
    }
}
