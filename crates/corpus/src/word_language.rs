//! The language of the index of words: chunks are read in it unless they are clearly in another one (`sparse_vector`),
//! and queries in all languages.
//!
//! An index in memory is built from the texts at every start, in the configured language. A stored index keeps the
//! language in which it was written until it is written again: by `reindex_corpus`, or by the upgrade of an index without words.

use crate::CacheParts;
use crate::sparse_vector::sparse_vector;
use domain::corpus::{QdrantMode, VectorBackend};
use domain::ports::{SparseVector, StoreError};
use domain::settings::Settings;
use relevancy::Language;

/// Name of the value in the records.
const NAME: &str = "word_language";
/// Versions that did not record the language indexed English words.
const UNRECORDED: &str = "english";

/// The language of the index.
pub(crate) async fn indexed(parts: &CacheParts) -> Result<Language, StoreError> {
    Ok(Language::named(&name(parts).await?))
}

/// Records that the index is written in the configured language from now on.
pub(crate) async fn renew(parts: &CacheParts) -> Result<(), StoreError> {
    parts.store.set_corpus_value(NAME, parts.settings.default_query_language.trim()).await
}

/// The name of the language of the index, if it is not the configured one.
pub(crate) async fn outdated(parts: &CacheParts) -> Result<Option<String>, StoreError> {
    let indexed = name(parts).await?;
    let is_current = Language::named(&indexed) == Language::named(&parts.settings.default_query_language);
    Ok((!is_current).then_some(indexed))
}

/// Computes the sparse vectors of an index in memory.
pub fn word_indexer(settings: &Settings) -> impl Fn(&str) -> SparseVector + Send + Sync + use<> {
    let language = Language::named(&settings.default_query_language);
    move |text| sparse_vector(language, text)
}

async fn name(parts: &CacheParts) -> Result<String, StoreError> {
    if is_in_memory(&parts.settings) {
        return Ok(parts.settings.default_query_language.clone());
    }
    Ok(parts.store.corpus_value(NAME).await?.unwrap_or_else(|| UNRECORDED.to_owned()))
}

fn is_in_memory(settings: &Settings) -> bool {
    (settings.vector_backend, settings.qdrant_mode) == (VectorBackend::Qdrant, QdrantMode::Memory)
}
