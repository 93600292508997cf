//! JSON request bodies: a template whose strings are bound one by one, so that inserted values always stay strings.

use serde_json::{Map, Value};
use syntax::query_template::{Binding, bind_text};

/// Largest body, in bytes of its strings.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;

/// Binds every name and every string of the template.
pub fn bind(template: &Map<String, Value>, binding: &Binding<'_>, is_raw: bool) -> Result<Value, String> {
    let mut body = Body { binding, is_raw, bytes_left: BODY_BYTES_MAX };
    body.object(template)
}

struct Body<'a> {
    binding: &'a Binding<'a>,
    is_raw: bool,
    bytes_left: usize,
}

impl Body<'_> {
    /// The template was parsed from JSON, whose nesting is bounded.
    fn value(&mut self, template: &Value) -> Result<Value, String> {
        match template {
            Value::String(text) => self.text(text).map(Value::String),
            Value::Array(list) => {
                list.iter().map(|item| self.value(item)).collect::<Result<_, _>>().map(Value::Array)
            }
            Value::Object(object) => self.object(object),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(template.clone()),
        }
    }

    fn object(&mut self, template: &Map<String, Value>) -> Result<Value, String> {
        let mut object = Map::with_capacity(template.len());
        for (name, value) in template {
            object.insert(self.text(name)?, self.value(value)?);
        }
        Ok(Value::Object(object))
    }

    fn text(&mut self, template: &str) -> Result<String, String> {
        let text = bind_text(template, self.binding, self.is_raw)?;
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
    use domain::secret::Secret;
    use proptest::prelude::*;
    use serde_json::json;
    use syntax::query_mappings::QueryMappings;

    fn bound(template: &Value, mappings: &str, query: &str, is_raw: bool) -> Result<Value, String> {
        let mappings = QueryMappings::parse(mappings).expect("mappings");
        let credentials = [("key".to_owned(), Secret::new("hush"))];
        let binding = Binding {
            url: "http://s/",
            mappings: &mappings,
            credentials: &credentials,
            query,
            sort_snippet: None,
            page: 0,
        };
        bind(template.as_object().expect("an object"), &binding, is_raw)
    }

    #[test]
    fn binds_each_text() {
        let names = json!({"fields": ["a"], "conditions": {"name": "*{query_string}*"}});
        let table = [
            (json!({"query": "{query_string}"}), "", "solid state", false, json!({"query": "solid+state"})),
            (json!({"query": "{query_string}"}), "", "solid state", true, json!({"query": "solid state"})),
            (
                names,
                "",
                "solid state",
                false,
                json!({"fields": ["a"], "conditions": {"name": "*solid+state*"}}),
            ),
            (json!({"{f}": [{"u": "{url}"}]}), "f=title", "x", true, json!({"title": [{"u": "http://s/"}]})),
            (json!({"n": 10, "t": true, "z": null}), "", "x", true, json!({"n": 10, "t": true, "z": null})),
            // Credentials are not allowed in bodies, and a body may contain other braces.
            (json!({"k": "{key}", "x": "{0} {"}), "", "x", true, json!({"k": "{key}", "x": "{0} {"})),
        ];
        for (template, mappings, query, is_raw, want) in table {
            assert_eq!(bound(&template, mappings, query, is_raw), Ok(want), "{template}");
        }
    }

    #[test]
    fn a_body_has_its_limit() {
        let many: Vec<Value> = (0..100).map(|_| json!("{v}")).collect();
        let mappings = format!("v={}", "x".repeat(20_000));
        assert!(bound(&json!({"a": many}), &mappings, "q", true).expect_err("too large").contains("larger"));
        let few: Vec<Value> = (0..50).map(|_| json!("{v}")).collect();
        assert!(bound(&json!({"a": few}), &mappings, "q", true).is_ok());
    }

    proptest! {
        /// The shape of the body is the same for every query.
        #[test]
        fn a_query_stays_one_text(query in "[\"\\\\{}:,\\[\\]a ]{0,40}|.{0,40}") {
            let template = json!({"a": {"b": ["{query_string}", 1]}, "c": "x{query_string}y"});
            let want = json!({"a": {"b": [query, 1]}, "c": format!("x{query}y")});
            prop_assert_eq!(bound(&template, "", &query, true), Ok(want));
            prop_assert!(bound(&template, "", &query, false).is_ok());
        }
    }
}
