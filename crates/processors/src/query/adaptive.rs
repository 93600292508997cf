//! AdaptiveQueryProcessor: gives each provider the query in the form that it understands. Tags select terms for the
//! providers that have them, and negation is written in the source's syntax.

use async_trait::async_trait;
use domain::ports::{ProcessorError, ProcessorErrorKind, QueryContext, QueryProcessor, QueryProcessorKind};
use syntax::query_mappings::QueryMappings;
use syntax::query_string::{Kind, Negation, Token, is_plain, rewrite, tokens, without_markup};

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
    if is_plain(query) {
        return query.to_owned();
    }
    let query = without_markup(query);
    let tokens = take_tags(tokens(&query), tags);
    match mappings.map(|mappings| (mappings.not(), mappings.not_char())) {
        None | Some((true, Some(_))) => rewrite(&query, tokens, Negation::AsWritten),
        Some((true, None)) => rewrite(&query, tokens, Negation::Once(" NOT ")),
        Some((false, Some(prefix))) => rewrite(&query, tokens, Negation::Each(&format!(" {prefix}"))),
        Some((false, None)) => rewrite(&query, tokens, Negation::LeftOut),
    }
}

/// A tag applies to the words after it. If there are words under the provider's tags, the others are dropped.
fn take_tags<'a>(tokens: Vec<Token<'a>>, tags: &[String]) -> Vec<Token<'a>> {
    if !tokens.iter().any(|token| token.tag().is_some()) {
        return tokens;
    }
    let mut current: Option<usize> = None;
    let mut terms: Vec<Token<'a>> = Vec::new();
    let mut selected: Vec<Vec<Token<'a>>> = vec![Vec::new(); tags.len()];
    // Operators belong to what is after them.
    let mut operators: Vec<Token<'a>> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(mut token) = tokens.next() {
        if matches!(token.kind, Kind::And | Kind::Or | Kind::Not) {
            operators.push(token);
            continue;
        }
        if let Some((tag, rest)) = token.tag() {
            current = position(tags, tag);
            if token.text.ends_with(':') {
                // `title:"a phrase"` is not for this provider's tags, but may mean something to the source.
                let has_value = tokens.peek().is_some_and(|next| !next.is_spaced);
                if current.is_none() && has_value {
                    terms.append(&mut operators);
                    terms.push(token);
                }
                continue;
            }
            if current.is_some() {
                token = under_tag(token, rest.split(':').next().unwrap_or(rest));
            }
        }
        if let Some(at) = current {
            selected[at].extend(operators.iter().cloned());
            selected[at].push(token.clone());
        }
        terms.append(&mut operators);
        terms.push(token);
    }
    let selected: Vec<Token<'a>> = selected.concat();
    let is_selection = selected.iter().any(|token| matches!(token.kind, Kind::Word | Kind::Phrase));
    if is_selection { selected } else { terms }
}

/// The token of a tag's value, which may be negated: `news:-rates`.
fn under_tag<'a>(token: Token<'a>, value: &'a str) -> Token<'a> {
    match value.strip_prefix('-').filter(|value| !value.is_empty()) {
        Some(negated) => Token { text: negated, is_negated: true, ..token },
        None => Token { text: value, ..token },
    }
}

fn position(tags: &[String], tag: &str) -> Option<usize> {
    let tag = tag.to_lowercase();
    tags.iter().position(|known| known.to_lowercase() == tag)
}

#[cfg(test)]
#[path = "adaptive_tests.rs"]
mod tests;
