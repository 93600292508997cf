//! The query language of Drive: terms of a name, an operator and a value, joined by `and`, `or` and `not`.

use crate::cloud_documents::{Document, words};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    FullText(String),
    Phrase(String),
    Folder,
    Trashed,
    Not(Box<Query>),
    All(Vec<Query>),
    Any(Vec<Query>),
}

impl Query {
    pub fn holds(&self, document: &Document) -> bool {
        match self {
            Self::FullText(text) => document.holds(&words(text)),
            Self::Phrase(text) => document.holds_phrase(&words(text)),
            Self::Folder => document.is_folder,
            Self::Trashed => false,
            Self::Not(inner) => !inner.holds(document),
            Self::All(parts) => parts.iter().all(|part| part.holds(document)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(document)),
        }
    }

    /// The search texts, without escapes.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::FullText(text) | Self::Phrase(text) => vec![text],
            Self::Folder | Self::Trashed => Vec::new(),
            Self::Not(inner) => inner.texts(),
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::texts).collect(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Text(String),
    Word(String),
}

pub fn parse(text: &str) -> Result<Query, String> {
    let tokens = tokens(text)?;
    let mut rest = tokens.as_slice();
    let query = any(&mut rest)?;
    if rest.is_empty() { Ok(query) } else { Err("Invalid Value".to_owned()) }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(&c) = chars.peek() {
        if c == '\'' {
            chars.next();
            let mut inside = String::new();
            loop {
                match chars.next().ok_or("Invalid Value")? {
                    '\'' => break,
                    '\\' => match chars.next() {
                        Some(escaped @ ('\'' | '\\')) => inside.push(escaped),
                        _ => return Err("Invalid Value".to_owned()),
                    },
                    other => inside.push(other),
                }
            }
            tokens.push(Token::Text(inside));
        } else if c.is_whitespace() {
            chars.next();
        } else if c.is_ascii_alphabetic() {
            let mut word = String::new();
            while let Some(c) = chars.next_if(char::is_ascii_alphabetic) {
                word.push(c);
            }
            tokens.push(Token::Word(word));
        } else if "=!".contains(c) {
            let mut sign = String::new();
            while let Some(c) = chars.next_if(|c| "=!".contains(*c)) {
                sign.push(c);
            }
            tokens.push(Token::Word(sign));
        } else if "()".contains(c) {
            chars.next();
            tokens.push(Token::Word(c.to_string()));
        } else {
            return Err("Invalid Value".to_owned());
        }
    }
    Ok(tokens)
}

fn any(rest: &mut &[Token]) -> Result<Query, String> {
    let mut parts = vec![all(rest)?];
    while take(rest, "or") {
        parts.push(all(rest)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Query::Any(parts) })
}

fn all(rest: &mut &[Token]) -> Result<Query, String> {
    let mut parts = vec![term(rest)?];
    while take(rest, "and") {
        parts.push(term(rest)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Query::All(parts) })
}

fn take(rest: &mut &[Token], word: &str) -> bool {
    let is_it = rest.first() == Some(&Token::Word(word.to_owned()));
    if is_it {
        *rest = &rest[1..];
    }
    is_it
}

fn term(rest: &mut &[Token]) -> Result<Query, String> {
    if take(rest, "not") {
        return Ok(Query::Not(Box::new(term(rest)?)));
    }
    if take(rest, "(") {
        let inner = any(rest)?;
        return if take(rest, ")") { Ok(inner) } else { Err("Invalid Value".to_owned()) };
    }
    let [Token::Word(name), Token::Word(operator), value, after @ ..] = *rest else {
        return Err("Invalid Value".to_owned());
    };
    *rest = after;
    match (name.as_str(), operator.as_str(), value) {
        ("fullText", "contains", Token::Text(text)) if !text.contains('"') => {
            Ok(Query::FullText(text.clone()))
        }
        // In double quotes it is a phrase.
        ("fullText", "contains", Token::Text(text)) => {
            let phrase = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            match phrase.filter(|phrase| !phrase.contains('"')) {
                Some(phrase) => Ok(Query::Phrase(phrase.to_owned())),
                None => Err("Invalid Value".to_owned()),
            }
        }
        ("trashed", "=", Token::Word(value)) if value == "false" => Ok(Query::Not(Box::new(Query::Trashed))),
        ("trashed", "=", Token::Word(value)) if value == "true" => Ok(Query::Trashed),
        ("mimeType", "!=", Token::Text(text)) if text == "application/vnd.google-apps.folder" => {
            Ok(Query::Not(Box::new(Query::Folder)))
        }
        _ => Err("Invalid Value".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_out_of_their_quotes() {
        let query = parse("fullText contains 'it\\'s' and not fullText contains '\\\\x' and trashed = false")
            .unwrap();
        assert_eq!(query.texts(), ["it's", "\\x"]);
        let query =
            parse("(fullText contains '\"a b\"' or fullText contains 'c') and not trashed = true").unwrap();
        assert_eq!(query.texts(), ["a b", "c"]);
        for text in [
            "",
            "fullText contains 'x",
            "fullText contains 'x' or",
            "name = 'x'",
            "fullText contains 'x' y",
            "trashed = 'false'",
            "(fullText contains 'x'",
            "fullText contains 'x\" y'",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
