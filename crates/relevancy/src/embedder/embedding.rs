//! Unit vectors of texts.

use super::attention::Attention;
use super::weights::{CHUNK, Weights};
use super::wordpiece::WordPiece;
use pulp::{Arch, NullaryFnOnce};
use std::sync::LazyLock;

pub const DIMENSIONS: usize = 256;

/// Floats that are added in parallel; the compiler generates vector instructions for them.
const LANES: usize = 16;

/// The widest vector instructions of this machine, detected once.
static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);

/// The embedding of a text: a unit vector, or zero if none of its words is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding([f32; DIMENSIONS]);

impl Embedding {
    pub const ZERO: Self = Self([0.0; DIMENSIONS]);

    /// The embedding of a text, which may have several parts: the rows of its tokens, each times its weight among
    /// the others. Without these weights they add up to `sum`.
    pub(super) fn attentive(
        weights: &Weights,
        attention: &Attention,
        parts: &[&[WordPiece]],
        sum: &Sum,
    ) -> Self {
        let length = sum.length();
        if length == 0.0 {
            return Self::ZERO;
        }
        let mut weighted = Sum::ZERO;
        ARCH.dispatch(WeightedRows {
            weights,
            attention,
            parts,
            context: &sum.0,
            length,
            sum: &mut weighted.0,
        });
        weighted.normalized()
    }

    /// Cosine similarity: 1 in the same direction, 0 unrelated.
    pub fn cosine(&self, other: &Self) -> f32 {
        dot(&self.0, &other.0).clamp(-1.0, 1.0)
    }

    /// Whether no word of the text is known to the model.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|value| *value == 0.0)
    }

    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// The embedding with these numbers; `None` if their count is wrong.
    pub fn of_slice(numbers: &[f32]) -> Option<Self> {
        numbers.try_into().ok().map(Self)
    }
}

/// The sum of token rows, all with the same weight. The sums of the parts of a text add up to the sum of the whole. It is compared
/// with the normalized sum of another text.
#[derive(Debug, Clone, PartialEq)]
pub struct Sum([f32; DIMENSIONS]);

impl Sum {
    pub const ZERO: Self = Self([0.0; DIMENSIONS]);

    pub(super) fn of_tokens(weights: &Weights, pieces: &[WordPiece]) -> Self {
        let mut sum = Self::ZERO;
        ARCH.dispatch(Rows { weights, pieces, sum: &mut sum.0 });
        sum
    }

    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, value)| *sum += value);
    }

    pub fn normalized(mut self) -> Embedding {
        let length = self.length();
        if length > 0.0 {
            self.0.iter_mut().for_each(|value| *value /= length);
        }
        Embedding(self.0)
    }

    /// Cosine similarity to another text; `None` if no word of either is known.
    pub fn cosine(&self, other: &Embedding) -> Option<f32> {
        let length = self.length();
        let is_known = length > 0.0 && !other.is_zero();
        is_known.then(|| (dot(&self.0, &other.0) / length).clamp(-1.0, 1.0))
    }

    fn length(&self) -> f32 {
        dot(&self.0, &self.0).sqrt()
    }
}

fn dot(a: &[f32; DIMENSIONS], b: &[f32; DIMENSIONS]) -> f32 {
    ARCH.dispatch(Dot { a, b })
}

// Functions for the machine's vector instructions. Closures would not be inlined into them.

/// Adds into the caller's sum: a returned one would be copied.
struct Rows<'a> {
    weights: &'a Weights,
    pieces: &'a [WordPiece],
    sum: &'a mut [f32; DIMENSIONS],
}

impl NullaryFnOnce for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for chunk in self.pieces.chunks(CHUNK) {
            self.weights.add(chunk, &self.weights.factors(chunk), self.sum);
        }
    }
}

struct WeightedRows<'a> {
    weights: &'a Weights,
    attention: &'a Attention,
    parts: &'a [&'a [WordPiece]],
    context: &'a [f32; DIMENSIONS],
    /// Of `context`.
    length: f32,
    sum: &'a mut [f32; DIMENSIONS],
}

impl NullaryFnOnce for WeightedRows<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let context = self.attention.context(self.context, self.length);
        for chunk in self.parts.iter().flat_map(|pieces| pieces.chunks(CHUNK)) {
            let mut factors = self.weights.factors(chunk);
            self.attention.weigh(chunk, &context, &mut factors);
            self.weights.add(chunk, &factors, self.sum);
        }
    }
}

struct Dot<'a> {
    a: &'a [f32; DIMENSIONS],
    b: &'a [f32; DIMENSIONS],
}

impl NullaryFnOnce for Dot<'_> {
    type Output = f32;

    /// In lanes, so that the sum is the same on every machine, however wide its vectors are.
    #[inline(always)]
    fn call(self) -> f32 {
        let mut lanes = [0.0; LANES];
        for (a, b) in self.a.as_chunks::<LANES>().0.iter().zip(self.b.as_chunks::<LANES>().0) {
            for lane in 0..LANES {
                lanes[lane] += a[lane] * b[lane];
            }
        }
        lanes.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedder::{TokenSpans, embed, normalized_sum};

    #[test]
    fn of_length_one_or_zero() {
        let known = embed("a river in spring");
        assert!((known.cosine(&known) - 1.0).abs() < 1e-5);
        let unknown = embed("");
        assert!(unknown.is_zero() && !known.is_zero());
        assert_eq!(unknown, Embedding::ZERO);
        assert_eq!(unknown.cosine(&known), 0.0);
    }

    #[test]
    fn sums_of_parts_are_the_sum_of_the_whole() {
        let token_spans = TokenSpans::of("a river in spring");
        let mut sum = token_spans.sum_between(0..8);
        sum.add(&token_spans.sum_between(8..17));
        let query = normalized_sum("rivers");
        let (parts, whole) = (sum.cosine(&query), token_spans.sum().normalized().cosine(&query));
        assert!(parts.is_some_and(|parts| (parts - whole).abs() < 1e-5), "{parts:?} {whole}");
        assert_eq!((Sum::ZERO.cosine(&query), sum.cosine(&Embedding::ZERO)), (None, None));
    }

    #[test]
    fn the_order_of_words_does_not_count() {
        let (a, b) = (embed("dog bites man"), embed("man bites dog"));
        assert!(a.cosine(&b) > 0.9999);
    }
}
