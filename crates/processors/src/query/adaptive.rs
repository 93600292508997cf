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
    let mut tokens = take_tags(tokens(&query), tags);
    let Some(mappings) = mappings else {
        // The tags of the sources are not known yet.
        return rewrite(&query, tokens, Negation::AsWritten);
    };
    drop_final_colons(&mut tokens);
    match (mappings.not(), mappings.not_char()) {
        (true, Some(_)) => rewrite(&query, tokens, Negation::AsWritten),
        (true, None) => rewrite(&query, tokens, Negation::Once(" NOT ")),
        (false, Some(prefix)) => rewrite(&query, tokens, Negation::Each(&format!(" {prefix}"))),
        (false, None) => rewrite(&query, tokens, Negation::LeftOut),
    }
}

/// A tag applies to the words after it. If there are words under the provider's tags, the others are dropped. Words with
/// a tag that the provider does not have stay as they are.
fn take_tags<'a>(tokens: Vec<Token<'a>>, tags: &[String]) -> Vec<Token<'a>> {
    if !tokens.iter().any(|token| token.tag().is_some()) {
        return tokens;
    }
    let mut current: Option<usize> = None;
    let mut terms: Vec<Token<'a>> = Vec::new();
    let mut selected: Vec<(usize, Token<'a>)> = Vec::new();
    // Operators and opening parentheses belong to what is after them.
    let mut before: Vec<Token<'a>> = Vec::new();
    for mut token in tokens {
        if matches!(token.kind, Kind::And | Kind::Or | Kind::Not | Kind::Open) {
            before.push(token);
            continue;
        }
        if let Some((tag, value)) = token.tag() {
            current = position(tags, tag);
            match current {
                Some(_) if value.is_empty() => continue,
                Some(_) => token = under_tag(token, value),
                // Of `other:🚀`, only the symbol is searched for.
                None if !value.is_ascii() && !value.contains(char::is_alphanumeric) => token.text = value,
                None => {}
            }
        }
        if let Some(at) = current {
            selected.extend(before.iter().map(|token| (at, token.clone())));
            selected.push((at, token.clone()));
        }
        terms.append(&mut before);
        terms.push(token);
    }
    let is_selection = selected.iter().any(|(_, token)| matches!(token.kind, Kind::Word | Kind::Phrase));
    if is_selection { by_tag(selected, tags.len()) } else { terms }
}

/// The selected tokens in the order of the provider's tags, unless that would tear a group apart.
fn by_tag(mut selected: Vec<(usize, Token<'_>)>, tags: usize) -> Vec<Token<'_>> {
    let mut depths = vec![0_i64; tags];
    let mut is_torn = false;
    for (tag, token) in &selected {
        depths[*tag] += i64::from(token.kind == Kind::Open) - i64::from(token.kind == Kind::Close);
        is_torn |= depths[*tag] < 0;
    }
    if !is_torn && depths.iter().all(|depth| *depth == 0) {
        selected.sort_by_key(|(tag, _)| *tag);
    }
    selected.into_iter().map(|(_, token)| token).collect()
}

/// The colon of `Dune: Part Two` is punctuation; that of `title:"a phrase"` may mean something to the source.
fn drop_final_colons(tokens: &mut [Token<'_>]) {
    for at in 0..tokens.len() {
        let is_before_value =
            tokens.get(at + 1).is_some_and(|next| !next.is_spaced && next.kind != Kind::Close);
        if tokens[at].kind == Kind::Word && !is_before_value {
            tokens[at].text = tokens[at].text.trim_end_matches(':');
        }
    }
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
