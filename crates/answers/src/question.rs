//! What the model is asked: the query without its operators, and the prompt record around it.

use crate::answers::Desk;
use crate::error::AnswerError;
use domain::ai_provider::AiProvider;
use domain::answer::AnswerWish;
use domain::notation::query_string;
use domain::prompt_record::{PromptParts, PromptRecord, SEARCH_RAG};
use domain::search::Search;

/// The prompt of who names none.
const STANDARD: &str = "search_rag_standard";

/// The query for the model: `tag:word` becomes `word`, a tag alone and `prompt:<name>` disappear.
pub(crate) fn plain_query(search: &Search) -> String {
    let processed = match search.query_string_processed.trim() {
        "" => search.spec.query_string.trim(),
        text => text,
    };
    let plain: Vec<&str> = processed.split_whitespace().filter_map(plain_word).collect();
    if plain.is_empty() { processed.to_owned() } else { plain.join(" ") }
}

fn plain_word(word: &str) -> Option<&str> {
    if query_string::prompt_of_word(word).is_some() {
        return None;
    }
    match word.split_once(':') {
        // An address is no tag.
        Some((tag, rest)) if !tag.is_empty() && !rest.starts_with("//") => {
            Some(rest).filter(|rest| !rest.is_empty())
        }
        _ => Some(word),
    }
}

impl Desk {
    /// The texts around the sources: of the prompt that the request names, else the query by `prompt:<name>`, else the
    /// standard one; and over them what the model's own record says. With a remark where a name is not known.
    pub(crate) async fn parts(
        &self,
        search: &Search,
        wish: &AnswerWish,
        provider: &AiProvider,
    ) -> Result<(PromptParts, Option<String>), AnswerError> {
        let records = self.store.prompts().await?;
        let named = match wish.prompt.as_str() {
            "" => query_string::prompt(&search.spec.query_string),
            name => Some(name),
        };
        let usable: Vec<&PromptRecord> = records.iter().filter(|record| is_usable(record, search)).collect();
        let find = |name: &str| usable.iter().find(|record| record.spec.name.eq_ignore_ascii_case(name));
        let found = named.and_then(find);
        let remark = match (named, found) {
            (Some(name), None) => {
                Some(format!("There is no prompt '{name}' for this; the standard one was used."))
            }
            _ => None,
        };
        let record = found.or_else(|| find(STANDARD)).or(usable.first());
        let parts = record.map(|record| record.spec.parts.clone()).unwrap_or_default();
        let own = provider.spec.prompt_overrides.get(SEARCH_RAG);
        Ok((own.map_or_else(|| parts.clone(), |own| own.over(&parts)), remark))
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
            ("news: river company:acme", "river acme"),
            ("prompt:short river", "river"),
            ("river PROMPT:short", "river"),
            ("see http://a.example/", "see http://a.example/"),
            ("news:", "news:"),
            (":river", ":river"),
        ] {
            let search = Search { query_string_processed: query.to_owned(), ..crate::row::tests::search() };
            assert_eq!(plain_query(&search), expected, "{query}");
        }
    }
}
