//! The second reader: an optional embedding model of six layers, which compares a query with a few texts more exactly
//! than the built-in model.
//!
//! It is all-MiniLM-L6-v2 with weights of 8 bits. The weights are not part of the program: `convert.rs` makes them out
//! of the published model, as a file that `model.rs` reads. A text is split into the tokens of the built-in model; each
//! layer mixes the tokens (`heads.rs`) and changes each of them (`layer.rs`), by products of integers (`matrix.rs`), so
//! that the vector is the same on every machine. The vector of a text is the mean of its tokens.

mod convert;
mod error;
#[cfg(test)]
mod fixtures;
mod functions;
mod heads;
mod layer;
mod matrix;
mod model;
mod shape;
mod tensor_file;
#[cfg(test)]
mod tests;
mod vector_instructions;

pub use convert::convert;
pub use error::ReaderFileError;
pub use model::{ReaderModel, cosine};

use matrix::COLUMNS_MAX;
use shape::MINILM;

/// Maximum number of tokens of a text that are read, with the two around it.
pub const TOKENS_MAX: usize = MINILM.tokens_max;
/// The number of dimensions of a vector.
pub const DIMENSIONS: usize = MINILM.dimensions;

const _: () = assert!(MINILM.inner <= COLUMNS_MAX && MINILM.dimensions <= COLUMNS_MAX);
const _: () =
    assert!(MINILM.dimensions.is_multiple_of(MINILM.heads) && MINILM.tokens_max <= MINILM.positions);
