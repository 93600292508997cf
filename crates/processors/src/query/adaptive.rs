//! AdaptiveQueryProcessor: gives each provider the query in the form that it understands. Tags select terms for the
//! providers that have them, and negation is written in the source's syntax.

use async_trait::async_trait;
use domain::ports::{ProcessorError, ProcessorErrorKind, QueryContext, QueryProcessor, QueryProcessorKind};
use syntax::normalize::clean;
use syntax::query_mappings::QueryMappings;
use syntax::query_string::{is_not, negation};

pub const KIND: QueryProcessorKind = QueryProcessorKind {
    name: "AdaptiveQueryProcessor",
    summary: "Adapts tags and negation to the syntax of each provider.",
    processor: &Adaptive,
};

struct Adaptive;

#[async_trait]
impl QueryProcessor for Adaptive {
    async fn process(&self, query: &str, cx: &QueryContext<'_>) -> Result<String, ProcessorError> {
        let Some(provider) = cx.provider else {
            // Before federation no source is known: negation stays for those that support it.
            return Ok(adapt(query, None, &cx.search.spec.tags));
        };
        let mappings = provider.spec.query_mappings.parsed().map_err(|reason| {
            ProcessorError::new(ProcessorErrorKind::Invalid, format!("query_mappings: {reason}"))
                .caused_by(reason.clone())
        })?;
        Ok(adapt(query, Some(mappings), &provider.spec.tags))
    }
}

fn adapt(query: &str, mappings: Option<&QueryMappings>, tags: &[String]) -> String {
    let tagged = take_tags(query, tags);
    if tagged.is_selection && !has_negation(&tagged.text) {
        return tagged.text;
    }
    let cleaned = clean(&tagged.text);
    match mappings {
        Some(mappings) => negate(cleaned, mappings),
        None => cleaned,
    }
}

struct Tagged {
    text: String,
    /// Keeps only the terms under the provider's own tags.
    is_selection: bool,
}

/// A tag applies to the words after it. If there are words under the provider's tags, the others are dropped.
fn take_tags(query: &str, tags: &[String]) -> Tagged {
    let mut current: Option<&str> = None;
    let mut terms: Vec<&str> = Vec::new();
    let mut selected: Vec<Vec<&str>> = vec![Vec::new(); tags.len()];
    for word in query.split_whitespace() {
        let mut value = word;
        if let Some((tag, rest)) = word.split_once(':') {
            current = Some(tag);
            if word.ends_with(':') {
                continue;
            }
            value = rest.split(':').next().unwrap_or(rest);
        }
        match current.and_then(|tag| position(tags, tag)) {
            Some(at) => {
                selected[at].push(value);
                terms.push(value);
            }
            None => terms.push(word),
        }
    }
    let selected: Vec<&str> = selected.concat();
    let is_selection = !selected.is_empty();
    Tagged { text: if is_selection { selected } else { terms }.join(" "), is_selection }
}

fn position(tags: &[String], tag: &str) -> Option<usize> {
    let tag = tag.to_lowercase();
    tags.iter().position(|known| known.to_lowercase() == tag)
}

fn has_negation(text: &str) -> bool {
    text.split_whitespace().any(|word| is_not(word) || word.starts_with('-'))
}

/// Negation in the source's syntax; a source without negation gets the wanted words only.
fn negate(cleaned: String, mappings: &QueryMappings) -> String {
    let parts = negation(&cleaned);
    if parts.unwanted.is_empty() {
        return cleaned;
    }
    let wanted = parts.wanted.join(" ");
    let adapted = match (mappings.not(), mappings.not_char()) {
        (true, Some(_)) => return cleaned,
        (true, None) => format!("{wanted} NOT {}", parts.unwanted.join(" ")),
        (false, Some(prefix)) => {
            let unwanted: Vec<String> = parts.unwanted.iter().map(|word| format!("{prefix}{word}")).collect();
            format!("{wanted} {}", unwanted.join(" "))
        }
        (false, None) => wanted,
    };
    adapted.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(list: &[&str]) -> Vec<String> {
        list.iter().map(|&tag| tag.to_owned()).collect()
    }

    #[test]
    fn adapts() {
        let table = [
            ("alpha NOT beta gamma", "NOT=True", "alpha NOT beta gamma"),
            ("alpha -beta -gamma", "NOT=true", "alpha NOT beta gamma"),
            ("alpha NOT beta gamma", "NOT_CHAR=-", "alpha -beta -gamma"),
            ("alpha -beta", "NOT=true,NOT_CHAR=-", "alpha -beta"),
            ("alpha NOT beta", "", "alpha"),
            ("alpha NOT beta", "NOT=false", "alpha"),
            ("alpha NOT beta", "NOT=false,NOT_CHAR=!", "alpha !beta"),
            ("not beta", "", ""),
            ("company:acme news", "", "acme news"),
            ("pricing company:acme", "", "acme"),
            ("news:fed rates company:acme", "", "fed rates acme"),
            ("COMPANY:acme NEWS:fed", "", "fed acme"),
            ("other: foo bar", "", "foo bar"),
            ("other:foo", "", "other:foo"),
            ("news:elon NOT twitter", "NOT_CHAR=-", "elon -twitter"),
            ("news:elon -twitter", "", "elon"),
            ("news:C++", "", "C++"),
            ("C++, C# & more", "", "C C more"),
            ("nothing is lost", "", "nothing is lost"),
        ];
        for (query, mappings, want) in table {
            let mappings = QueryMappings::parse(mappings).expect("mappings");
            assert_eq!(adapt(query, Some(&mappings), &tags(&["News", "Company"])), want, "{query}");
        }
    }

    #[test]
    fn each_provider_knows_its_own_tags() {
        let none = QueryMappings::default();
        let query = "news:fed rates company:acme";
        assert_eq!(adapt(query, Some(&none), &tags(&["Email"])), query);
        assert_eq!(adapt(query, Some(&none), &[]), query);
        assert_eq!(adapt("time:10:30 x", Some(&none), &tags(&["time"])), "10 x");
    }

    #[test]
    fn before_federation_negation_stays() {
        assert_eq!(adapt("alpha NOT beta", None, &[]), "alpha NOT beta");
        assert_eq!(adapt("alpha, -beta", None, &[]), "alpha -beta");
    }
}
