//! People whom another service vouches for: a signed token leads to a user here.

use super::{Caller, Scheme, password};
use crate::AppState;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, Refusal};
use domain::audit::Author;
use domain::authenticator::ProvenIdentity;
use domain::contracts::{OAuthError, TokenUse};
use domain::user::{Principal, User};

/// The caller of `Authorization: Bearer <signed token>`, if the token proves one.
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

/// The user of an identity; made the first time, without a password that anybody knows.
pub async fn user_of(
    state: &AppState,
    identity: &ProvenIdentity,
    address: ClientAddress,
) -> Result<User, ApiError> {
    let now = state.clock.now();
    let store = state.store.on_behalf_of(Author::stranger(address.to_string(), now));
    Ok(store.user_of_identity(identity, password::DECOY, now).await?)
}

/// What a token that was not accepted means: a sentence for people, or an answer that says to try again.
pub fn refused(error: OAuthError) -> Result<String, ApiError> {
    tracing::warn!("authentication failed: {error}");
    match error {
        OAuthError::Unavailable(..) => Err(ApiError::saying(Refusal::Unavailable, format!("{error}."))),
        OAuthError::Store(error) => Err(error.into()),
        other => Ok(other.to_string()),
    }
}
