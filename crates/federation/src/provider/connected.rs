//! A source that needs the asking person's own token gets it here, for one run.

use super::ProviderRun;
use crate::Federation;
use domain::contracts::{
    ConnectorError, ConnectorErrorKind, ConnectorKind, PluginRegistry, SourceTokenError,
};
use domain::ids::UserId;
use domain::provider::SearchProvider;

impl ProviderRun {
    /// The provider with the token in it; None when it needs none.
    pub(super) async fn connected(
        &self,
        kind: &ConnectorKind,
    ) -> Result<Option<SearchProvider>, ConnectorError> {
        let named = self.provider.named_authenticator();
        let Some(authenticator) = named.or(kind.authenticator) else { return Ok(None) };
        let token =
            self.tokens.access_token(self.search.owner, authenticator).await.map_err(not_connected)?;
        Ok(Some(SearchProvider { user_token: Some(token), ..SearchProvider::clone(&self.provider) }))
    }
}

impl Federation {
    /// Why this person cannot ask the source now, when it needs an account that is not connected.
    pub async fn missing_connection(&self, user: UserId, provider: &SearchProvider) -> Option<String> {
        let authenticator = authenticator_of(provider, &self.plugins)?;
        self.tokens.access_token(user, authenticator).await.err().map(|error| error.to_string())
    }
}

/// The authenticator whose token a provider needs, by its name or idp; None when it needs none.
pub fn authenticator_of<'a>(provider: &'a SearchProvider, plugins: &PluginRegistry) -> Option<&'a str> {
    plugins.authenticator_of(provider)
}

fn not_connected(error: SourceTokenError) -> ConnectorError {
    let kind = match error {
        SourceTokenError::NotConnected(_) => ConnectorErrorKind::NotConnected,
        SourceTokenError::UnknownAuthenticator(_) => ConnectorErrorKind::ConfigInvalid,
        SourceTokenError::Unavailable(..) => ConnectorErrorKind::Unavailable,
    };
    ConnectorError::new(kind, error.to_string())
}
