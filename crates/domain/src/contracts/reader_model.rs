//! ReaderModels: turn words into vectors, for sources that are asked by likeness.

use async_trait::async_trait;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReaderError {
    #[error("the reader model '{0}' is not known; {1}")]
    Unknown(String, String),
    #[error("the reader model failed: {0}")]
    Failed(String),
}

#[async_trait]
pub trait ReaderModels: Send + Sync {
    /// The vector of a text. `model` as a provider names it; empty for the built-in one.
    async fn embed(&self, model: &str, text: &str) -> Result<Vec<f32>, ReaderError>;
}
