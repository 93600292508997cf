//! The filter of a query: `query_template_json` with the words in its strings. Inserted words stay strings; they can
//! never become an operator, a field or code.

use super::terms;
use serde_json::{Map, Value, json};
use syntax::error::SyntaxError;
use syntax::query_filter::refuse_filter;
use syntax::query_mappings::QueryMappings;
use syntax::query_template::{Part, parts};

/// Operators that run code at the source.
const CODE: [&str; 3] = ["$where", "$function", "$accumulator"];
const QUERY: &str = "query_string";
const QUERY_PLACE: &str = "{query_string}";

#[derive(Debug, Clone)]
pub struct Template {
    filter: Map<String, Value>,
    is_any: bool,
    searches_text: bool,
}

/// Where the words are inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Value,
    /// `$text`: its `$search` is a search string, not a value.
    Text,
    Search,
    /// `$regex`: a pattern.
    Pattern,
    /// `$expr`: a string in it may be a field name.
    Expression,
}

impl Template {
    /// Validates the template and inserts the mappings.
    pub fn parse(
        template: &Map<String, Value>,
        mappings: &QueryMappings,
        is_any: bool,
    ) -> Result<Self, SyntaxError> {
        refuse_filter(&json!(template).to_string())?;
        let mut scan = Scan { mappings, has_query: false, searches_text: false };
        let filter = scan.object(template, Inside::Value)?;
        if !scan.has_query {
            return Err(format!(
                "The filter needs {QUERY_PLACE} in a text, for example {{\"$text\": {{\"$search\": \"{QUERY_PLACE}\"}}}}."
            ).into());
        }
        Ok(Self { filter, is_any, searches_text: scan.searches_text })
    }

    /// Whether it uses the text index, which scores its results.
    pub fn searches_text(&self) -> bool {
        self.searches_text
    }

    /// The filter for a query; `None` if no word of it can be searched for.
    pub fn bind(&self, query: &str) -> Option<Value> {
        self.object(&self.filter, Inside::Value, query)
    }

    fn object(&self, object: &Map<String, Value>, inside: Inside, query: &str) -> Option<Value> {
        let bound = object
            .iter()
            .map(|(key, value)| Some((key.clone(), self.value(value, inside.under(key), query)?)));
        bound.collect::<Option<Map<String, Value>>>().map(Value::Object)
    }

    fn value(&self, value: &Value, inside: Inside, query: &str) -> Option<Value> {
        Some(match value {
            Value::String(text) => Value::String(self.text(text, inside, query)?),
            Value::Array(list) => {
                let bound = list.iter().map(|item| self.value(item, inside, query));
                Value::Array(bound.collect::<Option<_>>()?)
            }
            Value::Object(object) => self.object(object, inside, query)?,
            other => other.clone(),
        })
    }

    fn text(&self, text: &str, inside: Inside, query: &str) -> Option<String> {
        if !holds_query(text) {
            return Some(text.to_owned());
        }
        match inside {
            Inside::Search if text.trim() == QUERY_PLACE => terms::expression(query, self.is_any),
            Inside::Search => terms::phrase(query),
            Inside::Pattern => Some(filled(text, &escaped(query))),
            _ => Some(filled(text, query)),
        }
    }
}

impl Inside {
    fn under(self, key: &str) -> Self {
        match (self, key) {
            (_, "$expr") | (Self::Expression, _) => Self::Expression,
            (_, "$text") => Self::Text,
            (Self::Text, "$search") => Self::Search,
            (_, "$regex") => Self::Pattern,
            _ => Self::Value,
        }
    }
}

/// One pass over a template, when it is validated and when it is bound.
struct Scan<'m> {
    mappings: &'m QueryMappings,
    has_query: bool,
    searches_text: bool,
}

impl Scan<'_> {
    fn object(
        &mut self,
        object: &Map<String, Value>,
        inside: Inside,
    ) -> Result<Map<String, Value>, SyntaxError> {
        let mut mapped = Map::new();
        for (key, value) in object {
            if holds_query(key) {
                return Err(format!("{QUERY_PLACE} is allowed in a string, not in a key.").into());
            }
            let key = self.mapped(key);
            if CODE.contains(&key.trim()) || key.contains('\0') {
                return Err(format!("{key} is not allowed: a query runs no code.").into());
            }
            self.searches_text |= key == "$text";
            let value = self.value(value, inside.under(&key))?;
            mapped.insert(key, value);
        }
        Ok(mapped)
    }

    fn value(&mut self, value: &Value, inside: Inside) -> Result<Value, SyntaxError> {
        Ok(match value {
            Value::String(text) => {
                let text = self.mapped(text);
                self.check(&text, inside)?;
                Value::String(text)
            }
            Value::Array(list) => {
                let mapped = list.iter().map(|item| self.value(item, inside));
                Value::Array(mapped.collect::<Result<_, _>>()?)
            }
            Value::Object(object) => Value::Object(self.object(object, inside)?),
            other => other.clone(),
        })
    }

    fn check(&mut self, text: &str, inside: Inside) -> Result<(), SyntaxError> {
        if !holds_query(text) {
            return Ok(());
        }
        self.has_query = true;
        match inside {
            Inside::Expression => Err(format!("{QUERY_PLACE} is not allowed in $expr.").into()),
            Inside::Search if text.trim().trim_matches('"') != QUERY_PLACE => {
                Err(format!("$search is {QUERY_PLACE} or \"{QUERY_PLACE}\" and nothing else.").into())
            }
            _ => Ok(()),
        }
    }

    /// Inserts the mapped values into a string. A filter may contain other braces.
    fn mapped(&self, text: &str) -> String {
        let mut mapped = String::with_capacity(text.len());
        for part in parts(text) {
            match part {
                Part::Text(literal) | Part::LoneBrace(literal) => mapped.push_str(literal),
                Part::Placeholder(name) => match self.mappings.get(name).filter(|_| name != QUERY) {
                    Some(value) => mapped.push_str(value),
                    None => mapped.push_str(&format!("{{{name}}}")),
                },
            }
        }
        mapped
    }
}

