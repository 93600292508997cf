//! Configuration of a Qdrant server.

use domain::ports::Fetch;
use domain::secret::Secret;
use std::sync::Arc;

/// Server and credentials.
#[derive(Clone)]
pub struct QdrantConfig {
    pub fetch: Arc<dyn Fetch>,
    /// Such as `http://localhost:6333`.
    pub url: String,
    /// Empty: none.
    pub api_key: Secret,
    pub collection: String,
}
