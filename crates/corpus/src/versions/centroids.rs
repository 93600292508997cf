//! Centroids of documents: the mean of their chunk vectors. Cached, because documents have many chunks and are found
//! often.

use crate::CacheParts;
use domain::corpus::{Signal, StoredChunk};
use domain::ids::SignalId;
use domain::ports::StoreError;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Most cached documents; then the cache is cleared.
const REMEMBERED_MAX: usize = 4_096;
/// Vectors shorter than this count as zero.
const LENGTH_MIN: f64 = 1e-9;

/// What a centroid was computed from: text, model, number of chunks.
type MadeFrom = (String, String, u32);
type Remembered = HashMap<SignalId, (MadeFrom, Arc<[f32]>)>;

#[derive(Default)]
pub struct CentroidCache(Mutex<Remembered>);

impl CentroidCache {
    /// Of unit length; None for a document without chunks.
    pub async fn get(&self, parts: &CacheParts, signal: &Signal) -> Result<Option<Arc<[f32]>>, StoreError> {
        let made_from: MadeFrom =
            (signal.content_hash.clone(), signal.embedding_model.clone(), signal.chunk_count);
        if let Some(centroid) = self.remembered(signal.signal_id, &made_from) {
            return Ok(Some(centroid));
        }
        let centroid: Option<Arc<[f32]>> = mean(&parts.store.chunks(signal.signal_id).await?).map(Arc::from);
        if let Some(centroid) = &centroid {
            self.remember(signal.signal_id, made_from, Arc::clone(centroid));
        }
        Ok(centroid)
    }

    fn remembered(&self, id: SignalId, made_from: &MadeFrom) -> Option<Arc<[f32]>> {
        let centroids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        centroids.get(&id).filter(|(from, _)| from == made_from).map(|(_, centroid)| Arc::clone(centroid))
    }

    fn remember(&self, id: SignalId, made_from: MadeFrom, centroid: Arc<[f32]>) {
        let mut centroids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if centroids.len() >= REMEMBERED_MAX {
            centroids.clear();
        }
        centroids.insert(id, (made_from, centroid));
    }
}

/// The mean of all chunk vectors, of unit length.
pub fn mean(chunks: &[StoredChunk]) -> Option<Vec<f32>> {
    let mut sum = vec![0.0_f64; chunks.first()?.vector.len()];
    for chunk in chunks {
        for (sum, number) in sum.iter_mut().zip(&chunk.vector) {
            *sum += f64::from(*number);
        }
    }
    let length = sum.iter().map(|number| number * number).sum::<f64>().sqrt();
    let is_some = length.is_finite() && length > LENGTH_MIN;
    is_some.then(|| sum.into_iter().map(|number| (number / length) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_has_the_length_one() {
        let chunk = |vector: Vec<f32>| StoredChunk {
            number: 0,
            start: 0,
            end: 0,
            heading: String::new(),
            text: String::new(),
            vector,
        };
        let half = 0.5_f32.sqrt();
        assert_eq!(mean(&[chunk(vec![1.0, 0.0]), chunk(vec![0.0, 1.0])]), Some(vec![half, half]));
        assert_eq!(mean(&[chunk(vec![1.0, 0.0]), chunk(vec![-1.0, 0.0])]), None);
        assert_eq!(mean(&[]), None);
    }

    #[test]
    fn so_many_are_remembered() {
        let centroids = CentroidCache::default();
        let from = || ("hash".to_owned(), "model".to_owned(), 1);
        for id in 0..=REMEMBERED_MAX as i64 {
            centroids.remember(SignalId(id), from(), Arc::from([1.0]));
        }
        assert_eq!(centroids.remembered(SignalId(0), &from()), None, "it began anew");
        let last = SignalId(REMEMBERED_MAX as i64);
        assert!(centroids.remembered(last, &from()).is_some());
        assert_eq!(centroids.remembered(last, &("other".to_owned(), "model".to_owned(), 1)), None);
    }
}
