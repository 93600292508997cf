//! The terms of a query in order, without its structure.

use super::expression::{Expression, Item};
use super::tag::tag_of;
use std::ops::Range;

/// A word or phrase of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term<'a> {
    /// As written; see [`super::tokens::Token::text`].
    pub text: &'a str,
    pub is_phrase: bool,
    pub is_negated: bool,
    /// It is the tag of what is directly after it: `news:"interest rates"`, `news:(rates OR bonds)`.
    pub is_tag: bool,
    /// It begins the next alternative to what is before it: `OR`.
    pub is_alternative: bool,
    /// Where it is in the query, with its `-` and its quotation marks.
    pub span: Range<usize>,
}

impl<'a> Term<'a> {
    /// The word without its tag: `rates` of `news:rates`. The tag alone, as in `news:`, stays.
    pub fn without_tag(&self) -> &'a str {
        let value = if self.is_phrase { None } else { tag_of(self.text).map(|(_, value)| value) };
        value.filter(|value| !value.is_empty()).unwrap_or(self.text)
    }
}

/// All terms of a query. Of a negated group, there are only terms that exclude a result by themselves:
/// `-(a OR b)` excludes both, `-(a b)` excludes neither.
pub fn terms(query: &str) -> Vec<Term<'_>> {
    let mut terms = Vec::new();
    push(&mut terms, Expression::parse(query), false);
    terms
}

fn push<'a>(terms: &mut Vec<Term<'a>>, expression: Expression<&'a str>, is_negated: bool) {
    if is_negated && expression.alternatives.iter().any(|one| one.operands.len() > 1) {
        return;
    }
    for (number, conjunction) in expression.alternatives.into_iter().enumerate() {
        let first = terms.len();
        let mut operands = conjunction.operands.into_iter().peekable();
        while let Some(operand) = operands.next() {
            let is_before_value = operands.peek().is_some_and(|next| !next.is_spaced);
            let is_negated = is_negated != operand.is_negated();
            let (text, is_phrase) = match operand.item {
                Item::Word(text) => (text, false),
                Item::Phrase(text) => (text, true),
                Item::Group(inner) => {
                    push(terms, inner, is_negated);
                    continue;
                }
            };
            let is_tag =
                is_before_value && !is_phrase && tag_of(text).is_some_and(|(_, value)| value.is_empty());
            terms.push(Term {
                text,
                is_phrase,
                is_negated,
                is_tag,
                is_alternative: false,
                span: operand.span,
            });
        }
        if let Some(term) = terms.get_mut(first).filter(|_| number > 0) {
            term.is_alternative = true;
        }
    }
}
