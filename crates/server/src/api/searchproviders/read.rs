//! Reading SearchProviders.

use super::secrets::{fields_for_editors, fields_for_readers};
use crate::api::owner_names::OwnerNames;
use crate::api::pagination::{ListRequest, Listing, Paging};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiPath, ApiQuery, Flag};
use crate::links::Links;
use crate::preconditions::{Versioned, versioned};
use crate::state::AppState;
use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::ids::ProviderId;
use domain::inline_secrets;
use domain::ports::{Capability, EditableRecord};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::user::Principal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// A SearchProvider.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SearchProvider)]
pub struct ProviderView {
    id: ProviderId,
    /// User name of the owner.
    owner: String,
    /// `credentials` and secrets in headers are masked. For users who may not edit the provider, `credentials`,
    /// `eval_credentials`, `http_request_headers` and `page_fetch_config_json` are absent.
    #[serde(flatten)]
    #[schema(value_type = ProviderSpec)]
    fields: Map<String, Value>,
    /// Fields whose stored values cannot be read, because they were encrypted with another key, for example after a
    /// restore without the key. The source is not queried until they are entered again. Absent if all can be read, and
    /// for users who may not edit the provider.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable_fields: Vec<&'static str>,
    /// What the source supports with these mappings; null if the connector cannot be built from them.
    capability: Option<Capability>,
    date_created: DateTime<Utc>,
    date_updated: DateTime<Utc>,
}

impl ProviderView {
    pub fn of(
        state: &AppState,
        provider: &SearchProvider,
        owner: String,
        principal: &Principal,
    ) -> Result<Self, ApiError> {
        let may_edit = principal.may_edit(provider);
        let (fields, unreadable_fields) = if may_edit {
            (fields_for_editors(provider)?, provider.unreadable.fields(&provider.spec))
        } else {
            (fields_for_readers(provider)?, Vec::new())
        };
        Ok(Self {
            unreadable_fields,
            capability: state.federation.prober.capability(provider),
            id: provider.id,
            owner,
            fields,
            date_created: provider.date_created,
            date_updated: provider.date_updated,
        })
    }
}

/// Filter of the list.
#[derive(Debug, Clone, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct ProviderFilter {
    /// A text in the name, the url or a tag, case-insensitive.
    text: Option<String>,
    /// Name of the connector.
    connector: Option<String>,
    /// One of the tags, case-insensitive.
    tag: Option<String>,
    #[param(value_type = Option<bool>)]
    active: Option<Flag>,
    #[param(value_type = Option<bool>)]
    default: Option<Flag>,
}

impl ProviderFilter {
    fn includes(&self, spec: &ProviderSpec) -> bool {
        let same = |filter: &Option<String>, text: &str| {
            filter
                .as_ref()
                .is_none_or(|filter| filter.is_empty() || filter.to_lowercase() == text.to_lowercase())
        };
        let text = self.text.as_deref().unwrap_or_default().trim().to_lowercase();
        let has_text = |one: &String| one.to_lowercase().contains(&text);
        let has_tag =
            self.tag.as_deref().is_none_or(str::is_empty) || spec.tags.iter().any(|tag| same(&self.tag, tag));
        // A filter must not reveal a secret in the address, piece by piece.
        let url = inline_secrets::mask(&spec.url);
        (text.is_empty() || has_text(&spec.name) || has_text(&url) || spec.tags.iter().any(has_text))
            && same(&self.connector, &spec.connector)
            && has_tag
            && self.active.is_none_or(|flag| flag.0 == spec.active)
            && self.default.is_none_or(|flag| flag.0 == spec.default)
    }

    /// The path of the list with its filter, for the links to its pages.
    fn path(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let texts = [("text", &self.text), ("connector", &self.connector), ("tag", &self.tag)];
        query.extend_pairs(texts.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))));
        let flags = [("active", self.active), ("default", self.default)];
        query
            .extend_pairs(flags.iter().filter_map(|(name, flag)| Some((name, flag.as_ref()?.0.to_string()))));
        match query.finish() {
            none if none.is_empty() => "/searchproviders/".to_owned(),
            query => format!("/searchproviders/?{query}"),
        }
    }
}

