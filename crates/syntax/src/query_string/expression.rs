//! The structure of a query: alternatives, conjunctions and groups, with what is negated.

use super::tokens::{Kind, Token, tokens};
use std::ops::Range;

/// Deeper parentheses are ignored.
pub const DEPTH_MAX: usize = 16;

/// Alternatives that `OR` separates, with texts of type `T`. Parentheses without a counterpart, and operators without
/// operands, are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression<T> {
    pub alternatives: Vec<Conjunction<T>>,
}

/// Terms that belong together: side by side, or with `AND` between them. There is at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conjunction<T> {
    pub operands: Vec<Operand<T>>,
}

/// A term or group of a conjunction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand<T> {
    pub item: Item<T>,
    /// What says that it is negated, if it is.
    pub negation: Option<NegatedBy>,
    /// `AND` is written before it.
    pub is_after_and: bool,
    /// White space is written before it.
    pub is_spaced: bool,
    /// Where it is in the query; a group has the place of its opening parenthesis.
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item<T> {
    Word(T),
    Phrase(T),
    Group(Expression<T>),
}

/// `NOT` negates all terms of its conjunction after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NegatedBy {
    Sign,
    Not,
    /// By a `NOT` before a previous term.
    EarlierNot,
}

impl<'a> Expression<&'a str> {
    /// The expression of a query, with its texts as written. Words of ASCII punctuation alone are left out.
    pub fn parse(query: &'a str) -> Self {
        let is_searchable = |text: &str| text.contains(|c: char| c.is_alphanumeric() || !c.is_ascii());
        Self::of(&tokens(query), |token| {
            let item =
                if token.kind == Kind::Phrase { Item::Phrase(token.text) } else { Item::Word(token.text) };
            is_searchable(token.text).then_some(item)
        })
    }
}

impl<T> Expression<T> {
    /// The expression of tokens. `item` makes the items of words and phrases, or leaves them out.
    pub(super) fn of<'a>(tokens: &[Token<'a>], item: impl Fn(&Token<'a>) -> Option<Item<T>>) -> Self {
        let is_matched = matched(tokens);
        let mut open = vec![Level::new(None)];
        for (at, token) in tokens.iter().enumerate() {
            let Some(level) = open.last_mut() else { break };
            match token.kind {
                Kind::And => (level.is_after_and, level.reach) = (true, Reach::None),
                Kind::Or => level.end_conjunction(),
                Kind::Not => level.reach = Reach::Begins,
                Kind::Word | Kind::Phrase => {
                    if let Some(item) = item(token) {
                        level.add(token, item);
                    }
                }
                Kind::Open if is_matched[at] => open.push(Level::new(Some(token))),
                Kind::Close if is_matched[at] => {
                    let Some((group, inner)) = open.pop().and_then(Level::into_group) else { break };
                    if let (Some(level), false) = (open.last_mut(), inner.alternatives.is_empty()) {
                        level.add(group, Item::Group(inner));
                    }
                }
                Kind::Open | Kind::Close => {}
            }
        }
        open.pop().map(Level::into_expression).unwrap_or_default()
    }
}

impl<T> Default for Expression<T> {
    fn default() -> Self {
        Self { alternatives: Vec::new() }
    }
}

impl<T> Operand<T> {
    pub fn is_negated(&self) -> bool {
        self.negation.is_some()
    }
}

/// For each token, whether it is a parenthesis that counts.
fn matched(tokens: &[Token<'_>]) -> Vec<bool> {
    let mut is_matched = vec![false; tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Open => open.push(at),
            Kind::Close => {
                if let Some(opening) = open.pop().filter(|_| open.len() < DEPTH_MAX) {
                    (is_matched[opening], is_matched[at]) = (true, true);
                }
            }
            _ => {}
        }
    }
    is_matched
}

/// How far the last `NOT` of a conjunction reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    None,
    Begins,
    GoesOn,
}

/// The expression inside of a pair of parentheses, or the whole one.
struct Level<'t, 'a, T> {
    /// The opening parenthesis.
    group: Option<&'t Token<'a>>,
    alternatives: Vec<Conjunction<T>>,
    operands: Vec<Operand<T>>,
    is_after_and: bool,
    reach: Reach,
}

impl<'t, 'a, T> Level<'t, 'a, T> {
    fn new(group: Option<&'t Token<'a>>) -> Self {
        Self {
            group,
            alternatives: Vec::new(),
            operands: Vec::new(),
            is_after_and: false,
            reach: Reach::None,
        }
    }

    fn add(&mut self, token: &Token<'_>, item: Item<T>) {
        let negation = match (self.reach, token.is_negated) {
            (Reach::Begins, _) => Some(NegatedBy::Not),
            (_, true) => Some(NegatedBy::Sign),
            (Reach::GoesOn, _) => Some(NegatedBy::EarlierNot),
            (Reach::None, false) => None,
        };
        self.operands.push(Operand {
            item,
            negation,
            is_after_and: self.is_after_and && !self.operands.is_empty(),
            is_spaced: token.is_spaced,
            span: token.span.clone(),
        });
        self.is_after_and = false;
        if self.reach == Reach::Begins {
            self.reach = Reach::GoesOn;
        }
    }

    fn end_conjunction(&mut self) {
        let operands = std::mem::take(&mut self.operands);
        if !operands.is_empty() {
            self.alternatives.push(Conjunction { operands });
        }
        (self.is_after_and, self.reach) = (false, Reach::None);
    }

    fn into_expression(mut self) -> Expression<T> {
        self.end_conjunction();
        Expression { alternatives: self.alternatives }
    }

    fn into_group(self) -> Option<(&'t Token<'a>, Expression<T>)> {
        let group = self.group?;
        Some((group, self.into_expression()))
    }
}
