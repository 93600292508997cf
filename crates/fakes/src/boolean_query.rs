//! Parser of boolean query languages with operators, quotes and groups, such as KQL, Gmail and Box. An unquoted term
//! must be a plain word or a known operator; anything else is rejected.

use super::cloud_documents::{Document, contains_phrase, words};

/// How the languages differ.
pub struct Language {
    /// Allowed field names.
    pub properties: &'static [&'static str],
    /// Unsupported operators in capitals.
    pub reserved: &'static [&'static str],
    /// `-word` excludes; otherwise `NOT word`.
    pub has_minus: bool,
    /// `{a b}` means any of them.
    pub has_braces: bool,
    /// Adjacent words: all of them, or any.
    pub beside_is_all: bool,
}

pub const KQL: Language = Language {
    properties: &["contenttype", "from", "subject", "title"],
    reserved: &["NEAR", "ONEAR", "WORDS", "XRANK", "ALL", "ANY", "NONE"],
    has_minus: true,
    has_braces: false,
    beside_is_all: true,
};
pub const GMAIL: Language = Language {
    properties: &["from", "to", "subject", "in", "label", "has", "before", "after"],
    reserved: &["AROUND"],
    has_minus: true,
    has_braces: true,
    beside_is_all: true,
};
pub const BOX: Language =
    Language { properties: &[], reserved: &[], has_minus: false, has_braces: false, beside_is_all: false };

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// A word or a phrase, as written.
    Text(String),
    Property(String, String),
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

impl Expression {
    pub fn holds(&self, document: &Document) -> bool {
        self.holds_words(&words(&document.title), document.is_folder)
    }

    /// Whether it holds for a document with these words.
    pub fn holds_words(&self, own: &[String], is_folder: bool) -> bool {
        match self {
            Self::Text(text) => contains_phrase(own, &words(text)),
            Self::Property(name, value) => name == "contenttype" && value == "folder" && is_folder,
            Self::Not(inner) => !inner.holds_words(own, is_folder),
            Self::All(parts) => parts.iter().all(|part| part.holds_words(own, is_folder)),
            Self::Any(parts) => parts.iter().any(|part| part.holds_words(own, is_folder)),
        }
    }

    /// The parsed search texts.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => vec![text],
            Self::Property(..) => Vec::new(),
            Self::Not(inner) => inner.texts(),
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::texts).collect(),
        }
    }
}

pub fn parse(text: &str, language: &Language) -> Result<Expression, String> {
    of_tokens(tokens(text, language)?, language)
}

/// The expression of tokens that another parser has read.
pub(super) fn of_tokens(tokens: Vec<Token>, language: &Language) -> Result<Expression, String> {
    let mut reader = Reader { tokens, at: 0, language };
    let expression = reader.any(None)?;
    match reader.peek() {
        None => Ok(expression),
        Some(token) => Err(format!("{token:?} is not expected")),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Quoted(String),
    Word(String),
    And,
    Or,
    Not,
    Open(char),
    Close(char),
}

fn tokens(text: &str, language: &Language) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let is_group = "()".contains(c) || (language.has_braces && "{}".contains(c));
        if c == '"' {
            let (inside, after) = rest[1..].split_once('"').ok_or("a quote is not closed")?;
            tokens.push(Token::Quoted(inside.to_owned()));
            rest = after;
        } else if is_group {
            tokens.push(if "({".contains(c) { Token::Open(c) } else { Token::Close(c) });
            rest = &rest[1..];
        } else if c == '-' && language.has_minus {
            tokens.push(Token::Not);
            rest = &rest[1..];
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || "\"(){}".contains(c)).unwrap_or(rest.len());
            if end == 0 {
                return Err(format!("{c:?} is not expected"));
            }
            tokens.push(match &rest[..end] {
                "AND" => Token::And,
                "OR" => Token::Or,
                "NOT" => Token::Not,
                word if language.reserved.contains(&word) => return Err(format!("{word} has no operands")),
                word => Token::Word(word.to_owned()),
            });
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    Ok(tokens)
}

