//! Searches the corpus: the chunks nearest to a query that the person may see.
//!
//! The access list is part of the vector query, and the records are checked again before anything is shown, so that an
//! outdated vector store exposes nothing.

mod calibration;
mod coverage;
mod errors;
mod fusion;
mod pinned;
mod word_shares;

use crate::ingest::embedding::model;
use crate::permissions::{self, Asker};
use crate::sparse_vector::sparse_query_vector;
use crate::{CacheParts, cache_status, versions, word_language, word_search};
use calibration::Calibration;
use domain::corpus::{Badge, CacheStatus, Pin, Signal, Visibility};
use domain::ids::SignalId;
use domain::ports::{
    CorpusError, CorpusErrorKind, CorpusHit, CorpusQuery, CorpusResults, SparseVector, StoreError,
    VectorError, VectorHit, VectorQuery,
};
use errors::{unread, unreadable, unsearchable};
use fusion::{Found, fuse};
use relevancy::embedder::{MODEL_NAME, embed};
use relevancy::{Language, Query};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Chunks to retrieve, by vector and by words each.
const CHUNKS_MAX: usize = 60;
/// Chunks of one document that are shown: the best, and two more.
const PASSAGES_MAX: usize = 3;
/// Vectors shorter than this count as zero.
const LENGTH_MIN: f32 = 1e-6;

/// The matching documents, best first. Without a license the result is empty, which is not an error.
pub async fn search(parts: &CacheParts, question: CorpusQuery<'_>) -> Result<CorpusResults, CorpusError> {
    let language = Language::named(&parts.settings.default_query_language);
    let asked = Query::parse_in(language, question.words).plain_text();
    if !parts.license.opens_cache() || question.results_max == 0 || asked.trim().is_empty() {
        return Ok(CorpusResults::default());
    }
    let asker = permissions::asker(parts, question.asker).await.map_err(unreadable)?;
    let model = model(parts).await.map_err(unread)?;
    let vector = vector_of(parts, &model, asked).await?;
    let indexed = index_of_words(parts).await.map_err(unreadable)?;
    let words = indexed.map(|language| sparse_query_vector(language, question.words));
    let (dense, words) = match pieces(parts, &asker, &vector, words.as_ref()).await {
        // Disabled on purpose: empty, not an error.
        Err(VectorError::Disabled) => {
            let remarks = vec![VectorError::Disabled.to_string()];
            return Ok(for_eyes_of(&asker, parts, CorpusResults { remarks, ..CorpusResults::default() }));
        }
        other => other.map_err(unsearchable)?,
    };
    let signals = visible(parts, &asker, dense.iter().chain(&words)).await?;
    let mut signals = read_by(signals, &model)?;
    let language = indexed.unwrap_or(language);
    let shares = word_shares::of_hits(parts, language, question.words, &words, &signals).await?;
    let calibration = Calibration::of_model(&model);
    let found = fuse(&dense, &words, &shares, calibration);
    let (near_count, floor) = (found.len(), parts.settings.corpus_min_score.0);
    let is_kept = |one: &&Found| f64::from(one.score) >= floor && signals.contains_key(&one.signal);
    let is_admitted = |(place, one): &(usize, &Found)| calibration.admits(*place, one.score, floor);
    let kept = found.iter().filter(is_kept).enumerate().filter(is_admitted).map(|(_, one)| one.clone());
    let mut kept: Vec<Found> = kept.take(question.results_max).collect();
    let above = kept.len();
    let pinned = versions::pinned(parts, &asker.tokens, question.topic).await.map_err(unreadable)?;
    let (pin, pinned) = pinned.unzip();
    if let Some(pinned) = pinned
        && !kept.iter().any(|one| one.signal == pinned.signal_id)
    {
        let known = found.iter().find(|one| one.signal == pinned.signal_id);
        let by_pin = pinned::pinned_hit(parts, &pinned, known, &model, &vector).await.map_err(unreadable)?;
        kept.truncate(question.results_max - 1);
        kept.push(by_pin);
        signals.insert(pinned.signal_id, pinned);
    }
    let remarks = vec![format!(
        "Cache: {} pieces by meaning and {} by words of {near_count} documents; {above} documents at or above {floor:.2}",
        dense.len(),
        words.len(),
    )];
    let hits = hits(parts, kept, signals, pin.as_ref()).await.map_err(unreadable)?;
    Ok(for_eyes_of(&asker, parts, CorpusResults { hits, remarks }))
}

/// Debug information reveals much about the contents, so only administrators see it, for their own searches.
fn for_eyes_of(asker: &Asker, parts: &CacheParts, mut answer: CorpusResults) -> CorpusResults {
    if !(parts.settings.cache_debug && asker.is_admin) {
        answer.remarks.clear();
        answer.hits.iter_mut().for_each(|hit| hit.debug = None);
    }
    answer
}

