//! Writing Query Transforms: administrators only, and every row of the rules is checked before it is saved.

use super::read::{TransformView, show};
use crate::House;
use crate::api::merge::merge;
use crate::auth::Admin;
use crate::changes::Changes;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath};
use crate::preconditions::{IfMatch, Versioned, deletable, edit, versioned};
use axum::extract::State;
use axum::http::StatusCode;
use domain::contracts::EditableRecord;
use domain::ids::TransformId;
use domain::query_transform::{QueryTransform, TransformDraft};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Creates a transform.
#[utoipa::path(post, path = "/svc/querytransforms/", tag = "transforms", request_body = TransformDraft, responses(
    (status = 201, description = "Created.", body = TransformView),
    (status = 400, description = "Not valid; mistakes in the rules name their lines.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 409, description = "There is one of this name and type.", body = ErrorBody)))]
pub async fn create_querytransform(
    Admin(principal): Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    ApiJson(draft): ApiJson<TransformDraft>,
) -> Result<(StatusCode, Versioned<TransformView>), ApiError> {
    let draft = checked(draft)?;
    let created = changes.store().create_transform(draft, principal.user, house.clock.now()).await?;
    Ok((StatusCode::CREATED, Versioned::first(show(&house, created).await?)))
}

/// Replaces a transform.
#[utoipa::path(put, path = "/svc/querytransforms/{id}/", tag = "transforms", params(("id" = i64, Path, description = "Id of the transform.")),
    request_body = TransformDraft, responses(
    (status = 200, description = "Replaced.", body = TransformView),
    (status = 400, description = "Not valid; mistakes in the rules name their lines.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "There is one of this name and type.", body = ErrorBody)))]
pub async fn replace_querytransform(
    _admin: Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(draft): ApiJson<TransformDraft>,
) -> Result<Versioned<TransformView>, ApiError> {
    let load = || load(&house, TransformId(id));
    let save = |version, stored| save(&house, &changes, (version, stored), draft.clone());
    edit(&if_match, load, save).await
}

/// Changes what is given of a transform.
#[utoipa::path(patch, path = "/svc/querytransforms/{id}/", tag = "transforms", params(("id" = i64, Path, description = "Id of the transform.")),
    request_body = TransformDraft, responses(
    (status = 200, description = "Changed.", body = TransformView),
    (status = 400, description = "Not valid; mistakes in the rules name their lines.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "There is one of this name and type.", body = ErrorBody)))]
pub async fn change_querytransform(
    _admin: Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<TransformView>, ApiError> {
    let (house, changes, given) = (&house, &changes, &given);
    let load = || load(house, TransformId(id));
    let save = move |version, stored: QueryTransform| async move {
        let draft = merge(&stored.draft, given.clone())?;
        save(house, changes, (version, stored), draft).await
    };
    edit(&if_match, load, save).await
}

/// Deletes a transform. Searches and providers that name it say so when they run.
#[utoipa::path(delete, path = "/svc/querytransforms/{id}/", tag = "transforms", params(("id" = i64, Path, description = "Id of the transform.")),
    responses((status = 204, description = "Deleted."),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
pub async fn delete_querytransform(
    _admin: Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let version = deletable(&house, &if_match, EditableRecord::Transform(TransformId(id))).await?;
    changes.at(version).delete_transform(TransformId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn load(house: &House, id: TransformId) -> Result<Versioned<QueryTransform>, ApiError> {
    versioned(house, EditableRecord::Transform(id), house.store.transform(id)).await
}

async fn save(
    house: &House,
    changes: &Changes,
    (version, stored): (i64, QueryTransform),
    draft: TransformDraft,
) -> Result<Versioned<TransformView>, ApiError> {
    let (draft, now) = (checked(draft)?, house.clock.now());
    let saved = changes.at(Some(version)).replace_transform(stored.id, draft, now).await?;
    Ok(Versioned::after(version, show(house, saved).await?))
}

/// The draft as it is kept, if nothing is wrong with it.
fn checked(draft: TransformDraft) -> Result<TransformDraft, ApiError> {
    draft.checked().map_err(ApiError::invalid)
}
