//! A payload being filled, with a size limit, so that mappings cannot multiply a large response.

use super::source_value::has_nul;
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

    /// Like [`Self::insert`], without a copy.
    pub fn insert_owned(&mut self, mut key: String, mut value: Value) {
        if fits(&mut value, &mut self.bytes_left) && text_fits(&mut key, &mut self.bytes_left) {
            self.map.insert(key, value);
        }
    }

    /// Whether the members of an object can stay where they are and be the payload: it is empty, and no name changes.
    pub fn can_be(&self, object: &Map<String, Value>) -> bool {
        self.map.is_empty() && !object.keys().any(|key| has_nul(key))
    }

    /// Like [`Self::insert_owned`] for some members of an object that [`Self::can_be`] the payload.
    pub fn take_over(
        &mut self,
        mut object: Map<String, Value>,
        mut is_kept: impl FnMut(&str, &Value) -> bool,
    ) {
        let count = object.len();
        object.retain(|key, value| {
            is_kept(key, value) && fits(value, &mut self.bytes_left) && key_fits(key, &mut self.bytes_left)
        });
        // A map keeps the memory of the members that were removed, however many.
        self.map = if object.len() < count / 2 { object.into_iter().collect() } else { object };
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

/// Whether a value fits. Removes NUL from it.
fn fits(value: &mut Value, bytes_left: &mut usize) -> bool {
    let Some(left) = bytes_left.checked_sub(VALUE_BYTES) else { return false };
    *bytes_left = left;
    match value {
        Value::String(text) => text_fits(text, bytes_left),
        Value::Array(list) => list.iter_mut().all(|item| fits(item, bytes_left)),
        Value::Object(object) => {
            if object.keys().any(|key| has_nul(key)) {
                *object = std::mem::take(object)
                    .into_iter()
                    .map(|(key, item)| (key.replace('\0', ""), item))
                    .collect();
            }
            object.iter_mut().all(|(key, item)| key_fits(key, bytes_left) && fits(item, bytes_left))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

fn text_fits(text: &mut String, bytes_left: &mut usize) -> bool {
    let fits = key_fits(text, bytes_left);
    if fits && has_nul(text) {
        *text = text.replace('\0', "");
    }
    fits
}

fn key_fits(text: &str, bytes_left: &mut usize) -> bool {
    let left = bytes_left.checked_sub(text.len());
    *bytes_left = left.unwrap_or(*bytes_left);
    left.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn is_bounded() {
        let copied = |payload: &mut Payload, key: &str, value: &Value| payload.insert(key, value);
        let moved = |payload: &mut Payload, key: &str, value: &Value| {
            payload.insert_owned(key.to_owned(), value.clone())
        };
        let ways: [fn(&mut Payload, &str, &Value); 2] = [copied, moved];
        for insert in ways {
            let mut payload = Payload::default();
            let big = json!("x".repeat(PAYLOAD_BYTES_MAX / 2));
            for key in ["a", "b", "c"] {
                insert(&mut payload, key, &big);
            }
            insert(&mut payload, "d\0", &json!({"k\0": ["v\0", {"l": 1.5, "m": null}]}));
            let map = payload.into_map();
            assert_eq!(map.keys().collect::<Vec<_>>(), ["a", "d"]);
            assert_eq!(map["d"], json!({"k": ["v", {"l": 1.5, "m": null}]}));
            let mut payload = Payload::default();
            insert(&mut payload, "vector", &json!(vec![0.5; 3072]));
            insert(&mut payload, "numbers", &json!(vec![0; PAYLOAD_BYTES_MAX / VALUE_BYTES]));
            assert_eq!(payload.into_map().keys().collect::<Vec<_>>(), ["vector"]);
        }
    }

    #[test]
    fn an_object_is_taken_over_as_its_members_would_be() {
        let big = "x".repeat(PAYLOAD_BYTES_MAX / 2);
        let objects = [
            json!({}),
            json!({"a": "v\0", "no": 1, "b": {"k\0": [null, true]}}),
            json!({"a": big, "b": 1, "c": big, "no": big, "d": [1, 2]}),
            json!({"vector": vec![0.5; 3072], "numbers": vec![0; PAYLOAD_BYTES_MAX / VALUE_BYTES], "last": "x"}),
        ];
        for object in objects {
            let object = object.as_object().cloned().unwrap_or_default();
            let (mut whole, mut single) = (Payload::default(), Payload::default());
            assert!(whole.can_be(&object));
            whole.take_over(object.clone(), |key, _| key != "no");
            for (key, value) in object.into_iter().filter(|(key, _)| key != "no") {
                single.insert_owned(key, value);
            }
            assert_eq!(whole.bytes_left, single.bytes_left);
            let (whole, single) = (whole.into_map(), single.into_map());
            assert!(whole.iter().eq(&single), "{:?}", single.keys());
        }
        let mut payload = Payload::default();
        assert!(!payload.can_be(json!({"a\0": 1}).as_object().unwrap()), "two names may become one");
        payload.insert("a", &json!(1));
        assert!(!payload.can_be(&Map::new()), "what is in it stays");
    }
}
