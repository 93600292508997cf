//! Writing SearchProviders: administrators only, and everything is checked before it is saved.

use super::read::{ProviderView, show};
use super::secrets::{changed, check_masks, keeping_secret, shown_fields};
use crate::House;
use crate::api::merge::merge;
use crate::auth::Admin;
use crate::changes::Changes;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath, ApiValue, read_fields, read_object};
use crate::preconditions::{IfMatch, Versioned, deletable, edit, versioned};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::contracts::EditableRecord;
use domain::ids::ProviderId;
use domain::provider::{PROVIDERS_PER_POST_MAX, ProviderDraft, SearchProvider};
use domain::user::Principal;
use domain::validation::FieldErrors;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// One provider or a list of them, for the documentation.
#[derive(utoipa::ToSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "it describes the two shapes; they are read one by one to name the faulty field"
)]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

/// Creates one provider, or a list of them: all or none.
#[utoipa::path(post, path = "/svc/searchproviders/", tag = "providers", request_body = OneOrMany<ProviderDraft>, responses(
    (status = 201, description = "Created; a list answers a list.", body = OneOrMany<ProviderView>),
    (status = 400, description = "Not valid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 409, description = "The name is taken.", body = ErrorBody)))]
pub async fn create_searchproviders(
    Admin(principal): Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    ApiValue(body): ApiValue,
) -> Result<Response, ApiError> {
    let transforms = house.federation.transforms_for(&principal).await?;
    let Value::Array(list) = body else {
        let draft = read_object(body)?;
        check_new(&house, &principal, &transforms, &draft).into_result(()).map_err(ApiError::invalid)?;
        let mut views = create(&house, &changes, &principal, vec![draft]).await?;
        let view = views.pop().ok_or_else(|| ApiError::internal("the store created nothing"))?;
        return Ok((StatusCode::CREATED, Versioned::first(view)).into_response());
    };
    let drafts = read_list(list, |draft| check_new(&house, &principal, &transforms, draft))?;
    Ok((StatusCode::CREATED, Json(create(&house, &changes, &principal, drafts).await?)).into_response())
}

/// Replaces a provider. Masked, empty or absent `credentials` keep the stored ones; so do masked headers.
#[utoipa::path(put, path = "/svc/searchproviders/{id}/", tag = "providers", params(("id" = i64, Path, description = "Id of the provider.")),
    request_body = ProviderDraft, responses(
    (status = 200, description = "Replaced.", body = ProviderView),
    (status = 400, description = "Not valid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is taken.", body = ErrorBody)))]
pub async fn replace_searchprovider(
    Admin(principal): Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(draft): ApiJson<ProviderDraft>,
) -> Result<Versioned<ProviderView>, ApiError> {
    let load = || load(&house, ProviderId(id));
    let save = |version, stored| save(&house, &changes, &principal, (version, stored), draft.clone());
    edit(&if_match, load, save).await
}

/// Changes what is given of a provider.
#[utoipa::path(patch, path = "/svc/searchproviders/{id}/", tag = "providers", params(("id" = i64, Path, description = "Id of the provider.")),
    request_body = ProviderDraft, responses(
    (status = 200, description = "Changed.", body = ProviderView),
    (status = 400, description = "Not valid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is taken.", body = ErrorBody)))]
