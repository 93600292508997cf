//! Writing query transforms: administrators only; every row of the rules is validated before it is saved.

use super::read::{TransformView, show};
use crate::api::merge_patch::merge;
use crate::audit::AuditedStore;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath};
use crate::preconditions::{IfMatch, Versioned, deletable, edit, versioned};
use crate::state::AppState;
use axum::extract::State;
use axum::http::StatusCode;
use domain::ids::TransformId;
use domain::ports::EditableRecord;
use domain::query_transform::{QueryTransform, TransformSpec};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Creates a transform.
#[utoipa::path(post, path = "/svc/querytransforms/", tag = "transforms", request_body = TransformSpec, responses(
    (status = 201, description = "Created.", body = TransformView),
    (status = 400, description = "Invalid; errors in the rules name their lines.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 409, description = "One with this name and type exists.", body = ErrorBody)))]
pub async fn create_querytransform(
    Admin(principal): Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiJson(spec): ApiJson<TransformSpec>,
) -> Result<(StatusCode, Versioned<TransformView>), ApiError> {
    let spec = checked(spec)?;
    let created = audited.store().create_transform(spec, principal.user, state.clock.now()).await?;
    Ok((StatusCode::CREATED, Versioned::first(show(&state, created).await?)))
}

/// Replaces a transform.
#[utoipa::path(put, path = "/svc/querytransforms/{id}/", tag = "transforms", params(("id" = i64, Path, description = "Id of the transform.")),
    request_body = TransformSpec, responses(
    (status = 200, description = "Replaced.", body = TransformView),
    (status = 400, description = "Invalid; errors in the rules name their lines.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "One with this name and type exists.", body = ErrorBody)))]
pub async fn replace_querytransform(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(spec): ApiJson<TransformSpec>,
) -> Result<Versioned<TransformView>, ApiError> {
    let load = || load(&state, TransformId(id));
    let save = |stored| save(&state, &audited, stored, spec.clone());
    edit(&if_match, load, save).await
}

/// Changes the given fields of a transform.
#[utoipa::path(patch, path = "/svc/querytransforms/{id}/", tag = "transforms", params(("id" = i64, Path, description = "Id of the transform.")),
    request_body = TransformSpec, responses(
    (status = 200, description = "Changed.", body = TransformView),
    (status = 400, description = "Invalid; errors in the rules name their lines.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "One with this name and type exists.", body = ErrorBody)))]
pub async fn change_querytransform(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<TransformView>, ApiError> {
    let (state, audited, given) = (&state, &audited, &given);
    let load = || load(state, TransformId(id));
    let save = move |stored: Versioned<QueryTransform>| async move {
        let spec = merge(&stored.body.spec, given.clone())?;
        save(state, audited, stored, spec).await
    };
    edit(&if_match, load, save).await
}

/// Deletes a transform. Searches and providers that name it report that when they run.
#[utoipa::path(delete, path = "/svc/querytransforms/{id}/", tag = "transforms", params(("id" = i64, Path, description = "Id of the transform.")),
    responses((status = 204, description = "Deleted."),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
pub async fn delete_querytransform(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let version = deletable(&state, &if_match, EditableRecord::Transform(TransformId(id))).await?;
    audited.at(version).delete_transform(TransformId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn load(state: &AppState, id: TransformId) -> Result<Versioned<QueryTransform>, ApiError> {
    versioned(state, EditableRecord::Transform(id), state.store.transform(id)).await
}

async fn save(
    state: &AppState,
    audited: &AuditedStore,
    Versioned { version, body: stored }: Versioned<QueryTransform>,
    spec: TransformSpec,
) -> Result<Versioned<TransformView>, ApiError> {
    let (spec, now) = (checked(spec)?, state.clock.now());
    let saved = audited.at(Some(version)).replace_transform(stored.id, spec, now).await?;
    Ok(Versioned::after(version, show(state, saved).await?))
}

/// The normalized spec, if it is valid.
fn checked(spec: TransformSpec) -> Result<TransformSpec, ApiError> {
    spec.checked().map_err(ApiError::invalid)
}
