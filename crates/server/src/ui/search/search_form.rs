//! Parsed search form: a new search, or a rerun of an existing one.

use super::picker::SOURCES_MAX;
use super::query::Fields;
use super::shared_link::{filters_list, shows_list};
use super::sources::visible_providers;
use crate::api::search::own_search;
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::ApiError;
use crate::state::AppState;
use crate::throttle::Class;
use domain::ids::{ProviderId, SearchId};
use domain::provider::SearchProvider;
use domain::search::{ProviderRef, Search, SearchSpec};
use domain::user::Principal;

/// What a form or a URL requests.
#[derive(Debug)]
pub enum SearchForm {
    New(SearchSpec),
    /// Rerun this search.
    Again(SearchId),
}

impl SearchForm {
    /// None if there is no query, or if the fields show an existing list.
    pub fn parse(fields: &Fields) -> Result<Option<Self>, ApiError> {
        if let Some(id) = fields.number("rerun")? {
            return Ok(Some(Self::Again(SearchId(id))));
        }
        let Some(text) = fields.text("q").filter(|_| !shows_list(fields)) else { return Ok(None) };
        let mut spec = SearchSpec::of_query(text);
        spec.searchprovider_list = requested_providers(fields);
        if let Some(mixer) = fields.sort() {
            spec.result_mixer = mixer.to_owned();
        }
        Ok(Some(Self::New(spec)))
    }

    /// Removes redundant sources: without JavaScript, a form lists every selected source.
    pub async fn shortened(self, state: &AppState, owner: &Principal) -> Result<Self, ApiError> {
        match self {
            Self::New(mut spec) if spec.searchprovider_list.len() > 1 => {
                let providers = visible_providers(state, owner).await?;
                spec.searchprovider_list = shortened(spec.searchprovider_list, &providers);
                Ok(Self::New(spec))
            }
            form => Ok(form),
        }
    }

    /// Starts the search, which counts against the quota, and does not wait for it.
    pub async fn start(
        self,
        state: &AppState,
        caller: &Caller,
        address: ClientAddress,
    ) -> Result<Search, ApiError> {
        let owner = &caller.principal;
        let charge_quota = || state.throttles.take(Class::Search, owner.user, address);
        let search = match self {
            Self::New(spec) => {
                charge_quota()?;
                state.federation.searches.create(owner.user, spec).await?
            }
            Self::Again(id) => {
                let own = own_search(state, owner, id).await?;
                charge_quota()?;
                state.federation.searches.rerun(own.id).await?
            }
        };
        federation::log_start(&search, "search_page");
        Ok(search)
    }
}

/// The requested sources and tags.
pub fn requested_providers(fields: &Fields) -> Vec<ProviderRef> {
    // `providers` is the name in the API, which links may use. In the address of a list it is a filter.
    let providers = if filters_list(fields) { Vec::new() } else { fields.list("providers") };
    let named = fields.list("sources").into_iter().chain(providers);
    named
        .map(ProviderRef::from)
        .chain(fields.list("tags").into_iter().map(|tag| ProviderRef::Text(tag.to_owned())))
        .collect()
}

/// Drops sources that a tag includes, and all sources if they are the defaults, so that reruns query sources that were
/// added later.
fn shortened(list: Vec<ProviderRef>, providers: &[SearchProvider]) -> Vec<ProviderRef> {
    let id_of = |provider_ref: &ProviderRef| match provider_ref {
        ProviderRef::Id(id) => Some(ProviderId(*id)),
        ProviderRef::Text(_) => None,
    };
    let (ids, texts): (Vec<ProviderRef>, Vec<ProviderRef>) =
        list.into_iter().partition(|provider_ref| id_of(provider_ref).is_some());
    let has = |provider: &SearchProvider| ids.iter().any(|id| id_of(id) == Some(provider.id));
    if providers.iter().take(SOURCES_MAX).all(|provider| provider.spec.default == has(provider)) {
        return texts;
    }
    let is_named = |id: &ProviderRef| {
        let provider = providers.iter().find(|provider| Some(provider.id) == id_of(id));
        provider.is_some_and(|provider| texts.iter().any(|text| federation::is_listed(provider, text)))
    };
    let others = ids.iter().filter(|id| !is_named(id)).cloned();
    others.chain(texts.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::UserId;
    use domain::provider::ProviderSpec;

    fn provider(id: i64, default: bool, tag: &str) -> SearchProvider {
        let spec =
            ProviderSpec { name: format!("P{id}"), default, tags: vec![tag.into()], ..Default::default() };
        let mut provider = SearchProvider::unsaved(spec, UserId(1), Default::default());
        provider.id = ProviderId(id);
        provider
    }

    #[test]
    fn redundant_sources_are_dropped() {
        let providers = [provider(1, true, "news"), provider(2, true, "web"), provider(3, false, "news")];
        let table = [
            ("sources=1&sources=2", vec![]),
            ("sources=1,2&tags=news", vec!["news"]),
            ("sources=1&sources=3&tags=news", vec!["news"]),
            ("sources=1&sources=2&sources=3&tags=news", vec!["2", "news"]),
            ("sources=2&sources=3", vec!["2", "3"]),
            ("sources=2&providers=Library", vec!["2", "Library"]),
        ];
        for (form, expected) in table {
            let list = shortened(requested_providers(&Fields::parse(form)), &providers);
            let found: Vec<String> = list.iter().map(ProviderRef::to_string).collect();
            assert_eq!(found, expected, "{form}");
        }
    }

    #[test]
    fn forms_are_parsed() {
        let parse = |text: &str| SearchForm::parse(&Fields::parse(text));
        assert!(matches!(parse("q=+&sources=1"), Ok(None)));
        assert!(matches!(parse("search_id=7&q=a"), Ok(None)));
        assert!(matches!(parse("rerun=7&q=a"), Ok(Some(SearchForm::Again(SearchId(7))))));
        assert!(parse("rerun=x").is_err());
        let Ok(Some(SearchForm::New(spec))) = parse("q=a+b&sources=4&sort=DateMixer") else {
            panic!("a search")
        };
        assert_eq!((spec.query_string.as_str(), spec.result_mixer.as_str()), ("a b", "DateMixer"));
        assert_eq!(spec.searchprovider_list, [ProviderRef::Id(4)]);
        let Ok(Some(SearchForm::New(spec))) = parse("run=true&q=a&sources=4&providers=5") else {
            panic!("a search")
        };
        assert_eq!(spec.searchprovider_list, [ProviderRef::Id(4)], "the other one is a filter");
    }
}
