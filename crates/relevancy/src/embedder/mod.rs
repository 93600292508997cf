//! The built-in embedding model, with 256 dimensions.
//!
//! The weights are part of the program; nothing is downloaded. A text is split into WordPiece tokens (`wordpiece.rs`),
//! the rows of its tokens are added up (`weights.rs`), each as much as it counts among the others (`attention.rs`), and the sum
//! is normalized (`embedding.rs`). Two texts are similar if their embeddings point in the same direction.
//!
//! Parts of a text, such as the words around a match, are compared by plain sums, which can be added up.

mod attention;
mod embedding;
mod safetensors;
mod token_spans;
mod vocabulary;
mod weights;
mod wordpiece;

pub use embedding::{DIMENSIONS, Embedding, Sum};
pub use token_spans::TokenSpans;
pub(crate) use vocabulary::is_vocabulary;
pub use weights::MODEL_NAME;
pub(crate) use wordpiece::first_token_ids;
pub use wordpiece::token_ids;

/// Most tokens of a text that are embedded; longer texts are split into windows.
pub const TOKENS_MAX: usize = 512;

/// The embedding of a text.
pub fn embed(text: &str) -> Embedding {
    TokenSpans::of(text).embedding()
}

/// The normalized sum of a text's tokens, all with the same weight, which is compared with sums.
pub fn normalized_sum(text: &str) -> Embedding {
    TokenSpans::of(text).sum().normalized()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Pairs of texts with their similarity according to the trained model, and the tokens of the first.
    const CHECK: &str = include_str!("../../data/check.json");

    #[test]
    fn the_model_reads_as_it_was_trained() {
        let pairs: Vec<Value> = serde_json::from_str(CHECK).expect("a list");
        assert!(pairs.len() > 5);
        for pair in pairs {
            let text = |key: &str| pair[key].as_str().expect("a text").to_owned();
            let found = f64::from(embed(&text("a")).cosine(&embed(&text("b"))));
            let expected = pair["cosine"].as_f64().expect("a number");
            assert!((found - expected).abs() < 0.01, "{pair}: {found}");
            assert_eq!(Value::from(token_ids(&text("a"))), pair["a_ids"], "{pair}");
        }
    }
}
