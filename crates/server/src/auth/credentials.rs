//! Who sent a request, by its credentials: a password, a token or a session.

use super::basic::BasicCredentials;
use super::caller::{Caller, Scheme};
use super::{basic, oidc, session, token};
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorCode};
use crate::metrics::SignInFailure;
use crate::state::AppState;
use axum::http::{HeaderMap, header};
use domain::user::{Principal, User};

/// The user with this name and password. 429 after too many failures.
pub async fn by_password(
    state: &AppState,
    username: &str,
    password: &str,
    address: ClientAddress,
) -> Result<Option<User>, ApiError> {
    let attempt = state.throttles.sign_in.attempt(username, address);
    let user = state.basic.verify(&*state.store, attempt, username, password).await;
    counted(state, SignInFailure::Password, user)
}

/// Counts failed sign-ins for the metrics.
fn counted<T>(
    state: &AppState,
    reason: SignInFailure,
    found: Result<Option<T>, ApiError>,
) -> Result<Option<T>, ApiError> {
    match &found {
        Ok(None) => state.metrics.sign_in_failed(reason),
        Err(error) if error.error_code() == ErrorCode::Throttled => {
            state.metrics.sign_in_failed(SignInFailure::Throttled);
        }
        _ => {}
    }
    found
}

/// The caller, or the error code. An invalid or throttled header does not override a valid session.
pub async fn identify(
    state: &AppState,
    headers: &HeaderMap,
    address: ClientAddress,
) -> Result<Result<Caller, ErrorCode>, ApiError> {
    let given = headers.get(header::AUTHORIZATION);
    let mut throttled = None;
    if let Some(value) = given {
        match by_header(state, value.to_str().unwrap_or_default(), address).await {
            Ok(Some(caller)) => return Ok(Ok(caller)),
            Ok(None) => {}
            Err(error) if error.error_code() == ErrorCode::Throttled => throttled = Some(error),
            Err(error) => return Err(error),
        }
    }
    if let Some(caller) = session::identify(state, headers).await? {
        return Ok(Ok(caller));
    }
    if let Some(error) = throttled {
        return Err(error);
    }
    let code = if given.is_some() { ErrorCode::AuthenticationFailed } else { ErrorCode::NotAuthenticated };
    Ok(Err(code))
}

async fn by_header(
    state: &AppState,
    header: &str,
    address: ClientAddress,
) -> Result<Option<Caller>, ApiError> {
    let (scheme, text) = header.trim().split_once(' ').unwrap_or((header, ""));
    let text = text.trim();
    match scheme.to_ascii_lowercase().as_str() {
        "basic" => match basic::decode(text) {
            Some(BasicCredentials { username, password }) => {
                let user = by_password(state, &username, &password, address).await?;
                Ok(user.map(|user| Caller { principal: Principal::of(&user), scheme: Scheme::Basic }))
            }
            None => Ok(None),
        },
        "token" => counted(state, SignInFailure::Token, by_token(state, text, address).await),
        "bearer" => counted(state, SignInFailure::Bearer, by_signed_token(state, text, address).await),
        _ => Ok(None),
    }
}

async fn by_token(state: &AppState, text: &str, address: ClientAddress) -> Result<Option<Caller>, ApiError> {
    let _until_looked_up = state.throttles.sign_in.acquire_token_lookup(address).await?;
    match token::identify(state, text).await? {
        Some(caller) => Ok(Some(caller)),
        None => state.throttles.sign_in.token_failed(address).map(|()| None),
    }
}

async fn by_signed_token(
    state: &AppState,
    text: &str,
    address: ClientAddress,
) -> Result<Option<Caller>, ApiError> {
    let _until_looked_up = state.throttles.sign_in.acquire_token_lookup(address).await?;
    match oidc::identify(state, text, address).await? {
        Some(caller) => Ok(Some(caller)),
        None => state.throttles.sign_in.token_failed(address).map(|()| None),
    }
}
