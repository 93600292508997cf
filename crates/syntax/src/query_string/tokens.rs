//! The tokens of a query: words, phrases, operators and parentheses. All code that splits a query begins here.

use super::tag::tag_of;
use std::ops::Range;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// A text in quotation marks, which is never an operator.
    Phrase,
    And,
    Or,
    Not,
    Open,
    Close,
}

/// A token of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind,
    /// The word as written, without a `-` before it; the phrase without its quotation marks; the operator.
    pub text: &'a str,
    /// Preceded by `-`. Words, phrases and opening parentheses can be.
    pub is_negated: bool,
    /// Preceded by white space, or the first token.
    pub is_spaced: bool,
    /// Where it is in the query, with its `-` and its quotation marks.
    pub span: Range<usize>,
}

impl<'a> Token<'a> {
    /// The tag of a word and the text after its first colon: `news:rates`, or `news:` before another token. `10:30` and
    /// `std::vector` have none, and neither has a negated word.
    pub fn tag(&self) -> Option<(&'a str, &'a str)> {
        if self.kind == Kind::Word && !self.is_negated { tag_of(self.text) } else { None }
    }
}

/// Splits a query into its tokens, in linear time.
///
/// - A text in `"…"`, `“…”`, `„…“` or `«…»` is a phrase. A quotation mark without its counterpart separates words, and
///   so does one after a digit (`5" pipe`); one between two Hebrew characters belongs to its word.
/// - `" (pc OR computer) "` is a group: the synonyms of a phrase are written so.
/// - `AND`, `OR` and `NOT` are operators in upper case only.
/// - A `-` at the beginning of a word, a phrase or a group negates it; `--` does not.
pub fn tokens(query: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { query, at: 0, is_spaced: true, without_closing: [false; 2], ignored: 0..0 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next(tokens.last()) {
        tokens.push(token);
    }
    tokens
}

/// Which marks open and close phrases of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Double,
    Angle,
}

impl Quotes {
    fn of(c: char) -> Option<Self> {
        match c {
            '"' | '“' | '”' | '„' | '‟' | '＂' => Some(Self::Double),
            '«' | '»' => Some(Self::Angle),
            _ => None,
        }
    }
}

struct Lexer<'a> {
    query: &'a str,
    at: usize,
    is_spaced: bool,
    /// For each kind of quotation marks: the rest of the query is known to have no closing one.
    without_closing: [bool; 2],
    /// The closing quotation mark of a group.
    ignored: Range<usize>,
}

impl<'a> Lexer<'a> {
    fn next(&mut self, previous: Option<&Token<'a>>) -> Option<Token<'a>> {
        loop {
            if self.ignored.contains(&self.at) {
                self.at = self.ignored.end;
                self.is_spaced = true;
            }
            let start = self.at;
            let rest = &self.query[start..];
            let first = rest.chars().next()?;
            if first.is_whitespace() {
                self.at += first.len_utf8();
                self.is_spaced = true;
                continue;
            }
            // After a word or a closing parenthesis, a hyphen is a hyphen.
            let begins = self.is_spaced || previous.is_some_and(|token| token.kind == Kind::Open);
            let is_negated = begins && negates(rest);
            self.at += usize::from(is_negated);
            if let Some(token) = self.operand(start, is_negated) {
                self.is_spaced = false;
                return Some(token);
            }
        }
    }

    /// The token at this position; `None` if there is only a mark that separates words.
    fn operand(&mut self, start: usize, is_negated: bool) -> Option<Token<'a>> {
        let (query, from) = (self.query, self.at);
        let first = query[from..].chars().next()?;
        let (kind, text) = match first {
            '(' => (Kind::Open, self.take(1)),
            ')' => (Kind::Close, self.take(1)),
            _ => match self.quotes_at(from, first) {
                Some(quotes) => match self.closing(quotes, from, first) {
                    Some((at, end)) if self.is_group(from + first.len_utf8()..at) => {
                        self.at = from + first.len_utf8() + 1;
                        self.ignored = at..end;
                        return self.operand(start, is_negated);
                    }
                    Some((at, end)) => {
                        self.at = end;
                        (Kind::Phrase, &query[from + first.len_utf8()..at])
                    }
                    None => {
                        self.at += first.len_utf8();
                        // A `-` before a mark that opens nothing negates the word after it.
                        let next = query[self.at..].chars().next();
                        let goes_on =
                            is_negated && next.is_some_and(|c| !c.is_whitespace() && !"()".contains(c));
                        self.is_spaced |= !goes_on;
                        return if goes_on { self.operand(start, is_negated) } else { None };
                    }
                },
                None => {
                    let word = self.word();
                    (operator(word).filter(|_| !is_negated).unwrap_or(Kind::Word), word)
                }
            },
        };
        Some(Token { kind, text, is_negated, is_spaced: self.is_spaced, span: start..self.at })
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let query = self.query;
        let from = self.at;
        self.at += bytes;
        &query[from..self.at]
    }

