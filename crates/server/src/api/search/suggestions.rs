//! Suggestions while a query is typed: the caller's own searches, and the sources and tags that the caller may search.

use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiQuery;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use domain::ids::UserId;
use domain::owner_scope::OwnerScope;
use domain::provider::SearchProvider;
use domain::search::{FILTER_CHARS_MAX, ProviderRef, QUERY_CHARS_MAX, Search, SearchFilter};
use domain::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most suggestions of a response.
pub const SUGGESTIONS_MAX: u32 = 20;
const SUGGESTIONS_DEFAULT: u32 = 8;
/// Matching searches that are read, newest first. Several may have one query.
const SEARCHES_READ: u64 = 60;
/// Most suggested sources, and most suggested tags.
const PLACES_MAX: usize = 3;
/// Sources and tags are suggested from so many typed characters on.
const WORD_CHARS_MIN: usize = 2;
/// May be typed before a source or a tag.
const IN: &str = "in:";

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct SuggestionsQuery {
    /// What has been typed. Without it, the newest searches are suggested.
    q: Option<String>,
    /// Number of suggestions, 1 to 20; 8 by default.
    limit: Option<u32>,
}

/// What a suggestion is: an earlier search, a saved or subscribed search, a source, or a tag of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SuggestionKind {
    Search,
    Saved,
    Source,
    Tag,
}

/// A suggestion for the search box.
#[derive(Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = SearchSuggestion)]
pub struct Suggestion {
    kind: SuggestionKind,
    /// The query, or the name of the source or tag.
    #[schema(example = "river level sensors")]
    text: String,
    /// The query after the suggestion was chosen. A source or tag replaces the last typed word.
    query: String,
    /// The source or tag to search, as in `searchprovider_list`; null for a search.
    source: Option<ProviderRef>,
}

/// Suggestions for a query that is being typed: own searches that contain the text, then sources and tags with a word
/// that begins with the last typed one. `in:` before that word leaves out searches.
#[utoipa::path(get, path = "/svc/search/suggestions/", tag = "search", params(SuggestionsQuery), responses(
    (status = 200, description = "Suggestions, the best first.", body = Vec<Suggestion>),
    (status = 400, description = "A parameter is not valid.", body = ErrorBody)))]
pub async fn read_suggestions(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiQuery(query): ApiQuery<SuggestionsQuery>,
) -> Result<Json<Vec<Suggestion>>, ApiError> {
    let (typed, limit) = (query.q.unwrap_or_default(), query.limit.unwrap_or(SUGGESTIONS_DEFAULT));
    let mut errors = FieldErrors::default();
    errors.check_text("q", &typed, QUERY_CHARS_MAX);
    errors.check((1..=SUGGESTIONS_MAX).contains(&limit), "limit", || format!("Use 1 to {SUGGESTIONS_MAX}."));
    errors.into_result(()).map_err(ApiError::invalid)?;

    let mut providers = state.store.providers().await?;
    let may_see = |provider: &SearchProvider| caller.principal.may_see(provider);
    providers.retain(|one| one.spec.active && may_see(one) && state.can_have_results(one));
    let places = suggest_places(&providers, &typed);
    let searches = own_searches(&state, caller.principal.user, &typed).await?;
    let mut suggestions = suggest_queries(&searches, &typed);
    let limit = limit as usize;
    suggestions.truncate(limit.saturating_sub(places.len()).max(limit / 2));
    suggestions.extend(places);
    suggestions.truncate(limit);
    Ok(Json(suggestions))
}

/// The newest searches of the user that contain the text.
async fn own_searches(state: &AppState, user: UserId, typed: &str) -> Result<Vec<Search>, ApiError> {
    let text = typed.trim();
    if text.chars().count() > FILTER_CHARS_MAX {
        return Ok(Vec::new());
    }
    let text = Some(text.to_owned()).filter(|text| !text.is_empty());
    let own = SearchFilter::owned_by(OwnerScope::Only(user));
    let filter = SearchFilter { text, without_assistant: true, ..own };
    Ok(state.store.find_searches(&filter, 0, SEARCHES_READ).await?.items)
}

