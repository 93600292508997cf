//! A typed API description: routes, their parameters, the members of bodies and responses. Types are JSON schemas with
//! `type`, `properties`, `items`, `additionalProperties`, `enum`, `min`, `max`, `required`, `union` and `$ref`.

use super::recorder::Exchange;
use serde_json::{Map, Value};

pub struct Description {
    pub routes: Vec<Route>,
    pub types: Map<String, Value>,
}

pub struct Route {
    pub method: String,
    /// Parts in braces match one segment, or a part of one.
    pub path: String,
    pub parameters: Map<String, Value>,
    /// `Null` if there is no body.
    pub request: Value,
    pub answer: Value,
}

/// The direction of a value: a request must be complete and may not set read-only members.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Request,
    Answer,
}

impl Description {
    /// Fails if the description does not allow the request and the response.
    pub fn check(&self, exchange: &Exchange) {
        let mistakes = self.mistakes(exchange);
        assert!(mistakes.is_empty(), "{} {}: {mistakes:#?}", exchange.method, exchange.path);
    }

    /// Fails if a value is not of a named response type.
    pub fn check_answer(&self, name: &str, value: &Value) {
        let mistakes = self.answer_mistakes(&reference(name), value);
        assert!(mistakes.is_empty(), "{name}: {mistakes:#?}");
    }

    /// Whether a named type has the member that a JSON pointer names; list indexes may be omitted.
    pub fn has(&self, name: &str, pointer: &str) -> bool {
        let mut schema = self.resolve(&reference(name)).clone();
        for part in pointer.split('/').skip(1) {
            let is_place = part.parse::<usize>().is_ok();
            if !is_place && schema["type"] == "array" {
                schema = self.resolve(&schema["items"]).clone();
            }
            let inner = if is_place { &schema["items"] } else { &schema["properties"][part] };
            if inner.is_null() {
                return false;
            }
            schema = self.resolve(inner).clone();
        }
        true
    }

    /// The most specific route of an address.
    pub fn route(&self, method: &str, path: &str) -> Option<&Route> {
        let fitting = self.routes.iter().filter(|route| route.method == method && fits(&route.path, path));
        fitting.max_by_key(|route| literals(&route.path))
    }

    pub fn mistakes(&self, exchange: &Exchange) -> Vec<String> {
        let Some(route) = self.route(&exchange.method, &exchange.path) else {
            return vec![format!("there is no {} {}", exchange.method, exchange.path)];
        };
        let mut mistakes = self.parameter_mistakes(route, &exchange.query);
        match (&route.request, &exchange.body) {
            (Value::Null, Value::Null) => {}
            // An empty body counts as none.
            (Value::Null, Value::Object(body)) if body.is_empty() => {}
            (Value::Null, _) => mistakes.push("there is a body".to_owned()),
            (schema, body) => self.compare(body, schema, "body", Way::Request, &mut mistakes),
        }
        mistakes.extend(self.answer_mistakes(&route.answer, &exchange.answer));
        mistakes
    }

    fn answer_mistakes(&self, schema: &Value, answer: &Value) -> Vec<String> {
        let mut mistakes = Vec::new();
        self.compare(answer, schema, "answer", Way::Answer, &mut mistakes);
        mistakes
    }

    fn parameter_mistakes(&self, route: &Route, query: &[(String, String)]) -> Vec<String> {
        let mut mistakes = Vec::new();
        for (name, text) in query {
            let Some(schema) = route.parameters.get(name) else {
                mistakes.push(format!("there is no parameter {name}"));
                continue;
            };
            let is_again = query.iter().filter(|(other, _)| other == name).count() > 1;
            if is_again && schema["repeated"] != true {
                mistakes.push(format!("the parameter {name} may be there once"));
            }
            let value = match schema["type"].as_str() {
                Some("integer" | "number" | "boolean") => serde_json::from_str(text).unwrap_or_default(),
                _ => Value::from(text.as_str()),
            };
            self.compare(&value, schema, name, Way::Request, &mut mistakes);
        }
        let needed = route.parameters.iter().filter(|(_, schema)| schema["required"] == true);
        let missing = needed.filter(|(name, _)| !query.iter().any(|(given, _)| given == *name));
        mistakes.extend(missing.map(|(name, _)| format!("the parameter {name} is missing")));
        mistakes
    }

