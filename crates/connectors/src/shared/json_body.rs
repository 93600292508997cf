//! JSON request bodies: a template whose strings are bound one by one, so that inserted values always stay strings.

use serde_json::{Map, Value};
use syntax::error::SyntaxError;
use syntax::query_template::{Binding, QueryEncoding, bind_text};

/// Largest body, in bytes of its strings.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;

/// Binds every name and every string of the template.
pub fn bind(
    template: &Map<String, Value>,
    binding: &Binding<'_>,
    encoding: QueryEncoding,
) -> Result<Value, SyntaxError> {
    let mut body = Body { binding, encoding, bytes_left: BODY_BYTES_MAX };
    body.object(template)
}

struct Body<'a> {
    binding: &'a Binding<'a>,
    encoding: QueryEncoding,
    bytes_left: usize,
}

impl Body<'_> {
    /// The template was parsed from JSON, whose nesting is bounded.
    fn value(&mut self, template: &Value) -> Result<Value, SyntaxError> {
        match template {
            Value::String(text) => self.text(text).map(Value::String),
            Value::Array(list) => {
                list.iter().map(|item| self.value(item)).collect::<Result<_, _>>().map(Value::Array)
            }
            Value::Object(object) => self.object(object),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(template.clone()),
        }
    }

    fn object(&mut self, template: &Map<String, Value>) -> Result<Value, SyntaxError> {
        let mut object = Map::with_capacity(template.len());
        for (name, value) in template {
            object.insert(self.text(name)?, self.value(value)?);
        }
        Ok(Value::Object(object))
    }

    fn text(&mut self, template: &str) -> Result<String, SyntaxError> {
        let text = bind_text(template, self.binding, self.encoding)?;
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

    fn bound(
        template: &Value,
        mappings: &str,
        query: &str,
        encoding: QueryEncoding,
    ) -> Result<Value, SyntaxError> {
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
        bind(template.as_object().expect("an object"), &binding, encoding)
    }

    #[test]
    fn binds_each_text() {
        let names = json!({"fields": ["a"], "conditions": {"name": "*{query_string}*"}});
        let table = [
            (
                json!({"query": "{query_string}"}),
                "",
                "solid state",
                QueryEncoding::Form,
                json!({"query": "solid+state"}),
            ),
            (
                json!({"query": "{query_string}"}),
                "",
                "solid state",
                QueryEncoding::Raw,
                json!({"query": "solid state"}),
            ),
            (
                names,
                "",
                "solid state",
                QueryEncoding::Form,
                json!({"fields": ["a"], "conditions": {"name": "*solid+state*"}}),
            ),
            (
                json!({"{f}": [{"u": "{url}"}]}),
                "f=title",
                "x",
                QueryEncoding::Raw,
                json!({"title": [{"u": "http://s/"}]}),
            ),
            (
                json!({"n": 10, "t": true, "z": null}),
                "",
                "x",
                QueryEncoding::Raw,
                json!({"n": 10, "t": true, "z": null}),
            ),
            // Credentials are not allowed in bodies, and a body may contain other braces.
            (
                json!({"k": "{key}", "x": "{0} {"}),
                "",
                "x",
                QueryEncoding::Raw,
                json!({"k": "{key}", "x": "{0} {"}),
            ),
        ];
        for (template, mappings, query, encoding, want) in table {
            assert_eq!(bound(&template, mappings, query, encoding), Ok(want), "{template}");
        }
    }

    #[test]
    fn a_body_has_its_limit() {
        let many: Vec<Value> = (0..100).map(|_| json!("{v}")).collect();
        let mappings = format!("v={}", "x".repeat(20_000));
        assert!(
            bound(&json!({"a": many}), &mappings, "q", QueryEncoding::Raw)
                .expect_err("too large")
                .message()
                .contains("larger")
        );
        let few: Vec<Value> = (0..50).map(|_| json!("{v}")).collect();
        assert!(bound(&json!({"a": few}), &mappings, "q", QueryEncoding::Raw).is_ok());
    }

    proptest! {
        /// The shape of the body is the same for every query.
        #[test]
        fn a_query_stays_one_text(query in "[\"\\\\{}:,\\[\\]a ]{0,40}|.{0,40}") {
            let template = json!({"a": {"b": ["{query_string}", 1]}, "c": "x{query_string}y"});
            let want = json!({"a": {"b": [query, 1]}, "c": format!("x{query}y")});
            prop_assert_eq!(bound(&template, "", &query, QueryEncoding::Raw), Ok(want));
            prop_assert!(bound(&template, "", &query, QueryEncoding::Form).is_ok());
        }
    }
}
