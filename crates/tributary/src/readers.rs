//! The reader models that the program has: the built-in one.

use async_trait::async_trait;
use domain::contracts::{ReaderError, ReaderModels};
use relevancy::reader::{MODEL_NAME, embed};

/// Names under which the built-in model may be asked for, beside its own and none at all.
const BUILT_IN: [&str; 2] = ["built-in", "default"];

pub struct Readers;

#[async_trait]
impl ReaderModels for Readers {
    async fn embed(&self, model: &str, text: &str) -> Result<Vec<f32>, ReaderError> {
        let is_ours = model.is_empty() || model == MODEL_NAME || BUILT_IN.contains(&model);
        if !is_ours {
            return Err(ReaderError::Unknown(model.to_owned(), format!("use {MODEL_NAME} or leave it out")));
        }
        Ok(embed(text).as_slice().to_vec())
    }
}