/// The providers that you may see.
#[utoipa::path(get, path = "/svc/searchproviders/", tag = "providers", params(ProviderFilter, Paging), responses(
    (status = 200, description = "Providers by id.", body = Listing<ProviderView>),
    (status = 400, description = "Invalid parameter.", body = ErrorBody)))]
pub async fn list_searchproviders(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(filter): ApiQuery<ProviderFilter>,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, &filter.path())?;
    let mut providers = state.store.providers().await?;
    providers.retain(|one| caller.principal.may_see(one) && filter.includes(&one.spec));
    let total = providers.len() as u64;
    let mut owners = OwnerNames::default();
    let mut views = Vec::new();
    for provider in list.part_of(providers) {
        let owner = owners.name(&*state.store, provider.owner).await?;
        views.push(ProviderView::of(&state, &provider, owner, &caller.principal)?);
    }
    Ok(list.answer(views, total))
}

/// One provider.
#[utoipa::path(get, path = "/svc/searchproviders/{id}/", tag = "providers", params(("id" = i64, Path, description = "Id of the provider.")),
    responses((status = 200, description = "The provider.", body = ProviderView),
    (status = 404, description = "Unknown, or not visible to you.", body = ErrorBody)))]
pub async fn read_searchprovider(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Versioned<ProviderView>, ApiError> {
    let view = async {
        let provider = state.store.provider(ProviderId(id)).await?;
        if caller.principal.may_see(&provider) {
            show(&state, &provider, &caller.principal).await
        } else {
            Err(ApiError::of(ErrorCode::NotFound))
        }
    };
    versioned(&state, EditableRecord::Provider(ProviderId(id)), view).await
}

/// The provider as this user may see it.
pub async fn show(
    state: &AppState,
    provider: &SearchProvider,
    principal: &Principal,
) -> Result<ProviderView, ApiError> {
    let owner = OwnerNames::default().name(&*state.store, provider.owner).await?;
    ProviderView::of(state, provider, owner, principal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_and_their_addresses() {
        let spec = ProviderSpec {
            name: "Articles - arXiv".to_owned(),
            url: "https://export.arxiv.org/api".to_owned(),
            tags: vec!["Science".to_owned()],
            active: false,
            ..ProviderSpec::default()
        };
        let text = |text: &str| Some(text.to_owned());
        let none = ProviderFilter::default();
        let table = [
            (none.clone(), true, "/searchproviders/"),
            (
                ProviderFilter { text: text("ARTICLES"), ..none.clone() },
                true,
                "/searchproviders/?text=ARTICLES",
            ),
            (
                ProviderFilter { text: text("export.arxiv"), ..none.clone() },
                true,
                "/searchproviders/?text=export.arxiv",
            ),
            (ProviderFilter { text: text("scien"), ..none.clone() }, true, "/searchproviders/?text=scien"),
            (ProviderFilter { text: text("&"), ..none.clone() }, false, "/searchproviders/?text=%26"),
            (ProviderFilter { tag: text("science"), ..none.clone() }, true, "/searchproviders/?tag=science"),
            (ProviderFilter { tag: text("scien"), ..none.clone() }, false, "/searchproviders/?tag=scien"),
            (ProviderFilter { tag: text(""), ..none.clone() }, true, "/searchproviders/?tag="),
            (
                ProviderFilter { connector: text("RequestsGet"), ..none.clone() },
                true,
                "/searchproviders/?connector=RequestsGet",
            ),
            (
                ProviderFilter { connector: text("Box"), ..none.clone() },
                false,
                "/searchproviders/?connector=Box",
            ),
            (
                ProviderFilter { active: Some(Flag(true)), ..none.clone() },
                false,
                "/searchproviders/?active=true",
            ),
            (ProviderFilter { default: Some(Flag(true)), ..none }, true, "/searchproviders/?default=true"),
        ];
        for (filter, is_included, path) in table {
            assert_eq!((filter.includes(&spec), filter.path().as_str()), (is_included, path));
        }
    }
}
