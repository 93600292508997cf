//! Writing SearchProviders: administrators only; everything is validated before it is saved.

use super::read::{ProviderView, show};
use super::secrets::{changed, check_masks, fields_for_editors, keeping_secret};
use crate::api::merge_patch::merge;
use crate::audit::AuditedStore;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath, ApiValue, read_fields, read_object};
use crate::preconditions::{IfMatch, Versioned, deletable, edit, versioned};
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::ids::ProviderId;
use domain::ports::EditableRecord;
use domain::provider::{PROVIDERS_PER_POST_MAX, ProviderSpec, SearchProvider};
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
#[utoipa::path(post, path = "/svc/searchproviders/", tag = "providers", request_body = OneOrMany<ProviderSpec>, responses(
    (status = 201, description = "Created; a list for a list.", body = OneOrMany<ProviderView>),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 409, description = "The name is already taken.", body = ErrorBody)))]
pub async fn create_searchproviders(
    Admin(principal): Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiValue(body): ApiValue,
) -> Result<Response, ApiError> {
    let transforms = state.federation.transforms.transforms_for(&principal).await?;
    let Value::Array(list) = body else {
        let spec = read_object(body)?;
        check_new(&state, &principal, &transforms, &spec).into_result(()).map_err(ApiError::invalid)?;
        let mut views = create(&state, &audited, &principal, vec![spec]).await?;
        let view = views.pop().ok_or_else(|| ApiError::internal("the store created nothing"))?;
        return Ok((StatusCode::CREATED, Versioned::first(view)).into_response());
    };
    let specs = read_list(list, |spec| check_new(&state, &principal, &transforms, spec))?;
    Ok((StatusCode::CREATED, Json(create(&state, &audited, &principal, specs).await?)).into_response())
}

/// Replaces a provider. Masked, empty or absent `credentials` keep the stored ones; so do masked headers.
#[utoipa::path(put, path = "/svc/searchproviders/{id}/", tag = "providers", params(("id" = i64, Path, description = "Id of the provider.")),
    request_body = ProviderSpec, responses(
    (status = 200, description = "Replaced.", body = ProviderView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is already taken.", body = ErrorBody)))]
pub async fn replace_searchprovider(
    Admin(principal): Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(spec): ApiJson<ProviderSpec>,
) -> Result<Versioned<ProviderView>, ApiError> {
    let load = || load(&state, ProviderId(id));
    let save = |stored| save(&state, &audited, &principal, stored, spec.clone());
    edit(&if_match, load, save).await
}

/// Changes the given fields of a provider.
#[utoipa::path(patch, path = "/svc/searchproviders/{id}/", tag = "providers", params(("id" = i64, Path, description = "Id of the provider.")),
    request_body = ProviderSpec, responses(
    (status = 200, description = "Changed.", body = ProviderView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody),
    (status = 409, description = "The name is already taken.", body = ErrorBody)))]
pub async fn change_searchprovider(
    Admin(principal): Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<ProviderView>, ApiError> {
    let (state, audited, principal, given) = (&state, &audited, &principal, &given);
    let load = || load(state, ProviderId(id));
    let save = move |stored: Versioned<SearchProvider>| async move {
        let merged = merge(&fields_for_editors(&stored.body)?, given.clone())?;
        let spec: ProviderSpec = read_object(Value::Object(merged))?;
        save(state, audited, principal, stored, spec).await
    };
    edit(&if_match, load, save).await
}

/// Deletes a provider; saved results remain.
#[utoipa::path(delete, path = "/svc/searchproviders/{id}/", tag = "providers", params(("id" = i64, Path, description = "Id of the provider.")),
    responses((status = 204, description = "Deleted."),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "Unknown.", body = ErrorBody)))]