fn holds_query(text: &str) -> bool {
    parts(text).iter().any(|part| matches!(part, Part::Placeholder(QUERY)))
}

fn filled(text: &str, query: &str) -> String {
    let mut filled = String::with_capacity(text.len() + query.len());
    for part in parts(text) {
        match part {
            Part::Text(literal) | Part::LoneBrace(literal) => filled.push_str(literal),
            Part::Placeholder(QUERY) => filled.push_str(query),
            Part::Placeholder(name) => filled.push_str(&format!("{{{name}}}")),
        }
    }
    filled
}

/// Escapes a text for a pattern. A pattern ends at NUL.
fn escaped(query: &str) -> String {
    let mut pattern = String::with_capacity(query.len() + 8);
    for c in query.chars().filter(|c| *c != '\0') {
        if c.is_ascii_punctuation() {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(template: &Value) -> Result<Template, SyntaxError> {
        let mappings = QueryMappings::parse("f=title,code=$where").expect("mappings");
        Template::parse(template.as_object().expect("an object"), &mappings, false)
    }

    #[test]
    fn a_query_is_put_in_as_its_place_wants() {
        let text = json!({"$text": {"$search": "{query_string}", "$language": "none"}});
        let phrase = json!({"$text": {"$search": "\"{query_string}\""}, "n": 1});
        let nested = json!({"$and": [{"{f}": "{query_string}"}, {"a": {"$in": ["x{query_string}", true]}}]});
        let pattern = json!({"title": {"$regex": "^{query_string}", "$options": "i"}});
        let table = [
            (text, "a b", json!({"$text": {"$search": "\"a\" \"b\"", "$language": "none"}}), true),
            (phrase, "a b", json!({"$text": {"$search": "\"a b\""}, "n": 1}), true),
            (nested, "$a", json!({"$and": [{"title": "$a"}, {"a": {"$in": ["x$a", true]}}]}), false),
            (pattern, "a.*(b", json!({"title": {"$regex": "^a\\.\\*\\(b", "$options": "i"}}), false),
        ];
        for (template, query, want, searches_text) in table {
            let parsed = parsed(&template).expect("a template");
            assert_eq!(parsed.bind(query), Some(want), "{template}");
            assert_eq!(parsed.searches_text(), searches_text, "{template}");
        }
    }

    #[test]
    fn mistakes_are_told() {
        let table = [
            (json!({}), "needs"),
            (json!({"title": "fixed"}), "needs"),
            (json!({"{query_string}": 1}), "not in a key"),
            (json!({"a": "{query_string}", "$where": "x"}), "runs no code"),
            (json!({"a": "{query_string}", "{code}": "x"}), "runs no code"),
            (json!({"a": [{"b": {"$function": {"body": "{query_string}"}}}]}), "runs no code"),
            (json!({"$expr": {"$eq": ["$a", "{query_string}"]}}), "$expr"),
            (json!({"a": "{query_string}", "b": "{query_string|jql}"}), "no filter"),
            (json!({"$text": {"$search": "river {query_string}"}}), "nothing else"),
        ];
        for (template, want) in table {
            let sentence = parsed(&template).expect_err("a mistake");
            assert!(sentence.message().contains(want), "{template}: {sentence}");
        }
    }

    proptest! {
        /// The shape of the filter is the same for every query, and a search string contains no operator.
        #[test]
        fn a_query_stays_one_text(query in "[\"\\\\${}:,\\[\\]a -]{0,40}|.{0,40}") {
            let template = json!({"a": {"$in": ["{query_string}", 1]}, "b": {"$gt": "x{query_string}y"}});
            let want = json!({"a": {"$in": [query, 1]}, "b": {"$gt": format!("x{query}y")}});
            prop_assert_eq!(parsed(&template).expect("a template").bind(&query), Some(want));
            let search = json!({"$text": {"$search": "\"{query_string}\""}});
            if let Some(bound) = parsed(&search).expect("a template").bind(&query) {
                let text = bound["$text"]["$search"].as_str().expect("a text").to_owned();
                prop_assert_eq!(text.matches('"').count(), 2);
            }
        }
    }
}
