//! Calls of tools that arrive in parts.

use super::request::unreadable;
use domain::bounded_json::parse_answer;
use domain::contracts::{ModelError, Piece, ToolCall};
use serde_json::{Map, Value};

/// Most tools that a model may call in one answer.
pub const CALLS_MAX: usize = 32;
/// Most bytes of the arguments of all calls together.
pub const ARGUMENTS_BYTES_MAX: usize = 256 * 1024;

#[derive(Default)]
pub struct Calls {
    parts: Vec<Part>,
    bytes: usize,
}

struct Part {
    /// The service's own number of the call.
    key: u64,
    id: String,
    name: String,
    arguments: String,
}

impl Calls {
    /// The number that a call gets when the service gives none: the next one when it has an id, else the last one.
    pub fn key_of(&self, given: Option<u64>, id: Option<&str>) -> u64 {
        let last = self.parts.last().map(|part| part.key);
        let next = last.map_or(0, |last| last.saturating_add(1));
        let is_new = id.is_some_and(|id| !id.is_empty());
        given.unwrap_or(if is_new { next } else { last.unwrap_or(0) })
    }

    /// Adds to the call of this number; what is empty says nothing.
    pub fn add(&mut self, key: u64, id: &str, name: &str, arguments: &str) -> Result<(), ModelError> {
        self.bytes += id.len() + name.len() + arguments.len();
        if self.bytes > ARGUMENTS_BYTES_MAX {
            return Err(unreadable(&format!(
                "its calls of tools have more than {ARGUMENTS_BYTES_MAX} bytes"
            )));
        }
        let place = match self.parts.iter().position(|part| part.key == key) {
            Some(place) => place,
            None if self.parts.len() == CALLS_MAX => {
                return Err(unreadable(&format!("it calls more than {CALLS_MAX} tools")));
            }
            None => {
                let empty = String::new;
                self.parts.push(Part { key, id: empty(), name: empty(), arguments: empty() });
                self.parts.len() - 1
            }
        };
        let part = &mut self.parts[place];
        part.id.push_str(id);
        part.name.push_str(name);
        part.arguments.push_str(arguments);
        Ok(())
    }

    /// All calls, whole. A call without an id gets one; a call without a name is none.
    pub fn finish(&mut self, out: &mut Vec<Piece>) {
        for part in std::mem::take(&mut self.parts) {
            if part.name.is_empty() {
                continue;
            }
            let id = if part.id.is_empty() { format!("call_{}", part.key) } else { part.id };
            out.push(Piece::Call(ToolCall { id, name: part.name, arguments: arguments(&part.arguments) }));
        }
    }
}

/// Arguments that are no JSON stay a text, so that the tool can complain to the model.
pub fn arguments(text: &str) -> Value {
    match text.trim() {
        "" => Value::Object(Map::new()),
        text => parse_answer(text.as_bytes()).unwrap_or_else(|_| Value::String(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_become_calls() {
        let mut calls = Calls::default();
        for (key, id, name, arguments) in [
            (Some(0), Some("a"), "search", ""),
            (Some(0), None, "", "{\"q\":"),
            (Some(1), None, "list", ""),
            (Some(0), None, "", "1}"),
            (None, Some("c"), "read", "no json"),
            (None, Some(""), "", " at all"),
            (Some(9), None, "", "{}"),
        ] {
            let key = calls.key_of(key, id);
            calls.add(key, id.unwrap_or_default(), name, arguments).unwrap();
        }
        let mut out = Vec::new();
        calls.finish(&mut out);
        let call = |id: &str, name: &str, arguments: Value| {
            Piece::Call(ToolCall { id: id.to_owned(), name: name.to_owned(), arguments })
        };
        assert_eq!(
            out,
            [
                call("a", "search", json!({"q": 1})),
                call("call_1", "list", json!({})),
                call("c", "read", json!("no json at all")),
            ]
        );
        calls.finish(&mut out);
        assert_eq!(out.len(), 3, "each call is told once");
    }

    #[test]
    fn the_number_after_the_largest_one_does_not_overflow() {
        let mut calls = Calls::default();
        calls.add(u64::MAX, "a", "search", "").unwrap();
        assert_eq!(calls.key_of(None, Some("b")), u64::MAX);
    }

    #[test]
    fn arguments_of_very_many_values_stay_a_text() {
        let text = format!("[{}0]", "0,".repeat(200_000));
        assert_eq!(arguments(&text), Value::String(text.clone()));
    }

    #[test]
    fn calls_are_few_and_small() {
        let mut calls = Calls::default();
        for key in 0..CALLS_MAX as u64 {
            calls.add(key, "", "x", "").unwrap();
        }
        assert!(calls.add(CALLS_MAX as u64, "", "x", "").is_err());
        let mut calls = Calls::default();
        calls.add(0, "", "x", &"x".repeat(ARGUMENTS_BYTES_MAX - 1)).unwrap();
        assert!(calls.add(0, "", "", "x").is_err());
    }
}
