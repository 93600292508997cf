//! Which SearchProviders a search asks: active, visible to its owner, and listed, tagged or default.

use crate::{Federation, FederationError};
use domain::ids::UserId;
use domain::message;
use domain::notation::query_string;
use domain::provider::SearchProvider;
use domain::search::{ProviderRef, Search};
use domain::user::Principal;

impl Federation {
    /// The selected providers in the order of their ids. Names in the list that match nothing are said.
    pub(crate) async fn select(
        &self,
        search: &Search,
        messages: &mut Vec<String>,
    ) -> Result<Vec<SearchProvider>, FederationError> {
        let owner = Principal::of(&self.store.user(search.owner).await?);
        let mut candidates = self.store.providers().await?;
        candidates.retain(|provider| provider.draft.active && owner.may_see(provider));
        let list = &search.draft.searchprovider_list;
        let unmatched: Vec<String> = list
            .iter()
            .filter(|wanted| !candidates.iter().any(|provider| is_listed(provider, wanted)))
            .map(ProviderRef::to_string)
            .collect();
        if !unmatched.is_empty() {
            messages.push(self.stamped(&message::unknown_providers(&unmatched)));
        }
        // Words with colons are the source's own language there.
        let query = if search.draft.is_native() { "" } else { &search.draft.query_string };
        Ok(choose(candidates, list, query))
    }

    /// The providers that a person's searches with this list ask, in the order of their ids.
    pub async fn sources_of(
        &self,
        user: UserId,
        list: &[ProviderRef],
    ) -> Result<Vec<SearchProvider>, FederationError> {
        let person = Principal::of(&self.store.user(user).await?);
        let mut candidates = self.store.providers().await?;
        candidates.retain(|provider| provider.draft.active && person.may_see(provider));
        Ok(choose(candidates, list, ""))
    }
}

/// The rules of selection over providers that may be asked.
fn choose(candidates: Vec<SearchProvider>, list: &[ProviderRef], query: &str) -> Vec<SearchProvider> {
    let (tags, start_tag) = (query_string::tags(query), query_string::start_tag(query));
    let is_chosen = |provider: &SearchProvider| {
        let asked_by_tag = tags.iter().any(|tag| has_tag(provider, tag));
        if !list.is_empty() {
            return asked_by_tag || list.iter().any(|wanted| is_listed(provider, wanted));
        }
        match (provider.draft.default, start_tag) {
            (true, None) => true,
            (true, Some(start)) => has_tag(provider, start),
            (false, _) => asked_by_tag,
        }
    };
    let chosen: Vec<SearchProvider> = candidates.iter().filter(|one| is_chosen(one)).cloned().collect();
    if chosen.is_empty() && list.is_empty() {
        // A misspelt tag should not silence the search.
        return candidates.into_iter().filter(|provider| provider.draft.default).collect();
    }
    chosen
}

/// True if the text names the provider: its id, its name or one of its tags.
pub fn is_listed(provider: &SearchProvider, wanted: &ProviderRef) -> bool {
    let text = wanted.to_string();
    let text = text.trim();
    provider.id.to_string() == text
        || provider.draft.name.to_lowercase() == text.to_lowercase()
        || has_tag(provider, text)
}

fn has_tag(provider: &SearchProvider, tag: &str) -> bool {
    let tag = tag.to_lowercase();
    provider.draft.tags.iter().any(|own| own.to_lowercase() == tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::ProviderId;
    use domain::provider::ProviderDraft;

    fn provider(id: i64, name: &str, default: bool, tag: &str) -> SearchProvider {
        let draft =
            ProviderDraft { name: name.into(), default, tags: vec![tag.into()], ..Default::default() };
        let mut provider = SearchProvider::unsaved(draft, UserId(1), Default::default());
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
            ("rates", text("company"), "C"),
            ("news:rates", text("B"), "ABD"),
            ("rates", vec![ProviderRef::Id(3)], "C"),
            ("rates", text("3"), "C"),
            ("rates", vec![ProviderRef::Id(3), ProviderRef::Text("b".into())], "BC"),
            ("rates", text("nobody"), ""),
        ];
        for (query, list, expected) in cases {
            let chosen = choose(all(), &list, query);
            let names: String = chosen.iter().map(|one| one.draft.name.as_str()).collect();
            assert_eq!(names, expected, "{query} {list:?}");
        }
    }
}
