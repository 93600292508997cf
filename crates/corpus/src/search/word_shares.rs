//! The shares of the query's words that the chunks found by words have.

use super::coverage::Coverage;
use super::errors::{interrupted, unreadable};
use super::fusion::WordShares;
use crate::CacheParts;
use domain::corpus::{Signal, StoredChunk};
use domain::ids::SignalId;
use domain::ports::{CorpusError, VectorHit};
use relevancy::Language;
use std::collections::BTreeMap;

/// Only documents that the user may see are read.
pub async fn of_hits(
    parts: &CacheParts,
    index: Language,
    query: &str,
    hits: &[VectorHit],
    signals: &BTreeMap<SignalId, Signal>,
) -> Result<WordShares, CorpusError> {
    let wanted: Vec<(SignalId, u32)> = hits
        .iter()
        .filter(|hit| signals.contains_key(&hit.signal))
        .map(|hit| (hit.signal, hit.chunk))
        .collect();
    if wanted.is_empty() {
        return Ok(WordShares::new());
    }
    let chunks = parts.store.chunk_texts(&wanted).await.map_err(unreadable)?;
    let texts: Vec<Text> =
        chunks.into_iter().filter_map(|(id, chunk)| Some(Text::of(signals.get(&id)?, chunk))).collect();
    let mut coverage = Coverage::of(index, query);
    // Sixty chunks take a few milliseconds.
    let shares =
        move || texts.iter().map(|text| (text.place, text.share(&mut coverage))).collect::<WordShares>();
    tokio::task::spawn_blocking(shares).await.map_err(interrupted)
}

/// A chunk with its headings and the title of its document.
struct Text {
    place: (SignalId, u32),
    /// ISO 639-1, or empty.
    language: String,
    text: String,
}

impl Text {
    fn of(signal: &Signal, chunk: StoredChunk) -> Self {
        let text = [signal.title.as_str(), &chunk.heading, &chunk.text].join("\n");
        Self { place: (signal.signal_id, chunk.number), language: signal.language.clone(), text }
    }

    fn share(&self, coverage: &mut Coverage) -> f32 {
        coverage.share(&self.language, &self.text)
    }
}
