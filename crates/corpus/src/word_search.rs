//! Whether the cache is searched by words as well as by meaning: in a new installation from the start, in an earlier one
//! after `upgrade_corpus_to_hybrid`, and in any if `SVC_CORPUS_HYBRID` demands it.

use crate::ingest::VectorSyncError;
use crate::{CacheParts, word_language};
use domain::ports::StoreError;
use tokio::sync::Mutex;

/// Name of the value in the records.
const NAME: &str = "word_search";
const ON: &str = "true";

/// Only one task makes a collection hybrid: a store may have to create it again for that.
static TURN: Mutex<()> = Mutex::const_new(());

pub(crate) async fn is_on(parts: &CacheParts) -> Result<bool, StoreError> {
    if parts.settings.corpus_hybrid {
        return Ok(true);
    }
    Ok(parts.store.corpus_value(NAME).await?.as_deref() == Some(ON))
}

/// Records that the collection has sparse vectors, which queries use from now on.
pub(crate) async fn turn_on(parts: &CacheParts) -> Result<(), StoreError> {
    parts.store.set_corpus_value(NAME, ON).await
}

/// Before the first document, and for a collection that was lost and had sparse vectors: creates it, with sparse vectors.
/// Does nothing if there are other documents, whose sparse vectors are added by the upgrade only.
pub(crate) async fn begin(parts: &CacheParts, dimension: usize) -> Result<(), VectorSyncError> {
    let _turn = TURN.lock().await;
    let state = parts.vectors.state().await?;
    if state.chunks > 0 || (!is_on(parts).await? && parts.store.corpus_counts().await?.chunks > 0) {
        return Ok(());
    }
    if !state.is_hybrid {
        word_language::renew(parts).await?;
        parts.vectors.prepare(dimension).await?;
        parts.vectors.make_hybrid().await?;
    }
    Ok(turn_on(parts).await?)
}
