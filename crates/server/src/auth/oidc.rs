//! Users authenticated by another service: maps a signed token to a user.

use super::caller::{Caller, Scheme};
use super::password;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use domain::audit::Author;
use domain::authenticator::ProvenIdentity;
use domain::ports::{OAuthError, TokenUse, chain};
use domain::user::{Principal, User};

/// The caller of `Authorization: Bearer <signed token>`, if the token is valid.
pub(super) async fn identify(
    state: &AppState,
    token: &str,
    address: ClientAddress,
) -> Result<Option<Caller>, ApiError> {
    let identity = match state.oauth.identity_of(token, TokenUse::Api).await {
        Ok(Some(identity)) => identity,
        Ok(None) => return Ok(None),
        Err(error) => return refused(error).map(|_| None),
    };
    let user = user_of(state, &identity, address).await?;
    Ok(Some(Caller { principal: Principal::of(&user), scheme: Scheme::Bearer }))
}

/// The user of an identity; created the first time, with a random password that nobody knows.
pub async fn user_of(
    state: &AppState,
    identity: &ProvenIdentity,
    address: ClientAddress,
) -> Result<User, ApiError> {
    let now = state.clock.now();
    let store = state.store.on_behalf_of(Author::anonymous(address.to_string(), now));
    Ok(store.user_of_identity(identity, password::DECOY, now).await?)
}

/// Maps an error of a token to a message for people, or to a response that asks to try again.
pub fn refused(error: OAuthError) -> Result<String, ApiError> {
    tracing::warn!("authentication failed: {}", chain(&error));
    match error {
        OAuthError::Unavailable(..) => {
            Err(ApiError::with_detail(ErrorCode::Unavailable, format!("{error}.")))
        }
        OAuthError::Store(error) => Err(error.into()),
        other => Ok(other.to_string()),
    }
}
