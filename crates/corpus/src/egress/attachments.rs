//! Which document an attachment is: the same text, the same name and size, or nearly the same text.

use super::shelf::Shelf;
use crate::CacheParts;
use crate::chunks::pieces;
use crate::ingest::embedding;
use crate::ingest::{WORDS_MIN, prepared};
use bytes::Bytes;
use domain::contracts::{Asking, FileToRead};
use domain::corpus::{AclToken, MatchMethod, StoredChunk};
use domain::ids::SignalId;
use std::collections::BTreeSet;

/// From this cosine on two texts are nearly the same.
const SIMILARITY_MIN: f32 = 0.95;
/// Pieces that are asked for, to find documents to compare with.
const NEAREST_MAX: usize = 30;
/// Most documents that one attachment is compared with.
const COMPARED_MAX: usize = 5;
/// Less is the length of no vector.
const LENGTH_MIN: f32 = 1e-6;

/// What an attachment is compared with.
pub struct Reader<'a> {
    pub parts: &'a CacheParts,
    pub shelf: &'a Shelf,
    pub tokens: &'a [AclToken],
}

impl Reader<'_> {
    /// An attachment of this name may be recognised; any other need not be opened.
    pub fn wants(&self, name: &str) -> bool {
        self.parts.mail.extract.knows(name) || self.shelf.knows_name(name)
    }

    /// The documents that this file is, each with how it was recognised. What cannot be read is recognised by its name.
    pub async fn recognise(
        &self,
        name: &str,
        media_type: &str,
        bytes: Bytes,
    ) -> Vec<(SignalId, MatchMethod)> {
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let same_file = self.shelf.by_file(name, size).into_iter().map(|id| (id, MatchMethod::FilenameSize));
        let mut found: Vec<(SignalId, MatchMethod)> = same_file.collect();
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
        let mut alike = Vec::new();
        for id in near {
            let other = mean(&self.parts.signals.chunks(id).await.ok()?);
            if other.is_some_and(|other| cosine(&own, &other) >= SIMILARITY_MIN) {
                alike.push(id);
            }
        }
        Some(alike)
    }
}

/// The mean of the vectors of all pieces, of unit length.
fn mean(chunks: &[StoredChunk]) -> Option<Vec<f32>> {
    let mut sum = vec![0.0; chunks.first()?.vector.len()];
    for chunk in chunks {
        for (total, number) in sum.iter_mut().zip(&chunk.vector) {
            *total += number;
        }
    }
    let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
    if !length.is_finite() || length < LENGTH_MIN {
        return None;
    }
    sum.iter_mut().for_each(|number| *number /= length);
    Some(sum)
}

/// Vectors of several lengths were made by several models and mean nothing to each other.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    if a.len() != b.len() {
        return 0.0;
    }
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