struct Reader<'a> {
    tokens: Vec<Token>,
    at: usize,
    language: &'a Language,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token> {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned()
    }

    fn any(&mut self, until: Option<char>) -> Result<Expression, String> {
        let mut parts = vec![self.all(until)?];
        while self.peek() == Some(&Token::Or) {
            self.at += 1;
            parts.push(self.all(until)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Any(parts) })
    }

    fn all(&mut self, until: Option<char>) -> Result<Expression, String> {
        let mut all = vec![self.one()?];
        let mut beside = Vec::new();
        loop {
            match self.peek() {
                None | Some(Token::Or) => break,
                Some(Token::Close(c)) if Some(*c) == until => break,
                Some(Token::And) => {
                    self.at += 1;
                    all.push(self.one()?);
                }
                // An exclusion narrows, wherever it is.
                Some(Token::Not) => all.push(self.one()?),
                Some(_) if self.language.beside_is_all => all.push(self.one()?),
                Some(_) => beside.push(self.one()?),
            }
        }
        let all = if all.len() == 1 { all.remove(0) } else { Expression::All(all) };
        beside.insert(0, all);
        Ok(if beside.len() == 1 { beside.remove(0) } else { Expression::Any(beside) })
    }

    fn one(&mut self) -> Result<Expression, String> {
        match self.next().ok_or("the query ends too early")? {
            Token::Quoted(text) => Ok(Expression::Text(text)),
            Token::Not => Ok(Expression::Not(Box::new(self.one()?))),
            Token::Open(open) => {
                let close = if open == '(' { ')' } else { '}' };
                let inner = match self.any(Some(close))? {
                    Expression::All(parts) if open == '{' => Expression::Any(parts),
                    inner => inner,
                };
                match self.next() {
                    Some(Token::Close(c)) if c == close => Ok(inner),
                    _ => Err(format!("{close} is missing")),
                }
            }
            Token::Word(word) => self.word(&word),
            token => Err(format!("{token:?} is not expected")),
        }
    }

    fn word(&self, word: &str) -> Result<Expression, String> {
        if let Some((name, value)) = word.split_once(':').filter(|_| !self.language.properties.is_empty()) {
            let is_known = self.language.properties.contains(&name) && !value.is_empty();
            return if is_known {
                Ok(Expression::Property(name.to_owned(), value.to_owned()))
            } else {
                Err(format!("the property {name} is not known"))
            };
        }
        if word.chars().all(char::is_alphanumeric) {
            Ok(Expression::Text(word.to_owned()))
        } else {
            Err(format!("{word} holds what must be quoted"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, language: &Language) -> Result<Vec<String>, String> {
        let expression = parse(text, language)?;
        let titles = ["rain", "snow", "rain snow", "folder"];
        let documents = titles.iter().zip(0..).map(|(title, number)| Document {
            number,
            title: (*title).to_owned(),
            date: Default::default(),
            is_folder: *title == "folder",
        });
        Ok(documents.filter(|one| expression.holds(one)).map(|one| one.title).collect())
    }

    #[test]
    fn languages_are_understood() {
        let table: [(&str, &Language, &[&str]); 9] = [
            ("rain snow", &KQL, &["rain snow"]),
            ("rain OR snow", &KQL, &["rain", "snow", "rain snow"]),
            ("(rain) AND (NOT contenttype:folder)", &KQL, &["rain", "rain snow"]),
            ("rain NOT snow", &KQL, &["rain"]),
            ("rain -snow", &GMAIL, &["rain"]),
            ("{rain snow}", &GMAIL, &["rain", "snow", "rain snow"]),
            ("rain snow", &BOX, &["rain", "snow", "rain snow"]),
            ("rain AND snow", &BOX, &["rain snow"]),
            ("\"snow rain\"", &BOX, &[]),
        ];
        for (text, language, want) in table {
            assert_eq!(found(text, language).unwrap(), want, "{text}");
        }
        for text in ["rain \"snow", "a:b", "(rain", "rain)", "AND", "x*", "NEAR", "or' x"] {
            assert!(found(text, &KQL).is_err(), "{text}");
        }
    }
}
