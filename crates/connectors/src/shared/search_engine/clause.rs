//! The search body as a template: each string is bound according to its clause.

use super::lucene::{self, LuceneQuery, Syntax};
use super::{WORDS, configured};
use crate::shared::json_body::BODY_BYTES_MAX;
use serde_json::{Map, Value};
use std::borrow::Cow;
use syntax::error::SyntaxError;
use syntax::query_filter::refuse_filter;
use syntax::query_mappings::QueryMappings;
use syntax::query_string::{Negation, rewrite, terms, tokens};

/// How a clause interprets a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// A value.
    Plain,
    Lucene(Syntax),
    /// A pattern with `*` and `?`.
    Wildcard,
    /// A script or a regular expression, which must not contain words of a query.
    Program,
}

impl Reading {
    fn under(self, name: &str) -> Self {
        match name {
            "query_string" => Self::Lucene(Syntax::Lucene),
            "simple_query_string" => Self::Lucene(Syntax::Simple),
            "wildcard" => Self::Wildcard,
            "script" | "script_score" | "script_fields" | "runtime_mappings" | "regexp" | "wrapper" => {
                Self::Program
            }
            _ => self,
        }
    }
}

/// How a clause in Lucene syntax gets the text of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LuceneText {
    /// As it is: the user may write operators.
    WithOperators,
    /// With escaped words and phrases, and the operators of the query's own notation.
    Escaped { can_negate: bool },
}

/// The words of one query, in the form that a clause needs.
pub struct Words<'a> {
    text: &'a str,
    /// Without what is excluded, which a clause with a plain text cannot say.
    wanted: Cow<'a, str>,
    lucene_text: LuceneText,
}

impl<'a> Words<'a> {
    pub fn of(text: &'a str, lucene_text: LuceneText) -> Self {
        let has_negated = terms(text).iter().any(|term| term.is_negated);
        let wanted = if has_negated {
            Cow::Owned(rewrite(text, tokens(text), Negation::LeftOut))
        } else {
            Cow::Borrowed(text)
        };
        Self { text, wanted, lucene_text }
    }

    fn lucene(&self, syntax: Syntax, position: Position) -> Cow<'_, str> {
        let can_negate = match self.lucene_text {
            LuceneText::WithOperators => return Cow::Borrowed(self.text),
            LuceneText::Escaped { can_negate } => can_negate,
        };
        let query = LuceneQuery { syntax, can_negate };
        Cow::Owned(match position {
            Position::Whole => query.of(self.text),
            Position::Operand => query.operand(self.text),
            Position::Inside => lucene::words(self.text),
        })
    }
}

/// Where in a text of Lucene syntax the words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// They are all of it.
    Whole,
    /// Between blanks or parentheses, or after the colon of a field.
    Operand,
    /// In quotation marks, or next to a wildcard or another operator.
    Inside,
}

impl Position {
    fn of(template: &str) -> Self {
        if template.trim() == WORDS {
            return Self::Whole;
        }
        let Some((before, after)) = template.split_once(WORDS) else { return Self::Operand };
        let begins = before.is_empty() || before.ends_with([' ', '(', ':', '+', '-']);
        let ends = after.is_empty() || after.starts_with([' ', ')']);
        if begins && ends && !template.contains('"') { Self::Operand } else { Self::Inside }
    }
}

/// Checks whether a template can be used.
pub fn check(template: &Map<String, Value>) -> Result<(), SyntaxError> {
    let whole = Value::Object(template.clone());
    refuse_filter(&whole.to_string())?;
    if !mentions(&whole, WORDS) {
        return Err(format!("{WORDS} must be in a string of the query.").into());
    }
    match misplaced(&whole, Reading::Plain) {
        Some(name) => {
            Err(format!("{WORDS} is not allowed in {name}: it would become part of a script.").into())
        }
        None => Ok(()),
    }
}

