//! A payload being filled, with a size limit, so that mappings cannot multiply a large response.

use serde_json::{Map, Value};
use std::borrow::Cow;

/// Most bytes in the payload of one result, including names; what does not fit is left out.
pub const PAYLOAD_BYTES_MAX: usize = 512 * 1024;
/// Overhead of a value beside its text: a list of numbers takes much more memory than its JSON.
const VALUE_BYTES: usize = size_of::<Value>();

#[derive(Debug)]
pub struct Payload {
    map: Map<String, Value>,
    bytes_left: usize,
}

impl Default for Payload {
    fn default() -> Self {
        Self { map: Map::new(), bytes_left: PAYLOAD_BYTES_MAX }
    }
}

impl Payload {
    pub fn contains(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    pub fn insert(&mut self, key: &str, value: &Value) {
        if let Some(copy) = copy(value, &mut self.bytes_left)
            && let Some(key) = copy_text(key, &mut self.bytes_left)
        {
            self.map.insert(key, copy);
        }
    }

    /// One value unchanged, several as a list.
    pub fn insert_all(&mut self, key: &str, values: &[Cow<'_, Value>]) {
        match values {
            [] => {}
            [single] => self.insert(key, single),
            several => {
                let copies = several.iter().map(|value| copy(value, &mut self.bytes_left)).collect();
                if let Some(list) = copies
                    && let Some(key) = copy_text(key, &mut self.bytes_left)
                {
                    self.map.insert(key, Value::Array(list));
                }
            }
        }
    }

    pub fn into_map(self) -> Map<String, Value> {
        self.map
    }
}

/// A copy without NUL, if it fits.
fn copy(value: &Value, bytes_left: &mut usize) -> Option<Value> {
    *bytes_left = bytes_left.checked_sub(VALUE_BYTES)?;
    Some(match value {
        Value::String(text) => Value::String(copy_text(text, bytes_left)?),
        Value::Array(list) => {
            Value::Array(list.iter().map(|item| copy(item, bytes_left)).collect::<Option<_>>()?)
        }
        Value::Object(object) => {
            let pairs =
                object.iter().map(|(key, item)| Some((copy_text(key, bytes_left)?, copy(item, bytes_left)?)));
            Value::Object(pairs.collect::<Option<_>>()?)
        }
        other => other.clone(),
    })
}

fn copy_text(text: &str, bytes_left: &mut usize) -> Option<String> {
    *bytes_left = bytes_left.checked_sub(text.len())?;
    Some(text.replace('\0', ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn is_bounded() {
        let mut payload = Payload::default();
        let big = json!("x".repeat(PAYLOAD_BYTES_MAX / 2));
        for key in ["a", "b", "c"] {
            payload.insert(key, &big);
        }
        payload.insert("d", &json!({"k\0": ["v\0"]}));
        let map = payload.into_map();
        assert_eq!(map.keys().collect::<Vec<_>>(), ["a", "d"]);
        assert_eq!(map["d"], json!({"k": ["v"]}));
        let mut payload = Payload::default();
        payload.insert("vector", &json!(vec![0.5; 3072]));
        payload.insert("numbers", &json!(vec![0; PAYLOAD_BYTES_MAX / VALUE_BYTES]));
        assert_eq!(payload.into_map().keys().collect::<Vec<_>>(), ["vector"]);
    }
}
