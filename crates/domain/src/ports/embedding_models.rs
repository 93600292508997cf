//! Port to embedding and reranking models.

use async_trait::async_trait;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbeddingError {
    #[error("the reader model '{0}' is not known; {1}")]
    Unknown(String, String),
    #[error("the reader model failed: {0}")]
    Failed(String),
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
