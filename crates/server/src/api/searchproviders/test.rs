//! Test of a SearchProvider: the requests that it would send, or one real query. Nothing is saved.

use super::secrets::{changed, check_masks, fields_for_editors, keeping_secret};
use crate::audit::AuditedStore;
use crate::auth::{Admin, Caller};
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiJson, ApiPath, ApiQuery, Flag, read_object};
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use domain::audit::{Action, AuditEvent, Kind};
use domain::ids::ProviderId;
use domain::provider::{CREDENTIALS_CHARS_MAX, ProviderSpec, SearchProvider};
use domain::provider_probe::{DryRun, ProviderProbe};
use domain::search::Sort;
use domain::user::Principal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The query if none is given.
const QUERY_DEFAULT: &str = "test";

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TestParameters {
    /// The query; `test` by default.
    q: Option<String>,
    /// `relevancy` or `date`.
    sort: Option<Sort>,
    /// True: returns the requests and sends nothing.
    #[param(value_type = Option<bool>)]
    dry_run: Option<Flag>,
}

/// With `dry_run` the requests, otherwise the result of one real query.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum TestAnswer {
    DryRun(DryRun),
    Test(Box<ProviderProbe>),
}

/// Tests a provider that you may see: one real query, or with `dry_run` only its requests, with masked secrets.
#[utoipa::path(get, path = "/svc/searchproviders/{id}/test/", tag = "providers",
    params(("id" = i64, Path, description = "Id of the provider."), TestParameters),
    responses((status = 200, description = "The results, or the requests that would be sent.", body = TestAnswer),
    (status = 400, description = "The query is invalid.", body = ErrorBody),
    (status = 404, description = "Unknown, or not visible to you.", body = ErrorBody)))]
pub async fn test_searchprovider(
    caller: Caller,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
    ApiQuery(parameters): ApiQuery<TestParameters>,
) -> Result<Json<TestAnswer>, ApiError> {
    let provider = state.store.provider(ProviderId(id)).await?;
    if !caller.principal.may_see(&provider) {
        return Err(ApiError::of(ErrorCode::NotFound));
    }
    // A user who may only search with it learns no more than by a search, which is not recorded either.
    if caller.principal.may_edit(&provider) {
        let (id, name) = (Some(provider.id.0), provider.spec.name.as_str());
        audited.note(AuditEvent::of(Action::Tested, Kind::SearchProvider, id, name)).await?;
    }
    answer(&state, &provider, &caller.principal, parameters).await
}

/// Tests a provider before it is saved. With the `id` of a saved one, masked, empty or absent `credentials` are the
/// stored ones, and so are masked headers.
#[utoipa::path(post, path = "/svc/searchproviders/test/", tag = "providers", params(TestParameters),
    request_body = ProviderSpec,
    responses((status = 200, description = "The results, or the requests that would be sent.", body = TestAnswer),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "There is no provider with this `id`.", body = ErrorBody)))]
pub async fn test_unsaved_searchprovider(
    Admin(principal): Admin,
    audited: AuditedStore,
    State(state): State<Arc<AppState>>,
    ApiQuery(parameters): ApiQuery<TestParameters>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Json<TestAnswer>, ApiError> {
    let stored = match given.get("id").filter(|id| !id.is_null()) {
        Some(id) => {
            let id = id.as_i64().ok_or_else(|| ApiError::invalid_field("id", "A number is needed."))?;
            Some(state.store.provider(ProviderId(id)).await?)
        }
        None => None,
    };
    let spec: ProviderSpec = read_object(Value::Object(given))?;
    let mut provider = SearchProvider::unsaved(spec.clone(), principal.user, state.clock.now());
    if let Some(stored) = &stored {
        let kept = changed(stored, &keeping_secret(stored, spec)?);
        (provider.spec, provider.credentials, provider.unreadable) =
            (kept.spec, kept.credentials, kept.unreadable);
    }
    let transforms = state.federation.transforms.transforms_for(&principal).await?;
    let mut errors = state.plugins.check_provider(&provider, &transforms);
    errors.check_text("credentials", provider.credentials.expose(), CREDENTIALS_CHARS_MAX);
    let credentials = provider.credentials.expose().to_owned();
    check_masks(&ProviderSpec { credentials, ..provider.spec.clone() }, &mut errors);
    errors.into_result(()).map_err(ApiError::invalid)?;
    audited.note(tested(stored.as_ref(), &provider)?).await?;
    answer(&state, &provider, &principal, parameters).await
}

/// The entry of the audit log: which provider was tested, and how it differs from the stored one.
fn tested(stored: Option<&SearchProvider>, tried: &SearchProvider) -> Result<AuditEvent, ApiError> {
    let fields = |provider: &SearchProvider| fields_for_editors(provider).map(Value::Object);
    let (from, to) = (stored.map(fields).transpose()?, fields(tried)?);
    let id = stored.map(|stored| stored.id.0);
    Ok(AuditEvent::test(Kind::SearchProvider, id, &tried.spec.name, from.as_ref(), Some(&to)))
}

async fn answer(
    state: &AppState,
    provider: &SearchProvider,
    principal: &Principal,
    parameters: TestParameters,
) -> Result<Json<TestAnswer>, ApiError> {
    let query = parameters.q.as_deref().unwrap_or(QUERY_DEFAULT);
    let sort = parameters.sort.unwrap_or_default();
    Ok(Json(match parameters.dry_run {
        Some(Flag(true)) => {
            TestAnswer::DryRun(state.federation.prober.dry_run(provider, principal, query, sort).await?)
        }
        _ => {
            let test = state.federation.prober.probe(provider, principal, query, sort).await?;
            TestAnswer::Test(Box::new(test))
        }
    }))
}