    pub(super) fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(name) => self.types.get(name).unwrap_or_else(|| panic!("the type {name} is not described")),
            None => schema,
        }
    }

    fn compare(&self, value: &Value, schema: &Value, at: &str, way: Way, out: &mut Vec<String>) {
        if way == Way::Request && schema["readOnly"] == true {
            out.push(format!("{at} is set by the vendor alone"));
        }
        // An optional member may be null in a response.
        if value.is_null() && way == Way::Answer {
            return;
        }
        let schema = self.resolve(schema);
        let fits = match schema["type"].as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            // Google writes large numbers as strings in responses, and accepts both in requests.
            Some("string") if schema["format"] == "int64" => value.is_string() || value.is_i64(),
            Some("string") => value.is_string(),
            Some("integer") => value.is_i64() || value.is_u64(),
            Some("number") => value.is_number(),
            Some("boolean") => value.is_boolean(),
            _ => return,
        };
        if !fits {
            out.push(format!("{at} is {value} and not of the type {}", schema["type"]));
            return;
        }
        if schema["enum"].as_array().is_some_and(|names| !names.contains(value)) {
            out.push(format!("{at} is {value}, which is none of {}", schema["enum"]));
        }
        check_limits(value, schema, at, out);
        for (number, one) in value.as_array().into_iter().flatten().enumerate() {
            self.compare(one, &schema["items"], &format!("{at}[{number}]"), way, out);
        }
        if let Some(object) = value.as_object() {
            self.compare_members(object, schema, at, way, out);
        }
    }

    fn compare_members(
        &self,
        object: &Map<String, Value>,
        schema: &Value,
        at: &str,
        way: Way,
        out: &mut Vec<String>,
    ) {
        for (name, member) in object {
            let known = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
            match known {
                Some(known) => self.compare(member, known, &format!("{at}.{name}"), way, out),
                None => out.push(format!("{at} has no member {name}")),
            }
        }
        if schema["union"] == true && object.len() != 1 {
            out.push(format!("{at} must have one member and has {}", object.len()));
        }
        let needed = schema["required"].as_array().filter(|_| way == Way::Request);
        for name in needed.into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                out.push(format!("{at} lacks {name}"));
            }
        }
    }
}

pub(super) fn reference(name: &str) -> Value {
    serde_json::json!({ "$ref": name })
}

/// Whether a number, or the length of a string or a list, is within the limits.
fn check_limits(value: &Value, schema: &Value, at: &str, out: &mut Vec<String>) {
    #[expect(clippy::cast_precision_loss, reason = "limits are small numbers")]
    let size = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => Some(text.chars().count() as f64),
        Value::Array(list) => Some(list.len() as f64),
        _ => None,
    };
    let Some(size) = size else { return };
    if schema["min"].as_f64().is_some_and(|min| size < min)
        || schema["max"].as_f64().is_some_and(|max| size > max)
    {
        out.push(format!("{at} is not between {} and {}: {value}", schema["min"], schema["max"]));
    }
}

fn fits(template: &str, path: &str) -> bool {
    let (template, path) = (template.trim_start_matches('/'), path.trim_start_matches('/'));
    let (wanted, given): (Vec<&str>, Vec<&str>) = (template.split('/').collect(), path.split('/').collect());
    wanted.len() == given.len()
        && wanted.iter().zip(&given).all(|(wanted, given)| fits_segment(wanted, given))
}

fn fits_segment(wanted: &str, given: &str) -> bool {
    let (Some((start, _)), Some((_, end))) = (wanted.split_once('{'), wanted.rsplit_once('}')) else {
        return wanted == given;
    };
    given.len() > start.len() + end.len() && given.starts_with(start) && given.ends_with(end)
}

/// Characters outside of braces.
fn literals(template: &str) -> usize {
    let parts = template.split('{').enumerate();
    parts
        .map(|(n, part)| if n == 0 { part } else { part.split_once('}').map_or("", |(_, rest)| rest) }.len())
        .sum()
}