async fn vector_of(parts: &CacheParts, model: &str, asked: String) -> Result<Vec<f32>, CorpusError> {
    if model == MODEL_NAME {
        // A query is short: this takes microseconds.
        return Ok(embed(&asked).as_slice().to_vec());
    }
    let mut vector = parts.embedding_models.embed(model, &asked).await.map_err(unread)?;
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > LENGTH_MIN {
        vector.iter_mut().for_each(|number| *number /= length);
    }
    Ok(vector)
}

/// The language of the index of words; None if the corpus is not searched by words.
async fn index_of_words(parts: &CacheParts) -> Result<Option<Language>, StoreError> {
    if !word_search::is_on(parts).await? {
        return Ok(None);
    }
    word_language::indexed(parts).await.map(Some)
}

/// The nearest chunks by vector, and by words if there are any.
async fn pieces(
    parts: &CacheParts,
    asker: &Asker,
    vector: &[f32],
    words: Option<&SparseVector>,
) -> Result<(Vec<VectorHit>, Vec<VectorHit>), VectorError> {
    let asking = VectorQuery { tokens: &asker.tokens, limit: CHUNKS_MAX };
    let by_meaning = async {
        // A query without known words has no vector.
        if vector.iter().any(|number| number.abs() > LENGTH_MIN) {
            parts.vectors.nearest(asking, vector).await
        } else {
            Ok(Vec::new())
        }
    };
    let by_words = async {
        match words {
            Some(words) => match parts.vectors.nearest_by_words(asking, words).await {
                // The collection was created again without them, and nobody demands them.
                Err(VectorError::MissingSparse) if !parts.settings.corpus_hybrid => Ok(Vec::new()),
                other => other,
            },
            None => Ok(Vec::new()),
        }
    };
    tokio::try_join!(by_meaning, by_words)
}

/// The records decide on access.
async fn visible<'h>(
    parts: &CacheParts,
    asker: &Asker,
    hits: impl Iterator<Item = &'h VectorHit>,
) -> Result<BTreeMap<SignalId, Signal>, CorpusError> {
    let ids: BTreeSet<SignalId> = hits.map(|hit| hit.signal).collect();
    let ids: Vec<SignalId> = ids.into_iter().collect();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let signals = parts.store.signals(&ids, Visibility::To(&asker.tokens)).await.map_err(unreadable)?;
    Ok(signals.into_iter().map(|signal| (signal.signal_id, signal)).collect())
}

/// Vectors of different models are not comparable. During a reindex, documents that are done are found.
fn read_by(
    mut signals: BTreeMap<SignalId, Signal>,
    model: &str,
) -> Result<BTreeMap<SignalId, Signal>, CorpusError> {
    let other = signals.values().map(|signal| &signal.embedding_model).find(|own| *own != model).cloned();
    signals.retain(|_, signal| signal.embedding_model == model);
    match other {
        Some(other) if signals.is_empty() => Err(CorpusError::new(
            CorpusErrorKind::Outdated,
            format!(
                "the cache was embedded with the model '{other}' and is asked by '{model}': run `tributary reindex_corpus`"
            ),
        )),
        _ => Ok(signals),
    }
}

async fn hits(
    parts: &CacheParts,
    kept: Vec<Found>,
    mut signals: BTreeMap<SignalId, Signal>,
    pin: Option<&Pin>,
) -> Result<Vec<CorpusHit>, StoreError> {
    let shown = |one: &Found| -> Vec<(SignalId, u32)> {
        one.chunks.iter().take(PASSAGES_MAX).map(|number| (one.signal, *number)).collect()
    };
    let wanted: Vec<(SignalId, u32)> = kept.iter().flat_map(shown).collect();
    let texts = if wanted.is_empty() { Vec::new() } else { parts.store.chunk_texts(&wanted).await? };
    let mut texts: BTreeMap<(SignalId, u32), String> =
        texts.into_iter().map(|(signal, chunk)| ((signal, chunk.number), chunk.text)).collect();
    let marks =
        cache_status::statuses_of(parts, kept.iter().filter_map(|one| signals.get(&one.signal))).await?;
    let mut marks: BTreeMap<SignalId, CacheStatus> =
        marks.into_iter().map(|status| (status.signal_id, status)).collect();
    if let Some(pin) = pin
        && let Some(status) = marks.get_mut(&pin.signal_id)
    {
        (status.badge, status.run_id) = (Badge::Pinned, pin.run_id);
    }
    let hit = |one: Found| {
        let (signal, status) = (signals.remove(&one.signal)?, marks.remove(&one.signal)?);
        let passages: Vec<String> = shown(&one).iter().filter_map(|place| texts.remove(place)).collect();
        let debug = Some(debug(&one));
        // Its best chunk is missing if it was rewritten just now: the next search finds it.
        (!passages.is_empty()).then(|| CorpusHit { signal, status, score: one.score, passages, debug })
    };
    Ok(kept.into_iter().filter_map(hit).collect())
}

fn debug(found: &Found) -> Value {
    json!({
        "score": found.score,
        "cosine": found.cosine,
        "bm25": found.by_words,
        "word_share": found.word_share,
        "chunks": found.chunks.iter().take(PASSAGES_MAX).collect::<Vec<_>>(),
    })
}
