//! The tokens of one text with their positions, so that parts of it can be embedded without tokenizing it again.

use super::TOKENS_MAX;
use super::attention::Attention;
use super::embedding::{Embedding, Sum};
use super::weights::Weights;
use super::wordpiece::{self, WordPiece};
use std::ops::Range;

/// Most tokens of one text that are kept. Parts beyond them are unknown.
pub const SPANS_MAX: usize = 16 * TOKENS_MAX;

#[derive(Debug, Clone, Default)]
pub struct TokenSpans {
    /// In the order of the text.
    pieces: Vec<WordPiece>,
}

impl TokenSpans {
    pub fn of(text: &str) -> Self {
        let expected = (text.len() / 4).min(SPANS_MAX);
        let mut pieces = Vec::with_capacity(expected);
        wordpiece::read(text, SPANS_MAX, |start, id| {
            pieces.push(WordPiece { id, start: u32::try_from(start).unwrap_or(u32::MAX) });
        });
        Self { pieces }
    }

    /// The embedding of the text, from its first tokens.
    pub fn embedding(&self) -> Embedding {
        embedding(&self.pieces)
    }

    /// The embedding of a part of the text: the words that begin in it.
    pub fn between(&self, bytes: Range<usize>) -> Embedding {
        embedding(self.part(bytes))
    }

    /// Like [`TokenSpans::between`], as a sum.
    pub fn sum_between(&self, bytes: Range<usize>) -> Sum {
        sum(self.part(bytes))
    }

    /// Like [`TokenSpans::embedding`], as a sum.
    pub fn sum(&self) -> Sum {
        sum(&self.pieces)
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The embedding of two texts as one, from their first tokens together.
    pub fn embedding_with(&self, next: &Self) -> Embedding {
        let first = &self.pieces[..self.pieces.len().min(TOKENS_MAX)];
        let next = &next.pieces[..next.pieces.len().min(TOKENS_MAX - first.len())];
        let mut sum = sum(first);
        sum.add(&self::sum(next));
        attentive(&[first, next], &sum)
    }

    /// Like [`TokenSpans::embedding_with`], if the sums of both texts are known and both are short.
    pub fn embedding_of_sums(&self, sum: &Sum, next: &Self, next_sum: &Sum) -> Embedding {
        let mut both = sum.clone();
        both.add(next_sum);
        attentive(&[&self.pieces, &next.pieces], &both)
    }

    fn part(&self, bytes: Range<usize>) -> &[WordPiece] {
        let place = |byte: usize| self.pieces.partition_point(|piece| (piece.start as usize) < byte);
        self.pieces.get(place(bytes.start)..place(bytes.end)).unwrap_or_default()
    }
}

fn sum(pieces: &[WordPiece]) -> Sum {
    Sum::of_tokens(Weights::shipped(), &pieces[..pieces.len().min(TOKENS_MAX)])
}

fn embedding(pieces: &[WordPiece]) -> Embedding {
    let pieces = &pieces[..pieces.len().min(TOKENS_MAX)];
    attentive(&[pieces], &sum(pieces))
}

fn attentive(parts: &[&[WordPiece]], sum: &Sum) -> Embedding {
    Embedding::attentive(Weights::shipped(), Attention::shipped(), parts, sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedder::embed;

    #[test]
    fn a_part_lies_where_its_own_text_lies() {
        let text = "Déjà vu: electric cars, and the embeddings of rivers";
        let token_spans = TokenSpans::of(text);
        let part = text.find("electric").unwrap_or_default()..text.find(", and").unwrap_or_default();
        assert_eq!(token_spans.between(part), embed("electric cars"));
        assert_eq!(token_spans.between(0..text.len()), embed(text));
        assert!(token_spans.between(3..3).is_zero());
        assert!(token_spans.between(500..600).is_zero());
        #[expect(clippy::reversed_empty_ranges, reason = "a wrong range is no accident")]
        let nothing = token_spans.between(9..2);
        assert!(nothing.is_zero());
    }

    #[test]
    fn two_texts_as_one() {
        let (title, body) = ("Electric cars", "and where to charge them");
        let together = TokenSpans::of(title).embedding_with(&TokenSpans::of(body));
        let expected = embed(&format!("{title} {body}"));
        assert!((together.cosine(&expected) - 1.0).abs() < 1e-5);
        let (title, body) = (TokenSpans::of(title), TokenSpans::of(body));
        assert_eq!(title.embedding_of_sums(&title.sum(), &body, &body.sum()), together);
    }

    #[test]
    fn reading_is_bounded() {
        let long = "river ".repeat(SPANS_MAX + 10);
        assert_eq!(TokenSpans::of(&long).len(), SPANS_MAX);
        let cut = format!("{}{}", "river ".repeat(TOKENS_MAX), "banana ".repeat(TOKENS_MAX));
        assert_eq!(embed(&cut), embed(&"river ".repeat(TOKENS_MAX)));
    }
}
