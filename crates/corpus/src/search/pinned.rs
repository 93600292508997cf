//! Finds the document that is pinned for a query, however distant it is.

use super::calibration::Calibration;
use super::fusion::Found;
use crate::CacheParts;
use domain::corpus::{Signal, StoredChunk};
use domain::ports::StoreError;

/// The pinned document as a hit: from the search results, else from its own chunks. Its score is its similarity,
/// independent of the pin.
pub async fn pinned_hit(
    parts: &CacheParts,
    pinned: &Signal,
    known: Option<&Found>,
    model: &str,
    vector: &[f32],
) -> Result<Found, StoreError> {
    if let Some(known) = known.filter(|_| pinned.embedding_model == model) {
        return Ok(known.clone());
    }
    let chunks = parts.store.chunks(pinned.signal_id).await?;
    let is_comparable =
        |chunk: &StoredChunk| pinned.embedding_model == model && chunk.vector.len() == vector.len();
    let cosine = |chunk: &StoredChunk| {
        if is_comparable(chunk) {
            chunk.vector.iter().zip(vector).map(|(one, other)| one * other).sum::<f32>()
        } else {
            0.0
        }
    };
    let mut near: Vec<(u32, f32)> = chunks.iter().map(|chunk| (chunk.number, cosine(chunk))).collect();
    near.sort_by(|one, other| other.1.total_cmp(&one.1));
    let best = near.first().map(|(_, cosine)| *cosine);
    Ok(Found {
        signal: pinned.signal_id,
        score: best.map_or(0.0, |cosine| Calibration::of_model(model).score(cosine)),
        cosine: best.filter(|_| pinned.embedding_model == model),
        by_words: None,
        word_share: None,
        chunks: near.into_iter().map(|(number, _)| number).collect(),
    })
}
