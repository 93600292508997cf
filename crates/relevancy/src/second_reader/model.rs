//! The model of a converted file, and the vector of a text.

use super::error::ReaderFileError;
use super::functions::{LayerNorm, sum};
use super::layer::Layer;
use super::matrix::{Linear, Rows};
use super::shape::{MINILM, Shape};
use super::tensor_file::TensorFile;
use crate::embedder::first_token_ids;

/// Named in converted files; another one is refused.
pub const FORMAT: &str = "tributary-second-reader-1";
/// The tokens before and after each text.
const FIRST: u32 = 101;
const LAST: u32 = 102;

/// The second reader's model.
pub struct ReaderModel {
    shape: Shape,
    words: Rows,
    /// A row per position in a text.
    positions: Vec<f32>,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

impl ReaderModel {
    /// The model of a converted file.
    pub fn read(file: &[u8]) -> Result<Self, ReaderFileError> {
        Self::read_shape(file, MINILM)
    }

    pub(super) fn read_shape(file: &[u8], shape: Shape) -> Result<Self, ReaderFileError> {
        let tables = Tables { file: TensorFile::read(file)? };
        match tables.file.format() {
            FORMAT => {}
            "pt" => {
                return Err(ReaderFileError::new(
                    "the file is a published model; name its folder, with config.json and vocab.txt, instead",
                ));
            }
            _ => return Err(ReaderFileError::new("the file is not a converted model of this version")),
        }
        let Shape { vocabulary, dimensions, layers, tokens_max, .. } = shape;
        Ok(Self {
            words: tables.rows("words", vocabulary, dimensions)?,
            positions: tables.file.floats("positions", &[tokens_max, dimensions])?,
            norm: tables.norm("norm", dimensions)?,
            layers: (0..layers).map(|number| tables.layer(number, &shape)).collect::<Result<_, _>>()?,
            shape,
        })
    }

    /// The vector of a text, of length 1, from its first tokens; `None` if the weights make none of it.
    pub fn vector(&self, text: &str) -> Option<Vec<f32>> {
        let mut ids = vec![FIRST];
        ids.extend(first_token_ids(text, self.shape.tokens_max - 2));
        ids.push(LAST);
        self.vector_of_tokens(&ids)
    }

    /// The vector of the first tokens of a text.
    pub(super) fn vector_of_tokens(&self, ids: &[u32]) -> Option<Vec<f32>> {
        let Shape { dimensions, heads, tokens_max, .. } = self.shape;
        let ids = &ids[..ids.len().min(tokens_max)];
        let mut states = self.positions[..ids.len() * dimensions].to_vec();
        for (state, id) in states.chunks_exact_mut(dimensions).zip(ids) {
            self.words.add_row(*id as usize, state);
        }
        self.norm.apply(&mut states);
        for layer in &self.layers {
            layer.apply(&mut states, dimensions, heads);
        }
        mean(&states, dimensions)
    }
}

/// The mean of the tokens, of length 1.
fn mean(states: &[f32], dimensions: usize) -> Option<Vec<f32>> {
    let mut mean = vec![0.0; dimensions];
    for state in states.chunks_exact(dimensions) {
        mean.iter_mut().zip(state).for_each(|(mean, value)| *mean += value);
    }
    let count = (states.len() / dimensions) as f32;
    mean.iter_mut().for_each(|value| *value /= count);
    let squares: Vec<f32> = mean.iter().map(|value| value * value).collect();
    let length = sum(&squares).sqrt();
    mean.iter_mut().for_each(|value| *value /= length);
    mean.iter().all(|value| value.is_finite()).then_some(mean)
}

/// The cosine similarity of two vectors of length 1.
pub fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let products: Vec<f32> = one.iter().zip(other).map(|(one, other)| one * other).collect();
    sum(&products).clamp(-1.0, 1.0)
}

/// The tables of a converted file.
struct Tables<'f> {
    file: TensorFile<'f>,
}

impl Tables<'_> {
    fn rows(&self, name: &str, rows: usize, columns: usize) -> Result<Rows, ReaderFileError> {
        Ok(Rows {
            numbers: self.file.integers(name, &[rows, columns])?,
            scales: self.file.floats(&format!("{name}.scales"), &[rows])?,
            columns,
        })
    }

    fn linear(&self, name: &str, outputs: usize, columns: usize) -> Result<Linear, ReaderFileError> {
        Ok(Linear {
            rows: self.rows(name, outputs, columns)?,
            biases: self.file.floats(&format!("{name}.biases"), &[outputs])?,
        })
    }

    fn norm(&self, name: &str, dimensions: usize) -> Result<LayerNorm, ReaderFileError> {
        Ok(LayerNorm {
            weights: self.file.floats(&format!("{name}.weights"), &[dimensions])?,
            biases: self.file.floats(&format!("{name}.biases"), &[dimensions])?,
        })
    }

    fn layer(&self, number: usize, shape: &Shape) -> Result<Layer, ReaderFileError> {
        let (dimensions, inner) = (shape.dimensions, shape.inner);
        let name = |part: &str| format!("layers.{number}.{part}");
        Ok(Layer {
            query: self.linear(&name("query"), dimensions, dimensions)?,
            key: self.linear(&name("key"), dimensions, dimensions)?,
            value: self.linear(&name("value"), dimensions, dimensions)?,
            output: self.linear(&name("output"), dimensions, dimensions)?,
            attention_norm: self.norm(&name("attention_norm"), dimensions)?,
            inner: self.linear(&name("inner"), inner, dimensions)?,
            outer: self.linear(&name("outer"), dimensions, inner)?,
            norm: self.norm(&name("norm"), dimensions)?,
        })
    }
}
