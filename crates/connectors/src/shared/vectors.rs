//! The embedding model of a provider and the vector of a query.

use domain::ports::{ConnectorError, ConnectorErrorKind, ProviderQuery};
use domain::provider::SearchProvider;

/// A tag with this prefix names the model that made the source's vectors.
const MODEL_TAG: &str = "model:";

/// The embedding model that the provider names; empty for the built-in one.
pub fn model(provider: &SearchProvider) -> String {
    let named = provider.spec.tags.iter().find_map(|tag| tag.strip_prefix(MODEL_TAG));
    named.unwrap_or_default().trim().to_owned()
}

/// The query vector, which federation computes beforehand.
pub fn required<'a>(query: &ProviderQuery<'a>) -> Result<&'a [f32], ConnectorError> {
    query.vector.filter(|vector| !vector.is_empty()).ok_or_else(|| {
        ConnectorError::new(ConnectorErrorKind::QueryInvalid, "the query could not be embedded")
    })
}
