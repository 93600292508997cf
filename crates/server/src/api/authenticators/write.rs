//! Creation and editing of authenticators: administrators only; everything is validated before it is saved.

use super::lookup::by_id_or_idp;
use super::read::{AuthenticatorView, load, show};
use crate::api::merge_patch::merge;
use crate::audit::AuditedStore;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath};
use crate::preconditions::{IfMatch, Versioned, deletable, edit};
use crate::state::AppState;
use axum::extract::State;
use axum::http::StatusCode;
use domain::authenticator::{Authenticator, AuthenticatorSpec};
use domain::ports::EditableRecord;
use domain::user::Principal;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Creates an authenticator.
#[utoipa::path(post, path = "/svc/authenticators/", tag = "people", request_body = AuthenticatorSpec, responses(
    (status = 201, description = "Created.", body = AuthenticatorView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 409, description = "The idp is already taken.", body = ErrorBody)))]
pub async fn create_authenticator(
    Admin(principal): Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiJson(spec): ApiJson<AuthenticatorSpec>,
) -> Result<(StatusCode, Versioned<AuthenticatorView>), ApiError> {
    let spec = spec.check().into_result(spec).map_err(ApiError::invalid)?;
    let created = audited.store().create_authenticator(spec, state.clock.now()).await?;
    Ok((StatusCode::CREATED, Versioned::first(show(&state, created, principal.user).await?)))
}

/// Replaces an authenticator. A masked, empty or absent `client_secret` keeps the stored one; if it has
/// `unreadable_fields`, a new `client_secret` is required.
#[utoipa::path(put, path = "/svc/authenticators/{id}/", tag = "people",
    params(("id" = String, Path, description = "Id or idp of the authenticator.")),
    request_body = AuthenticatorSpec, responses(
    (status = 200, description = "Replaced.", body = AuthenticatorView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The idp is already taken.", body = ErrorBody)))]
pub async fn replace_authenticator(
    Admin(principal): Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<String>,
    ApiJson(spec): ApiJson<AuthenticatorSpec>,
) -> Result<Versioned<AuthenticatorView>, ApiError> {
    let load = || load(&state, &id);
    let save = |stored| save(&state, &audited, &principal, stored, spec.clone());
    edit(&if_match, load, save).await
}

/// Changes the given fields of an authenticator. If it has `unreadable_fields`, `client_id` and a new `client_secret`
/// are required.
#[utoipa::path(patch, path = "/svc/authenticators/{id}/", tag = "people",
    params(("id" = String, Path, description = "Id or idp of the authenticator.")),
    request_body = AuthenticatorSpec, responses(
    (status = 200, description = "Changed.", body = AuthenticatorView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The idp is already taken.", body = ErrorBody)))]
pub async fn change_authenticator(
    Admin(principal): Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<String>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<AuthenticatorView>, ApiError> {
    let (state, audited, principal, given) = (&state, &audited, &principal, &given);
    let load = || load(state, &id);
    let save = move |stored: Versioned<Authenticator>| async move {
        let spec = merge(&stored.body.spec_to_edit().masked(), given.clone())?;
        save(state, audited, principal, stored, spec).await
    };
    edit(&if_match, load, save).await
}

/// Deletes an authenticator and all connections of users to it.
#[utoipa::path(delete, path = "/svc/authenticators/{id}/", tag = "people",
    params(("id" = String, Path, description = "Id or idp of the authenticator.")),
    responses((status = 204, description = "Deleted."),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
pub async fn delete_authenticator(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<String>,
) -> Result<StatusCode, ApiError> {
    let stored = by_id_or_idp(&state, &id).await?;
    let version = deletable(&state, &if_match, EditableRecord::Authenticator(stored.id)).await?;
    audited.at(version).delete_authenticator(stored.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn save(
    state: &AppState,
    audited: &AuditedStore,
    principal: &Principal,
    Versioned { version, body: stored }: Versioned<Authenticator>,
    spec: AuthenticatorSpec,
) -> Result<Versioned<AuthenticatorView>, ApiError> {
    let spec = spec.in_place_of(&stored).map_err(ApiError::invalid)?;
    let spec = spec.check().into_result(spec).map_err(ApiError::invalid)?;
    let saved = audited.at(Some(version)).replace_authenticator(stored.id, spec, state.clock.now()).await?;
    Ok(Versioned::after(version, show(state, saved, principal.user).await?))
}