    /// The word at this position, up to white space, a parenthesis or a quotation mark.
    fn word(&mut self) -> &'a str {
        let rest = &self.query[self.at..];
        let ends = |(at, c): &(usize, char)| {
            c.is_whitespace() || matches!(c, '(' | ')') || self.quotes_at(self.at + at, *c).is_some()
        };
        let end = rest.char_indices().find(ends).map_or(rest.len(), |(at, _)| at);
        self.take(end)
    }

    /// The kind of the quotation mark at `at`, unless it belongs to a Hebrew abbreviation.
    fn quotes_at(&self, at: usize, c: char) -> Option<Quotes> {
        let quotes = Quotes::of(c)?;
        let is_inside = c == '"' && {
            let before = self.query[..at].chars().next_back();
            let after = self.query[at + 1..].chars().next();
            before.is_some_and(is_hebrew) && after.is_some_and(is_hebrew)
        };
        (!is_inside).then_some(quotes)
    }

    /// Whether a text in quotation marks is a group, which is not inside another one.
    fn is_group(&self, place: Range<usize>) -> bool {
        let text = &self.query[place.clone()];
        let is_inside = place.start < self.ignored.end;
        !is_inside && text.starts_with(" (") && text.ends_with(") ") && text.contains(" OR ")
    }

    /// Where the phrase that begins at `from` ends: before and after its closing mark.
    fn closing(&mut self, quotes: Quotes, from: usize, open: char) -> Option<(usize, usize)> {
        let is_inch = open == '"' && self.query[..from].ends_with(|c: char| c.is_ascii_digit());
        if is_inch || self.without_closing[quotes as usize] {
            return None;
        }
        let start = from + open.len_utf8();
        let mut marks = self.query[start..].char_indices().map(|(at, c)| (start + at, c));
        let found = marks.find(|(at, c)| self.quotes_at(*at, *c) == Some(quotes));
        self.without_closing[quotes as usize] = found.is_none();
        found.map(|(at, c)| (at, at + c.len_utf8()))
    }
}

/// Whether the text begins with a `-` that negates what follows.
fn negates(rest: &str) -> bool {
    let next = rest.strip_prefix('-').and_then(|rest| rest.chars().next());
    next.is_some_and(|c| !c.is_whitespace() && !matches!(c, '-' | ')'))
}

fn operator(word: &str) -> Option<Kind> {
    match word {
        "AND" => Some(Kind::And),
        "OR" => Some(Kind::Or),
        "NOT" => Some(Kind::Not),
        _ => None,
    }
}

/// Whether the word would be an operator.
pub(crate) fn is_operator(word: &str) -> bool {
    operator(word).is_some()
}

/// Whether the character begins or ends a phrase.
pub fn is_quotation_mark(c: char) -> bool {
    Quotes::of(c).is_some()
}

pub(crate) fn is_hebrew(c: char) -> bool {
    matches!(c, '\u{5d0}'..='\u{5f2}')
}
