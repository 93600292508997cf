//! Port to advice on queries that found little.

use crate::query_advice::QueryAdvice;
use async_trait::async_trait;

/// What advice is based on. Everything is the asking user's own: nothing that only others may see may be part of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueryEvidence {
    pub query: String,
    /// The texts of the results, each cut to a few thousand bytes.
    pub results: Vec<String>,
    /// The user's earlier queries, newest first.
    pub earlier: Vec<String>,
}

/// Proposes what a query may have meant. It changes no query.
#[async_trait]
pub trait QueryAdvisor: Send + Sync {
    /// Whether a word of the query is neither common nor in the results. Fast; the earlier queries need to be known for
    /// such queries only.
    fn is_doubtful(&self, query: &str, results: &[String]) -> bool;

    /// Empty if nothing is sure enough.
    async fn advise(&self, evidence: QueryEvidence) -> QueryAdvice;
}
