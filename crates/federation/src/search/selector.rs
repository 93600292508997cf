//! Selects the providers of a search: active, visible to its owner, and listed, tagged or default.

use crate::error::FederationError;
use crate::federation_store::FederationStore;
use crate::notice_now::notice_now;
use domain::ids::{ProviderId, UserId};
use domain::notice::{Notice, NoticeKind};
use domain::pipeline::{Pipeline, SYSTEM_DEFAULT};
use domain::ports::{PluginContext, SearchRecords, StoreError};
use domain::preferences::{Preference, Preferences};
use domain::provider::SearchProvider;
use domain::search::{ProviderRef, Search};
use domain::user::Principal;
use std::sync::Arc;
use syntax::query_string;

/// Selects providers by their settings, the search and the owner's preferences.
pub struct ProviderSelector {
    pub(crate) store: Arc<dyn FederationStore>,
    pub(crate) context: PluginContext,
}

/// The providers of a search, and the records by which they were selected.
pub(crate) struct Selection {
    /// Ordered by id.
    pub providers: Vec<SearchProvider>,
    pub owner: Principal,
    pub preferences: Preferences,
    /// Read with the others: the default pipeline of post-result processors.
    pub pipeline: Result<Pipeline, StoreError>,
}

impl ProviderSelector {
    /// Selects the providers. Unknown names in the list are reported in `notices`. The records are read unless the
    /// caller has them.
    pub(crate) async fn select(
        &self,
        search: &Search,
        records: Option<SearchRecords>,
        notices: &mut Vec<Notice>,
    ) -> Result<Selection, FederationError> {
        let records = match records {
            Some(records) => records,
            None => self.store.search_records(search.owner, None, SYSTEM_DEFAULT).await?,
        };
        let SearchRecords { owner, preferences, pipeline, providers: mut candidates, .. } = records;
        let owner = Principal::of(&owner);
        candidates.retain(|provider| provider.spec.active && owner.may_see(provider));
        let list = &search.spec.searchprovider_list;
        let unmatched: Vec<String> = list
            .iter()
            .filter(|wanted| !candidates.iter().any(|provider| is_listed(provider, wanted)))
            .map(ProviderRef::to_string)
            .collect();
        if !unmatched.is_empty() {
            notices.push(notice_now(&self.context, NoticeKind::UnknownProviders { names: unmatched }));
        }
        let blocked = blocked(&candidates, &preferences, list);
        // In native queries, words with colons belong to the provider's own syntax.
        let query = if search.spec.is_native() { "" } else { &search.spec.query_string };
        // Reported only for providers that would have been queried.
        let mut chosen = choose(candidates, list, query);
        let is_blocked = |one: &SearchProvider| blocked.contains(&one.id);
        let blocked_names: Vec<String> =
            chosen.iter().filter(|one| is_blocked(one)).map(|one| one.spec.name.clone()).collect();
        if !blocked_names.is_empty() {
            notices.push(notice_now(&self.context, NoticeKind::SourcesExcluded { names: blocked_names }));
        }
        chosen.retain(|one| !is_blocked(one));
        Ok(Selection { providers: chosen, owner, preferences, pipeline })
    }

    /// The providers of this search, ordered by id.
    pub async fn selected_providers(&self, search: &Search) -> Result<Vec<SearchProvider>, FederationError> {
        Ok(self.select(search, None, &mut Vec::new()).await?.providers)
    }

    /// The providers of a user's searches with this list, ordered by id.
    pub async fn providers_for_user(
        &self,
        user: UserId,
        list: &[ProviderRef],
    ) -> Result<Vec<SearchProvider>, FederationError> {
        let (person, mut candidates, preferences) =
            tokio::try_join!(self.store.user(user), self.store.providers(), self.store.preferences(user))?;
        let person = Principal::of(&person);
        candidates.retain(|provider| provider.spec.active && person.may_see(provider));
        let blocked = blocked(&candidates, &preferences, list);
        let mut chosen = choose(candidates, list, "");
        chosen.retain(|one| !blocked.contains(&one.id));
        Ok(chosen)
    }
}

/// The providers that the user blocks, unless the list names them.
fn blocked(
    candidates: &[SearchProvider],
    preferences: &Preferences,
    list: &[ProviderRef],
) -> Vec<ProviderId> {
    let is_blocked = |one: &&SearchProvider| {
        preferences.of_source(one.id) == Some(Preference::Block) && !is_named(list, one.id, &one.spec.name)
    };
    candidates.iter().filter(is_blocked).map(|one| one.id).collect()
}

