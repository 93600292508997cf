//! Writing AIProviders: administrators only, because the service calls the address that they name.

use super::read::{AiProviderView, show};
use crate::House;
use crate::api::merge::merge;
use crate::auth::Admin;
use crate::changes::Changes;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::ai_provider::{AiProvider, AiProviderDraft};
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
) -> Result<(StatusCode, Json<AiProviderView>), ApiError> {
    let (draft, now) = (checked(draft)?, house.clock.now());
    let created = changes.store().create_ai_provider(draft, Some(principal.user), now).await?;
    Ok((StatusCode::CREATED, Json(show(&house, &created, &principal).await?)))
}

/// Replaces an AIProvider. A masked, empty or absent `api_key` keeps the stored one.
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
    ApiPath(id): ApiPath<i64>,
    ApiJson(draft): ApiJson<AiProviderDraft>,
) -> Result<Json<AiProviderView>, ApiError> {
    let stored = house.store.ai_provider(AiProviderId(id)).await?;
    save(&house, &changes, &principal, stored, draft).await
}

/// Changes what is given of an AIProvider, for example `{"active": true, "api_key": "…"}`.
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
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Json<AiProviderView>, ApiError> {
    let stored = house.store.ai_provider(AiProviderId(id)).await?;
    let draft = merge(&stored.draft.masked(), given)?;
    save(&house, &changes, &principal, stored, draft).await
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
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    changes.store().delete_ai_provider(AiProviderId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn save(
    house: &House,
    changes: &Changes,
    principal: &Principal,
    stored: AiProvider,
    draft: AiProviderDraft,
) -> Result<Json<AiProviderView>, ApiError> {
    let draft = checked(draft.in_place_of(&stored.draft).map_err(ApiError::invalid)?)?;
    let saved = changes.store().replace_ai_provider(stored.id, draft, house.clock.now()).await?;
    show(house, &saved, principal).await.map(Json)
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
