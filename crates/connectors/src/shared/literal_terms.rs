//! The words of a query as literal terms, free of operators, for sources with a query language.

use domain::ports::{ConnectorError, ConnectorErrorKind};
use syntax::query_string::is_not;

/// Most words of one query.
pub const WORDS_MAX: usize = 64;

/// Characters that quote, escape or act as wildcards in one of the languages.
const MARKS: [char; 8] = ['"', '\u{201c}', '\u{201d}', '\u{201e}', '\u{201f}', '\u{ff02}', '*', '\\'];

/// Operators of KQL, Gmail and Box.
const OPERATORS: [&str; 11] =
    ["AND", "OR", "NOT", "NEAR", "ONEAR", "WORDS", "XRANK", "AROUND", "ALL", "ANY", "NONE"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralTerms {
    pub wanted: Vec<String>,
    pub unwanted: Vec<String>,
}

impl LiteralTerms {
    /// If the source supports NOT, the words after it are unwanted.
    pub fn of(text: &str, knows_not: bool) -> Result<Self, ConnectorError> {
        let cleaned: String =
            text.chars().map(|c| if c.is_control() || MARKS.contains(&c) { ' ' } else { c }).collect();
        // A word without alphanumeric characters would match nothing.
        let mut words = cleaned.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
        let mut wanted: Vec<String> = Vec::new();
        for word in words.by_ref() {
            if knows_not && is_not(word) {
                break;
            }
            wanted.push(word.to_owned());
        }
        let unwanted: Vec<String> = words.map(str::to_owned).collect();
        let invalid = |message: String| Err(ConnectorError::new(ConnectorErrorKind::QueryInvalid, message));
        if wanted.is_empty() {
            return invalid("the query contains no word to search for".to_owned());
        }
        if wanted.len() + unwanted.len() > WORDS_MAX {
            return invalid(format!("the query has more than {WORDS_MAX} words"));
        }
        Ok(Self { wanted, unwanted })
    }
}

/// A word as one term: bare if it cannot be misread, otherwise in double quotes.
pub fn term(word: &str) -> String {
    let is_operator = OPERATORS.iter().any(|operator| word.eq_ignore_ascii_case(operator));
    if !is_operator && word.chars().all(char::is_alphanumeric) {
        word.to_owned()
    } else {
        format!("\"{word}\"")
    }
}

/// All wanted terms, then the unwanted ones, each with the NOT operator.
pub fn joined(words: &LiteralTerms, between: &str, not: &str) -> String {
    let wanted = words.wanted.iter().map(|word| term(word)).collect::<Vec<_>>().join(between);
    words.unwanted.iter().fold(wanted, |text, word| format!("{text}{not}{}", term(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_commands() {
        let table = [
            ("solar panels", false, "solar panels"),
            ("rain OR snow", false, "rain \"OR\" snow"),
            ("title:* from:boss", false, "\"title:\" \"from:boss\""),
            ("say \"hi there\" - (x)", false, "say hi there \"(x)\""),
            ("über größe", false, "über größe"),
            ("a NOT b c", true, "a NOT b NOT c"),
            ("a NOT b", false, "a \"NOT\" b"),
            ("a NOT not", true, "a NOT \"not\""),
            ("x\\\" y\u{201d}z", false, "x y z"),
        ];
        for (text, knows_not, want) in table {
            let words = LiteralTerms::of(text, knows_not).expect(text);
            assert_eq!(joined(&words, " ", " NOT "), want, "{text}");
        }
    }

    #[test]
    fn a_query_has_words_and_not_too_many() {
        for text in ["", "- * \"", "NOT a"] {
            let error = LiteralTerms::of(text, true).expect_err(text);
            assert_eq!(error.kind, ConnectorErrorKind::QueryInvalid);
        }
        assert!(LiteralTerms::of(&"x ".repeat(WORDS_MAX), false).is_ok());
        let error = LiteralTerms::of(&"x ".repeat(WORDS_MAX + 1), false).expect_err("too many");
        assert!(error.message.contains("64"), "{error}");
    }
}
