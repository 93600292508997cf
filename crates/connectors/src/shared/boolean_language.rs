//! Queries in the languages of sources with boolean operators: KQL, Gmail, Box and Google Drive.
//!
//! Words and phrases become literal terms, so nothing in them is an operator or a wildcard of the source. `AND`, `OR`,
//! `NOT`, `-` and parentheses of the query become those of the language.

use domain::ports::{ConnectorError, ConnectorErrorKind};
use std::borrow::Cow;
use syntax::query_mappings::QueryMappings;
use syntax::query_string::{Dialect, Expression, Negation, Written, terms};

/// Most terms of one query.
pub const TERMS_MAX: usize = 64;

/// How a source writes operators and terms.
pub struct BooleanLanguage {
    /// Between two terms that are side by side in the query: all must match.
    beside: &'static str,
    and: &'static str,
    or: &'static str,
    /// Before each excluded term.
    not: &'static str,
    term: fn(&str, bool) -> String,
}

/// Graph, for mail, events, files, sites and chats.
pub const KQL: BooleanLanguage =
    BooleanLanguage { beside: " AND ", and: " AND ", or: " OR ", not: " AND NOT ", term };
pub const GMAIL: BooleanLanguage = BooleanLanguage { beside: " ", and: " AND ", or: " OR ", not: " -", term };
/// Without AND, Box matches any of the words.
pub const BOX: BooleanLanguage =
    BooleanLanguage { beside: " AND ", and: " AND ", or: " OR ", not: " NOT ", term };
pub const DRIVE: BooleanLanguage = BooleanLanguage {
    beside: " and ",
    and: " and ",
    or: " or ",
    not: " and not ",
    term: |text, is_phrase| {
        let text = text.replace('\\', "\\\\").replace('\'', "\\'");
        let quote = if is_phrase { "\"" } else { "" };
        format!("fullText contains '{quote}{text}{quote}'")
    },
};

/// Characters that quote, escape or act as wildcards in one of the languages.
const MARKS: [char; 8] = ['"', '\u{201c}', '\u{201d}', '\u{201e}', '\u{201f}', '\u{ff02}', '*', '\\'];

/// Operators of KQL, Gmail and Box.
const OPERATORS: [&str; 11] =
    ["AND", "OR", "NOT", "NEAR", "ONEAR", "WORDS", "XRANK", "AROUND", "ALL", "ANY", "NONE"];

/// Whether the mappings of a provider say that its source can exclude terms, in one way or the other.
pub fn can_negate(mappings: &QueryMappings) -> bool {
    mappings.not() || mappings.not_char() == Some("-")
}

impl BooleanLanguage {
    /// The query in this language. If the source cannot negate, excluded terms are left out.
    pub fn query(&self, text: &str, can_negate: bool) -> Result<String, ConnectorError> {
        self.written(text, can_negate).map(|(query, _)| query)
    }

    /// The query as one operand of a larger expression.
    pub fn operand(&self, text: &str, can_negate: bool) -> Result<String, ConnectorError> {
        let (query, has_alternatives) = self.written(text, can_negate)?;
        Ok(if has_alternatives { format!("({query})") } else { query })
    }

    fn written(&self, text: &str, can_negate: bool) -> Result<(String, bool), ConnectorError> {
        let invalid = |message: String| Err(ConnectorError::new(ConnectorErrorKind::QueryInvalid, message));
        if terms(text).len() > TERMS_MAX {
            return invalid(format!("the query has more than {TERMS_MAX} words"));
        }
        let expression = Expression::parse(text);
        let source = Source { language: self, can_negate, has_words: text.contains(char::is_alphanumeric) };
        let query = expression.render(&source);
        if query.is_empty() {
            return invalid("the query contains no word to search for".to_owned());
        }
        Ok((query, expression.alternatives.len() > 1))
    }
}

