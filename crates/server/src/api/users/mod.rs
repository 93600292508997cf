//! Users: administrators only, except `/svc/users/me/`. Passwords are never returned.

mod me;
mod record;

use super::merge_patch::merge;
use super::pagination::{ListRequest, Listing, Paging};
use crate::audit::AuditedStore;
use crate::auth::{Admin, password};
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::links::Links;
use crate::preconditions::{IfMatch, Versioned, deletable, edit};
use crate::state::AppState;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::ids::UserId;
use domain::ports::{EditableRecord, StoreError};
use domain::user::{User, UserSpec};
use record::{current_spec, load};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::OnceCell;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(list_users, create_user))
        .routes(routes!(me::read_me, me::change_me))
        .routes(routes!(me::change_password))
        .routes(routes!(read_user, replace_user, change_user, delete_user))
}

/// All users.
#[utoipa::path(get, path = "/svc/users/", tag = "people", params(Paging), responses(
    (status = 200, description = "Users.", body = Listing<User>),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn list_users(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, "/users/")?;
    let page = state.store.users(list.offset(), list.limit()).await?;
    Ok(list.answer(page.items, page.total))
}

/// Creates a user.
#[utoipa::path(post, path = "/svc/users/", tag = "people", request_body = UserSpec, responses(
    (status = 201, description = "Created.", body = User),
    (status = 400, description = "Invalid.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 409, description = "The name is already taken.", body = ErrorBody)))]
async fn create_user(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiJson(spec): ApiJson<UserSpec>,
) -> Result<(StatusCode, Versioned<User>), ApiError> {
    let mut spec = spec.check_new().into_result(spec).map_err(ApiError::invalid)?;
    let hash = state.basic.hash(&spec.password.take().unwrap_or_default()).await?;
    let user = audited.store().create_user(spec, hash, state.clock.now()).await.map_err(named_by_field)?;
    Ok((StatusCode::CREATED, Versioned::first(user)))
}

/// One user.
#[utoipa::path(get, path = "/svc/users/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the user.")),
    responses((status = 200, description = "The user.", body = User), (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn read_user(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Versioned<User>, ApiError> {
    load(&state, UserId(id)).await
}

/// Replaces a user; without `password` the stored one remains. A new password ends the user's sessions and the tokens
/// of `/svc/login/`.
#[utoipa::path(put, path = "/svc/users/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the user.")),
    request_body = UserSpec, responses(
    (status = 200, description = "Replaced.", body = User),
    (status = 400, description = "Invalid.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is already taken, or this is the last administrator.", body = ErrorBody)))]
async fn replace_user(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(spec): ApiJson<UserSpec>,
) -> Result<Versioned<User>, ApiError> {
    let hash = PasswordHash::default();
    let load = || load(&state, UserId(id));
    let save = |user| save(&state, &audited, user, spec.clone(), &hash);
    edit(&if_match, load, save).await
}

/// Changes the given fields of a user.
#[utoipa::path(patch, path = "/svc/users/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the user.")),
    request_body = UserSpec, responses(
    (status = 200, description = "Changed.", body = User),
    (status = 400, description = "Invalid.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is already taken, or this is the last administrator.", body = ErrorBody)))]
async fn change_user(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<User>, ApiError> {
    let hash = PasswordHash::default();
    let (state, audited, given, hash) = (&state, &audited, &given, &hash);
    let load = || load(state, UserId(id));
    let save = move |user: Versioned<User>| async move {
        let spec = merge(&current_spec(&user.body), given.clone())?;
        save(state, audited, user, spec, hash).await
    };
    edit(&if_match, load, save).await
}

/// Deletes a user with searches, results, tokens and private providers.
#[utoipa::path(delete, path = "/svc/users/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the user.")),
    responses(
    (status = 204, description = "Deleted."),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "Yourself, or the last administrator.", body = ErrorBody)))]
async fn delete_user(
    Admin(principal): Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let user = state.store.user(UserId(id)).await?;
    if user.id == principal.user {
        return Err(ApiError::with_detail(ErrorCode::Conflict, "You cannot delete yourself."));
    }
    let version = deletable(&state, &if_match, EditableRecord::User(user.id)).await?;
    audited.at(version).delete_user(user.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The only references of a user are groups.
fn named_by_field(error: StoreError) -> ApiError {
    match error {
        StoreError::UnknownReference(what) => {
            ApiError::invalid_field("groups", format!("There is no {what}."))
        }
        other => other.into(),
    }
}

/// The hash of a new password: computed once, however often the edit is retried.
type PasswordHash = OnceCell<String>;

/// Writes a user. The store refuses a change that would leave no administrator, in the same transaction.
async fn save(
    state: &AppState,
    audited: &AuditedStore,
    Versioned { version, body: user }: Versioned<User>,
    spec: UserSpec,
    hash: &PasswordHash,
) -> Result<Versioned<User>, ApiError> {
    let mut spec = spec.check_change_of(&user).into_result(spec).map_err(ApiError::invalid)?;
    let hash = match spec.password.take() {
        Some(password) => Some(hash.get_or_try_init(|| state.basic.hash(&password)).await?.clone()),
        None => None,
    };
    let (is_new_password, now) = (hash.is_some(), state.clock.now());
    let saved =
        audited.at(Some(version)).replace_user(user.id, spec, hash, now).await.map_err(named_by_field)?;
    if is_new_password {
        password::forget_initial(Path::new(&state.settings.data_dir), &user.username);
    }
    Ok(Versioned::after(version, saved))
}