/// True if the list contains the provider's id or name. A tag does not count as a name.
pub(crate) fn is_named(list: &[ProviderRef], id: ProviderId, name: &str) -> bool {
    list.iter().map(ToString::to_string).any(|text| {
        let text = text.trim();
        id.to_string() == text || name.to_lowercase() == text.to_lowercase()
    })
}

/// Applies the rules of selection.
fn choose(mut candidates: Vec<SearchProvider>, list: &[ProviderRef], query: &str) -> Vec<SearchProvider> {
    let (tags, start_tag) = (query_string::tags(query), query_string::start_tag(query));
    let is_chosen = |provider: &SearchProvider| {
        let asked_by_tag = tags.iter().any(|tag| has_tag(provider, tag));
        if !list.is_empty() {
            return asked_by_tag || list.iter().any(|wanted| is_listed(provider, wanted));
        }
        match (provider.spec.default, start_tag) {
            (true, None) => true,
            (true, Some(start)) => has_tag(provider, start),
            (false, _) => asked_by_tag,
        }
    };
    // A misspelled tag should not leave the search without providers.
    if list.is_empty() && !candidates.iter().any(is_chosen) {
        candidates.retain(|provider| provider.spec.default);
    } else {
        candidates.retain(is_chosen);
    }
    candidates
}

/// True if the text is the provider's id, its name or one of its tags.
pub fn is_listed(provider: &SearchProvider, wanted: &ProviderRef) -> bool {
    let text = wanted.to_string();
    let text = text.trim();
    provider.id.to_string() == text
        || provider.spec.name.to_lowercase() == text.to_lowercase()
        || has_tag(provider, text)
}

/// True if the text is one of the provider's tags, in any case.
pub(crate) fn has_tag(provider: &SearchProvider, tag: &str) -> bool {
    let tag = tag.to_lowercase();
    provider.spec.tags.iter().any(|own| own.to_lowercase() == tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::preferences::SourcePreference;
    use domain::provider::ProviderSpec;

    fn provider(id: i64, name: &str, default: bool, tag: &str) -> SearchProvider {
        let spec = ProviderSpec { name: name.into(), default, tags: vec![tag.into()], ..Default::default() };
        let mut provider = SearchProvider::unsaved(spec, UserId(1), Default::default());
        provider.id = ProviderId(id);
        provider
    }

    #[test]
    fn the_table_of_the_specification() {
        let all = || {
            vec![
                provider(1, "A", true, "News"),
                provider(2, "B", true, "Web"),
                provider(3, "C", false, "Company"),
                provider(4, "D", false, "News"),
            ]
        };
        let text = |word: &str| vec![ProviderRef::Text(word.into())];
        let cases = [
            ("rates", vec![], "AB"),
            ("news:rates", vec![], "AD"),
            ("NEWS: rates", vec![], "AD"),
            ("rates company:acme", vec![], "ABC"),
            ("news:rates company:acme", vec![], "ACD"),
            ("nwes:rates", vec![], "AB"),
            ("10:30 std::news company:acme", vec![], "ABC"),
            ("Dune: Part Two", vec![], "AB"),
            ("rates", text("company"), "C"),
            ("news:rates", text("B"), "ABD"),
            ("rates", vec![ProviderRef::Id(3)], "C"),
            ("rates", text("3"), "C"),
            ("rates", vec![ProviderRef::Id(3), ProviderRef::Text("b".into())], "BC"),
            ("rates", text("nobody"), ""),
        ];
        for (query, list, expected) in cases {
            let chosen = choose(all(), &list, query);
            let names: String = chosen.iter().map(|one| one.spec.name.as_str()).collect();
            assert_eq!(names, expected, "{query} {list:?}");
        }
    }

    #[test]
    fn a_blocked_provider_is_queried_only_if_it_is_named() {
        let all = [provider(1, "A", true, "News"), provider(2, "B", true, "Web")];
        let source = |id, preference| SourcePreference { provider_id: ProviderId(id), preference };
        let preferences = Preferences {
            domains: Vec::new(),
            sources: vec![source(1, Preference::Block), source(2, Preference::Lower)],
        };
        let text = |word: &str| vec![ProviderRef::Text(word.into())];
        let cases =
            [(vec![], true), (text("News"), true), (text("a"), false), (vec![ProviderRef::Id(1)], false)];
        for (list, is_blocked) in cases {
            let expected: &[ProviderId] = if is_blocked { &[ProviderId(1)] } else { &[] };
            assert_eq!(blocked(&all, &preferences, &list), expected, "{list:?}");
        }
    }
}
