//! Cache of text profiles, because documents have many chunks and are found often.

use super::centroids::mean;
use super::text_profile::TextProfile;
use crate::CacheParts;
use domain::corpus::{Signal, StoredChunk};
use domain::ids::SignalId;
use domain::ports::StoreError;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Most cached documents; then the cache is cleared.
const REMEMBERED_MAX: usize = 4_096;
/// A text is profiled up to the chunk that goes beyond so many bytes, which is more than is compared word by word.
const TEXT_BYTES_MAX: usize = 16 * 1024;

/// What a profile was computed from: text, model, number of chunks.
type MadeFrom = (String, String, u32);
type Remembered = HashMap<SignalId, (MadeFrom, Arc<TextProfile>)>;

#[derive(Default)]
pub struct ProfileCache(Mutex<Remembered>);

impl ProfileCache {
    pub async fn get(&self, parts: &CacheParts, signal: &Signal) -> Result<Arc<TextProfile>, StoreError> {
        let made_from: MadeFrom =
            (signal.content_hash.clone(), signal.embedding_model.clone(), signal.chunk_count);
        if let Some(profile) = self.remembered(signal.signal_id, &made_from) {
            return Ok(profile);
        }
        let chunks = parts.store.chunks(signal.signal_id).await?;
        let profile = Arc::new(profile(&chunks, &signal.language));
        if !chunks.is_empty() {
            self.remember(signal.signal_id, made_from, Arc::clone(&profile));
        }
        Ok(profile)
    }

    fn remembered(&self, id: SignalId, made_from: &MadeFrom) -> Option<Arc<TextProfile>> {
        let profiles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        profiles.get(&id).filter(|(from, _)| from == made_from).map(|(_, profile)| Arc::clone(profile))
    }

    fn remember(&self, id: SignalId, made_from: MadeFrom, profile: Arc<TextProfile>) {
        let mut profiles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if profiles.len() >= REMEMBERED_MAX {
            profiles.clear();
        }
        profiles.insert(id, (made_from, profile));
    }
}

/// The chunks are in the order of the text; they overlap a little, which is the same in all versions.
fn profile(chunks: &[StoredChunk], language: &str) -> TextProfile {
    let mut text = String::new();
    let mut rest = chunks.iter();
    for chunk in rest.by_ref() {
        text.push_str(&chunk.text);
        text.push('\n');
        if text.len() > TEXT_BYTES_MAX {
            break;
        }
    }
    let profile = TextProfile::of(&text, language);
    let is_whole = profile.is_whole && rest.next().is_none();
    TextProfile { centroid: mean(chunks), is_whole, ..profile }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_much_of_a_text_is_profiled() {
        let chunk = |text: String| StoredChunk {
            number: 0,
            start: 0,
            end: 0,
            heading: String::new(),
            text,
            vector: vec![1.0, 0.0],
        };
        let chunks = [chunk("x".repeat(TEXT_BYTES_MAX)), chunk("Invoice 1041".to_owned())];
        let (whole, cut) = (profile(&chunks[1..], "en"), profile(&chunks, "en"));
        assert!(whole.is_whole && whole.says("invoice") && whole.centroid.is_some());
        assert!(!cut.is_whole && !cut.says("invoice"));
    }

    #[test]
    fn so_many_are_remembered() {
        let profiles = ProfileCache::default();
        let from = || ("hash".to_owned(), "model".to_owned(), 1);
        for id in 0..=REMEMBERED_MAX as i64 {
            profiles.remember(SignalId(id), from(), Arc::default());
        }
        assert_eq!(profiles.remembered(SignalId(0), &from()), None, "it began anew");
        let last = SignalId(REMEMBERED_MAX as i64);
        assert!(profiles.remembered(last, &from()).is_some());
        assert_eq!(profiles.remembered(last, &("other".to_owned(), "model".to_owned(), 1)), None);
    }
}
