//! The readers: the built-in model, or one that a service runs and an AIProvider names.

use crate::choice::choose;
use crate::dialects::{Call, DialectKind, dialect_of};
use crate::failures::{Refused, named, of_fetch};
use async_trait::async_trait;
use domain::ai_provider::{AiProvider, LOCAL, Role};
use domain::contracts::{
    AiProviderStore, Clock, Fetch, HttpRequest, HttpResponse, ModelError, ModelErrorKind, Prompt, ReadAs,
    ReaderError, ReaderModels, Turn, WriterWanted,
};
use domain::instant::Instant;
use domain::names;
use domain::settings::Settings;
use futures_util::{StreamExt, TryStreamExt, stream};
use moka::sync::Cache;
use relevancy::reader::{MODEL_NAME, embed};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// For so long the records are not read again: a change of a provider is seen after it at the latest.
pub const RECORDS_KEPT: Duration = Duration::from_secs(3);
/// Most bytes of vectors that are remembered.
pub const MEMORY_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Most texts in one request, also to a service that would take more.
pub const BATCH_MAX: usize = 128;
/// Requests of one question that are on their way at once.
const REQUESTS_AT_ONCE: usize = 4;
/// More of a text is not sent: no model reads it to its end.
pub const TEXT_CHARS_MAX: usize = 8_000;
/// Most texts that are ranked at once.
pub const RANKED_MAX: usize = 100;

/// Names under which the built-in model may be asked for, beside its own and none at all.
const BUILT_IN: [&str; 3] = ["built-in", "default", LOCAL];

/// A hash of who reads and what is read.
type Key = [u8; 32];

pub struct Readers {
    store: Arc<dyn AiProviderStore>,
    fetch: Arc<dyn Fetch>,
    clock: Arc<dyn Clock>,
    settings: Arc<Settings>,
    records: Mutex<Option<(Instant, Arc<Vec<AiProvider>>)>>,
    memory: Cache<Key, Arc<[f32]>>,
}

impl Readers {
    pub fn new(
        store: Arc<dyn AiProviderStore>,
        fetch: Arc<dyn Fetch>,
        clock: Arc<dyn Clock>,
        settings: Arc<Settings>,
    ) -> Self {
        let weigh = |_: &Key, vector: &Arc<[f32]>| {
            u32::try_from(size_of::<Key>() + size_of_val::<[f32]>(vector)).unwrap_or(u32::MAX)
        };
        let memory = Cache::builder().max_capacity(MEMORY_BYTES_MAX).weigher(weigh).build();
        Self { store, fetch, clock, settings, records: Mutex::new(None), memory }
    }

    /// The active providers that serve everybody.
    async fn records(&self) -> Result<Arc<Vec<AiProvider>>, ReaderError> {
        let now = self.clock.now();
        let mut kept = self.records.lock().await;
        if let Some((read_at, records)) = kept.as_ref() {
            // A clock that was set back makes the records old, not young.
            let age = (now - *read_at).to_std().unwrap_or(Duration::MAX);
            if age < RECORDS_KEPT {
                return Ok(Arc::clone(records));
            }
        }
        let all = self.store.ai_providers().await;
        let all = all.map_err(|error| {
            ReaderError::Failed(format!("the records of the AI providers cannot be read: {error}"))
        })?;
        let usable = |provider: &AiProvider| provider.spec.active && provider.is_for(None);
        let records: Arc<Vec<AiProvider>> = Arc::new(all.into_iter().filter(usable).collect());
        *kept = Some((now, Arc::clone(&records)));
        Ok(records)
    }

    async fn default_of(&self, role: Role) -> Result<Option<AiProvider>, ReaderError> {
        let records = self.records().await?;
        let choice = choose(records.to_vec(), &WriterWanted::of(role, None));
        Ok(choice.ok().map(|choice| choice.first))
    }

    /// The reader of this name or this model.
    async fn named(&self, model: &str) -> Result<AiProvider, ReaderError> {
        let records = self.records().await?;
        let readers = || records.iter().filter(|provider| provider.spec.serves(Role::Reader));
        let by_name = readers().find(|provider| provider.spec.name.eq_ignore_ascii_case(model));
        let by_model = || readers().find(|provider| provider.spec.model == model);
        by_name.or_else(by_model).cloned().ok_or_else(|| {
            let known = readers().map(|provider| provider.spec.name.as_str());
            let known: Vec<&str> = std::iter::once(MODEL_NAME).chain(known).collect();
            let hint = match names::nearest(model, known.iter().copied()) {
                Some(name) => format!("did you mean '{name}'?"),
                None => format!("use {}, or leave it out", known.join(", ")),
            };
            ReaderError::Unknown(model.to_owned(), hint)
        })
    }

