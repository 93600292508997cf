//! Adds the user's own OAuth token to a provider that needs one, for one run.

use super::run::ProviderRun;
use crate::federation::Federation;
use domain::ids::UserId;
use domain::ports::{ConnectorError, ConnectorErrorKind, ConnectorKind, PluginRegistry, SourceTokenError};
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

impl Federation {
    /// Why the user cannot query the provider now, if it needs an account that is not connected.
    pub async fn missing_connection(&self, user: UserId, provider: &SearchProvider) -> Option<String> {
        let authenticator = authenticator_of(provider, &self.plugins)?;
        self.tokens.access_token(user, authenticator).await.err().map(|error| error.to_string())
    }
}

/// The authenticator whose token the provider needs, by name or idp; None if it needs none.
pub fn authenticator_of<'a>(provider: &'a SearchProvider, plugins: &PluginRegistry) -> Option<&'a str> {
    plugins.authenticator_of(provider)
}

fn token_error(error: SourceTokenError) -> ConnectorError {
    let kind = match error {
        SourceTokenError::NotConnected(_) => ConnectorErrorKind::NotConnected,
        SourceTokenError::UnknownAuthenticator(_) => ConnectorErrorKind::ConfigInvalid,
        SourceTokenError::Unavailable(..) => ConnectorErrorKind::Unavailable,
    };
    ConnectorError::new(kind, error.to_string()).caused_by(error)
}
