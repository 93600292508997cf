//! The first steps of a new installation: a card on the start page and the dashboard, as long as there is no source.

use super::i18n::Language;
use crate::error::ApiError;
use crate::state::AppState;
use domain::ports::ResultOrigin;
use domain::provider::SearchProvider;
use domain::ready_source::{ReadySource, SUGGESTED};
use domain::user::Principal;
use serde::Serialize;

/// The card. Only administrators can take its steps; the others see a sentence.
#[derive(Debug, Serialize)]
pub struct FirstRun {
    sources: Vec<Suggestion>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Suggestion {
    slug: String,
    name: String,
    /// The first sentence of its description.
    summary: String,
    /// Whether the summary is in English on a page in another language.
    is_foreign: bool,
}

impl FirstRun {
    /// The card of this user, who may see these providers. None if they have a source to search.
    pub fn of(state: &AppState, language: &Language, providers: &[SearchProvider]) -> Option<Self> {
        // The cache and models have only what others brought.
        let is_live = |provider: &SearchProvider| state.plugins.is_from(ResultOrigin::Live, provider);
        let has_source = providers.iter().any(|provider| provider.spec.active && is_live(provider));
        (!has_source).then(|| Self { sources: suggestions(&state.instance_info.ready_sources, language) })
    }

    pub async fn read(
        state: &AppState,
        language: &Language,
        person: &Principal,
    ) -> Result<Option<Self>, ApiError> {
        let mut providers = state.store.providers().await?;
        providers.retain(|provider| person.may_see(provider));
        Ok(Self::of(state, language, &providers))
    }
}

fn suggestions(ready: &[ReadySource], language: &Language) -> Vec<Suggestion> {
    let found = SUGGESTED.into_iter().filter_map(|slug| ready.iter().find(|source| source.slug == slug));
    found.map(|source| Suggestion::of(source, language)).collect()
}

impl Suggestion {
    fn of(ReadySource { slug, spec }: &ReadySource, language: &Language) -> Self {
        let description = language.translate(&spec.description, &[]);
        let summary = description.split(". ").next().unwrap_or_default();
        Self {
            slug: slug.clone(),
            name: spec.name.clone(),
            summary: summary.trim_end_matches('.').to_owned(),
            is_foreign: !language.knows(&spec.description),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::provider::ProviderSpec;

    fn ready(slug: &str, description: &str) -> ReadySource {
        let spec = ProviderSpec {
            name: format!("The {slug}"),
            description: description.to_owned(),
            ..Default::default()
        };
        ReadySource { slug: slug.to_owned(), spec }
    }

    #[test]
    fn suggestions_have_one_sentence() {
        let all =
            [ready("other", "No."), ready("arxiv", "Preprints. No key."), ready("wikipedia", "Articles.")];
        let summary = |slug: &str, summary: &str| Suggestion {
            slug: slug.to_owned(),
            name: format!("The {slug}"),
            summary: summary.to_owned(),
            is_foreign: false,
        };
        let found = suggestions(&all, &Language::default());
        assert_eq!(found, [summary("wikipedia", "Articles"), summary("arxiv", "Preprints")]);
        let json = br#"{"@language": {"name": "Test"}, "@catalog": {"Articles.": "Artikel. Mehr."}}"#;
        let found = suggestions(&all, &Language::parse("xx", json).expect("words"));
        assert_eq!(found[0], summary("wikipedia", "Artikel"));
        assert_eq!(found[1], Suggestion { is_foreign: true, ..summary("arxiv", "Preprints") });
    }
}
