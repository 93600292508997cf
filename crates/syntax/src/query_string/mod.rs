//! The notation of queries: words, phrases, `AND`, `OR`, `NOT`, `-term`, parentheses, tags (`news:`), and the prompt of
//! an AI summary (`prompt:<name>`).
//!
//! [`tokens()`] splits a query, and everything else is built on it: [`terms()`] lists its words and phrases,
//! [`Expression`] has its structure, [`clean`] and [`rewrite`] write it again without what is no part of a word, with
//! balanced quotation marks and parentheses, and without operators that have no operands.

mod codes;
mod expression;
mod markup;
mod render;
mod tag;
mod tags;
mod terms;
#[cfg(test)]
mod tests;
mod tokens;
mod words;

pub use codes::other_spelling;
pub use expression::{Conjunction, DEPTH_MAX, Expression, Item, NegatedBy, Operand};
pub use markup::without_markup;
pub use render::{Dialect, Negation, QueryNotation, Written};
pub use tag::tag_of;
pub use tags::{named_prompt, prompt, start_tag, tags, without_prompt};
pub use terms::{Term, terms};
pub use tokens::{Kind, Token, is_quotation_mark, tokens};
pub use words::is_word_char;

use std::borrow::Cow;
use words::{clean_phrase, clean_word, symbols};

/// The query in its own notation, without markup and other characters that are no part of its words.
pub fn clean(query: &str) -> String {
    if is_plain(query) {
        return query.to_owned();
    }
    let query = without_markup(query);
    rewrite(&query, tokens(&query), Negation::AsWritten)
}

/// The tokens of a query in its own notation, cleaned, and with this negation. Symbols such as emoji are left out, unless
/// they are all that is searched for.
pub fn rewrite(query: &str, tokens: Vec<Token<'_>>, negation: Negation<'_>) -> String {
    let words = Expression::of(&tokens, clean_item);
    let has_symbols = || !query.is_ascii() && tokens.iter().any(|token| !symbols(token.text).is_empty());
    let is_about_words = || !words.render(&QueryNotation(Negation::LeftOut)).is_empty();
    if has_symbols() && !is_about_words() {
        return Expression::of(&tokens, clean_item_or_symbols).render(&QueryNotation(negation));
    }
    words.render(&QueryNotation(negation))
}

/// The words of a text, each as in a cleaned query, separated by single spaces.
pub fn words_of(text: &str) -> String {
    let words = text.split_whitespace().map(clean_word).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a query has nothing but words of alphanumeric ASCII characters, each after one space. Most queries do.
pub fn is_plain(query: &str) -> bool {
    query.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b' ')
        && query.split(' ').all(|word| !word.is_empty() && !tokens::is_operator(word))
}

/// The cleaned word or phrase, if anything is left of it.
fn clean_item<'a>(token: &Token<'a>) -> Option<Item<Cow<'a, str>>> {
    let text = if token.kind == Kind::Phrase { clean_phrase(token.text) } else { clean_word(token.text) };
    text.contains(char::is_alphanumeric).then(|| item(token.kind, text))
}

/// The cleaned word or phrase, or its symbols if it has nothing else.
fn clean_item_or_symbols<'a>(token: &Token<'a>) -> Option<Item<Cow<'a, str>>> {
    let symbols = symbols(token.text);
    if symbols.is_empty() { clean_item(token) } else { Some(item(token.kind, symbols.into())) }
}

fn item<T>(kind: Kind, text: T) -> Item<T> {
    if kind == Kind::Phrase { Item::Phrase(text) } else { Item::Word(text) }
}
