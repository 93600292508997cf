//! Groups: providers that are not shared are visible to members of their groups. Administrators only.

use super::listing::{ListRequest, Listing, Paging};
use super::merge::merge;
use crate::House;
use crate::auth::Admin;
use crate::changes::Changes;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::links::Links;
use crate::preconditions::{IfMatch, Versioned, deletable, edit, versioned};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::contracts::EditableRecord;
use domain::ids::GroupId;
use domain::user::{Group, GroupDraft};
use serde_json::{Map, Value};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<House>> {
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
    State(house): State<Arc<House>>,
    links: Links,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, "/groups/")?;
    let page = house.store.groups(list.offset(), list.limit()).await?;
    Ok(list.answer(page.items, page.total))
}

/// Creates a group.
#[utoipa::path(post, path = "/svc/groups/", tag = "people", request_body = GroupDraft, responses(
    (status = 201, description = "Created.", body = Group),
    (status = 400, description = "Not valid.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 409, description = "The name is taken.", body = ErrorBody)))]
async fn create_group(
    _admin: Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    ApiJson(draft): ApiJson<GroupDraft>,
) -> Result<(StatusCode, Versioned<Group>), ApiError> {
    let draft = draft.check().into_result(draft).map_err(ApiError::invalid)?;
    let group = changes.store().create_group(draft, house.clock.now()).await?;
    Ok((StatusCode::CREATED, Versioned::first(group)))
}

/// One group.
#[utoipa::path(get, path = "/svc/groups/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the group.")),
    responses((status = 200, description = "The group.", body = Group), (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn read_group(
    _admin: Admin,
    State(house): State<Arc<House>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Versioned<Group>, ApiError> {
    load(&house, GroupId(id)).await
}

/// Replaces a group.
#[utoipa::path(put, path = "/svc/groups/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the group.")),
    request_body = GroupDraft, responses(
    (status = 200, description = "Replaced.", body = Group),
    (status = 400, description = "Not valid.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is taken.", body = ErrorBody)))]
async fn replace_group(
    _admin: Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(draft): ApiJson<GroupDraft>,
) -> Result<Versioned<Group>, ApiError> {
    let load = || load(&house, GroupId(id));
    let save = |version, stored| save(&changes, (version, stored), draft.clone());
    edit(&if_match, load, save).await
}

/// Changes what is given of a group.
#[utoipa::path(patch, path = "/svc/groups/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the group.")),
    request_body = GroupDraft, responses(
    (status = 200, description = "Changed.", body = Group),
    (status = 400, description = "Not valid.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is taken.", body = ErrorBody)))]
async fn change_group(
    _admin: Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<Group>, ApiError> {
    let (changes, given) = (&changes, &given);
    let load = || load(&house, GroupId(id));
    let save = move |version, stored: Group| async move {
        let draft = merge(&GroupDraft { name: stored.name.clone() }, given.clone())?;
        save(changes, (version, stored), draft).await
    };
    edit(&if_match, load, save).await
}

async fn load(house: &House, id: GroupId) -> Result<Versioned<Group>, ApiError> {
    versioned(house, EditableRecord::Group(id), house.store.group(id)).await
}

async fn save(
    changes: &Changes,
    (version, stored): (i64, Group),
    draft: GroupDraft,
) -> Result<Versioned<Group>, ApiError> {
    let draft = draft.check().into_result(draft).map_err(ApiError::invalid)?;
    let saved = changes.at(Some(version)).replace_group(stored.id, draft).await?;
    Ok(Versioned::after(version, saved))
}

/// Deletes a group; its members stay.
#[utoipa::path(delete, path = "/svc/groups/{id}/", tag = "people", params(("id" = i64, Path, description = "Id of the group.")),
    responses((status = 204, description = "Deleted."), (status = 404, description = "Unknown.", body = ErrorBody)))]
async fn delete_group(
    _admin: Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let version = deletable(&house, &if_match, EditableRecord::Group(GroupId(id))).await?;
    changes.at(version).delete_group(GroupId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
