//! Converts the published model into the file of the second reader.

use super::error::ReaderFileError;
use super::matrix::Rows;
use super::model::FORMAT;
use super::shape::{MINILM, Shape};
use super::tensor_file::{TensorFile, TensorWriter};
use crate::embedder::is_vocabulary;
use serde_json::Value;

/// The linear steps of a layer: the name in the published model, and in the converted file.
const SQUARE: [(&str, &str); 4] = [
    ("attention.self.query", "query"),
    ("attention.self.key", "key"),
    ("attention.self.value", "value"),
    ("attention.output.dense", "output"),
];
/// The normalizations of a layer.
const NORMS: [(&str, &str); 2] =
    [("attention.output.LayerNorm", "attention_norm"), ("output.LayerNorm", "norm")];

/// The converted file of a published model, from `model.safetensors`, `config.json` and `vocab.txt`.
pub fn convert(model: &[u8], config: &str, vocabulary: &str) -> Result<Vec<u8>, ReaderFileError> {
    check_config(config, &MINILM)?;
    if !is_vocabulary(vocabulary) {
        return Err(ReaderFileError::new(
            "vocab.txt is not the vocabulary of the built-in model, with which texts are split into tokens",
        ));
    }
    convert_tables(model, &MINILM)
}

/// Refuses a configuration that the weights alone would not show to be another model.
pub(super) fn check_config(config: &str, shape: &Shape) -> Result<(), ReaderFileError> {
    let config: Value = serde_json::from_str(config)
        .map_err(|_invalid| ReaderFileError::new("config.json is not valid JSON"))?;
    let expected = [
        ("model_type", Value::from("bert")),
        ("hidden_act", Value::from("gelu")),
        ("hidden_size", Value::from(shape.dimensions)),
        ("num_hidden_layers", Value::from(shape.layers)),
        ("num_attention_heads", Value::from(shape.heads)),
        ("intermediate_size", Value::from(shape.inner)),
        ("vocab_size", Value::from(shape.vocabulary)),
    ];
    match expected.iter().find(|(name, value)| config[*name] != *value) {
        None => Ok(()),
        Some((name, value)) => Err(ReaderFileError::new(format!(
            "config.json is of another model than all-MiniLM-L6-v2: '{name}' must be {value}"
        ))),
    }
}

/// Converts the tables of a model of this shape.
pub(super) fn convert_tables(model: &[u8], shape: &Shape) -> Result<Vec<u8>, ReaderFileError> {
    let mut conversion =
        Conversion { published: TensorFile::read(model)?, converted: TensorWriter::new(FORMAT) };
    conversion.embeddings(shape)?;
    for number in 0..shape.layers {
        conversion.layer(number, shape)?;
    }
    Ok(conversion.converted.finish())
}

/// A conversion in progress.
struct Conversion<'f> {
    published: TensorFile<'f>,
    converted: TensorWriter,
}

impl Conversion<'_> {
    fn embeddings(&mut self, shape: &Shape) -> Result<(), ReaderFileError> {
        let Shape { vocabulary, dimensions, positions, tokens_max, .. } = *shape;
        self.rows("embeddings.word_embeddings.weight", "words", vocabulary, dimensions)?;
        let mut rows =
            self.published.floats("embeddings.position_embeddings.weight", &[positions, dimensions])?;
        let kinds = self.published.floats("embeddings.token_type_embeddings.weight", &[2, dimensions])?;
        rows.truncate(tokens_max * dimensions);
        // All tokens of a text are of the first kind.
        for row in rows.chunks_exact_mut(dimensions) {
            row.iter_mut().zip(&kinds).for_each(|(value, kind)| *value += kind);
        }
        self.converted.add_floats("positions", &[tokens_max, dimensions], &rows);
        self.norm("embeddings.LayerNorm", "norm", dimensions)
    }

    fn layer(&mut self, number: usize, shape: &Shape) -> Result<(), ReaderFileError> {
        let (dimensions, inner) = (shape.dimensions, shape.inner);
        let published = |part: &str| format!("encoder.layer.{number}.{part}");
        let converted = |part: &str| format!("layers.{number}.{part}");
        for (from, to) in SQUARE {
            self.linear(&published(from), &converted(to), dimensions, dimensions)?;
        }
        self.linear(&published("intermediate.dense"), &converted("inner"), inner, dimensions)?;
        self.linear(&published("output.dense"), &converted("outer"), dimensions, inner)?;
        for (from, to) in NORMS {
            self.norm(&published(from), &converted(to), dimensions)?;
        }
        Ok(())
    }

    fn linear(
        &mut self,
        from: &str,
        to: &str,
        outputs: usize,
        columns: usize,
    ) -> Result<(), ReaderFileError> {
        self.rows(&format!("{from}.weight"), to, outputs, columns)?;
        self.copy(&format!("{from}.bias"), &format!("{to}.biases"), outputs)
    }

    fn norm(&mut self, from: &str, to: &str, dimensions: usize) -> Result<(), ReaderFileError> {
        self.copy(&format!("{from}.weight"), &format!("{to}.weights"), dimensions)?;
        self.copy(&format!("{from}.bias"), &format!("{to}.biases"), dimensions)
    }

    fn rows(&mut self, from: &str, to: &str, count: usize, columns: usize) -> Result<(), ReaderFileError> {
        let rows = Rows::nearest(&self.published.floats(from, &[count, columns])?, columns);
        self.converted.add_integers(to, &[count, columns], &rows.numbers);
        self.converted.add_floats(&format!("{to}.scales"), &[count], &rows.scales);
        Ok(())
    }

    fn copy(&mut self, from: &str, to: &str, count: usize) -> Result<(), ReaderFileError> {
        let values = self.published.floats(from, &[count])?;
        self.converted.add_floats(to, &[count], &values);
        Ok(())
    }
}
