//! Writing prompts: users write their own, administrators the shared ones, and nobody the standard ones.

use super::read::{PromptView, show, visible};
use crate::api::merge_patch::merge;
use crate::audit::AuditedStore;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiJson, ApiPath};
use crate::preconditions::{IfMatch, Versioned, deletable, edit, versioned};
use crate::state::AppState;
use axum::extract::State;
use axum::http::StatusCode;
use domain::ids::PromptId;
use domain::ports::EditableRecord;
use domain::prompt::{OWN_MAX, PromptRecord, PromptSpec};
use domain::user::Principal;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Creates a prompt of your own. Only administrators can share theirs.
#[utoipa::path(post, path = "/svc/prompts/", tag = "answers", request_body = PromptSpec, responses(
    (status = 201, description = "Created.", body = PromptView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Shared, and you are not an administrator.", body = ErrorBody),
    (status = 409, description = "The name is already taken, or you have too many.", body = ErrorBody)))]
pub async fn create_prompt(
    caller: Caller,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiJson(spec): ApiJson<PromptSpec>,
) -> Result<(StatusCode, Versioned<PromptView>), ApiError> {
    let principal = &caller.principal;
    may_share(principal, &spec)?;
    let spec = checked(spec)?;
    let own = state.store.prompts().await?.iter().filter(|one| one.owner == Some(principal.user)).count();
    if own >= OWN_MAX {
        let sentence = format!("You have {OWN_MAX} prompts, the maximum; delete one first.");
        return Err(ApiError::with_detail(ErrorCode::Conflict, sentence));
    }
    let created = audited.store().create_prompt(spec, Some(principal.user), state.clock.now()).await?;
    Ok((StatusCode::CREATED, Versioned::first(show(&state, created).await?)))
}

/// Replaces a prompt.
#[utoipa::path(put, path = "/svc/prompts/{id}/", tag = "answers",
    params(("id" = i64, Path, description = "Id of the prompt.")), request_body = PromptSpec, responses(
    (status = 200, description = "Replaced.", body = PromptView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "It belongs to another user or is shared, and you are not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody),
    (status = 409, description = "A standard prompt, or the name is already taken.", body = ErrorBody)))]
pub async fn replace_prompt(
    caller: Caller,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(spec): ApiJson<PromptSpec>,
) -> Result<Versioned<PromptView>, ApiError> {
    let (state, audited, caller, spec) = (&state, &audited, &caller, &spec);
    let load = || load(state, PromptId(id), &caller.principal);
    let save =
        move |stored| async move { save(state, audited, &caller.principal, stored, spec.clone()).await };
    edit(&if_match, load, save).await
}

/// Changes the given fields of a prompt.
#[utoipa::path(patch, path = "/svc/prompts/{id}/", tag = "answers",
    params(("id" = i64, Path, description = "Id of the prompt.")), request_body = PromptSpec, responses(
    (status = 200, description = "Changed.", body = PromptView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "It belongs to another user or is shared, and you are not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody),
    (status = 409, description = "A standard prompt, or the name is already taken.", body = ErrorBody)))]
pub async fn change_prompt(
    caller: Caller,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<PromptView>, ApiError> {
    let (state, audited, caller, given) = (&state, &audited, &caller, &given);
    let load = || load(state, PromptId(id), &caller.principal);
    let save = move |stored: Versioned<PromptRecord>| async move {
        let spec = merge(&stored.body.spec, given.clone())?;
        save(state, audited, &caller.principal, stored, spec).await
    };
    edit(&if_match, load, save).await
}

/// Deletes a prompt.
#[utoipa::path(delete, path = "/svc/prompts/{id}/", tag = "answers",
    params(("id" = i64, Path, description = "Id of the prompt.")), responses(
    (status = 204, description = "Deleted."),
    (status = 403, description = "Shared, and you are not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody),
    (status = 409, description = "A standard prompt.", body = ErrorBody)))]
pub async fn delete_prompt(
    caller: Caller,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let stored = editable(&state, PromptId(id), &caller.principal).await?;
    let version = deletable(&state, &if_match, EditableRecord::Prompt(stored.id)).await?;
    audited.at(version).delete_prompt(stored.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn load(
    state: &AppState,
    id: PromptId,
    principal: &Principal,
) -> Result<Versioned<PromptRecord>, ApiError> {
    versioned(state, EditableRecord::Prompt(id), editable(state, id, principal)).await
}

async fn save(
    state: &AppState,
    audited: &AuditedStore,
    principal: &Principal,
    Versioned { version, body: stored }: Versioned<PromptRecord>,
    spec: PromptSpec,
) -> Result<Versioned<PromptView>, ApiError> {
    may_share(principal, &spec)?;
    let (spec, now) = (checked(spec)?, state.clock.now());
    let saved = audited.at(Some(version)).replace_prompt(stored.id, spec, now).await?;
    Ok(Versioned::after(version, show(state, saved).await?))
}

/// The prompt, if this user may change it.
async fn editable(state: &AppState, id: PromptId, principal: &Principal) -> Result<PromptRecord, ApiError> {
    let prompt = visible(state, id, principal).await?;
    if prompt.owner.is_none() {
        let name = &prompt.spec.name;
        let sentence =
            format!("'{name}' is a standard prompt and cannot be changed; copy it under a name of your own.");
        return Err(ApiError::with_detail(ErrorCode::Conflict, sentence));
    }
    if prompt.is_editable_by(principal) { Ok(prompt) } else { Err(ApiError::of(ErrorCode::PermissionDenied)) }
}

fn may_share(principal: &Principal, spec: &PromptSpec) -> Result<(), ApiError> {
    if !spec.shared || principal.is_admin {
        return Ok(());
    }
    Err(ApiError::with_detail(ErrorCode::PermissionDenied, "Only administrators can share prompts."))
}

fn checked(spec: PromptSpec) -> Result<PromptSpec, ApiError> {
    spec.checked().map_err(ApiError::invalid)
}
