//! Adds the user's own OAuth token to a provider that needs one, for one run.

use super::provider_run::ProviderRun;
use domain::ports::{ConnectorError, ConnectorErrorKind, ConnectorKind, SourceTokenError};
use domain::provider::SearchProvider;

impl ProviderRun {
    /// The provider with the token; None if it needs none.
    pub(super) async fn with_user_token(
        &self,
        kind: &ConnectorKind,
    ) -> Result<Option<SearchProvider>, ConnectorError> {
        let named = self.provider.named_authenticator();
        let Some(authenticator) = named.or(kind.authenticator) else { return Ok(None) };
        let token = self.tokens.access_token(self.search.owner, authenticator).await.map_err(token_error)?;
        Ok(Some(SearchProvider { user_token: Some(token), ..SearchProvider::clone(&self.provider) }))
    }
}

fn token_error(error: SourceTokenError) -> ConnectorError {
    let kind = match error {
        SourceTokenError::NotConnected(_) => ConnectorErrorKind::NotConnected,
        SourceTokenError::UnknownAuthenticator(_) => ConnectorErrorKind::ConfigInvalid,
        SourceTokenError::Unavailable(..) => ConnectorErrorKind::Unavailable,
    };
    ConnectorError::new(kind, error.to_string()).caused_by(error)
}
