//! The diff of two versions of a document.

use super::access::{is_open, tokens_of, visible};
use super::error::CanonicalError;
use super::text_diff::{DiffOp, DiffPiece, compare, words};
use crate::{CacheParts, SemanticCache};
use domain::corpus::{Signal, StoredChunk};
use domain::ids::SignalId;
use domain::ports::{StoreError, chain};
use domain::user::Principal;

/// Most characters of each text that are compared.
pub const DIFF_CHARS_MAX: usize = 200_000;
/// Most pieces that are returned.
pub const DIFF_PIECES_MAX: usize = 4_000;

/// The changes from the left text to the right one.
#[derive(Debug, Clone, PartialEq)]
pub struct Diff {
    pub left: Signal,
    pub right: Signal,
    /// Counts of words.
    pub added: usize,
    pub removed: usize,
    pub same: usize,
    /// A text was longer than the limit, or there were more pieces than the limit.
    pub truncated: bool,
    /// In text order. Without the `Added` pieces they form the left text, without the `Removed` ones the right text.
    pub pieces: Vec<DiffPiece>,
}

impl SemanticCache {
    /// The diff of two documents that the person may see. If the text of a document has expired, its chunks are
    /// compared.
    pub async fn diff_of(
        &self,
        person: &Principal,
        left: SignalId,
        right: SignalId,
    ) -> Result<Diff, CanonicalError> {
        is_open(&self.parts)?;
        let tokens = tokens_of(&self.parts, person).await?;
        let left = visible(&self.parts, &tokens, left).await?.ok_or(CanonicalError::NotFound)?;
        let right = visible(&self.parts, &tokens, right).await?.ok_or(CanonicalError::NotFound)?;
        let (one, other) = tokio::try_join!(text_of(&self.parts, &left), text_of(&self.parts, &right))?;
        let is_cut = one.is_cut || other.is_cut;
        // Long texts take time, so this runs off the async runtime.
        let compared = tokio::task::spawn_blocking(move || compare(&one.text, &other.text)).await;
        let mut pieces =
            compared.map_err(|error| StoreError::failed("the comparison was broken off").caused_by(error))?;
        let words =
            |op: DiffOp| pieces.iter().filter(|one| one.op == op).map(|one| words(&one.text).count()).sum();
        let (added, removed, same) = (words(DiffOp::Added), words(DiffOp::Removed), words(DiffOp::Same));
        let truncated = is_cut || pieces.len() > DIFF_PIECES_MAX;
        pieces.truncate(DIFF_PIECES_MAX);
        Ok(Diff { left, right, added, removed, same, truncated, pieces })
    }
}

struct Text {
    text: String,
    /// Part of the text is missing.
    is_cut: bool,
}

async fn text_of(parts: &CacheParts, signal: &Signal) -> Result<Text, StoreError> {
    let body = match &signal.body_key {
        Some(key) => parts.bodies.get(key).await.unwrap_or_else(|error| {
            tracing::warn!(signal.id = %signal.signal_id, "a cached text cannot be read: {}", chain(&error));
            None
        }),
        None => None,
    };
    let whole = match body.and_then(|body| String::from_utf8(body.into()).ok()) {
        Some(text) => Text { text, is_cut: false },
        None => joined(&parts.store.chunks(signal.signal_id).await?),
    };
    let text: String = whole.text.chars().take(DIFF_CHARS_MAX).collect();
    Ok(Text { is_cut: whole.is_cut || text.len() < whole.text.len(), text })
}

/// The text of the chunks; neighboring chunks overlap.
fn joined(chunks: &[StoredChunk]) -> Text {
    let (mut text, mut end, mut is_cut) = (String::new(), 0_u32, false);
    for chunk in chunks {
        let shared = end.saturating_sub(chunk.start) as usize;
        if shared == 0 && !text.is_empty() {
            // Between them was whitespace, or chunks that were not stored.
            text.push_str("\n\n");
            is_cut |= chunk.start > end + GAP_CHARS_MAX;
        }
        text.extend(chunk.text.chars().skip(shared));
        end = end.max(chunk.end);
    }
    Text { text, is_cut }
}

/// Most characters between two chunks that count as whitespace.
const GAP_CHARS_MAX: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_text_are_joined_without_what_they_share() {
        let chunk = |start: u32, text: &str| StoredChunk {
            number: 0,
            start,
            end: start + text.chars().count() as u32,
            heading: String::new(),
            text: text.to_owned(),
            vector: Vec::new(),
        };
        let found = joined(&[
            chunk(0, "Zwölf Boxkämpfer."),
            chunk(6, "Boxkämpfer. Jagen Viktor."),
            chunk(33, "Ende."),
        ]);
        assert_eq!((found.text.as_str(), found.is_cut), ("Zwölf Boxkämpfer. Jagen Viktor.\n\nEnde.", false));
        assert!(joined(&[chunk(0, "A."), chunk(900, "B.")]).is_cut, "what was between them is not here");
    }
}
