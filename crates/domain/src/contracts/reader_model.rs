//! ReaderModels: turn words into vectors, and rank texts against a query. They never write.

use async_trait::async_trait;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReaderError {
    #[error("the reader model '{0}' is not known; {1}")]
    Unknown(String, String),
    #[error("the reader model failed: {0}")]
    Failed(String),
}

/// What a text is read for: some models read a question and a passage differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadAs {
    Query,
    Passage,
}

/// A model is named as an AIProvider with the role `reader` is: by its name or its model; empty for the built-in one.
#[async_trait]
pub trait ReaderModels: Send + Sync {
    /// The vector of a query.
    async fn embed(&self, model: &str, text: &str) -> Result<Vec<f32>, ReaderError>;
    /// The vectors of texts, in their order.
    async fn embed_many(
        &self,
        model: &str,
        read_as: ReadAs,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, ReaderError>;
    /// The model that ranking uses; None: the built-in one.
    async fn ranking_model(&self) -> Result<Option<String>, ReaderError>;
    /// How well each text answers the query, 0 to 1, by the default provider with the role `reranker`;
    /// None when there is none.
    async fn rerank(&self, query: &str, texts: &[String]) -> Result<Option<Vec<f32>>, ReaderError>;
}
