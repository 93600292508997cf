//! The caller's own account.

use super::record::{current_spec, load};
use crate::audit::AuditedStore;
use crate::auth::{Caller, Scheme, by_password, keep_session, password};
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiJson;
use crate::preconditions::{IfMatch, Versioned, edit};
use crate::state::AppState;
use axum::extract::State;
use domain::user::{User, UserSpec};
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;

/// Fields of their own account that users may change.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct MeInput {
    #[schema(example = "ann@example.org")]
    email: Option<String>,
}

#[derive(Deserialize, utoipa::ToSchema)]
pub struct PasswordInput {
    /// The present password.
    current: String,
    /// 8 to 256 characters, neither a common password nor the user name.
    new: String,
}

/// The caller.
#[utoipa::path(get, path = "/svc/users/me/", tag = "people",
    responses((status = 200, description = "The caller.", body = User)))]
pub async fn read_me(
    caller: Caller,
    State(state): State<Arc<AppState>>,
) -> Result<Versioned<User>, ApiError> {
    load(&state, caller.principal.user).await
}

/// Changes the caller's own account: the mail address.
#[utoipa::path(patch, path = "/svc/users/me/", tag = "people", request_body = MeInput, responses(
    (status = 200, description = "Changed.", body = User),
    (status = 400, description = "Invalid.", body = ErrorBody)))]
pub async fn change_me(
    caller: Caller,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiJson(input): ApiJson<MeInput>,
) -> Result<Versioned<User>, ApiError> {
    let (state, audited, input) = (&state, &audited, &input);
    let load = || load(state, caller.principal.user);
    let save = move |Versioned { version, body: user }: Versioned<User>| async move {
        let Some(email) = input.email.clone() else {
            return Ok(Versioned::new(version, user));
        };
        let spec = UserSpec { email, ..current_spec(&user) };
        let spec = spec.check_change_of(&user).into_result(spec).map_err(ApiError::invalid)?;
        let now = state.clock.now();
        let saved = audited.at(Some(version)).replace_user(user.id, spec, None, now).await?;
        Ok(Versioned::after(version, saved))
    };
    edit(&if_match, load, save).await
}

/// Sets a new password of the caller, who must know the present one. All other sessions end, and so do all tokens of
/// `/svc/login/`; tokens that the caller created explicitly remain.
#[utoipa::path(post, path = "/svc/users/me/password/", tag = "people", request_body = PasswordInput, responses(
    (status = 200, description = "Changed.", body = User),
    (status = 400, description = "Invalid, or `current` is wrong.", body = ErrorBody),
    (status = 429, description = "Too many failed attempts; `retry_after` says when to try again.", body = ErrorBody)))]
pub async fn change_password(
    caller: Caller,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    address: ClientAddress,
    ApiJson(input): ApiJson<PasswordInput>,
) -> Result<Versioned<User>, ApiError> {
    let user = state.store.user(caller.principal.user).await?;
    let spec = UserSpec { password: Some(input.new.clone()), ..current_spec(&user) };
    let errors = spec.check_change();
    if let Some((_, sentence)) = errors.iter().find(|(field, _)| *field == "password") {
        return Err(ApiError::invalid_field("new", sentence));
    }
    if by_password(&state, &user.username, &input.current, address).await?.is_none() {
        return Err(ApiError::invalid_field("current", "This is not your password."));
    }
    let hash = state.basic.hash(&input.new).await?;
    // Hashing takes a while: rights and groups are those at the time of writing.
    let (state, audited, hash) = (&state, &audited, &hash);
    let load = || load(state, user.id);
    let save = move |Versioned { version, body: newest }: Versioned<User>| async move {
        let (spec, now) = (current_spec(&newest), state.clock.now());
        let saved = audited.at(Some(version)).replace_user(newest.id, spec, Some(hash.clone()), now).await?;
        Ok(Versioned::after(version, saved))
    };
    let changed = edit(&IfMatch::Absent, load, save).await?;
    password::forget_initial(Path::new(&state.settings.data_dir), &user.username);
    if let Scheme::Session { csrf, key_hash } = caller.scheme {
        keep_session(state, user.id, key_hash, csrf).await?;
    }
    Ok(changed)
}
