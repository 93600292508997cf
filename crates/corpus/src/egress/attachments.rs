//! Which document an attachment is: the same text, the same name and size, or nearly the same text.

use super::shelf::Shelf;
use crate::CacheParts;
use crate::chunks::pieces;
use crate::ingest::embedding;
use crate::ingest::{WORDS_MIN, prepared};
use crate::versions::{cosine, mean};
use bytes::Bytes;
use domain::contracts::{Asking, FileToRead};
use domain::corpus::{AclToken, MatchMethod};
use domain::ids::SignalId;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// From this cosine on two texts are nearly the same.
const SIMILARITY_MIN: f64 = 0.95;
/// Pieces that are asked for, to find documents to compare with.
const NEAREST_MAX: usize = 30;
/// Most documents that one attachment is compared with.
const COMPARED_MAX: usize = 5;
/// Most files of a scan that are remembered.
const REMEMBERED_MAX: usize = 1_000;

/// What an attachment is compared with.
pub struct Reader<'a> {
    parts: &'a CacheParts,
    pub shelf: &'a Shelf,
    tokens: &'a [AclToken],
    /// The same file often goes to many, and is read once.
    read: Mutex<BTreeMap<FileHash, Recognised>>,
}

/// Of its name and its bytes.
type FileHash = [u8; 32];
type Recognised = Vec<(SignalId, MatchMethod)>;

impl<'a> Reader<'a> {
    pub fn new(parts: &'a CacheParts, shelf: &'a Shelf, tokens: &'a [AclToken]) -> Self {
        Self { parts, shelf, tokens, read: Mutex::default() }
    }

    /// Such an attachment may be recognised; any other need not be opened.
    pub fn wants(&self, name: &str, media_type: &str) -> bool {
        self.parts.mail.extract.knows(name) || self.shelf.knows_name(name) || is_nameless(name, media_type)
    }

    /// The documents that this file is, each with how it was recognised.
    pub async fn recognise(&self, name: &str, media_type: &str, bytes: Bytes) -> Recognised {
        let hash = file_hash(name, &bytes);
        if let Some(known) = self.lock().get(&hash) {
            return known.clone();
        }
        let found = self.compared(name, media_type, bytes).await;
        let mut read = self.lock();
        if read.len() < REMEMBERED_MAX {
            read.insert(hash, found.clone());
        }
        found
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<FileHash, Recognised>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What cannot be read is recognised by its name.
    async fn compared(&self, name: &str, media_type: &str, bytes: Bytes) -> Recognised {
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let same_file = self.shelf.by_file(name, size).into_iter().map(|id| (id, MatchMethod::FilenameSize));
        let mut found: Recognised = same_file.collect();
        let media_type = Some(media_type.to_owned()).filter(|kind| !kind.is_empty());
        let file = FileToRead { media_type, name: name.to_owned(), bytes };
        let Ok(read) = self.parts.mail.extract.extract(file).await else { return found };
        let Some(text) = prepared(read.text).await.filter(|text| text.words >= WORDS_MIN) else {
            return found;
        };
        let same_text = self.shelf.by_text(&text.content_hash);
        if same_text.is_empty() {
            let alike = self.alike(name, text.text).await.unwrap_or_default();
            found.extend(alike.into_iter().map(|id| (id, MatchMethod::ContentSimilarity)));
        }
        found.extend(same_text.into_iter().map(|id| (id, MatchMethod::AttachmentHash)));
        found
    }

    /// Documents that say nearly the same. None when the vectors cannot be asked now: what is exact was found without.
    async fn alike(&self, name: &str, text: String) -> Option<Vec<SignalId>> {
        let model = embedding::model(self.parts).await.ok()?;
        let cut = tokio::task::spawn_blocking(move || pieces(&text)).await.ok()?;
        let chunks = embedding::chunks(self.parts, &model, name, cut).await.ok()?;
        let own = mean(&chunks)?;
        let asking = Asking { tokens: self.tokens, limit: NEAREST_MAX };
        let hits = self.parts.vectors.nearest(asking, &own).await.ok()?;
        let near: BTreeSet<SignalId> = hits
            .into_iter()
            .map(|hit| hit.signal)
            .filter(|id| self.shelf.holds(*id))
            .take(COMPARED_MAX)
            .collect();
        let near: Vec<SignalId> = near.into_iter().collect();
        let mut alike = Vec::new();
        for signal in self.parts.store.signals(&near, Some(self.tokens)).await.ok()? {
            // Vectors of another model mean something else.
            if signal.embedding_model != model {
                continue;
            }
            let other = mean(&self.parts.store.chunks(signal.signal_id).await.ok()?);
            let is_alike =
                |other: Vec<f32>| other.len() == own.len() && cosine(&own, &other) >= SIMILARITY_MIN;
            if other.is_some_and(is_alike) {
                alike.push(signal.signal_id);
            }
        }
        Some(alike)
    }
}

fn file_hash(name: &str, bytes: &[u8]) -> FileHash {
    let mut hash = Sha256::new();
    hash.update(name);
    hash.update([0]);
    hash.update(bytes);
    hash.finalize().into()
}

/// Without an ending a name says nothing, and what it is shows when it is opened; of sounds and pictures nothing is read.
fn is_nameless(name: &str, media_type: &str) -> bool {
    let is_heard_or_seen = ["image/", "audio/", "video/"]
        .iter()
        .any(|kind| media_type.trim().to_ascii_lowercase().starts_with(kind));
    !name.contains('.') && !is_heard_or_seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_an_ending_say_nothing() {
        let table = [
            ("Agreement", "application/pdf", true),
            ("Agreement", "", true),
            ("a.pdf", "application/pdf", false),
            ("photo", "Image/png", false),
        ];
        for (name, media_type, expected) in table {
            assert_eq!(is_nameless(name, media_type), expected, "{name} {media_type}");
        }
    }
}
