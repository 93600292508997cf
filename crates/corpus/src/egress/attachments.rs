//! Matches an attachment with cached documents: same text, same name and size, or similar text.

use super::document_index::DocumentIndex;
use crate::CacheParts;
use crate::chunks::pieces;
use crate::ingest::embedding;
use crate::ingest::{WORDS_MIN, prepare};
use crate::versions::{cosine, mean};
use bytes::Bytes;
use domain::corpus::{AclToken, MatchMethod, Visibility};
use domain::ids::SignalId;
use domain::ports::{FileToRead, VectorQuery};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Cosine from which two texts are similar.
const SIMILARITY_MIN: f64 = 0.95;
/// Chunks to retrieve when looking for documents to compare.
const NEAREST_MAX: usize = 30;
/// Most documents that one attachment is compared with.
const COMPARED_MAX: usize = 5;
/// Most files of a scan that are remembered.
const REMEMBERED_MAX: usize = 1_000;

/// Matches the attachments of a scan.
pub struct Reader<'a> {
    parts: &'a CacheParts,
    pub index: &'a DocumentIndex,
    tokens: &'a [AclToken],
    /// The same file often goes to many recipients; it is read once.
    read: Mutex<BTreeMap<FileHash, Recognised>>,
}

/// Hash of the name and the bytes.
type FileHash = [u8; 32];
type Recognised = Vec<(SignalId, MatchMethod)>;

impl<'a> Reader<'a> {
    pub fn new(parts: &'a CacheParts, index: &'a DocumentIndex, tokens: &'a [AclToken]) -> Self {
        Self { parts, index, tokens, read: Mutex::default() }
    }

    /// Whether the attachment may match a document; others are not opened.
    pub fn wants(&self, name: &str, media_type: &str) -> bool {
        self.parts.mail.extract.knows(name) || self.index.knows_name(name) || is_nameless(name, media_type)
    }

    /// The documents that this file matches, with the method.
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

    /// Files that cannot be read are matched by name.
    async fn compared(&self, name: &str, media_type: &str, bytes: Bytes) -> Recognised {
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let same_file = self.index.by_file(name, size).into_iter().map(|id| (id, MatchMethod::FilenameSize));
        let mut found: Recognised = same_file.collect();
        let media_type = Some(media_type.to_owned()).filter(|kind| !kind.is_empty());
        let file = FileToRead { media_type, name: name.to_owned(), bytes };
        let Ok(read) = self.parts.mail.extract.extract(file).await else { return found };
        let Some(text) = prepare(read.text).await.filter(|text| text.words >= WORDS_MIN) else {
            return found;
        };
        let same_text = self.index.by_text(&text.content_hash);
        if same_text.is_empty() {
            let alike = self.alike(name, text.text).await.unwrap_or_default();
            found.extend(alike.into_iter().map(|id| (id, MatchMethod::ContentSimilarity)));
        }
        found.extend(same_text.into_iter().map(|id| (id, MatchMethod::AttachmentHash)));
        found
    }

    /// Documents with a similar text. None if the vector store cannot be queried now; exact matches do not need it.
    async fn alike(&self, name: &str, text: String) -> Option<Vec<SignalId>> {
        let model = embedding::model(self.parts).await.ok()?;
        let cut = tokio::task::spawn_blocking(move || pieces(&text)).await.ok()?;
        let chunks = embedding::chunks(self.parts, &model, name, cut).await.ok()?;
        let own = mean(&chunks)?;
        let query = VectorQuery { tokens: self.tokens, limit: NEAREST_MAX };
        let hits = self.parts.vectors.nearest(query, &own).await.ok()?;
        let near: BTreeSet<SignalId> = hits
            .into_iter()
            .map(|hit| hit.signal)
            .filter(|id| self.index.holds(*id))
            .take(COMPARED_MAX)
            .collect();
        let near: Vec<SignalId> = near.into_iter().collect();
        let mut alike = Vec::new();
        for signal in self.parts.store.signals(&near, Visibility::To(self.tokens)).await.ok()? {
            // Vectors of different models are not comparable.
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

/// Without an extension the type is known only after opening; audio and images are not read.
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
