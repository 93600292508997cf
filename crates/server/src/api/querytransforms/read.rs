//! Reading query transforms.

use crate::api::owner_names::OwnerNames;
use crate::api::pagination::{ListRequest, Listing, Paging};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiPath, ApiQuery};
use crate::links::Links;
use crate::preconditions::{Versioned, versioned};
use crate::state::AppState;
use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::ids::TransformId;
use domain::ports::EditableRecord;
use domain::query_transform::{QueryTransform, TransformSpec};
use serde::Serialize;
use std::sync::Arc;

/// A query transform.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = QueryTransform)]
pub struct TransformView {
    id: TransformId,
    /// User name of the owner.
    owner: String,
    #[serde(flatten)]
    spec: TransformSpec,
    date_created: DateTime<Utc>,
    date_updated: DateTime<Utc>,
}

/// The transforms that you may use.
#[utoipa::path(get, path = "/svc/querytransforms/", tag = "transforms", params(Paging),
    responses((status = 200, description = "Transforms by id.", body = Listing<TransformView>)))]
pub async fn list_querytransforms(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, "/querytransforms/")?;
    let mut owners = OwnerNames::default();
    let mut views = Vec::new();
    for transform in state.store.transforms().await? {
        if caller.principal.may_use(&transform) {
            let owner = owners.name(&*state.store, transform.owner).await?;
            views.push(TransformView::of(transform, owner));
        }
    }
    Ok(list.answer_from(views))
}

/// One transform.
#[utoipa::path(get, path = "/svc/querytransforms/{id}/", tag = "transforms", params(("id" = i64, Path, description = "Id of the transform.")),
    responses((status = 200, description = "The transform.", body = TransformView),
    (status = 404, description = "Unknown, or not available to you.", body = ErrorBody)))]
pub async fn read_querytransform(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Versioned<TransformView>, ApiError> {
    let view = async {
        let transform = state.store.transform(TransformId(id)).await?;
        if caller.principal.may_use(&transform) {
            show(&state, transform).await
        } else {
            Err(ApiError::of(ErrorCode::NotFound))
        }
    };
    versioned(&state, EditableRecord::Transform(TransformId(id)), view).await
}

pub async fn show(state: &AppState, transform: QueryTransform) -> Result<TransformView, ApiError> {
    let owner = OwnerNames::default().name(&*state.store, transform.owner).await?;
    Ok(TransformView::of(transform, owner))
}

impl TransformView {
    fn of(transform: QueryTransform, owner: String) -> Self {
        let QueryTransform { id, spec, date_created, date_updated, .. } = transform;
        Self { id, owner, spec, date_created, date_updated }
    }
}
