//! A small model with fixed weights in the format of the published one.

use super::shape::Shape;
use super::tensor_file::TensorWriter;
use serde_json::json;

/// The shape of the small model.
pub const SMALL: Shape =
    Shape { vocabulary: 50, dimensions: 24, layers: 2, heads: 2, inner: 40, positions: 16, tokens_max: 12 };

/// The tables of a published model of this shape, with the values of `tests/data/second_reader.py`.
pub fn tables(shape: &Shape) -> Vec<(String, Vec<usize>, Vec<f32>)> {
    let Shape { vocabulary, dimensions, layers, inner, positions, .. } = *shape;
    let mut named = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![vocabulary, dimensions]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![positions, dimensions]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, dimensions]),
        ("embeddings.LayerNorm.weight".to_owned(), vec![dimensions]),
        ("embeddings.LayerNorm.bias".to_owned(), vec![dimensions]),
    ];
    for number in 0..layers {
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        for (part, outputs, columns) in [
            ("attention.self.query", dimensions, dimensions),
            ("attention.self.key", dimensions, dimensions),
            ("attention.self.value", dimensions, dimensions),
            ("attention.output.dense", dimensions, dimensions),
            ("intermediate.dense", inner, dimensions),
            ("output.dense", dimensions, inner),
        ] {
            named.push((name(&format!("{part}.weight")), vec![outputs, columns]));
            named.push((name(&format!("{part}.bias")), vec![outputs]));
        }
        for part in ["attention.output.LayerNorm", "output.LayerNorm"] {
            named.push((name(&format!("{part}.weight")), vec![dimensions]));
            named.push((name(&format!("{part}.bias")), vec![dimensions]));
        }
    }
    let with_values = |(number, (name, shape)): (usize, (String, Vec<usize>))| {
        let more = if name.ends_with("LayerNorm.weight") { 1.0 } else { 0.0 };
        let count = shape.iter().product::<usize>() as u64;
        let values = (0..count).map(|place| value(number as u64, place) + more).collect();
        (name, shape, values)
    };
    named.into_iter().enumerate().map(with_values).collect()
}

/// A multiple of 1/64 between -1/2 and 1/2, which a float represents exactly.
fn value(table: u64, place: u64) -> f32 {
    let number = (table * 7919 + place * 104_729 + (place * place % 1009) * 31) % 65;
    (number as f32 - 32.0) / 64.0
}

/// A file with these tables.
pub fn file(tables: &[(String, Vec<usize>, Vec<f32>)]) -> Vec<u8> {
    let mut writer = TensorWriter::new("pt");
    for (name, shape, values) in tables {
        writer.add_floats(name, shape, values);
    }
    writer.finish()
}

/// The configuration of a published model of this shape.
pub fn config(shape: &Shape) -> String {
    let Shape { vocabulary, dimensions, layers, heads, inner, .. } = shape;
    let config = json!({
        "model_type": "bert", "hidden_act": "gelu", "hidden_size": dimensions, "vocab_size": vocabulary,
        "num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": inner,
    });
    config.to_string()
}
