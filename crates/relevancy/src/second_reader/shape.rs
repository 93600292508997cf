//! The dimensions of a model.

/// The dimensions of a model of this kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The number of tokens.
    pub vocabulary: usize,
    pub dimensions: usize,
    pub layers: usize,
    /// Heads of the attention in each layer; the dimensions are divided among them.
    pub heads: usize,
    /// Dimensions between the two products that end a layer.
    pub inner: usize,
    /// Rows of the published table of positions.
    pub positions: usize,
    /// Maximum number of tokens of a text, with the two around it.
    pub tokens_max: usize,
}

/// all-MiniLM-L6-v2.
pub const MINILM: Shape = Shape {
    vocabulary: 30_522,
    dimensions: 384,
    layers: 6,
    heads: 12,
    inner: 1536,
    positions: 512,
    tokens_max: 256,
};
