//! Source selection of the search box, grouped by tag.

use super::sources::{color, initials, visible_providers};
use crate::error::ApiError;
use crate::state::AppState;
use domain::ids::ProviderId;
use domain::provider::SearchProvider;
use domain::search::ProviderRef;
use domain::user::Principal;
use serde::Serialize;
use std::collections::BTreeMap;

/// Most sources listed individually; the rest can be selected by tag.
pub const SOURCES_MAX: usize = 200;
/// Most tags offered.
const TAGS_MAX: usize = 24;
/// The tag of bundled sources that need no key, which is of no use for choosing what to search.
const NO_KEY: &str = "NoKey";

#[derive(Debug, Default, Serialize)]
pub struct Picker {
    groups: Vec<Group>,
    tags: Vec<Tag>,
    /// Number of selected sources, and of all.
    chosen: usize,
    count: usize,
    left_out: usize,
}

/// Sources with the same first tag.
#[derive(Debug, PartialEq, Serialize)]
struct Group {
    tag: String,
    sources: Vec<Choice>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Choice {
    id: ProviderId,
    name: String,
    initials: String,
    color: i64,
    /// In lower case, for the script that selects sources by tag.
    tags: Vec<String>,
    is_chosen: bool,
    is_default: bool,
}

#[derive(Debug, PartialEq, Serialize)]
struct Tag {
    name: String,
    count: usize,
    is_chosen: bool,
}

impl Picker {
    /// `list` as in a search: empty for the default sources.
    pub async fn of(state: &AppState, person: &Principal, list: &[ProviderRef]) -> Result<Self, ApiError> {
        Ok(Self::with(&visible_providers(state, person).await?, list))
    }

    /// As [`Self::of`], with the providers that the person may see.
    pub fn with(providers: &[SearchProvider], list: &[ProviderRef]) -> Self {
        let is_chosen = |provider: &SearchProvider| match list {
            [] => provider.spec.default,
            list => list.iter().any(|wanted| federation::is_listed(provider, wanted)),
        };
        let mut groups: BTreeMap<String, Vec<Choice>> = BTreeMap::new();
        let mut tags: BTreeMap<String, Tag> = BTreeMap::new();
        for (place, provider) in providers.iter().enumerate() {
            let own = &provider.spec.tags;
            for tag in own.iter().filter(|tag| !tag.eq_ignore_ascii_case(NO_KEY)) {
                let is_chosen = list.iter().any(|wanted| wanted.to_string().eq_ignore_ascii_case(tag));
                let fresh = || Tag { name: tag.clone(), count: 0, is_chosen };
                tags.entry(tag.to_lowercase()).or_insert_with(fresh).count += 1;
            }
            if place < SOURCES_MAX {
                groups.entry(own.first().cloned().unwrap_or_default()).or_default().push(Choice {
                    id: provider.id,
                    name: provider.spec.name.clone(),
                    initials: initials(&provider.spec.name),
                    color: color(provider.id),
                    tags: own.iter().map(|tag| tag.to_lowercase()).collect(),
                    is_chosen: is_chosen(provider),
                    is_default: provider.spec.default,
                });
            }
        }
        let mut tags: Vec<Tag> = tags.into_values().collect();
        tags.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        tags.truncate(TAGS_MAX);
        Self {
            groups: groups.into_iter().map(|(tag, sources)| Group { tag, sources }).collect(),
            tags,
            chosen: providers.iter().filter(|provider| is_chosen(provider)).count(),
            count: providers.len(),
            left_out: providers.len().saturating_sub(SOURCES_MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::UserId;
    use domain::provider::ProviderSpec;

    fn provider(id: i64, default: bool, tags: &[&str]) -> SearchProvider {
        let tags = tags.iter().map(|&tag| tag.to_owned()).collect();
        let spec = ProviderSpec { name: format!("P{id}"), default, tags, ..Default::default() };
        let mut provider = SearchProvider::unsaved(spec, UserId(1), Default::default());
        provider.id = ProviderId(id);
        provider
    }

    #[test]
    fn selected_sources() {
        let all = [
            provider(1, true, &["News", "NoKey"]),
            provider(2, false, &["news"]),
            provider(3, true, &["nokey"]),
        ];
        let table = [
            (vec![], vec![1, 3], ""),
            (vec![ProviderRef::Text("NEWS".into())], vec![1, 2], "News"),
            (vec![ProviderRef::Id(3)], vec![3], ""),
        ];
        for (list, expected, tag) in table {
            let picker = Picker::with(&all, &list);
            let mut chosen: Vec<i64> = picker
                .groups
                .iter()
                .flat_map(|group| &group.sources)
                .filter(|source| source.is_chosen)
                .map(|source| source.id.0)
                .collect();
            chosen.sort_unstable();
            assert_eq!((chosen.len(), &chosen), (picker.chosen, &expected), "{list:?}");
            let tags: Vec<&str> =
                picker.tags.iter().filter(|tag| tag.is_chosen).map(|tag| tag.name.as_str()).collect();
            assert_eq!(tags.concat(), tag);
            assert_eq!(
                (picker.tags[0].name.as_str(), picker.tags[0].count, picker.tags.len()),
                ("News", 2, 1)
            );
            assert_eq!(picker.groups[0].sources[0].initials, "P");
        }
    }

    #[test]
    fn only_the_first_sources_are_listed() {
        let all: Vec<SearchProvider> = (1..=SOURCES_MAX as i64 + 7)
            .map(|id| provider(id, true, &[format!("t{}", id % (TAGS_MAX as i64 + 5)).as_str()]))
            .collect();
        let picker = Picker::with(&all, &[]);
        assert_eq!(picker.groups.iter().map(|group| group.sources.len()).sum::<usize>(), SOURCES_MAX);
        assert_eq!((picker.left_out, picker.chosen, picker.tags.len()), (7, SOURCES_MAX + 7, TAGS_MAX));
    }
}
