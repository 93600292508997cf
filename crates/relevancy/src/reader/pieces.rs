//! The tokens of one text with their places, so that parts of it can be embedded without reading it again.

use super::TOKENS_MAX;
use super::embedding::{Embedding, Sum};
use super::table::Table;
use super::wordpiece;
use std::ops::Range;

/// Most tokens of one text that are kept. Parts beyond them are unknown.
pub const PIECES_MAX: usize = 16 * TOKENS_MAX;

#[derive(Debug, Clone, Default)]
pub struct Pieces {
    ids: Vec<u32>,
    /// Where the word of each token begins, in bytes; ascending.
    starts: Vec<u32>,
}

impl Pieces {
    pub fn of(text: &str) -> Self {
        let expected = (text.len() / 4).min(PIECES_MAX);
        let mut pieces = Self { ids: Vec::with_capacity(expected), starts: Vec::with_capacity(expected) };
        wordpiece::read(text, PIECES_MAX, |start, id| {
            pieces.ids.push(id);
            pieces.starts.push(u32::try_from(start).unwrap_or(u32::MAX));
        });
        pieces
    }

    /// Where the text lies, by its first tokens.
    pub fn embedding(&self) -> Embedding {
        embedding(&self.ids)
    }

    /// Where a part of the text lies: the words that begin in it.
    pub fn between(&self, bytes: Range<usize>) -> Embedding {
        embedding(self.part(bytes))
    }

    /// As [`Pieces::between`], as a sum.
    pub fn sum_between(&self, bytes: Range<usize>) -> Sum {
        sum(self.part(bytes))
    }

    /// As [`Pieces::embedding`], as a sum.
    pub fn sum(&self) -> Sum {
        sum(&self.ids)
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Where two texts lie as one, by their first tokens together.
    pub fn embedding_with(&self, next: &Self) -> Embedding {
        let ids: Vec<u32> = self.ids.iter().chain(&next.ids).copied().take(TOKENS_MAX).collect();
        embedding(&ids)
    }

    fn part(&self, bytes: Range<usize>) -> &[u32] {
        let place = |byte: usize| self.starts.partition_point(|start| (*start as usize) < byte);
        self.ids.get(place(bytes.start)..place(bytes.end)).unwrap_or_default()
    }
}

fn sum(ids: &[u32]) -> Sum {
    Sum::of_tokens(Table::shipped(), &ids[..ids.len().min(TOKENS_MAX)])
}

fn embedding(ids: &[u32]) -> Embedding {
    Embedding::of_tokens(Table::shipped(), &ids[..ids.len().min(TOKENS_MAX)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::embed;

    #[test]
    fn a_part_lies_where_its_own_text_lies() {
        let text = "Déjà vu: electric cars, and the embeddings of rivers";
        let pieces = Pieces::of(text);
        let part = text.find("electric").unwrap_or_default()..text.find(", and").unwrap_or_default();
        assert_eq!(pieces.between(part), embed("electric cars"));
        assert_eq!(pieces.between(0..text.len()), embed(text));
        assert!(pieces.between(3..3).is_zero());
        assert!(pieces.between(500..600).is_zero());
        #[expect(clippy::reversed_empty_ranges, reason = "a wrong range is no accident")]
        let nothing = pieces.between(9..2);
        assert!(nothing.is_zero());
    }

    #[test]
    fn two_texts_as_one() {
        let (title, body) = ("Electric cars", "and where to charge them");
        let together = Pieces::of(title).embedding_with(&Pieces::of(body));
        assert_eq!(together, embed(&format!("{title} {body}")));
    }

    #[test]
    fn reading_is_bounded() {
        let long = "river ".repeat(PIECES_MAX + 10);
        assert_eq!(Pieces::of(&long).ids.len(), PIECES_MAX);
        let cut = format!("{}{}", "river ".repeat(TOKENS_MAX), "banana ".repeat(TOKENS_MAX));
        assert_eq!(embed(&cut), embed(&"river ".repeat(TOKENS_MAX)));
    }
}
