//! Sources that are asked by likeness: which reader model reads the query, and the vector it made.

use domain::contracts::{ConnectorError, ConnectorErrorKind, ProviderQuery};
use domain::provider::SearchProvider;

/// A tag of this form names the model with which the source's vectors were made.
const MODEL_TAG: &str = "model:";

/// The reader model that the provider names; empty for the built-in one.
pub fn model(provider: &SearchProvider) -> String {
    let named = provider.spec.tags.iter().find_map(|tag| tag.strip_prefix(MODEL_TAG));
    named.unwrap_or_default().trim().to_owned()
}

/// The query's vector. Federation reads it before it asks.
pub fn required<'a>(query: &ProviderQuery<'a>) -> Result<&'a [f32], ConnectorError> {
    query.vector.filter(|vector| !vector.is_empty()).ok_or_else(|| {
        ConnectorError::new(ConnectorErrorKind::QueryInvalid, "the query could not be read as a vector")
    })
}
