//! Embeds chunks in batches with the corpus's embedding model.

use crate::CacheParts;
use crate::chunks::Piece;
use domain::corpus::StoredChunk;
use domain::ports::{EmbeddingError, EmbeddingInput};
use relevancy::embedder::{MODEL_NAME, embed};

/// Chunks per batch.
const BATCH: usize = 64;
/// Vectors shorter than this count as zero.
const LENGTH_MIN: f32 = 1e-6;

/// The embedding model of the corpus: the one used for ranking.
pub async fn model(parts: &CacheParts) -> Result<String, EmbeddingError> {
    Ok(parts.embedding_models.ranking_model().await?.unwrap_or_else(|| MODEL_NAME.to_owned()))
}

/// The chunks with their vectors. A chunk without a word that the model knows is skipped, because it could not be
/// found.
pub async fn chunks(
    parts: &CacheParts,
    model: &str,
    title: &str,
    pieces: Vec<Piece>,
) -> Result<Vec<StoredChunk>, EmbeddingError> {
    let mut chunks = Vec::with_capacity(pieces.len());
    for batch in pieces.chunks(BATCH) {
        let texts: Vec<String> = batch.iter().map(|piece| piece.with_context(title)).collect();
        let vectors = vectors(parts, model, texts).await?;
        if vectors.len() != batch.len() {
            let sentence = format!("{} texts were read and {} vectors came", batch.len(), vectors.len());
            return Err(EmbeddingError::failed(sentence));
        }
        for (piece, vector) in batch.iter().zip(vectors) {
            let Some(vector) = of_unit_length(vector) else { continue };
            chunks.push(StoredChunk {
                number: u32::try_from(chunks.len()).unwrap_or(u32::MAX),
                start: piece.start,
                end: piece.end,
                heading: piece.heading.clone(),
                text: piece.text.clone(),
                vector,
            });
        }
    }
    let length = chunks.first().map_or(0, |chunk: &StoredChunk| chunk.vector.len());
    if chunks.iter().any(|chunk| chunk.vector.len() != length) {
        return Err(EmbeddingError::failed("its vectors are of several lengths"));
    }
    Ok(chunks)
}

async fn vectors(
    parts: &CacheParts,
    model: &str,
    texts: Vec<String>,
) -> Result<Vec<Vec<f32>>, EmbeddingError> {
    if model != MODEL_NAME {
        return parts.embedding_models.embed_many(model, EmbeddingInput::Passage, &texts).await;
    }
    // The built-in model runs in this process, off the async runtime.
    let read = move || texts.iter().map(|text| embed(text).as_slice().to_vec()).collect();
    let read = tokio::task::spawn_blocking(read).await;
    read.map_err(|error| EmbeddingError::failed("the text analysis was interrupted").caused_by(error))
}

fn of_unit_length(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if !length.is_finite() || length < LENGTH_MIN {
        return None;
    }
    vector.iter_mut().for_each(|number| *number /= length);
    Some(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_get_the_length_one() {
        assert_eq!(of_unit_length(vec![3.0, 4.0]), Some(vec![0.6, 0.8]));
        for none in [vec![], vec![0.0, 0.0], vec![f32::NAN, 1.0], vec![f32::INFINITY]] {
            assert_eq!(of_unit_length(none), None);
        }
    }
}
