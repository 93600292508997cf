//! Vectors of cached documents: the nearest pieces among those that the asker may see. The records in SQL are the truth;
//! what is here is an index over them and can be made from them again.
//!
//! | Module | What lives there |
//! |---|---|
//! | `memory` | in this program, read from the records at first use |
//! | `pg` | in PostgreSQL, by its extension pgvector |
//! | `qdrant` | in a Qdrant server |
//! | `disabled` | nowhere |

mod disabled;
mod memory;
mod pg;
mod qdrant;

pub use disabled::NoVectors;
pub use memory::MemoryVectors;
pub use pg::PgVectors;
pub use qdrant::{QdrantConfig, QdrantVectors};

use domain::contracts::{SignalStore, StoreError, VectorError};

/// Most pieces that one query gives.
const HITS_MAX: usize = 1_000;
/// Most dimensions of a vector. More would overflow the sums of the coarse pass.
const DIMENSION_MAX: usize = 8_192;
/// The value that is `true` when the collection has words.
const HYBRID: &str = "hybrid";

/// Whether words are kept, too. Qdrant knows of its own collection.
async fn is_hybrid(signals: &dyn SignalStore) -> Result<bool, VectorError> {
    let value = signals.corpus_value(HYBRID).await.map_err(unreadable)?;
    Ok(value.as_deref() == Some("true"))
}

async fn set_hybrid(signals: &dyn SignalStore, is_hybrid: bool) -> Result<(), VectorError> {
    let value = if is_hybrid { "true" } else { "false" };
    signals.set_corpus_value(HYBRID, value).await.map_err(unreadable)
}

/// The one dimension of a document's vectors; None without a vector.
fn dimension_of<'a>(vectors: impl IntoIterator<Item = &'a [f32]>) -> Result<Option<usize>, VectorError> {
    let mut dimension = None;
    for vector in vectors {
        let here = allowed(vector.len())?;
        match dimension {
            Some(there) if there != here => return Err(VectorError::Dimension { there, ours: here }),
            _ => dimension = Some(here),
        }
    }
    Ok(dimension)
}

fn allowed(dimension: usize) -> Result<usize, VectorError> {
    if dimension == 0 || dimension > DIMENSION_MAX {
        let text = format!("a vector has {dimension} dimensions; it may have 1 to {DIMENSION_MAX}");
        return Err(VectorError::Refused(text));
    }
    Ok(dimension)
}

/// The vector with length one. What has no length stays so.
fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 || !length.is_finite() {
        return vec![0.0; vector.len()];
    }
    vector.iter().map(|value| (f64::from(*value) / length) as f32).collect()
}

/// How rare a word is that `with` of `all` pieces have.
fn rarity(with: usize, all: usize) -> f32 {
    let (with, all) = (with as f32, all.max(with) as f32);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

fn unreadable(error: StoreError) -> VectorError {
    VectorError::Unreachable(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_a_document_have_one_dimension() {
        let (two, three, none) = ([0.0; 2], [0.0; 3], [0.0; 0]);
        let wide = vec![0.0; DIMENSION_MAX + 1];
        assert_eq!(dimension_of([]), Ok(None));
        assert_eq!(dimension_of([&two[..], &two[..]]), Ok(Some(2)));
        assert_eq!(dimension_of([&wide[1..]]), Ok(Some(DIMENSION_MAX)));
        let mixed = dimension_of([&two[..], &three[..]]);
        assert_eq!(mixed, Err(VectorError::Dimension { there: 2, ours: 3 }));
        assert!(matches!(dimension_of([&none[..]]), Err(VectorError::Refused(_))));
        assert!(matches!(dimension_of([&wide[..]]), Err(VectorError::Refused(_))));
    }

    #[test]
    fn a_vector_is_brought_to_length_one() {
        assert_eq!(unit(&[3.0, -4.0]), [0.6, -0.8]);
        assert_eq!(unit(&[0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(unit(&[f32::NAN, 1.0]), [0.0, 0.0]);
    }

    #[test]
    fn a_rare_word_says_more() {
        assert!(rarity(1, 100) > rarity(50, 100) && rarity(50, 100) > rarity(100, 100));
        assert!(rarity(100, 100) > 0.0);
    }
}
