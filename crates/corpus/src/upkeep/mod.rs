//! What commands do, and what is done at start: make ready, compare, upgrade, read again, merge, reset.
//!
//! | Module | What lives there |
//! |---|---|
//! | `ready` | what must be there before the first document |
//! | `agree` | records, vectors and texts are compared, and brought into agreement |
//! | `hybrid` | words for a collection that has none |
//! | `reindex` | all pieces are read again by the reader model |
//! | `dedup` | records that are equal in address, provider and text |
//! | `reset` | documents out of the cache, all or those of a matter |
//! | `entities` | a collection of earlier days |

mod agree;
mod dedup;
mod entities;
mod hybrid;
mod ready;
mod reindex;
mod reset;
#[cfg(test)]
mod tests;
mod walk;

pub use agree::{Agreement, Difference, Repair};
pub use dedup::Deduplication;
pub use entities::{ENTITY_COLLECTION, drop_collection};
pub use hybrid::Upgrade;
pub use reindex::Reindexed;
pub use reset::Removal;

use crate::CacheParts;
use crate::chunks::Piece;
use crate::ingest::{FollowError, embedding};
use domain::contracts::{BodyError, ReaderError, StoreError, VectorError};

/// Told how far the work is: so many documents of so many.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Send + Sync);

#[derive(Debug, Clone, thiserror::Error)]
pub enum UpkeepError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Vectors(#[from] VectorError),
    #[error(transparent)]
    Bodies(#[from] BodyError),
    #[error(transparent)]
    Reader(#[from] ReaderError),
}

impl From<FollowError> for UpkeepError {
    fn from(error: FollowError) -> Self {
        match error {
            FollowError::Store(error) => Self::Store(error),
            FollowError::Vectors(error) => Self::Vectors(error),
        }
    }
}

/// A word that every reader model knows.
const KNOWN_WORD: &str = "water";

/// The reader model of the cache, and how many dimensions its vectors have. Fails when it does not answer.
async fn reader(parts: &CacheParts) -> Result<(String, usize), ReaderError> {
    let model = embedding::model(parts).await?;
    let word = Piece { start: 0, end: 0, heading: String::new(), text: KNOWN_WORD.to_owned() };
    let read = embedding::chunks(parts, &model, "", vec![word]).await?;
    match read.first().map(|chunk| chunk.vector.len()) {
        Some(dimension) => Ok((model, dimension)),
        None => Err(ReaderError::Failed(format!("'{model}' gives no vector for '{KNOWN_WORD}'"))),
    }
}
