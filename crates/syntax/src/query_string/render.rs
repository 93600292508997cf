//! Writes an expression in the syntax of a source.

use super::expression::{Conjunction, Expression, Item, NegatedBy, Operand};

/// How a source writes what is negated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Negation<'a> {
    /// As in the query.
    AsWritten,
    /// Once, after the other terms and before all negated ones: ` NOT `.
    Once(&'a str),
    /// After the other terms, before each negated one: ` -`.
    Each(&'a str),
    /// The source cannot negate: negated terms are left out.
    LeftOut,
}

/// A term to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written<'a> {
    pub text: &'a str,
    pub is_phrase: bool,
    pub is_negated: bool,
}

/// The syntax of a source.
pub trait Dialect {
    fn negation(&self) -> Negation<'_>;

    /// The term in this syntax; an empty text leaves it out.
    fn term(&self, term: Written<'_>) -> String;

    /// Between two terms that are side by side.
    fn beside(&self) -> &str {
        " "
    }

    fn and(&self) -> &str {
        " AND "
    }

    fn or(&self) -> &str {
        " OR "
    }

    /// Terms that are not negated are in parentheses before negated ones, because operators bind in another order.
    fn groups_wanted(&self) -> bool {
        false
    }

    /// The source gets nothing of the query's own notation: terms do not touch, alternatives of several terms are in
    /// parentheses, and there are no alternatives of negated terms alone.
    fn is_strict(&self) -> bool {
        true
    }
}

impl<T: AsRef<str>> Expression<T> {
    /// The expression in a dialect; empty if nothing is left of it.
    pub fn render(&self, dialect: &impl Dialect) -> String {
        let rendered = self.alternatives.iter().map(|one| one.render(dialect));
        let mut rendered: Vec<Rendered> = rendered.filter(|one| one.terms > 0).collect();
        if rendered.len() == 1 {
            return rendered.pop().map(|one| one.text).unwrap_or_default();
        }
        let mut out = String::new();
        for Rendered { text, terms } in rendered {
            if !out.is_empty() {
                out.push_str(dialect.or());
            }
            let is_grouped = terms > 1 && dialect.is_strict();
            out.push_str(&if is_grouped { format!("({text})") } else { text });
        }
        out
    }
}

/// A conjunction that is being written.
#[derive(Default)]
struct Rendered {
    text: String,
    terms: usize,
}

impl Rendered {
    fn push(&mut self, joint: &str, marker: &str, term: &str) {
        if !term.is_empty() {
            self.text.push_str(if self.terms == 0 { joint.trim_start() } else { joint });
            self.text.push_str(marker);
            self.text.push_str(term);
            self.terms += 1;
        }
    }
}

impl<T: AsRef<str>> Conjunction<T> {
    fn render(&self, dialect: &impl Dialect) -> Rendered {
        let mut out = Rendered::default();
        let negation = dialect.negation();
        let mut previous: Option<(usize, &Operand<T>)> = None;
        for (at, operand) in self.operands.iter().enumerate() {
            if operand.is_negated() && negation != Negation::AsWritten {
                continue;
            }
            let is_touching = !dialect.is_strict()
                && previous.is_some_and(|(before, one)| before + 1 == at && one.touches(operand));
            let joint = match () {
                () if out.terms == 0 || is_touching => "",
                () if operand.is_after_and => dialect.and(),
                () => dialect.beside(),
            };
            let marker = match operand.negation {
                Some(NegatedBy::Not) => "NOT ",
                Some(NegatedBy::Sign) => "-",
                Some(NegatedBy::EarlierNot) | None => "",
            };
            let text = operand.render(dialect);
            if !text.is_empty() {
                out.push(joint, marker, &text);
                previous = Some((at, operand));
            }
        }
        if dialect.is_strict() && out.terms == 0 {
            return out;
        }
        let negated = || self.operands.iter().filter(|operand| operand.is_negated());
        if dialect.groups_wanted() && out.terms > 1 && negated().next().is_some() {
            out.text = format!("({})", out.text);
        }
        match negation {
            Negation::AsWritten | Negation::LeftOut => {}
            Negation::Each(joint) => {
                negated().for_each(|operand| out.push(joint, "", &operand.render(dialect)))
            }
            Negation::Once(joint) => {
                for (count, operand) in negated().enumerate() {
                    out.push(if count == 0 { joint } else { " " }, "", &operand.render(dialect));
                }
            }
        }
        out
    }
}

impl<T: AsRef<str>> Operand<T> {
    fn render(&self, dialect: &impl Dialect) -> String {
        let term =
            |text: &str, is_phrase| dialect.term(Written { text, is_phrase, is_negated: self.is_negated() });
        match &self.item {
            Item::Word(text) => term(text.as_ref(), false),
            Item::Phrase(text) => term(text.as_ref(), true),
            Item::Group(inner) => match inner.render(dialect) {
                empty if empty.is_empty() => empty,
                inner => format!("({inner})"),
            },
        }
    }

    /// Whether the next term stays directly behind this one: `f(x)`, `title:"a phrase"`.
    fn touches(&self, next: &Self) -> bool {
        let is_plain = !next.is_spaced && !next.is_after_and && !self.is_negated() && !next.is_negated();
        is_plain
            && match (&self.item, &next.item) {
                (Item::Word(_), Item::Group(_)) | (Item::Group(_), Item::Word(_)) => true,
                (Item::Word(word), Item::Phrase(_)) => word.as_ref().ends_with(':'),
                _ => false,
            }
    }
}

/// The notation of queries.
#[derive(Debug, Clone, Copy)]
pub struct QueryNotation<'a>(pub Negation<'a>);

impl Dialect for QueryNotation<'_> {
    fn negation(&self) -> Negation<'_> {
        self.0
    }

    fn term(&self, term: Written<'_>) -> String {
        // `-client/server` excludes the two words side by side.
        let is_quoted = term.is_phrase || (term.is_negated && term.text.contains(' '));
        if is_quoted { format!("\"{}\"", term.text) } else { term.text.to_owned() }
    }

    fn is_strict(&self) -> bool {
        false
    }
}
