//! The reader model: what a text is about, as a point in a space of 256 dimensions.
//!
//! The table of the model is part of the program; nothing is downloaded. A text is cut into WordPiece tokens
//! (`wordpiece.rs`), the rows of its tokens are added up (`table.rs`) and the sum is brought to length one
//! (`embedding.rs`). Two texts are alike when their points lie in the same direction.

mod embedding;
mod memory;
mod pieces;
mod table;
mod wordpiece;

pub use embedding::{DIMENSIONS, Embedding, Sum};
pub use memory::remembered;
pub use pieces::Pieces;
pub use table::MODEL_NAME;
pub use wordpiece::token_ids;

/// Most tokens of a text that are read; longer texts are read by windows.
pub const TOKENS_MAX: usize = 512;

/// Where a text lies.
pub fn embed(text: &str) -> Embedding {
    Pieces::of(text).embedding()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Pairs of texts with their likeness by the model as it was trained, and the tokens of the first.
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
