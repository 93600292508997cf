//! Port to embedding and reranking models.

use super::Cause;
use async_trait::async_trait;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbeddingError {
    /// `hint` says which models are known.
    #[error("the reader model '{model}' is not known; {hint}")]
    Unknown { model: String, hint: String },
    #[error("the reader model failed: {message}")]
    Failed { message: String, source: Option<Cause> },
}

impl EmbeddingError {
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), source: None }
    }

    /// Keeps the error behind a failure.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Cause>) -> Self {
        if let Self::Failed { source, .. } = &mut self {
            *source = Some(cause.into());
        }
        self
    }
}

/// The kind of an input text: some models embed queries and passages differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EmbeddingInput {
    Query,
    Passage,
}

/// Embedding and reranking models. `model` is the name or the model of an AIProvider with the role `reader`; empty for
/// the built-in model.
#[async_trait]
pub trait EmbeddingModels: Send + Sync {
    /// Embeds a query.
    async fn embed(&self, model: &str, text: &str) -> Result<Vec<f32>, EmbeddingError>;
    /// Embeds texts and returns their vectors in the same order.
    async fn embed_many(
        &self,
        model: &str,
        input: EmbeddingInput,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, EmbeddingError>;
    /// The model that relevancy ranking uses; None for the built-in one.
    async fn ranking_model(&self) -> Result<Option<String>, EmbeddingError>;
    /// Scores each text against the query, 0 to 1, with the default provider of the role `reranker`; None if there is
    /// no such provider.
    async fn rerank(&self, query: &str, texts: &[String]) -> Result<Option<Vec<f32>>, EmbeddingError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::chain;
    use std::error::Error;
    use std::io;
    use std::mem::discriminant;

    #[test]
    fn people_see_the_sentence_and_the_log_the_cause() {
        let unknown = EmbeddingError::Unknown { model: "a".to_owned(), hint: "use b".to_owned() };
        let table = [
            (unknown, "the reader model 'a' is not known; use b", false),
            (EmbeddingError::failed("no answer"), "the reader model failed: no answer", true),
        ];
        for (error, text, has_cause) in table {
            let caused = error.clone().caused_by(io::Error::other("timed out"));
            assert_eq!((caused.to_string().as_str(), discriminant(&caused)), (text, discriminant(&error)));
            assert_eq!(caused.source().is_some_and(|cause| cause.is::<io::Error>()), has_cause);
            assert_eq!(chain(&caused).ends_with(": timed out"), has_cause);
        }
    }
}