struct Source<'a> {
    language: &'a BooleanLanguage,
    can_negate: bool,
    /// Then a term without one would match nothing. Without any, symbols such as emoji are the query.
    has_words: bool,
}

impl Dialect for Source<'_> {
    fn negation(&self) -> Negation<'_> {
        if self.can_negate { Negation::Each(self.language.not) } else { Negation::LeftOut }
    }

    fn term(&self, term: Written<'_>) -> String {
        let text = literal(term.text, term.is_phrase);
        if self.has_words && !text.contains(char::is_alphanumeric) {
            return String::new();
        }
        // What is left of a word may be several, which are excluded side by side.
        let is_phrase = term.is_phrase || (term.is_negated && text.contains(' '));
        (self.language.term)(&text, is_phrase)
    }

    fn beside(&self) -> &str {
        self.language.beside
    }

    fn and(&self) -> &str {
        self.language.and
    }

    fn or(&self) -> &str {
        self.language.or
    }
}

/// The text without what could be read as more than a text.
fn literal(text: &str, is_phrase: bool) -> Cow<'_, str> {
    let text = if is_phrase { text } else { text.trim_start_matches('-') };
    let is_mark = |c: char| c.is_control() || MARKS.contains(&c);
    if !text.contains(|c: char| is_mark(c) || c.is_whitespace()) {
        return Cow::Borrowed(text);
    }
    let words = text.split(|c: char| is_mark(c) || c.is_whitespace()).filter(|word| !word.is_empty());
    Cow::Owned(words.collect::<Vec<_>>().join(" "))
}

