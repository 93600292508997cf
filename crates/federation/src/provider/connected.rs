//! A source that needs the asking person's own token gets it here, for one run.

use super::ProviderRun;
use domain::contracts::{Catalogues, ConnectorError, ConnectorErrorKind, ConnectorKind, SourceTokenError};
use domain::notation::credentials::session_name;
use domain::provider::SearchProvider;

/// The end of a session's name that stands for the token of an authenticator.
const TOKEN_SUFFIX: &str = "_access_token";

impl ProviderRun {
    /// The provider with the token in it; None when it needs none.
    pub(super) async fn connected(
        &self,
        kind: &ConnectorKind,
    ) -> Result<Option<SearchProvider>, ConnectorError> {
        let Some(authenticator) = authenticator(&self.provider, kind) else { return Ok(None) };
        let token =
            self.tokens.access_token(self.search.owner, authenticator).await.map_err(not_connected)?;
        Ok(Some(SearchProvider { user_token: Some(token), ..SearchProvider::clone(&self.provider) }))
    }
}

/// The authenticator whose token a provider needs, by its name or idp; None when it needs none.
pub fn authenticator_of<'a>(provider: &'a SearchProvider, catalogues: &Catalogues) -> Option<&'a str> {
    authenticator(provider, catalogues.connector(&provider.draft.connector)?)
}

/// What the provider names, else what its `eval_credentials` mean (`session['microsoft_access_token']`), else
/// what its connector always needs.
fn authenticator<'a>(provider: &'a SearchProvider, kind: &ConnectorKind) -> Option<&'a str> {
    let named = provider.draft.authenticator.trim();
    if !named.is_empty() {
        return Some(named);
    }
    let evaluated = session_name(&provider.draft.eval_credentials).ok().flatten();
    evaluated.and_then(|name| name.strip_suffix(TOKEN_SUFFIX)).or(kind.authenticator)
}

fn not_connected(error: SourceTokenError) -> ConnectorError {
    let kind = match error {
        SourceTokenError::NotConnected(_) => ConnectorErrorKind::NotConnected,
        SourceTokenError::UnknownAuthenticator(_) => ConnectorErrorKind::ConfigInvalid,
        SourceTokenError::Unavailable(..) => ConnectorErrorKind::Unavailable,
    };
    ConnectorError::new(kind, error.to_string())
}
