//! The model, its limits and what it has read.

use super::content_cache::ContentCache;
use federation::CpuPool;
use futures_util::future::join_all;
use relevancy::second_reader::cosine;
use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Maximum number of results, and of passages, that are read for one answer.
pub const TEXTS_MAX: usize = 20;
/// Time limit for reading the results, and for reading the passages, of one answer.
pub const TIME_MAX: Duration = Duration::from_secs(3);

/// Maximum number of vectors that are remembered, about 1.5 KiB each.
const VECTORS_MAX: usize = 4096;

type VectorCache = ContentCache<Arc<[f32]>>;

/// Makes the vector of a text, of length 1; `None` if the model makes none.
pub type TextVector = dyn Fn(&str) -> Option<Vec<f32>> + Send + Sync;

/// The optional model and what it has read.
pub struct SecondReader {
    pub(super) cpu: CpuPool,
    model: Arc<TextVector>,
    cache: Arc<Mutex<VectorCache>>,
    /// Limits the cores that are in use, so that searches find a free one.
    slots: Arc<Semaphore>,
}

impl SecondReader {
    pub fn new(cpu: CpuPool, model: Arc<TextVector>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let cache = Arc::new(Mutex::new(ContentCache::new(VECTORS_MAX)));
        Self { cpu, model, cache, slots: Arc::new(Semaphore::new((cores / 2).max(1))) }
    }

    /// The similarity of the query and each of the first [`TEXTS_MAX`] texts; `None` if reading them takes too long.
    pub(crate) async fn similarities(&self, query: &str, texts: &[String]) -> Option<Vec<f64>> {
        let texts = &texts[..texts.len().min(TEXTS_MAX)];
        let Ok(similarities) = timeout(TIME_MAX, self.read(query, texts)).await else {
            tracing::info!("the second reader did not read {} texts in time", texts.len());
            return None;
        };
        similarities
    }

    /// Like [`SecondReader::similarities`] of all these texts, however long it takes. For what nobody waits for.
    pub(crate) async fn read(&self, query: &str, texts: &[String]) -> Option<Vec<f64>> {
        let query = self.vector(query).await?;
        let reading: Vec<_> = texts.iter().map(|text| self.vector(text)).collect();
        let mut similarities = Vec::with_capacity(texts.len());
        for vector in join_all(reading).await {
            similarities.push(f64::from(cosine(&query, &vector?)));
        }
        Some(similarities)
    }

    /// The vector of a text, from memory if it was read before.
    async fn vector(&self, text: &str) -> Option<Arc<[f32]>> {
        let known = lock(&self.cache).get(text);
        if known.is_some() {
            return known;
        }
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok()?;
        let (model, cache, text) = (Arc::clone(&self.model), Arc::clone(&self.cache), text.to_owned());
        let read = move || {
            let _slot = slot;
            let vector: Arc<[f32]> = model(&text)?.into();
            // Remembered even if nobody waits for it any more.
            lock(&cache).insert(&text, Arc::clone(&vector));
            Some(vector)
        };
        self.cpu.run(read).await?
    }
}

fn lock(cache: &Mutex<VectorCache>) -> MutexGuard<'_, VectorCache> {
    cache.lock().unwrap_or_else(PoisonError::into_inner)
}
