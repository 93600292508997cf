//! Tests of the whole model, on a small one whose vectors another program computed.

use super::convert::{check_config, convert, convert_tables};
use super::fixtures::{SMALL, config, file, tables};
use super::model::{ReaderModel, cosine};
use super::shape::{MINILM, Shape};
use super::tensor_file::TensorWriter;
use serde_json::Value;

/// Tokens and their vectors, computed by `second_reader.py` beside it.
const EXPECTED: &str = include_str!("../../tests/data/second_reader.json");
const VOCABULARY: &str = include_str!("../../data/vocab.txt");

fn small_model() -> ReaderModel {
    let converted = convert_tables(&file(&tables(&SMALL)), &SMALL).unwrap();
    ReaderModel::read_shape(&converted, SMALL).unwrap()
}

fn error_of<T>(result: Result<T, super::ReaderFileError>) -> String {
    result.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn vectors_are_those_of_the_reference() {
    let model = small_model();
    let cases: Vec<Value> = serde_json::from_str(EXPECTED).unwrap();
    assert!(cases.len() > 4);
    for case in cases {
        let numbers = |key: &str| case[key].as_array().unwrap().clone();
        let ids: Vec<u32> = numbers("ids").iter().map(|id| id.as_u64().unwrap() as u32).collect();
        let expected: Vec<f64> = numbers("vector").iter().map(|value| value.as_f64().unwrap()).collect();
        let found = model.vector_of_tokens(&ids).unwrap();
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-5, "{ids:?}: {found} {expected}");
        }
        assert!((cosine(&found, &found) - 1.0).abs() < 1e-5);
    }
}

#[test]
fn texts_are_read_up_to_a_limit() {
    let model = small_model();
    let ids: Vec<u32> = (0..SMALL.tokens_max as u32 + 5).collect();
    let first = model.vector_of_tokens(&ids[..SMALL.tokens_max]);
    assert!(first.is_some());
    assert_eq!(model.vector_of_tokens(&ids), first, "the rest of a long text is not read");
    assert_eq!(model.vector_of_tokens(&[]), None);
    // Tokens that the small model does not have are read as positions only.
    assert!(model.vector("a text").is_some());
    assert_eq!(model.vector("river ".repeat(500).as_str()), model.vector("river ".repeat(10).as_str()));
    assert!(model.vector("").is_some());
}

#[test]
fn the_order_of_tokens_counts() {
    let model = small_model();
    let (one, other) =
        (model.vector_of_tokens(&[7, 8, 9]).unwrap(), model.vector_of_tokens(&[9, 8, 7]).unwrap());
    assert!(cosine(&one, &other) < 0.999);
}

#[test]
fn weights_that_are_no_model_make_no_vector() {
    let mut tables = tables(&SMALL);
    for (_, _, values) in &mut tables {
        values.fill(f32::MAX / 4.0);
    }
    let converted = convert_tables(&file(&tables), &SMALL).unwrap();
    let model = ReaderModel::read_shape(&converted, SMALL).unwrap();
    assert_eq!(model.vector_of_tokens(&[1, 2, 3]), None);
}

#[test]
fn another_shape_is_refused() {
    let bytes = file(&tables(&SMALL));
    for (shape, message) in [
        (Shape { vocabulary: 51, ..SMALL }, "'embeddings.word_embeddings.weight' is F32 [50,24]"),
        (Shape { layers: 3, ..SMALL }, "'encoder.layer.2.attention.self.query.weight' is missing"),
        (Shape { inner: 48, ..SMALL }, "'encoder.layer.0.intermediate.dense.weight' is F32 [40,24]"),
        (Shape { positions: 20, ..SMALL }, "'embeddings.position_embeddings.weight' is F32 [16,24]"),
    ] {
        let error = error_of(convert_tables(&bytes, &shape));
        assert!(error.contains(message), "{error}");
    }
    let converted = convert_tables(&bytes, &SMALL).unwrap();
    let error = error_of(ReaderModel::read(&converted));
    assert_eq!(error, "the table 'words' is I8 [50,24], but must be I8 [30522,384]");
}

#[test]
fn other_files_are_refused() {
    for (bytes, message) in [
        (&b"no model"[..], "not a safetensors file"),
        (&file(&tables(&SMALL))[..], "name its folder"),
        (&TensorWriter::new("other").finish()[..], "not a converted model of this version"),
    ] {
        let error = error_of(ReaderModel::read_shape(bytes, SMALL));
        assert!(error.contains(message), "{error}");
    }
    let mut tables = tables(&SMALL);
    tables[7].2[3] = f32::INFINITY;
    assert!(error_of(convert_tables(&file(&tables), &SMALL)).contains("not numbers"));
}

#[test]
fn configuration_and_vocabulary_are_checked() {
    assert_eq!(check_config(&config(&SMALL), &SMALL), Ok(()));
    for (config, message) in [
        ("{".to_owned(), "not valid JSON"),
        ("[]".to_owned(), "'model_type' must be \"bert\""),
        (config(&Shape { heads: 6, ..MINILM }), "'num_attention_heads' must be 12"),
        (config(&MINILM).replace("\"gelu\"", "\"relu\""), "'hidden_act' must be \"gelu\""),
    ] {
        let error = error_of(check_config(&config, &MINILM));
        assert!(error.contains(message), "{error}");
    }
    let other = VOCABULARY.replacen("river", "rivet", 1);
    assert!(error_of(convert(b"", &config(&MINILM), &other)).contains("vocab.txt"));
    // With the vocabulary it is the model's turn.
    for vocabulary in [VOCABULARY.to_owned(), VOCABULARY.replace('\n', "\r\n")] {
        assert!(error_of(convert(b"", &config(&MINILM), &vocabulary)).contains("safetensors"));
    }
}
