//! The query of the prompt without operators, and the prompt record.

use crate::context::RagContext;
use crate::error::SummaryError;
use domain::ai_provider::AiProvider;
use domain::prompt::{PromptParts, PromptRecord, SEARCH_RAG};
use domain::search::Search;
use domain::settings::Settings;
use domain::summary::SummaryRequest;
use relevancy::Language;
use syntax::query_string;

/// The default prompt.
const STANDARD: &str = "search_rag_standard";

/// The language that the query shows, or else that of queries.
pub(crate) fn language_of_query(settings: &Settings, query: &str) -> Language {
    let usual = query_language(settings);
    Language::shown_by(query, usual).unwrap_or(usual)
}

/// The configured language of queries.
pub(crate) fn query_language(settings: &Settings) -> Language {
    Language::named(&settings.default_query_language)
}

/// The query for the model: `tag:word` becomes `word`, and `prompt:<name>` is removed. The word before the colon of
/// `Dune: Part Two` stays.
pub(crate) fn plain_query(search: &Search) -> String {
    let processed = match search.query_string_processed.trim() {
        "" => search.spec.query_string.trim(),
        text => text,
    };
    let mut plain = String::with_capacity(processed.len());
    let mut at = 0;
    let mut tokens = query_string::tokens(processed).into_iter().peekable();
    while let Some(token) = tokens.next() {
        let Some((_, value)) = token.tag() else { continue };
        let is_before_value = tokens.peek().is_some_and(|next| !next.is_spaced);
        if value.is_empty() && !is_before_value {
            continue;
        }
        let value = if query_string::named_prompt(&token).is_some() { "" } else { value };
        plain.push_str(&processed[at..token.span.start]);
        plain.push_str(value);
        at = token.span.end;
        if value.is_empty() {
            at += processed[at..].len() - processed[at..].trim_start().len();
        }
    }
    plain.push_str(&processed[at..]);
    let plain = plain.trim();
    if plain.is_empty() { processed.to_owned() } else { plain.to_owned() }
}

impl RagContext {
    /// The prompt texts: of the record named by the request, else by `prompt:<name>` in the query, else the default,
    /// with the overrides of the AI provider. Includes a warning if the name is unknown.
    pub(crate) async fn parts(
        &self,
        search: &Search,
        request: &SummaryRequest,
        provider: &AiProvider,
    ) -> Result<(PromptParts, Option<String>), SummaryError> {
        let records = self.store.prompts().await?;
        let named = match request.prompt.as_str() {
            "" => query_string::prompt(&search.spec.query_string),
            name => Some(name),
        };
        let usable: Vec<&PromptRecord> = records.iter().filter(|record| is_usable(record, search)).collect();
        let find = |name: &str| usable.iter().find(|record| record.spec.name.eq_ignore_ascii_case(name));
        let found = named.and_then(find);
        let warning = match (named, found) {
            (Some(name), None) => {
                Some(format!("There is no prompt '{name}' for summaries; the default was used."))
            }
            _ => None,
        };
        let record = found.or_else(|| find(STANDARD)).or(usable.first());
        let parts = record.map(|record| record.spec.parts.clone()).unwrap_or_default();
        let own = provider.spec.prompt_overrides.get(SEARCH_RAG);
        Ok((own.map_or_else(|| parts.clone(), |own| own.over(&parts)), warning))
    }
}

fn is_usable(record: &PromptRecord, search: &Search) -> bool {
    record.spec.active
        && record.spec.tags.iter().any(|tag| tag.eq_ignore_ascii_case(SEARCH_RAG))
        && record.is_for(Some(search.owner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_not_part_of_the_question() {
        for (query, expected) in [
            ("river level", "river level"),
            ("news:river level", "river level"),
            ("news: river company:acme", "news: river acme"),
            ("Dune: Part Two", "Dune: Part Two"),
            ("train at 10:30 in std::vector", "train at 10:30 in std::vector"),
            ("time:10:30 company:(acme OR initech)", "10:30 (acme OR initech)"),
            ("prompt:short river", "river"),
            ("river PROMPT:short", "river"),
            ("see http://a.example/", "see http://a.example/"),
            ("\"news: river\"  level", "\"news: river\"  level"),
            ("title:\"river level\" -news:dam", "\"river level\" -news:dam"),
            ("news:", "news:"),
            (":river", ":river"),
        ] {
            let search =
                Search { query_string_processed: query.to_owned(), ..crate::summary_item::tests::search() };
            assert_eq!(plain_query(&search), expected, "{query}");
        }
    }
}
