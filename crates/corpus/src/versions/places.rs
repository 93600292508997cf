//! Where documents lie as a whole: the mean of the vectors of their pieces. It is remembered, because a document has many
//! pieces and is found often.

use crate::CacheParts;
use domain::contracts::StoreError;
use domain::corpus::{Signal, StoredChunk};
use domain::ids::SignalId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Most documents that are remembered; then it begins anew.
const REMEMBERED_MAX: usize = 4_096;
/// Less is the length of no vector.
const LENGTH_MIN: f64 = 1e-9;

/// What a place was made from: the text, the model, and how many pieces.
type MadeFrom = (String, String, u32);
type Remembered = HashMap<SignalId, (MadeFrom, Arc<[f32]>)>;

#[derive(Default)]
pub struct Places(Mutex<Remembered>);

impl Places {
    /// Of unit length; None for a document without pieces.
    pub async fn of(&self, parts: &CacheParts, signal: &Signal) -> Result<Option<Arc<[f32]>>, StoreError> {
        let made_from: MadeFrom =
            (signal.content_hash.clone(), signal.embedding_model.clone(), signal.chunk_count);
        if let Some(place) = self.remembered(signal.signal_id, &made_from) {
            return Ok(Some(place));
        }
        let place: Option<Arc<[f32]>> = mean(&parts.store.chunks(signal.signal_id).await?).map(Arc::from);
        if let Some(place) = &place {
            self.remember(signal.signal_id, made_from, Arc::clone(place));
        }
        Ok(place)
    }

    fn remembered(&self, id: SignalId, made_from: &MadeFrom) -> Option<Arc<[f32]>> {
        let places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        places.get(&id).filter(|(from, _)| from == made_from).map(|(_, place)| Arc::clone(place))
    }

    fn remember(&self, id: SignalId, made_from: MadeFrom, place: Arc<[f32]>) {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= REMEMBERED_MAX {
            places.clear();
        }
        places.insert(id, (made_from, place));
    }
}

/// The mean of the vectors of all pieces, of unit length.
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
        let places = Places::default();
        let from = || ("hash".to_owned(), "model".to_owned(), 1);
        for id in 0..=REMEMBERED_MAX as i64 {
            places.remember(SignalId(id), from(), Arc::from([1.0]));
        }
        assert_eq!(places.remembered(SignalId(0), &from()), None, "it began anew");
        let last = SignalId(REMEMBERED_MAX as i64);
        assert!(places.remembered(last, &from()).is_some());
        assert_eq!(places.remembered(last, &("other".to_owned(), "model".to_owned(), 1)), None);
    }
}
