//! Reading SearchProviders.

use super::secrets::shown_fields;
use crate::House;
use crate::api::listing::{ListRequest, Listing, Paging};
use crate::api::owners::OwnerNames;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, Refusal};
use crate::extract::{ApiPath, ApiQuery};
use crate::links::Links;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::contracts::Capability;
use domain::ids::ProviderId;
use domain::provider::{ProviderDraft, SearchProvider};
use domain::user::Principal;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A SearchProvider as it is shown.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SearchProvider)]
pub struct ProviderView {
    id: ProviderId,
    /// User name of the owner.
    owner: String,
    /// `credentials` and secrets in headers are masked. For who may not edit the provider, `credentials`,
    /// `eval_credentials`, `http_request_headers` and `page_fetch_config_json` are absent.
    #[serde(flatten)]
    #[schema(value_type = ProviderDraft)]
    fields: Map<String, Value>,
    /// What the source can do with these mappings; null while the connector cannot be built from them.
    capability: Option<Capability>,
    date_created: DateTime<Utc>,
    date_updated: DateTime<Utc>,
}

impl ProviderView {
    pub fn of(
        house: &House,
        provider: &SearchProvider,
        owner: String,
        principal: &Principal,
    ) -> Result<Self, ApiError> {
        Ok(Self {
            capability: house.federation.capability(provider),
            id: provider.id,
            owner,
            fields: shown_fields(provider, principal.may_edit(provider))?,
            date_created: provider.date_created,
            date_updated: provider.date_updated,
        })
    }
}

/// The providers that you may see.
#[utoipa::path(get, path = "/svc/searchproviders/", tag = "providers", params(Paging),
    responses((status = 200, description = "Providers by id.", body = Listing<ProviderView>)))]
pub async fn list_searchproviders(
    caller: Caller,
    State(house): State<Arc<House>>,
    links: Links,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, "/searchproviders/")?;
    let mut owners = OwnerNames::default();
    let mut views = Vec::new();
    for provider in house.store.providers().await? {
        if caller.principal.may_see(&provider) {
            let owner = owners.name(&*house.store, provider.owner).await?;
            views.push(ProviderView::of(&house, &provider, owner, &caller.principal)?);
        }
    }
    Ok(list.answer_from(views))
}

/// One provider.
#[utoipa::path(get, path = "/svc/searchproviders/{id}/", tag = "providers", params(("id" = i64, Path, description = "Id of the provider.")),
    responses((status = 200, description = "The provider.", body = ProviderView),
    (status = 404, description = "Unknown, or not visible to you.", body = ErrorBody)))]
pub async fn read_searchprovider(
    caller: Caller,
    State(house): State<Arc<House>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Json<ProviderView>, ApiError> {
    let provider = house.store.provider(ProviderId(id)).await?;
    if !caller.principal.may_see(&provider) {
        return Err(ApiError::of(Refusal::NotFound));
    }
    show(&house, &provider, &caller.principal).await.map(Json)
}

/// The provider as this person may see it.
pub async fn show(
    house: &House,
    provider: &SearchProvider,
    principal: &Principal,
) -> Result<ProviderView, ApiError> {
    let owner = OwnerNames::default().name(&*house.store, provider.owner).await?;
    ProviderView::of(house, provider, owner, principal)
}
