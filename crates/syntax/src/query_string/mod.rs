//! The notation of queries: words, phrases, `AND`, `OR`, `NOT`, `-term`, parentheses, tags (`news:`), and the prompt of
//! an AI summary (`prompt:<name>`).
//!
//! [`tokens()`] splits a query, and everything else is built on it: [`terms()`] lists its words and phrases,
//! [`Expression`] has its structure, [`clean`] and [`rewrite`] write it again without what is no part of a word, with
//! balanced quotation marks and parentheses, and without operators that have no operands.

mod expression;
mod render;
mod terms;
#[cfg(test)]
mod tests;
mod tokens;
mod words;

pub use expression::{Conjunction, DEPTH_MAX, Expression, Item, NegatedBy, Operand};
pub use render::{Dialect, Negation, QueryNotation, Written};
pub use terms::{Term, terms};
pub use tokens::{Kind, Token, tokens};

use crate::strip_html::strip_markup;
use std::borrow::Cow;
use words::{clean_phrase, clean_word, symbols};

/// The tags of a query: the text before the first `:` of every word that contains one.
pub fn tags(query: &str) -> Vec<&str> {
    if !query.contains(':') {
        return Vec::new();
    }
    words(query).filter_map(|token| Some(token.tag()?.0)).collect()
}

/// The tag of the first word, if it has one.
pub fn start_tag(query: &str) -> Option<&str> {
    if !query.contains(':') {
        return None;
    }
    words(query).next()?.tag().map(|(tag, _)| tag)
}

/// The prompt that the query names; the first one applies.
pub fn prompt(query: &str) -> Option<&str> {
    if !query.contains(':') {
        return None;
    }
    tokens(query).iter().find_map(named_prompt)
}

/// The query without `prompt:<name>`, which is not a search term; unchanged if there is nothing else.
pub fn without_prompt(query: &str) -> String {
    if prompt(query).is_none() {
        return query.to_owned();
    }
    let mut rest = String::with_capacity(query.len());
    let mut at = 0;
    for token in tokens(query).iter().filter(|token| named_prompt(token).is_some()) {
        rest.push_str(query[at..token.span.start].trim_end());
        rest.push(' ');
        at = token.span.end;
        at += query[at..].len() - query[at..].trim_start().len();
    }
    rest.push_str(&query[at..]);
    if rest.trim().is_empty() { query.to_owned() } else { rest.trim().to_owned() }
}

/// The name in a word `prompt:<name>`.
pub fn named_prompt<'a>(token: &Token<'a>) -> Option<&'a str> {
    token
        .tag()
        .filter(|(tag, name)| tag.eq_ignore_ascii_case("prompt") && !name.is_empty())
        .map(|(_, name)| name)
}

/// The query in its own notation, without markup and other characters that are no part of its words.
pub fn clean(query: &str) -> String {
    if is_plain(query) {
        return query.to_owned();
    }
    let query = without_markup(query);
    rewrite(&query, tokens(&query), Negation::AsWritten)
}

/// The tokens of a query in its own notation, cleaned, and with this negation. If they have no words, the symbols of the
/// query remain, such as emoji.
pub fn rewrite(query: &str, tokens: Vec<Token<'_>>, negation: Negation<'_>) -> String {
    let written = Expression::of(&tokens, clean_item).render(&QueryNotation(negation));
    if written.is_empty() { symbols(query) } else { written }
}

/// The query without HTML tags, and with entities decoded. Those without a semicolon are text: `a&not`.
pub fn without_markup(query: &str) -> Cow<'_, str> {
    let has_markup = query.contains('<') || (query.contains('&') && query.contains(';'));
    if has_markup { Cow::Owned(strip_markup(query)) } else { Cow::Borrowed(query) }
}

/// Whether a query has nothing but words of alphanumeric ASCII characters, each after one space. Most queries do.
pub fn is_plain(query: &str) -> bool {
    query.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b' ')
        && query.split(' ').all(|word| !word.is_empty() && !tokens::is_operator(word))
}

fn words(query: &str) -> impl Iterator<Item = Token<'_>> {
    let is_word = |token: &Token<'_>| matches!(token.kind, Kind::Word | Kind::Phrase);
    tokens(query).into_iter().filter(move |token| is_word(token) && named_prompt(token).is_none())
}

/// The cleaned word or phrase, if anything is left of it.
fn clean_item<'a>(token: &Token<'a>) -> Option<Item<Cow<'a, str>>> {
    let item = match token.kind {
        Kind::Phrase => Item::Phrase(clean_phrase(token.text)),
        _ => Item::Word(clean_word(token.text)),
    };
    let (Item::Phrase(text) | Item::Word(text)) = &item else { return None };
    text.contains(char::is_alphanumeric).then_some(item)
}
