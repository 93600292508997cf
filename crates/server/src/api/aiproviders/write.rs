//! Creation and editing of AIProviders: administrators only, because the service calls the address in the record.

use super::read::{AiProviderView, show};
use crate::api::merge_patch::merge;
use crate::audit::AuditedStore;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath};
use crate::preconditions::{IfMatch, Versioned, deletable, edit, versioned};
use crate::state::AppState;
use ai::apis::check_address;
use axum::extract::State;
use axum::http::StatusCode;
use domain::ai_provider::{AiProvider, AiProviderSpec};
use domain::ids::AiProviderId;
use domain::ports::EditableRecord;
use domain::user::Principal;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Creates an AIProvider.
#[utoipa::path(post, path = "/svc/aiproviders/", tag = "answers", request_body = AiProviderSpec, responses(
    (status = 201, description = "Created.", body = AiProviderView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 409, description = "The name is already taken.", body = ErrorBody)))]
pub async fn create_aiprovider(
    Admin(principal): Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiJson(spec): ApiJson<AiProviderSpec>,
) -> Result<(StatusCode, Versioned<AiProviderView>), ApiError> {
    let (spec, now) = (checked(spec)?, state.clock.now());
    let created = audited.store().create_ai_provider(spec, Some(principal.user), now).await?;
    Ok((StatusCode::CREATED, Versioned::first(show(&state, &created, &principal).await?)))
}

/// Replaces an AIProvider. A masked, empty or absent `api_key` keeps the stored one; if it has `unreadable_fields`, a
/// new `api_key` is required.
#[utoipa::path(put, path = "/svc/aiproviders/{id}/", tag = "answers",
    params(("id" = i64, Path, description = "Id of the AIProvider.")), request_body = AiProviderSpec, responses(
    (status = 200, description = "Replaced.", body = AiProviderView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is already taken.", body = ErrorBody)))]
pub async fn replace_aiprovider(
    Admin(principal): Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(spec): ApiJson<AiProviderSpec>,
) -> Result<Versioned<AiProviderView>, ApiError> {
    let load = || load(&state, AiProviderId(id));
    let save = |stored| save(&state, &audited, &principal, stored, spec.clone());
    edit(&if_match, load, save).await
}

/// Changes the given fields of an AIProvider, for example `{"active": true, "api_key": "…"}`. If it has
/// `unreadable_fields`, a new `api_key` and the `model` are required.
#[utoipa::path(patch, path = "/svc/aiproviders/{id}/", tag = "answers",
    params(("id" = i64, Path, description = "Id of the AIProvider.")), request_body = AiProviderSpec, responses(
    (status = 200, description = "Changed.", body = AiProviderView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is already taken.", body = ErrorBody)))]
pub async fn change_aiprovider(
    Admin(principal): Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<AiProviderView>, ApiError> {
    let (state, audited, principal, given) = (&state, &audited, &principal, &given);
    let load = || load(state, AiProviderId(id));
    let save = move |stored: Versioned<AiProvider>| async move {
        let spec = merge(&stored.body.spec_to_edit().masked(), given.clone())?;
        save(state, audited, principal, stored, spec).await
    };
    edit(&if_match, load, save).await
}

/// Deletes an AIProvider. A bundled one is not created again.
#[utoipa::path(delete, path = "/svc/aiproviders/{id}/", tag = "answers",
    params(("id" = i64, Path, description = "Id of the AIProvider.")),
    responses((status = 204, description = "Deleted."),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
pub async fn delete_aiprovider(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let version = deletable(&state, &if_match, EditableRecord::AiProvider(AiProviderId(id))).await?;
    audited.at(version).delete_ai_provider(AiProviderId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn load(state: &AppState, id: AiProviderId) -> Result<Versioned<AiProvider>, ApiError> {
    versioned(state, EditableRecord::AiProvider(id), state.store.ai_provider(id)).await
}

async fn save(
    state: &AppState,
    audited: &AuditedStore,
    principal: &Principal,
    Versioned { version, body: stored }: Versioned<AiProvider>,
    spec: AiProviderSpec,
) -> Result<Versioned<AiProviderView>, ApiError> {
    let spec = checked(spec.in_place_of(&stored).map_err(ApiError::invalid)?)?;
    let saved = audited.at(Some(version)).replace_ai_provider(stored.id, spec, state.clock.now()).await?;
    Ok(Versioned::after(version, show(state, &saved, principal).await?))
}

/// The normalized spec, if it is valid.
fn checked(spec: AiProviderSpec) -> Result<AiProviderSpec, ApiError> {
    let spec = spec.checked().map_err(ApiError::invalid)?;
    check_address(&spec).into_result(spec).map_err(ApiError::invalid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unreadable_values_are_refused() {
        for (more, refused) in [
            (json!({"config": {"roles": ["rag", "CHAT"]}}), None),
            (json!({"config": {"roles": "rag"}}), Some("config: roles is a list")),
            (json!({"config": {"roles": ["rag", 1]}}), Some("config: roles is a list")),
            (json!({"prompt_overrides": {"search-rag": {"footer": "Be brief."}}}), None),
            (json!({"prompt_overrides": {"rag": {"footer": "x"}}}), Some("Unknown tag 'rag'")),
        ] {
            let mut fields = json!({"name": "A", "model": "gpt-5"});
            fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let detail =
                checked(serde_json::from_value(fields).unwrap()).err().map(|error| error.detail().to_owned());
            assert_eq!(detail.is_some(), refused.is_some(), "{more}: {detail:?}");
            assert!(detail.is_none_or(|text| text.contains(refused.unwrap_or_default())), "{more}");
        }
    }
}