/// Bare if it cannot be misread, otherwise in double quotes.
fn term(text: &str, is_phrase: bool) -> String {
    let is_operator = OPERATORS.iter().any(|operator| text.eq_ignore_ascii_case(operator));
    if !is_phrase && !is_operator && text.chars().all(char::is_alphanumeric) {
        text.to_owned()
    } else {
        format!("\"{text}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A query, and what Graph, Gmail, Box and Drive are asked if the provider says that they can negate.
    const TABLE: &[(&str, [&str; 4])] = &[
        ("solar panels", ["solar AND panels", "solar panels", "solar AND panels", "{solar} and {panels}"]),
        (
            "\"solar panels\" roof",
            [
                "\"solar panels\" AND roof",
                "\"solar panels\" roof",
                "\"solar panels\" AND roof",
                "{\"solar panels\"} and {roof}",
            ],
        ),
        ("rain OR snow", ["rain OR snow", "rain OR snow", "rain OR snow", "{rain} or {snow}"]),
        (
            "(laptop OR notebook) case",
            [
                "(laptop OR notebook) AND case",
                "(laptop OR notebook) case",
                "(laptop OR notebook) AND case",
                "({laptop} or {notebook}) and {case}",
            ],
        ),
        (
            "rain AND snow OR ice",
            [
                "(rain AND snow) OR ice",
                "(rain AND snow) OR ice",
                "(rain AND snow) OR ice",
                "({rain} and {snow}) or {ice}",
            ],
        ),
        (
            "copper NOT tin zinc",
            [
                "copper AND NOT tin AND NOT zinc",
                "copper -tin -zinc",
                "copper NOT tin NOT zinc",
                "{copper} and not {tin} and not {zinc}",
            ],
        ),
        (
            "-\"tin foil\" copper",
            [
                "copper AND NOT \"tin foil\"",
                "copper -\"tin foil\"",
                "copper NOT \"tin foil\"",
                "{copper} and not {\"tin foil\"}",
            ],
        ),
        (
            "copper NOT (tin OR zinc)",
            [
                "copper AND NOT (tin OR zinc)",
                "copper -(tin OR zinc)",
                "copper NOT (tin OR zinc)",
                "{copper} and not ({tin} or {zinc})",
            ],
        ),
        (
            "(copper NOT tin) OR zinc",
            [
                "(copper AND NOT tin) OR zinc",
                "(copper -tin) OR zinc",
                "(copper NOT tin) OR zinc",
                "({copper} and not {tin}) or {zinc}",
            ],
        ),
        (
            "\"to be or not to be\" NOT film",
            [
                "\"to be or not to be\" AND NOT film",
                "\"to be or not to be\" -film",
                "\"to be or not to be\" NOT film",
                "{\"to be or not to be\"} and not {film}",
            ],
        ),
        (
            "why does it not start",
            [
                "why AND does AND it AND \"not\" AND start",
                "why does it \"not\" start",
                "why AND does AND it AND \"not\" AND start",
                "{why} and {does} and {it} and {not} and {start}",
            ],
        ),
        (
            "title:* from:boss NEAR",
            [
                "\"title:\" AND \"from:boss\" AND \"NEAR\"",
                "\"title:\" \"from:boss\" \"NEAR\"",
                "\"title:\" AND \"from:boss\" AND \"NEAR\"",
                "{title:} and {from:boss} and {NEAR}",
            ],
        ),
        ("say \"hi", ["say AND hi", "say hi", "say AND hi", "{say} and {hi}"]),
        (
            "it's C++",
            ["\"it's\" AND \"C++\"", "\"it's\" \"C++\"", "\"it's\" AND \"C++\"", "{it\\'s} and {C++}"],
        ),
        ("x\\' y", ["\"x '\" AND y", "\"x '\" y", "\"x '\" AND y", "{x \\'} and {y}"]),
        ("über größe", ["über AND größe", "über größe", "über AND größe", "{über} and {größe}"]),
        ("दर \u{1f680}", ["दर", "दर", "दर", "{दर}"]),
        ("\u{1f680}", ["\"\u{1f680}\"", "\"\u{1f680}\"", "\"\u{1f680}\"", "{\u{1f680}}"]),
        ("--help", ["help", "help", "help", "{help}"]),
        ("AND rain OR", ["rain", "rain", "rain", "{rain}"]),
    ];

    #[test]
    fn queries_and_what_sources_are_asked() {
        for (text, expected) in TABLE {
            let asked = [&KQL, &GMAIL, &BOX, &DRIVE].map(|language| language.query(text, true).expect(text));
            let mut expected = expected.map(str::to_owned);
            expected[3] = expected[3].replace('{', "fullText contains '").replace('}', "'");
            assert_eq!(asked, expected, "{text}");
        }
    }

    #[test]
    fn a_source_that_cannot_negate_is_asked_without() {
        let table = [
            ("copper NOT tin", "copper"),
            ("copper -\"tin foil\" wire", "copper AND wire"),
            ("(copper -tin) OR zinc", "(copper) OR zinc"),
        ];
        for (text, want) in table {
            assert_eq!(KQL.query(text, false).expect(text), want, "{text}");
        }
        assert_eq!(KQL.operand("rain OR snow", false).expect("a query"), "(rain OR snow)");
        assert_eq!(KQL.operand("rain snow", false).expect("a query"), "rain AND snow");
    }

    #[test]
    fn a_query_has_words_and_not_too_many() {
        for text in ["", "- * \"", "NOT a", "-a -b", "()"] {
            for language in [&KQL, &GMAIL, &BOX, &DRIVE] {
                let error = language.query(text, true).expect_err(text);
                assert_eq!(error.kind, ConnectorErrorKind::QueryInvalid);
            }
        }
        assert!(KQL.query(&"x ".repeat(TERMS_MAX), false).is_ok());
        let error = KQL.query(&"x ".repeat(TERMS_MAX + 1), false).expect_err("too many");
        assert!(error.message.contains("64"), "{error}");
    }

    #[test]
    fn mappings_say_who_can_negate() {
        for (text, want) in
            [("NOT=true", true), ("NOT_CHAR=-", true), ("NOT=false", false), ("NOT_CHAR=!", false)]
        {
            assert_eq!(can_negate(&QueryMappings::parse(text).expect("mappings")), want, "{text}");
        }
    }
}
