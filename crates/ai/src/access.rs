//! Access tokens for APIs that are authorized by a service account.

use crate::apis::{AccountKey, ApiCall, ModelApiKind};
use crate::error::{unreached, with_provider_name};
use crate::repetition::with_detail;
use api_auth::access_token::{self, Key};
use api_auth::error::AuthError;
use api_auth::service_account::ServiceAccount;
use api_auth::signing_key;
use domain::ports::{Fetch, ModelError, ModelErrorKind};
use domain::secret::Secret;

/// The access token for the requests to a provider.
pub struct Access {
    pub authorization: Secret,
    key: Key,
}

impl Access {
    /// The cached or a new access token; None if the provider has no service account.
    pub async fn of(
        kind: &ModelApiKind,
        call: &ApiCall<'_>,
        fetch: &dyn Fetch,
    ) -> Result<Option<Self>, ModelError> {
        let named = |error| with_provider_name(call.provider, error);
        let Some(key) = kind.api.account_key(call).map_err(named)? else { return Ok(None) };
        let access = token(&key, call, fetch).await;
        access.map(Some).map_err(|error| named(to_model_error(error)))
    }

    /// Removes a token that the service rejected.
    pub fn forget(&self) {
        access_token::forget(&self.key);
    }
}

async fn token(key: &AccountKey, call: &ApiCall<'_>, fetch: &dyn Fetch) -> Result<Access, AuthError> {
    let is_text = key.text.expose().starts_with('{');
    let text = if is_text { key.text.clone() } else { signing_key::file(key.text.expose()).await? };
    let account = ServiceAccount::read(text.expose(), &key.origin)?;
    let authorization = account.authorization(fetch, call.now, key.scope, None, call.time_max).await?;
    Ok(Access { authorization, key: account.token_key(key.scope) })
}

fn to_model_error(error: AuthError) -> ModelError {
    let message = format!("the service account: {error}");
    match error {
        AuthError::Key(_) => ModelError::new(ModelErrorKind::ConfigInvalid, message),
        AuthError::Fetch(error) => unreached(&error),
        AuthError::Rejected { code, description } => {
            let said = description.map_or_else(|| code.clone(), |text| format!("{code}: {text}"));
            with_detail(ModelError::new(ModelErrorKind::Denied, message), &said, None)
        }
        AuthError::NoToken => ModelError::new(ModelErrorKind::Unreadable, message),
        AuthError::Status(_) => ModelError::new(ModelErrorKind::Unavailable, message),
    }
}