    /// The vectors of texts by a service, from memory where they were read before. A text without a word has none.
    async fn read(
        &self,
        provider: &AiProvider,
        read_as: ReadAs,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, ReaderError> {
        let (kind, model) = dialect_of(provider).map_err(failed(provider))?;
        let asked = Asked { kind, provider, model, read_as };
        let mut vectors: HashMap<Key, Arc<[f32]>> = HashMap::new();
        let (mut keys, mut missing) = (Vec::with_capacity(texts.len()), Vec::new());
        for text in texts {
            let text = asked.text(text);
            let key = text.as_ref().map(|text| asked.key(text));
            keys.push(key);
            let (Some(text), Some(key)) = (text, key) else { continue };
            // The same text is sent once.
            if let Entry::Vacant(place) = vectors.entry(key) {
                place.insert(self.memory.get(&key).unwrap_or_else(|| {
                    missing.push((key, text));
                    Arc::default()
                }));
            }
        }
        let batches = missing.chunks(asked.batch_max(self.call(&asked)));
        let requests: Vec<_> = batches.map(|batch| self.batch(&asked, batch)).collect();
        let read = stream::iter(requests).buffered(REQUESTS_AT_ONCE);
        let read: Vec<Vec<Vec<f32>>> = read.try_collect().await.map_err(failed(provider))?;
        for ((key, _), vector) in missing.iter().zip(read.into_iter().flatten()) {
            vectors.insert(*key, vector.into());
        }
        let of = |key: &Option<Key>| key.as_ref().and_then(|key| vectors.get(key)).map(|one| one.to_vec());
        let all: Vec<Vec<f32>> = keys.iter().map(|key| of(key).unwrap_or_default()).collect();
        check_lengths(&all, asked.dimensions())?;
        for (key, _) in &missing {
            self.memory.insert(*key, Arc::clone(&vectors[key]));
        }
        Ok(all)
    }

    /// How well each text answers the query, by this provider, whatever its roles are and whether it is active or not.
    pub(crate) async fn rank(
        &self,
        provider: &AiProvider,
        query: &str,
        texts: &[String],
    ) -> Result<Vec<f32>, ReaderError> {
        let (kind, model) = dialect_of(provider).map_err(failed(provider))?;
        let asked = Asked { kind, provider, model, read_as: ReadAs::Passage };
        // A service refuses a text without a word; a sign stands for it.
        let mut texts: Vec<String> =
            texts.iter().map(|text| asked.text(text).unwrap_or_else(|| "-".to_owned())).collect();
        let request = kind.dialect.rerank(&self.call(&asked), query, &texts).map_err(failed(provider))?;
        let count = texts.len();
        texts.push(query.to_owned());
        let answer = self.send(&asked, &request, &texts).await.map_err(failed(provider))?;
        kind.dialect.scores(&answer, count).map_err(failed(provider))
    }

    /// The vector of a sentence by this provider, whatever its roles are and whether it is active or not.
    pub(crate) async fn try_reading(&self, provider: &AiProvider) -> Result<Vec<f32>, ReaderError> {
        // With the time in it, the sentence is not answered from memory.
        let text = format!("A trial at {}.", self.clock.now());
        if is_built_in(&provider.spec.name) || is_built_in(&provider.spec.model) {
            return Ok(embed(&text).as_slice().to_vec());
        }
        let vectors = self.read(provider, ReadAs::Query, &[text]).await?;
        Ok(vectors.into_iter().next().unwrap_or_default())
    }

    async fn batch(&self, asked: &Asked<'_>, batch: &[(Key, String)]) -> Result<Vec<Vec<f32>>, ModelError> {
        let texts: Vec<String> = batch.iter().map(|(_, text)| text.clone()).collect();
        let request = asked.kind.dialect.embed(&self.call(asked), asked.read_as, &texts)?;
        let answer = self.send(asked, &request, &texts).await?;
        let vectors = asked.kind.dialect.vectors(&answer)?;
        if vectors.len() == texts.len() && vectors.iter().flatten().all(|number| number.is_finite()) {
            return Ok(vectors);
        }
        let sentence = format!("{} texts were sent and {} vectors came back", texts.len(), vectors.len());
        Err(ModelError::new(ModelErrorKind::Unreadable, sentence))
    }

    async fn send(
        &self,
        asked: &Asked<'_>,
        request: &HttpRequest,
        texts: &[String],
    ) -> Result<HttpResponse, ModelError> {
        let Asked { kind, provider, .. } = asked;
        let answer = self.fetch.fetch(request).await.map_err(|error| of_fetch(provider, &error))?;
        if (200..300).contains(&answer.status) {
            return Ok(answer);
        }
        let complaint = kind.dialect.complaint(&answer.body);
        let refused = Refused { status: answer.status, headers: &answer.headers, complaint };
        Err(refused.error(provider, &sent(texts), self.clock.now()))
    }

    fn call<'a>(&self, asked: &Asked<'a>) -> Call<'a> {
        Call {
            provider: asked.provider,
            model: asked.model,
            now: self.clock.now(),
            time_max: self.settings.ai_timeout.0,
        }
    }
}

