//! Writing AIProviders: administrators only, because the service calls the address that they name.

use super::read::{AiProviderView, show};
use crate::House;
use crate::api::merge::merge;
use crate::auth::Admin;
use crate::changes::Changes;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath};
use crate::preconditions::{IfMatch, Versioned, deletable, edit, versioned};
use axum::extract::State;
use axum::http::StatusCode;
use domain::ai_provider::{AiProvider, AiProviderDraft};
use domain::contracts::EditableRecord;
use domain::ids::AiProviderId;
use domain::user::Principal;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Creates an AIProvider.
#[utoipa::path(post, path = "/svc/aiproviders/", tag = "answers", request_body = AiProviderDraft, responses(
    (status = 201, description = "Created.", body = AiProviderView),
    (status = 400, description = "Not valid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 409, description = "The name is taken.", body = ErrorBody)))]
pub async fn create_aiprovider(
    Admin(principal): Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    ApiJson(draft): ApiJson<AiProviderDraft>,
) -> Result<(StatusCode, Versioned<AiProviderView>), ApiError> {
    let (draft, now) = (checked(draft)?, house.clock.now());
    let created = changes.store().create_ai_provider(draft, Some(principal.user), now).await?;
    Ok((StatusCode::CREATED, Versioned::first(show(&house, &created, &principal).await?)))
}

/// Replaces an AIProvider. A masked, empty or absent `api_key` keeps the stored one; one with
/// `unreadable_fields` needs a new `api_key`.
#[utoipa::path(put, path = "/svc/aiproviders/{id}/", tag = "answers",
    params(("id" = i64, Path, description = "Id of the AIProvider.")), request_body = AiProviderDraft, responses(
    (status = 200, description = "Replaced.", body = AiProviderView),
    (status = 400, description = "Not valid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is taken.", body = ErrorBody)))]
pub async fn replace_aiprovider(
    Admin(principal): Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(draft): ApiJson<AiProviderDraft>,
) -> Result<Versioned<AiProviderView>, ApiError> {
    let load = || load(&house, AiProviderId(id));
    let save = |version, stored| save(&house, &changes, &principal, (version, stored), draft.clone());
    edit(&if_match, load, save).await
}

/// Changes what is given of an AIProvider, for example `{"active": true, "api_key": "…"}`. One with
/// `unreadable_fields` is entered again: a new `api_key` and the `model` must be among what is given.
#[utoipa::path(patch, path = "/svc/aiproviders/{id}/", tag = "answers",
    params(("id" = i64, Path, description = "Id of the AIProvider.")), request_body = AiProviderDraft, responses(
    (status = 200, description = "Changed.", body = AiProviderView),
    (status = 400, description = "Not valid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is taken.", body = ErrorBody)))]
pub async fn change_aiprovider(
    Admin(principal): Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<AiProviderView>, ApiError> {
    let (house, changes, principal, given) = (&house, &changes, &principal, &given);
    let load = || load(house, AiProviderId(id));
    let save = move |version, stored: AiProvider| async move {
        let draft = merge(&stored.draft_to_edit().masked(), given.clone())?;
        save(house, changes, principal, (version, stored), draft).await
    };
    edit(&if_match, load, save).await
}

/// Deletes an AIProvider. One that came with the program does not come back.
#[utoipa::path(delete, path = "/svc/aiproviders/{id}/", tag = "answers",
    params(("id" = i64, Path, description = "Id of the AIProvider.")),
    responses((status = 204, description = "Deleted."),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
pub async fn delete_aiprovider(
    _admin: Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let version = deletable(&house, &if_match, EditableRecord::AiProvider(AiProviderId(id))).await?;
    changes.at(version).delete_ai_provider(AiProviderId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn load(house: &House, id: AiProviderId) -> Result<Versioned<AiProvider>, ApiError> {
    versioned(house, EditableRecord::AiProvider(id), house.store.ai_provider(id)).await
}

async fn save(
    house: &House,
    changes: &Changes,
    principal: &Principal,
    (version, stored): (i64, AiProvider),
    draft: AiProviderDraft,
) -> Result<Versioned<AiProviderView>, ApiError> {
    let draft = checked(draft.in_place_of(&stored).map_err(ApiError::invalid)?)?;
    let saved = changes.at(Some(version)).replace_ai_provider(stored.id, draft, house.clock.now()).await?;
    Ok(Versioned::after(version, show(house, &saved, principal).await?))
}

/// The draft as it is kept, if nothing is wrong with it.
fn checked(draft: AiProviderDraft) -> Result<AiProviderDraft, ApiError> {
    draft.checked().map_err(ApiError::invalid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_would_not_be_read_is_refused() {
        for (more, refused) in [
            (json!({"config": {"roles": ["rag", "CHAT"]}}), None),
            (json!({"config": {"roles": "rag"}}), Some("config: roles is a list")),
            (json!({"config": {"roles": ["rag", 1]}}), Some("config: roles is a list")),
            (json!({"prompt_overrides": {"search-rag": {"footer": "Be brief."}}}), None),
            (json!({"prompt_overrides": {"rag": {"footer": "x"}}}), Some("Unknown tag 'rag'")),
        ] {
            let mut fields = json!({"name": "A", "model": "gpt-5"});
            fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let told =
                checked(serde_json::from_value(fields).unwrap()).err().map(|error| error.detail().to_owned());
            assert_eq!(told.is_some(), refused.is_some(), "{more}: {told:?}");
            assert!(told.is_none_or(|text| text.contains(refused.unwrap_or_default())), "{more}");
        }
    }
}
