//! A search is begun by what a person typed and chose, or run again. The page does not wait for it.

use super::picker::SOURCES_MAX;
use super::query::Fields;
use crate::AppState;
use crate::api::search::{log_start, own_search};
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::ApiError;
use crate::throttle::Class;
use domain::ids::{ProviderId, SearchId};
use domain::provider::SearchProvider;
use domain::search::{ProviderRef, Search, SearchSpec};
use domain::user::Principal;

/// What a form or a URL wants.
#[derive(Debug)]
pub enum Wanted {
    New(SearchSpec),
    /// Run this one again.
    Again(SearchId),
}

impl Wanted {
    /// None when nothing is searched for.
    pub fn read(fields: &Fields) -> Result<Option<Self>, ApiError> {
        if let Some(id) = fields.number("rerun")? {
            return Ok(Some(Self::Again(SearchId(id))));
        }
        let Some(text) = fields.text("q") else { return Ok(None) };
        let mut spec = SearchSpec::of_query(text);
        spec.searchprovider_list = listed(fields);
        if let Some(mixer) = fields.sort() {
            spec.result_mixer = mixer.to_owned();
        }
        Ok(Some(Self::New(spec)))
    }

    /// A form without a script names every source that is ticked; what need not be named is left out.
    pub async fn shortened(self, state: &AppState, owner: &Principal) -> Result<Self, ApiError> {
        match self {
            Self::New(mut spec) if spec.searchprovider_list.len() > 1 => {
                let providers = sources_for(state, owner).await?;
                spec.searchprovider_list = shortened(spec.searchprovider_list, &providers);
                Ok(Self::New(spec))
            }
            wanted => Ok(wanted),
        }
    }

    /// Begins it; counted as a search.
    pub async fn begin(
        self,
        state: &AppState,
        caller: &Caller,
        address: ClientAddress,
    ) -> Result<Search, ApiError> {
        let owner = &caller.principal;
        let pay = || state.throttles.take(Class::Search, owner.user, address);
        let search = match self {
            Self::New(spec) => {
                pay()?;
                state.federation.create(owner.user, spec).await?
            }
            Self::Again(id) => {
                let own = own_search(state, owner, id).await?;
                pay()?;
                state.federation.rerun(own.id).await?
            }
        };
        log_start(&search, "search_page");
        Ok(search)
    }
}

/// The sources that a person may ask, in the order of their ids.
pub async fn sources_for(state: &AppState, person: &Principal) -> Result<Vec<SearchProvider>, ApiError> {
    let mut providers = state.store.providers().await?;
    providers.retain(|provider| provider.spec.active && person.may_see(provider));
    Ok(providers)
}

/// The sources and tags that are named.
pub fn listed(fields: &Fields) -> Vec<ProviderRef> {
    // The API calls them providers, and links that people share may have its words.
    let named = fields.list("sources").into_iter().chain(fields.list("providers"));
    let ids = named.map(|text| match text.parse() {
        Ok(id) => ProviderRef::Id(id),
        Err(_) => ProviderRef::Text(text.to_owned()),
    });
    ids.chain(fields.list("tags").into_iter().map(|tag| ProviderRef::Text(tag.to_owned()))).collect()
}

/// What the tags name is left out, and so are all sources when they are the ones that are asked anyway: a source that
/// is added tomorrow is then asked tomorrow.
fn shortened(list: Vec<ProviderRef>, providers: &[SearchProvider]) -> Vec<ProviderRef> {
    let id_of = |wanted: &ProviderRef| match wanted {
        ProviderRef::Id(id) => Some(ProviderId(*id)),
        ProviderRef::Text(_) => None,
    };
    let (ids, texts): (Vec<ProviderRef>, Vec<ProviderRef>) =
        list.into_iter().partition(|wanted| id_of(wanted).is_some());
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
    fn what_a_form_names_is_kept_short() {
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
            let list = shortened(listed(&Fields::read(form)), &providers);
            let found: Vec<String> = list.iter().map(ProviderRef::to_string).collect();
            assert_eq!(found, expected, "{form}");
        }
    }

    #[test]
    fn what_is_wanted() {
        let read = |text: &str| Wanted::read(&Fields::read(text));
        assert!(matches!(read("q=+&sources=1"), Ok(None)));
        assert!(matches!(read("rerun=7&q=a"), Ok(Some(Wanted::Again(SearchId(7))))));
        assert!(read("rerun=x").is_err());
        let Ok(Some(Wanted::New(spec))) = read("q=a+b&sources=4&sort=DateMixer") else { panic!("a search") };
        assert_eq!((spec.query_string.as_str(), spec.result_mixer.as_str()), ("a b", "DateMixer"));
        assert_eq!(spec.searchprovider_list, [ProviderRef::Id(4)]);
    }
}