pub async fn delete_searchprovider(
    _admin: Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let version = deletable(&state, &if_match, EditableRecord::Provider(ProviderId(id))).await?;
    audited.at(version).delete_provider(ProviderId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reads and checks a list; errors are named by index and field, as in `2.connector`.
fn read_list(
    list: Vec<Value>,
    check: impl Fn(&ProviderSpec) -> FieldErrors,
) -> Result<Vec<ProviderSpec>, ApiError> {
    if list.is_empty() || list.len() > PROVIDERS_PER_POST_MAX {
        let sentence = format!("Send 1 to {PROVIDERS_PER_POST_MAX} providers at once.");
        return Err(ApiError::invalid_field("body", sentence));
    }
    let mut errors = FieldErrors::default();
    let mut specs = Vec::with_capacity(list.len());
    for (place, value) in list.into_iter().enumerate() {
        match read_fields::<ProviderSpec>(value) {
            Ok(spec) => {
                for (field, sentence) in check(&spec).iter() {
                    errors.add(&format!("{place}.{field}"), sentence);
                }
                specs.push(spec);
            }
            Err(fault) => errors.add(&format!("{place}.{}", fault.field), fault.sentence),
        }
    }
    errors.into_result(specs).map_err(ApiError::invalid)
}

fn check_new(
    state: &AppState,
    principal: &Principal,
    transforms: &BTreeSet<String>,
    spec: &ProviderSpec,
) -> FieldErrors {
    let unsaved = SearchProvider::unsaved(spec.clone(), principal.user, state.clock.now());
    let mut errors = state.plugins.check_provider(&unsaved, transforms);
    errors.merge(check_secret(spec));
    if errors.is_empty() {
        errors = state.federation.prober.check_against_installation(&unsaved);
    }
    errors
}

/// [`ProviderSpec::check`] must run before the secret is taken out of the spec.
fn check_secret(spec: &ProviderSpec) -> FieldErrors {
    let mut errors = FieldErrors::default();
    errors.check_text("credentials", &spec.credentials, domain::provider::CREDENTIALS_CHARS_MAX);
    check_masks(spec, &mut errors);
    errors
}

async fn create(
    state: &AppState,
    audited: &AuditedStore,
    principal: &Principal,
    specs: Vec<ProviderSpec>,
) -> Result<Vec<ProviderView>, ApiError> {
    let created = audited.store().create_providers(specs, principal.user, state.clock.now()).await?;
    let view = |provider| ProviderView::of(state, provider, principal.username.clone(), principal);
    created.iter().map(view).collect()
}

async fn load(state: &AppState, id: ProviderId) -> Result<Versioned<SearchProvider>, ApiError> {
    versioned(state, EditableRecord::Provider(id), state.store.provider(id)).await
}

async fn save(
    state: &AppState,
    audited: &AuditedStore,
    principal: &Principal,
    Versioned { version, body: stored }: Versioned<SearchProvider>,
    spec: ProviderSpec,
) -> Result<Versioned<ProviderView>, ApiError> {
    let spec = keeping_secret(&stored, spec)?;
    let transforms = state.federation.transforms.transforms_for(principal).await?;
    let proposed = changed(&stored, &spec);
    let mut errors = state.plugins.check_provider(&proposed, &transforms);
    errors.merge(check_secret(&spec));
    if errors.is_empty() {
        errors = state.federation.prober.check_against_installation(&proposed);
    }
    let spec = errors.into_result(spec).map_err(ApiError::invalid)?;
    let saved = audited.at(Some(version)).replace_provider(stored.id, spec, state.clock.now()).await?;
    Ok(Versioned::after(version, show(state, &saved, principal).await?))
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
        let error = read_list(list, ProviderSpec::check).expect_err("three mistakes");
        let text = format!("{error:?}");
        assert!(text.contains("1.name") && text.contains("2.active") && text.contains("3.body"), "{text}");
        assert!(!text.contains("\"0."), "{text}");
    }

    #[test]
    fn lists_are_bounded() {
        let fine = |count: usize| {
            let list = (0..count).map(|n| json!({"name": n.to_string()})).collect();
            read_list(list, ProviderSpec::check).is_ok()
        };
        assert!(!fine(0));
        assert!(fine(PROVIDERS_PER_POST_MAX));
        assert!(!fine(PROVIDERS_PER_POST_MAX + 1));
    }

    #[test]
    fn a_masked_secret_is_no_secret() {
        let spec = |text: &str| ProviderSpec { credentials: text.to_owned(), ..ProviderSpec::default() };
        assert!(check_secret(&spec("key=abc")).is_empty());
        assert!(!check_secret(&spec("key=••••")).is_empty());
    }
}
