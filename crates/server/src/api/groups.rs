//! Groups, for administrators: a provider that is not shared is visible to the members of its groups.

use super::merge_patch::merge;
use super::pagination::{ListRequest, Listing, Paging};
use crate::audit::AuditedStore;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::links::Links;
use crate::preconditions::{IfMatch, Versioned, deletable, edit, versioned};
use crate::state::AppState;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::ids::GroupId;
use domain::ports::EditableRecord;
use domain::user::{Group, GroupSpec};
use serde_json::{Map, Value};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(list_groups, create_group)).routes(routes!(
        read_group,
        replace_group,
        change_group,
        delete_group
    ))
}

/// All groups.
#[utoipa::path(get, path = "/svc/groups/", tag = "people", params(Paging), responses(
    (status = 200, description = "Groups.", body = Listing<Group>),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn list_groups(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, "/groups/")?;
    let page = state.store.groups(list.offset(), list.limit()).await?;
    Ok(list.answer(page.items, page.total))
}

/// Creates a group.
#[utoipa::path(post, path = "/svc/groups/", tag = "people", request_body = GroupSpec, responses(
    (status = 201, description = "Created.", body = Group),
    (status = 400, description = "Invalid.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 409, description = "The name is already taken.", body = ErrorBody)))]
async fn create_group(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiJson(spec): ApiJson<GroupSpec>,
) -> Result<(StatusCode, Versioned<Group>), ApiError> {
    let spec = spec.check().into_result(spec).map_err(ApiError::invalid)?;
    let group = audited.store().create_group(spec, state.clock.now()).await?;
    Ok((StatusCode::CREATED, Versioned::first(group)))
}

/// One group.
#[utoipa::path(get, path = "/svc/groups/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the group.")),
    responses((status = 200, description = "The group.", body = Group), (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn read_group(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Versioned<Group>, ApiError> {
    load(&state, GroupId(id)).await
}

/// Replaces a group.
#[utoipa::path(put, path = "/svc/groups/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the group.")),
    request_body = GroupSpec, responses(
    (status = 200, description = "Replaced.", body = Group),
    (status = 400, description = "Invalid.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is already taken.", body = ErrorBody)))]
async fn replace_group(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(spec): ApiJson<GroupSpec>,
) -> Result<Versioned<Group>, ApiError> {
    let load = || load(&state, GroupId(id));
    let save = |stored| save(&audited, stored, spec.clone());
    edit(&if_match, load, save).await
}

/// Changes the given fields of a group.
#[utoipa::path(patch, path = "/svc/groups/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the group.")),
    request_body = GroupSpec, responses(
    (status = 200, description = "Changed.", body = Group),
    (status = 400, description = "Invalid.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is already taken.", body = ErrorBody)))]
async fn change_group(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<Group>, ApiError> {
    let (audited, given) = (&audited, &given);
    let load = || load(&state, GroupId(id));
    let save = move |stored: Versioned<Group>| async move {
        let spec = merge(&GroupSpec { name: stored.body.name.clone() }, given.clone())?;
        save(audited, stored, spec).await
    };
    edit(&if_match, load, save).await
}

async fn load(state: &AppState, id: GroupId) -> Result<Versioned<Group>, ApiError> {
    versioned(state, EditableRecord::Group(id), state.store.group(id)).await
}

async fn save(
    audited: &AuditedStore,
    Versioned { version, body: stored }: Versioned<Group>,
    spec: GroupSpec,
) -> Result<Versioned<Group>, ApiError> {
    let spec = spec.check().into_result(spec).map_err(ApiError::invalid)?;
    let saved = audited.at(Some(version)).replace_group(stored.id, spec).await?;
    Ok(Versioned::after(version, saved))
}

/// Deletes a group; its members remain.
#[utoipa::path(delete, path = "/svc/groups/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the group.")),
    responses((status = 204, description = "Deleted."), (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn delete_group(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let version = deletable(&state, &if_match, EditableRecord::Group(GroupId(id))).await?;
    audited.at(version).delete_group(GroupId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
