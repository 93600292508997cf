//! Assembles tool calls that arrive in parts.

use super::request::unreadable;
use domain::bounded_json::parse_answer;
use domain::ports::{CompletionChunk, ModelError, ToolCall};
use serde_json::{Map, Value};

/// Maximum number of tool calls in one reply.
pub const CALLS_MAX: usize = 32;
/// Maximum size of all tool calls of a reply in bytes.
pub const ARGUMENTS_BYTES_MAX: usize = 256 * 1024;

#[derive(Default)]
pub struct ToolCallBuilder {
    parts: Vec<Part>,
    bytes: usize,
}

struct Part {
    /// The index of the call in the reply.
    key: u64,
    id: String,
    name: String,
    arguments: String,
}

impl ToolCallBuilder {
    /// The index of a call. Without an index of the service, a call with an id is a new one, and any other continues
    /// the last one.
    pub fn key_of(&self, given: Option<u64>, id: Option<&str>) -> u64 {
        let last = self.parts.last().map(|part| part.key);
        let next = last.map_or(0, |last| last.saturating_add(1));
        let is_new = id.is_some_and(|id| !id.is_empty());
        given.unwrap_or(if is_new { next } else { last.unwrap_or(0) })
    }

    /// Appends to the call with this index.
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

    /// Emits the complete calls. A missing id is generated; calls without a name are dropped.
    pub fn finish(&mut self, out: &mut Vec<CompletionChunk>) {
        for part in std::mem::take(&mut self.parts) {
            if part.name.is_empty() {
                continue;
            }
            let id = if part.id.is_empty() { format!("call_{}", part.key) } else { part.id };
            out.push(CompletionChunk::Call(ToolCall {
                id,
                name: part.name,
                arguments: arguments(&part.arguments),
            }));
        }
    }
}

/// Parses arguments. Invalid JSON is kept as text, so that the tool can report it to the model.
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
        let mut calls = ToolCallBuilder::default();
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
            CompletionChunk::Call(ToolCall { id: id.to_owned(), name: name.to_owned(), arguments })
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
        assert_eq!(out.len(), 3, "each call is emitted once");
    }

    #[test]
    fn the_number_after_the_largest_one_does_not_overflow() {
        let mut calls = ToolCallBuilder::default();
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
        let mut calls = ToolCallBuilder::default();
        for key in 0..CALLS_MAX as u64 {
            calls.add(key, "", "x", "").unwrap();
        }
        assert!(calls.add(CALLS_MAX as u64, "", "x", "").is_err());
        let mut calls = ToolCallBuilder::default();
        calls.add(0, "", "x", &"x".repeat(ARGUMENTS_BYTES_MAX - 1)).unwrap();
        assert!(calls.add(0, "", "", "x").is_err());
    }
}
