//! Writing Query Transforms: administrators only, and every row of the rules is checked before it is saved.

use super::read::{TransformView, show};
use crate::House;
use crate::api::merge::merge;
use crate::auth::Admin;
use crate::changes::Changes;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::ids::TransformId;
use domain::query_transform::TransformDraft;
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
) -> Result<(StatusCode, Json<TransformView>), ApiError> {
    let draft = checked(draft)?;
    let created = changes.store().create_transform(draft, principal.user, house.clock.now()).await?;
    Ok((StatusCode::CREATED, Json(show(&house, created).await?)))
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
    ApiPath(id): ApiPath<i64>,
    ApiJson(draft): ApiJson<TransformDraft>,
) -> Result<Json<TransformView>, ApiError> {
    save(&house, &changes, TransformId(id), draft).await
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
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Json<TransformView>, ApiError> {
    let stored = house.store.transform(TransformId(id)).await?;
    save(&house, &changes, stored.id, merge(&stored.draft, given)?).await
}

/// Deletes a transform. Searches and providers that name it say so when they run.
#[utoipa::path(delete, path = "/svc/querytransforms/{id}/", tag = "transforms", params(("id" = i64, Path, description = "Id of the transform.")),
    responses((status = 204, description = "Deleted."),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
pub async fn delete_querytransform(
    _admin: Admin,
    changes: Changes,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    changes.store().delete_transform(TransformId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn save(
    house: &House,
    changes: &Changes,
    id: TransformId,
    draft: TransformDraft,
) -> Result<Json<TransformView>, ApiError> {
    house.store.transform(id).await?; // what is not there is 404, whatever the body says
    let saved = changes.store().replace_transform(id, checked(draft)?, house.clock.now()).await?;
    show(house, saved).await.map(Json)
}

/// The draft as it is kept, if nothing is wrong with it.
fn checked(draft: TransformDraft) -> Result<TransformDraft, ApiError> {
    draft.checked().map_err(ApiError::invalid)
}