/// Inserts the mappings and the words into the template.
pub fn bind(
    template: &Map<String, Value>,
    mappings: &QueryMappings,
    words: &Words<'_>,
) -> Result<Map<String, Value>, SyntaxError> {
    Body { mappings, words, bytes_left: BODY_BYTES_MAX }.object(template, Reading::Plain)
}

/// Whether a string or a name in the value contains `text`.
pub fn mentions(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own.contains(text),
        Value::Array(list) => list.iter().any(|item| mentions(item, text)),
        Value::Object(object) => {
            object.iter().any(|(name, item)| name.contains(text) || mentions(item, text))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether a clause in it uses Lucene syntax.
pub fn has_query_string(body: &Map<String, Value>) -> bool {
    body.iter().any(|(name, value)| matches!(Reading::Plain.under(name), Reading::Lucene(_)) || inside(value))
}

fn inside(value: &Value) -> bool {
    match value {
        Value::Object(object) => has_query_string(object),
        Value::Array(list) => list.iter().any(inside),
        _ => false,
    }
}

/// A clause that must not contain the words; names must not either.
fn misplaced(value: &Value, reading: Reading) -> Option<&str> {
    match value {
        Value::Object(object) => object.iter().find_map(|(name, item)| {
            let inside = reading.under(name);
            let is_wrong = name.contains(WORDS) || (inside == Reading::Program && mentions(item, WORDS));
            if is_wrong { Some(name.as_str()) } else { misplaced(item, inside) }
        }),
        Value::Array(list) => list.iter().find_map(|item| misplaced(item, reading)),
        _ => None,
    }
}

struct Body<'a> {
    mappings: &'a QueryMappings,
    words: &'a Words<'a>,
    bytes_left: usize,
}

impl Body<'_> {
    fn object(
        &mut self,
        template: &Map<String, Value>,
        reading: Reading,
    ) -> Result<Map<String, Value>, SyntaxError> {
        let mut object = Map::with_capacity(template.len());
        for (name, value) in template {
            let inside = reading.under(name);
            object.insert(self.text(name, Reading::Program)?, self.value(value, inside)?);
        }
        Ok(object)
    }

    fn value(&mut self, template: &Value, reading: Reading) -> Result<Value, SyntaxError> {
        match template {
            Value::String(text) => self.text(text, reading).map(Value::String),
            Value::Array(list) => {
                list.iter().map(|item| self.value(item, reading)).collect::<Result<_, _>>().map(Value::Array)
            }
            Value::Object(object) => self.object(object, reading).map(Value::Object),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(template.clone()),
        }
    }

    fn text(&mut self, template: &str, reading: Reading) -> Result<String, SyntaxError> {
        let words = match reading {
            Reading::Plain => Cow::Borrowed(&*self.words.wanted),
            Reading::Lucene(syntax) => self.words.lucene(syntax, Position::of(template)),
            Reading::Wildcard => Cow::Owned(lucene::in_wildcard(&self.words.wanted)),
            Reading::Program => Cow::Borrowed(""),
        };
        let text = configured(template, self.mappings, &words)?;
        self.bytes_left = self
            .bytes_left
            .checked_sub(text.len())
            .ok_or_else(|| format!("The body grows larger than {BODY_BYTES_MAX} bytes when it is bound."))?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const ESCAPED: LuceneText = LuceneText::Escaped { can_negate: true };

    fn bound(template: &Value, query: &str, lucene_text: LuceneText) -> Value {
        let mappings = QueryMappings::parse("f=title").expect("mappings");
        let words = Words::of(query, lucene_text);
        Value::Object(bind(template.as_object().expect("an object"), &mappings, &words).expect("a body"))
    }

    #[test]
    fn each_clause_gets_its_form() {
        let template = json!({"query": {"bool": {"should": [
            {"query_string": {"query": "{query_string}", "default_field": "{f}"}},
            {"match": {"{f}": "{query_string}"}},
            {"wildcard": {"{f}": {"value": "*{query_string}*"}}},
        ]}}});
        let want = json!({"query": {"bool": {"should": [
            {"query_string": {"query": "a\\* {f}", "default_field": "title"}},
            {"match": {"title": "a* {f}"}},
            {"wildcard": {"title": {"value": "*a\\* {f}*"}}},
        ]}}});
        // Braces are special in Lucene, so they are escaped there.
        let want_text = want.to_string().replacen("a\\\\* {f}", "a\\\\* \\\\{f\\\\}", 1);
        assert_eq!(bound(&template, "a* {f}", ESCAPED).to_string(), want_text);
        let raw = json!({"query": {"query_string": {"query": "{query_string}"}}});
        let found = bound(&raw, "a* OR b", LuceneText::WithOperators);
        assert_eq!(found, json!({"query": {"query_string": {"query": "a* OR b"}}}));
    }

    #[test]
    fn a_query_keeps_its_meaning_where_it_is_put() {
        let query = "(river OR \"salt lake\") -dam";
        let table = [
            ("query_string", "{query_string}", "(river OR \"salt lake\") -dam"),
            (
                "query_string",
                "{f}:{query_string} AND type:mail",
                "title:((river OR \"salt lake\") -dam) AND type:mail",
            ),
            ("query_string", "\"{query_string}\"~3", "\"river salt lake\"~3"),
            ("query_string", "{query_string}*", "river salt lake*"),
            ("simple_query_string", "{query_string}", "(river | \"salt lake\") + -dam"),
            ("match", "{query_string}", "(river OR \"salt lake\")"),
        ];
        for (clause, text, want) in table {
            let body = bound(&json!({"query": {clause: {"query": text}}}), query, ESCAPED);
            assert_eq!(body, json!({"query": {clause: {"query": want}}}), "{clause} {text}");
        }
    }

    #[test]
    fn words_stay_out_of_programs() {
        let table = [
            (json!({"query": {"match": {"t": "{query_string}"}}}), true),
            (json!({"query": {"match_all": {}}}), false),
            (json!({"query": {"match": {"{query_string}": "x"}}}), false),
            (
                json!({"query": {"script_score": {"query": {"match": {"t": "{query_string}"}}, "script": {}}}}),
                false,
            ),
            (json!({"query": {"regexp": {"t": "{query_string}"}}}), false),
            (json!({"a": [{"script": {"source": "'{query_string}'"}}], "q": "{query_string}"}), false),
            (json!({"query": {"match": {"t": "{query_string} {query_string|jql}"}}}), false),
        ];
        for (template, is_good) in table {
            assert_eq!(check(template.as_object().expect("an object")).is_ok(), is_good, "{template}");
        }
    }

    #[test]
    fn query_strings_are_seen() {
        let table = [
            (json!({"query": {"bool": {"must": [{"query_string": {}}]}}}), true),
            (json!({"query": {"match": {"t": "{query_string}"}}}), false),
        ];
        for (body, want) in table {
            assert_eq!(has_query_string(body.as_object().expect("an object")), want, "{body}");
        }
    }

    #[test]
    fn a_body_has_its_limit() {
        let mappings = QueryMappings::parse(&format!("v={}", "x".repeat(20_000))).expect("mappings");
        let words = Words::of("q", ESCAPED);
        let many = |count: usize| json!({"a": vec!["{v}"; count]}).as_object().cloned().expect("an object");
        assert!(bind(&many(50), &mappings, &words).is_ok());
        assert!(bind(&many(60), &mappings, &words).expect_err("too large").message().contains("larger"));
    }

    proptest! {
        /// The shape of the body is the same for every query.
        #[test]
        fn a_query_stays_one_text(query in "[\"\\\\{}:,\\[\\]a* ]{0,40}|.{0,40}") {
            let template = json!({"query": {"bool": {"must": [{"match": {"t": "{query_string}"}}]}}});
            let wanted = Words::of(&query, ESCAPED).wanted.into_owned();
            let want = json!({"query": {"bool": {"must": [{"match": {"t": wanted}}]}}});
            prop_assert_eq!(bound(&template, &query, ESCAPED), want);
        }
    }
}
