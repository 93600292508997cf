//! Reading SearchProviders.

use super::secrets::shown_fields;
use crate::AppState;
use crate::api::listing::{ListRequest, Listing, Paging};
use crate::api::owners::OwnerNames;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, Refusal};
use crate::extract::{ApiPath, ApiQuery, Flag};
use crate::links::Links;
use crate::preconditions::{Versioned, versioned};
use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::contracts::{Capability, EditableRecord};
use domain::ids::ProviderId;
use domain::inline_secrets;
use domain::provider::{ProviderSpec, SearchProvider};
use domain::user::Principal;
use serde::{Deserialize, Serialize};
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
    #[schema(value_type = ProviderSpec)]
    fields: Map<String, Value>,
    /// Fields whose stored values cannot be read, because they were sealed with another key, as after a restore without
    /// the key. The source is not asked until they are entered again. Absent when all can be read, and for who may not
    /// edit the provider.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable_fields: Vec<&'static str>,
    /// What the source can do with these mappings; null while the connector cannot be built from them.
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
        let unreadable_fields = match may_edit {
            true => provider.unreadable.fields(&provider.spec),
            false => Vec::new(),
        };
        Ok(Self {
            unreadable_fields,
            capability: state.federation.capability(provider),
            id: provider.id,
            owner,
            fields: shown_fields(provider, may_edit)?,
            date_created: provider.date_created,
            date_updated: provider.date_updated,
        })
    }
}

/// Which providers are wanted.
#[derive(Debug, Clone, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct Wanted {
    /// A text in the name, the url or a tag; letter case does not matter.
    text: Option<String>,
    /// Name of the connector.
    connector: Option<String>,
    /// One of the tags; letter case does not matter.
    tag: Option<String>,
    #[param(value_type = Option<bool>)]
    active: Option<Flag>,
    #[param(value_type = Option<bool>)]
    default: Option<Flag>,
}

impl Wanted {
    fn includes(&self, spec: &ProviderSpec) -> bool {
        let same = |wanted: &Option<String>, text: &str| {
            wanted
                .as_ref()
                .is_none_or(|wanted| wanted.is_empty() || wanted.to_lowercase() == text.to_lowercase())
        };
        let text = self.text.as_deref().unwrap_or_default().trim().to_lowercase();
        let has_text = |one: &String| one.to_lowercase().contains(&text);
        let has_tag =
            self.tag.as_deref().is_none_or(str::is_empty) || spec.tags.iter().any(|tag| same(&self.tag, tag));
        // A filter must not tell of a secret in the address, piece by piece.
        let url = inline_secrets::masked(&spec.url);
        (text.is_empty() || has_text(&spec.name) || has_text(&url) || spec.tags.iter().any(has_text))
            && same(&self.connector, &spec.connector)
            && has_tag
            && self.active.is_none_or(|flag| flag.0 == spec.active)
            && self.default.is_none_or(|flag| flag.0 == spec.default)
    }

    /// The list's own address, so that its pages keep the filter.
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
#[utoipa::path(get, path = "/svc/searchproviders/", tag = "providers", params(Wanted, Paging), responses(
    (status = 200, description = "Providers by id.", body = Listing<ProviderView>),
    (status = 400, description = "A parameter is not valid.", body = ErrorBody)))]
pub async fn list_searchproviders(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(wanted): ApiQuery<Wanted>,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging, &links, &wanted.path())?;
    let mut providers = state.store.providers().await?;
    providers.retain(|one| caller.principal.may_see(one) && wanted.includes(&one.spec));
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
        match caller.principal.may_see(&provider) {
            true => show(&state, &provider, &caller.principal).await,
            false => Err(ApiError::of(Refusal::NotFound)),
        }
    };
    versioned(&state, EditableRecord::Provider(ProviderId(id)), view).await
}

/// The provider as this person may see it.
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
        let none = Wanted::default();
        let table = [
            (none.clone(), true, "/searchproviders/"),
            (Wanted { text: text("ARTICLES"), ..none.clone() }, true, "/searchproviders/?text=ARTICLES"),
            (
                Wanted { text: text("export.arxiv"), ..none.clone() },
                true,
                "/searchproviders/?text=export.arxiv",
            ),
            (Wanted { text: text("scien"), ..none.clone() }, true, "/searchproviders/?text=scien"),
            (Wanted { text: text("&"), ..none.clone() }, false, "/searchproviders/?text=%26"),
            (Wanted { tag: text("science"), ..none.clone() }, true, "/searchproviders/?tag=science"),
            (Wanted { tag: text("scien"), ..none.clone() }, false, "/searchproviders/?tag=scien"),
            (Wanted { tag: text(""), ..none.clone() }, true, "/searchproviders/?tag="),
            (
                Wanted { connector: text("RequestsGet"), ..none.clone() },
                true,
                "/searchproviders/?connector=RequestsGet",
            ),
            (Wanted { connector: text("Box"), ..none.clone() }, false, "/searchproviders/?connector=Box"),
            (Wanted { active: Some(Flag(true)), ..none.clone() }, false, "/searchproviders/?active=true"),
            (Wanted { default: Some(Flag(true)), ..none }, true, "/searchproviders/?default=true"),
        ];
        for (wanted, is_included, path) in table {
            assert_eq!((wanted.includes(&spec), wanted.path().as_str()), (is_included, path));
        }
    }
}