pub async fn change_searchprovider(
    Admin(principal): Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<ProviderView>, ApiError> {
    let (house, changes, principal, given) = (&house, &changes, &principal, &given);
    let load = || load(house, ProviderId(id));
    let save = move |version, stored: SearchProvider| async move {
        let merged = merge(&shown_fields(&stored, true)?, given.clone())?;
        let draft: ProviderDraft = read_object(Value::Object(merged))?;
        save(house, changes, principal, (version, stored), draft).await
    };
    edit(&if_match, load, save).await
}

/// Deletes a provider; saved results stay.
#[utoipa::path(delete, path = "/svc/searchproviders/{id}/", tag = "providers", params(("id" = i64, Path, description = "Id of the provider.")),
    responses((status = 204, description = "Deleted."),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
pub async fn delete_searchprovider(
    _admin: Admin,
    changes: Changes,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let version = deletable(&house, &if_match, EditableRecord::Provider(ProviderId(id))).await?;
    changes.at(version).delete_provider(ProviderId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reads and checks a list; mistakes are named by place and field, as in `2.connector`.
fn read_list(
    list: Vec<Value>,
    check: impl Fn(&ProviderDraft) -> FieldErrors,
) -> Result<Vec<ProviderDraft>, ApiError> {
    if list.is_empty() || list.len() > PROVIDERS_PER_POST_MAX {
        let sentence = format!("Send 1 to {PROVIDERS_PER_POST_MAX} providers at once.");
        return Err(ApiError::invalid_field("body", sentence));
    }
    let mut errors = FieldErrors::default();
    let mut drafts = Vec::with_capacity(list.len());
    for (place, value) in list.into_iter().enumerate() {
        match read_fields::<ProviderDraft>(value) {
            Ok(draft) => {
                for (field, sentence) in check(&draft).iter() {
                    errors.add(&format!("{place}.{field}"), sentence);
                }
                drafts.push(draft);
            }
            Err((field, sentence)) => errors.add(&format!("{place}.{field}"), sentence),
        }
    }
    errors.into_result(drafts).map_err(ApiError::invalid)
}

fn check_new(
    house: &House,
    principal: &Principal,
    transforms: &BTreeSet<String>,
    draft: &ProviderDraft,
) -> FieldErrors {
    let unsaved = SearchProvider::unsaved(draft.clone(), principal.user, house.clock.now());
    let mut errors = house.catalogues.check_provider(&unsaved, transforms);
    errors.merge(check_secret(draft));
    if errors.is_empty() {
        errors = house.federation.check_in_force(&unsaved);
    }
    errors
}

/// What [`ProviderDraft::check`] says of the secret must be asked before the secret is set apart.
fn check_secret(draft: &ProviderDraft) -> FieldErrors {
    let mut errors = FieldErrors::default();
    errors.check_text("credentials", &draft.credentials, domain::provider::CREDENTIALS_CHARS_MAX);
    check_masks(draft, &mut errors);
    errors
}

async fn create(
    house: &House,
    changes: &Changes,
    principal: &Principal,
    drafts: Vec<ProviderDraft>,
) -> Result<Vec<ProviderView>, ApiError> {
    let created = changes.store().create_providers(drafts, principal.user, house.clock.now()).await?;
    let view = |provider| ProviderView::of(house, provider, principal.username.clone(), principal);
    created.iter().map(view).collect()
}

async fn load(house: &House, id: ProviderId) -> Result<Versioned<SearchProvider>, ApiError> {
    versioned(house, EditableRecord::Provider(id), house.store.provider(id)).await
}

async fn save(
    house: &House,
    changes: &Changes,
    principal: &Principal,
    (version, stored): (i64, SearchProvider),
    draft: ProviderDraft,
) -> Result<Versioned<ProviderView>, ApiError> {
    let draft = keeping_secret(&stored, draft)?;
    let transforms = house.federation.transforms_for(principal).await?;
    let proposed = changed(&stored, &draft);
    let mut errors = house.catalogues.check_provider(&proposed, &transforms);
    errors.merge(check_secret(&draft));
    if errors.is_empty() {
        errors = house.federation.check_in_force(&proposed);
    }
    let draft = errors.into_result(draft).map_err(ApiError::invalid)?;
    let saved = changes.at(Some(version)).replace_provider(stored.id, draft, house.clock.now()).await?;
    Ok(Versioned::after(version, show(house, &saved, principal).await?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn mistakes_in_a_list_are_named_by_place() {
        let list = vec![
            json!({"name": "a"}),
            json!({"name": ""}),
            json!({"name": "c", "active": "yes"}),
            json!(["d"]),
        ];
        let error = read_list(list, ProviderDraft::check).expect_err("three mistakes");
        let text = format!("{error:?}");
        assert!(text.contains("1.name") && text.contains("2.active") && text.contains("3.body"), "{text}");
        assert!(!text.contains("\"0."), "{text}");
    }

    #[test]
    fn lists_are_bounded() {
        let fine = |count: usize| {
            let list = (0..count).map(|n| json!({"name": n.to_string()})).collect();
            read_list(list, ProviderDraft::check).is_ok()
        };
        assert!(!fine(0));
        assert!(fine(PROVIDERS_PER_POST_MAX));
        assert!(!fine(PROVIDERS_PER_POST_MAX + 1));
    }

    #[test]
    fn a_masked_secret_is_no_secret() {
        let draft = |text: &str| ProviderDraft { credentials: text.to_owned(), ..ProviderDraft::default() };
        assert!(check_secret(&draft("key=abc")).is_empty());
        assert!(!check_secret(&draft("key=••••")).is_empty());
    }
}