/// Each query once: those that begin with the text first, then saved ones, then the newest.
fn suggest_queries(searches: &[Search], typed: &str) -> Vec<Suggestion> {
    let typed = typed.trim().to_lowercase();
    let mut found: Vec<(String, Suggestion)> = Vec::new();
    for search in searches {
        let query = search.spec.query_string.trim();
        let folded = query.to_lowercase();
        let is_saved = search.spec.is_saved() || search.spec.subscribe;
        let kind = if is_saved { SuggestionKind::Saved } else { SuggestionKind::Search };
        if folded == typed {
            continue;
        }
        match found.iter_mut().find(|(known, _)| *known == folded) {
            Some((_, known)) if is_saved => known.kind = kind,
            Some(_) => {}
            None => {
                let (text, query) = (query.to_owned(), query.to_owned());
                found.push((folded, Suggestion { kind, text, query, source: None }));
            }
        }
    }
    found.sort_by_key(|(folded, one)| (!folded.starts_with(&typed), one.kind != SuggestionKind::Saved));
    found.into_iter().map(|(_, suggestion)| suggestion).collect()
}

/// Sources, then tags, with a word that begins with the last typed one.
fn suggest_places(providers: &[SearchProvider], typed: &str) -> Vec<Suggestion> {
    let (before, last) = typed.rsplit_once(char::is_whitespace).unwrap_or(("", typed));
    let last = last.to_lowercase();
    let word = last.strip_prefix(IN).unwrap_or(&last);
    let chars_min = if last.starts_with(IN) { 1 } else { WORD_CHARS_MIN };
    if word.chars().count() < chars_min {
        return Vec::new();
    }
    let query = before.trim();
    let suggest = |kind, text: &str, source| Suggestion {
        kind,
        text: text.to_owned(),
        query: query.to_owned(),
        source: Some(source),
    };
    let matches = |name: &str| {
        let name = name.to_lowercase();
        name.starts_with(word)
            || name.split(|c: char| !c.is_alphanumeric()).any(|part| part.starts_with(word))
    };
    let sources = providers
        .iter()
        .filter(|provider| matches(&provider.spec.name))
        .map(|provider| suggest(SuggestionKind::Source, &provider.spec.name, ProviderRef::Id(provider.id.0)));
    let mut tags: BTreeMap<String, &String> = BTreeMap::new();
    for tag in providers.iter().flat_map(|provider| &provider.spec.tags).filter(|tag| matches(tag)) {
        tags.entry(tag.to_lowercase()).or_insert(tag);
    }
    let tags = tags.values().map(|tag| suggest(SuggestionKind::Tag, tag, ProviderRef::Text((*tag).clone())));
    sources.take(PLACES_MAX).chain(tags.take(PLACES_MAX)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::ProviderId;
    use domain::provider::ProviderSpec;

    fn provider(id: i64, name: &str, tags: &[&str]) -> SearchProvider {
        let tags = tags.iter().map(|&tag| tag.to_owned()).collect();
        let spec = ProviderSpec { name: name.to_owned(), tags, ..ProviderSpec::default() };
        let mut provider = SearchProvider::unsaved(spec, UserId(1), Default::default());
        provider.id = ProviderId(id);
        provider
    }

    #[test]
    fn sources_and_tags_replace_the_last_word() {
        let providers = [
            provider(1, "Tickets - Riverbend", &["Support"]),
            provider(2, "Library", &["support", "ticketing"]),
            provider(3, "Rivers", &[]),
        ];
        let table: [(&str, &str, &[&str]); 7] = [
            ("river tick", "river", &["Tickets - Riverbend", "ticketing"]),
            ("river", "", &["Tickets - Riverbend", "Rivers"]),
            ("a  in:SUP", "a", &["Support"]),
            ("in:l", "", &["Library"]),
            ("l", "", &[]),
            ("river ", "river", &[]),
            ("in:", "", &[]),
        ];
        for (typed, query, expected) in table {
            let found = suggest_places(&providers, typed);
            let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
            assert_eq!(texts, expected, "{typed}");
            assert!(found.iter().all(|one| one.query == query), "{typed}: {found:?}");
        }
        let found = suggest_places(&providers, "tick");
        assert_eq!(found[0].source, Some(ProviderRef::Id(1)));
        assert_eq!(found[1].source, Some(ProviderRef::Text("ticketing".to_owned())));
    }

    #[test]
    fn sources_and_tags_are_few() {
        let providers: Vec<SearchProvider> = (1..20)
            .map(|id| provider(id, &format!("River {id}"), &[format!("river{id}").as_str()]))
            .collect();
        assert_eq!(suggest_places(&providers, "river").len(), 2 * PLACES_MAX);
    }
}
