//! The embedding model of the corpus.

use crate::CacheParts;
use crate::chunks::Piece;
use crate::ingest::embedding;
use domain::ports::EmbeddingError;

/// A word that every embedding model knows.
const KNOWN_WORD: &str = "water";

/// The embedding model of the corpus and its dimension. Fails if the model does not respond.
pub(super) async fn reader(parts: &CacheParts) -> Result<(String, usize), EmbeddingError> {
    let model = embedding::model(parts).await?;
    let word = Piece { start: 0, end: 0, heading: String::new(), text: KNOWN_WORD.to_owned() };
    let read = embedding::chunks(parts, &model, "", vec![word]).await?;
    match read.first().map(|chunk| chunk.vector.len()) {
        Some(dimension) => Ok((model, dimension)),
        None => Err(EmbeddingError::failed(format!("'{model}' gives no vector for '{KNOWN_WORD}'"))),
    }
}