/// Who reads, and for what.
#[derive(Clone, Copy)]
struct Asked<'a> {
    kind: &'static DialectKind,
    provider: &'a AiProvider,
    model: &'a str,
    read_as: ReadAs,
}

impl Asked<'_> {
    /// The text as it is sent: with the prefix that the model was trained with. None without a word.
    fn text(&self, text: &str) -> Option<String> {
        let text = text.trim();
        let prefix = match self.read_as {
            ReadAs::Query => "query_prefix",
            ReadAs::Passage => "passage_prefix",
        };
        let prefix = self.provider.spec.config_text(prefix).unwrap_or_default();
        (!text.is_empty()).then(|| prefix.chars().chain(text.chars()).take(TEXT_CHARS_MAX).collect())
    }

    /// A record that was changed reads anew.
    fn key(&self, text: &str) -> Key {
        let AiProvider { id, date_updated, .. } = self.provider;
        let who = format!("{id}\0{}\0{:?}\0", date_updated.timestamp_micros(), self.read_as);
        Sha256::new().chain_update(who).chain_update(text).finalize().into()
    }

    /// `config.batch_max` may make it smaller, for a service that takes less than others of its kind.
    fn batch_max(&self, call: Call<'_>) -> usize {
        let own = self.provider.spec.config.get("batch_max").and_then(Value::as_u64);
        let own = own.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        BATCH_MAX.min(self.kind.batch_max).min(self.kind.dialect.batch_max(&call)).min(own).max(1)
    }

    fn dimensions(&self) -> Option<usize> {
        usize::try_from(self.provider.spec.config.get("dimensions")?.as_u64()?).ok()
    }
}

/// All vectors have one length, and the one that was asked for. That of a text without a word is empty.
fn check_lengths(vectors: &[Vec<f32>], wanted: Option<usize>) -> Result<(), ReaderError> {
    let mut lengths = vectors.iter().map(Vec::len).filter(|length| *length > 0);
    let first = lengths.next();
    let expected = wanted.or(first);
    match first.into_iter().chain(lengths).find(|length| Some(*length) != expected) {
        None => Ok(()),
        Some(length) => Err(ReaderError::Failed(format!(
            "its vectors have {length} numbers where {} were expected",
            expected.unwrap_or_default()
        ))),
    }
}

/// What a complaint must not repeat.
fn sent(texts: &[String]) -> Prompt {
    Prompt {
        system: String::new(),
        turns: texts.iter().cloned().map(Turn::User).collect(),
        tools: Vec::new(),
        answer_tokens_max: 0,
        time_max: Duration::ZERO,
    }
}

fn failed(provider: &AiProvider) -> impl Fn(ModelError) -> ReaderError + '_ {
    |error| ReaderError::Failed(named(provider, error).message)
}

fn is_built_in(model: &str) -> bool {
    let model = model.trim();
    model.is_empty() || model == MODEL_NAME || BUILT_IN.iter().any(|name| model.eq_ignore_ascii_case(name))
}

#[async_trait]
impl ReaderModels for Readers {
    async fn embed(&self, model: &str, text: &str) -> Result<Vec<f32>, ReaderError> {
        if is_built_in(model) {
            return Ok(embed(text).as_slice().to_vec());
        }
        let vectors = self.embed_many(model, ReadAs::Query, &[text.to_owned()]).await?;
        let vector = vectors.into_iter().next().filter(|vector| !vector.is_empty());
        vector.ok_or_else(|| ReaderError::Failed("the query has no word".to_owned()))
    }

    async fn embed_many(
        &self,
        model: &str,
        read_as: ReadAs,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, ReaderError> {
        if is_built_in(model) {
            return Ok(texts.iter().map(|text| embed(text).as_slice().to_vec()).collect());
        }
        let provider = self.named(model).await?;
        let time_max = self.settings.ai_timeout.0;
        let read = tokio::time::timeout(time_max, self.read(&provider, read_as, texts)).await;
        read.unwrap_or_else(|_| Err(ReaderError::Failed("it did not answer in time".to_owned())))
    }

    async fn ranking_model(&self) -> Result<Option<String>, ReaderError> {
        let reader = self.default_of(Role::Reader).await?;
        Ok(reader.map(|provider| provider.spec.name).filter(|name| !name.eq_ignore_ascii_case(LOCAL)))
    }

    async fn rerank(&self, query: &str, texts: &[String]) -> Result<Option<Vec<f32>>, ReaderError> {
        if texts.len() > RANKED_MAX {
            return Err(ReaderError::Failed(format!("at most {RANKED_MAX} texts are ranked at once")));
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
