//! Parses untrusted JSON with a limit on the number of its values and on their memory.
//!
//! A value takes far more bytes in memory than in the text: `[0]` is three bytes of text and more than a hundred bytes
//! in memory. Values are therefore counted and their memory is added up, and parsing stops as soon as a limit is
//! exceeded.

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Number, Value};
use std::cell::Cell;
use std::fmt;

/// Maximum number of values in JSON that a user wrote into a field, such as a configuration.
pub const FIELD_VALUES_MAX: usize = 10_000;

/// Maximum number of values in one response of a source, a model or another service: objects, lists, texts, numbers.
pub const ANSWER_VALUES_MAX: usize = 200_000;

/// Maximum ratio of the memory of the values to the length of the text; ordinary responses need five to eight.
pub const AMPLIFICATION_MAX: usize = 10;

/// The values of a short text may take this much memory whatever its length: thousands of tiny results are not an
/// attack.
pub const MEMORY_FREE: usize = 16 * MB;
const MB: usize = 1024 * 1024;

/// Memory of values, measured with a counting allocator: an item in a list that doubles its capacity as it grows; a
/// non-empty object; each field of an object with its value.
const ITEM_BYTES: usize = 160;
const OBJECT_BYTES: usize = 170;
const FIELD_BYTES: usize = 200;
/// Most fields of an object that memory is allocated for before they are read. An object with fewer than the last one takes
/// little more than is added up for it.
const FIELDS_EXPECTED_MAX: usize = 8;

/// Why a text could not be parsed.
#[derive(Debug, thiserror::Error)]
pub enum BoundedJsonError {
    #[error("contains more than {} values", grouped(*.0))]
    TooManyValues(usize),
    /// Its values would take more than this many megabytes.
    #[error("would take more than {0} MB of memory: it is made of very many small values")]
    TooMuchMemory(usize),
    #[error("is not JSON ({0})")]
    Malformed(#[from] serde_json::Error),
}

/// Parses the response of another service.
pub fn parse_answer(text: &[u8]) -> Result<Value, BoundedJsonError> {
    parse(text, ANSWER_VALUES_MAX)
}

/// Parses a text with at most `values_max` values.
pub fn parse(text: &[u8], values_max: usize) -> Result<Value, BoundedJsonError> {
    let memory_max = text.len().saturating_mul(AMPLIFICATION_MAX).max(MEMORY_FREE);
    let counter = Counter::new(values_max, memory_max);
    let mut reader = serde_json::Deserializer::from_slice(text);
    let parsed = BoundedValue(&counter).deserialize(&mut reader).and_then(|value| {
        reader.end()?;
        Ok(value)
    });
    match parsed {
        Ok(value) => Ok(value),
        Err(error) => Err(match counter.exceeded.get() {
            Some(Bound::Values) => BoundedJsonError::TooManyValues(values_max),
            Some(Bound::Memory) => BoundedJsonError::TooMuchMemory(memory_max / MB),
            None => BoundedJsonError::Malformed(error),
        }),
    }
}

/// Parses a text with at most `values_max` values into a type. They are counted before any is built.
pub fn parse_as<T: DeserializeOwned>(text: &[u8], values_max: usize) -> Result<T, BoundedJsonError> {
    if count_values(text, values_max) > values_max {
        return Err(BoundedJsonError::TooManyValues(values_max));
    }
    Ok(serde_json::from_slice(text)?)
}

/// Parses an object with at most `values_max` values; None for anything else.
pub fn parse_object(text: &[u8], values_max: usize) -> Option<Map<String, Value>> {
    match parse(text, values_max) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// Counts the characters that could start a value, in JSON and in other formats. It reads every byte of every response,
/// so it is here, where such code is built for speed.
pub fn count_marks(text: &[u8]) -> usize {
    // Without a branch, in parts of one length and added up in bytes: the compiler generates vector instructions.
    let count = |part: &[u8]| {
        part.iter().fold(0_u8, |count, byte| {
            let is_mark =
                (*byte == b',') | (*byte == b'[') | (*byte == b'{') | (*byte == b'<') | (*byte == b'=');
            count.wrapping_add(u8::from(is_mark))
        })
    };
    let (parts, rest) = text.as_chunks::<COUNTED_BYTES>();
    parts.iter().map(|part| usize::from(count(part))).sum::<usize>() + usize::from(count(rest))
}

/// No more than a byte can count.
const COUNTED_BYTES: usize = 192;

/// Counts the values of a text up to its end, a syntax error or one above the limit. Builds none.
pub fn count_values(text: &[u8], values_max: usize) -> usize {
    let counter = Counter::new(values_max, usize::MAX);
    let _counted_until_here =
        CountedValue(&counter).deserialize(&mut serde_json::Deserializer::from_slice(text));
    values_max - counter.left.get() + usize::from(counter.exceeded.get().is_some())
}

/// A number with thousands separators, for messages.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[derive(Debug, Clone, Copy)]
enum Bound {
    Values,
    Memory,
}

/// The remaining number of values and the remaining memory.
struct Counter {
    left: Cell<usize>,
    memory_left: Cell<usize>,
    /// The limit that was exceeded.
    exceeded: Cell<Option<Bound>>,
    /// The fields of the last object, for the next one: the items of a response have the same.
    fields_expected: Cell<usize>,
}

impl Counter {
    fn new(values_max: usize, memory_max: usize) -> Self {
        Self {
            left: Cell::new(values_max),
            memory_left: Cell::new(memory_max),
            exceeded: Cell::new(None),
            fields_expected: Cell::new(0),
        }
    }

    fn take<E: Error>(&self) -> Result<(), E> {
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                self.exceeded.set(Some(Bound::Values));
                Err(E::custom("too many values"))
            }
        }
    }

    fn take_memory<E: Error>(&self, bytes: usize) -> Result<(), E> {
        match self.memory_left.get().checked_sub(bytes) {
            Some(left) => {
                self.memory_left.set(left);
                Ok(())
            }
            None => {
                self.exceeded.set(Some(Bound::Memory));
                Err(E::custom("too much memory"))
            }
        }
    }
}

/// Builds one value and counts it before it is built.
struct BoundedValue<'a>(&'a Counter);

impl<'de> DeserializeSeed<'de> for BoundedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.0.take()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BoundedValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.0.take_memory(value.len())?;
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(BoundedValue(self.0))? {
            self.0.take_memory(ITEM_BYTES)?;
            list.push(item);
        }
        // A list of one item has capacity for four.
        list.shrink_to_fit();
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            let is_first = object.is_empty();
            let more = if is_first { OBJECT_BYTES } else { 0 };
            self.0.take_memory(more + FIELD_BYTES + name.len())?;
            if is_first {
                // Used once: otherwise all objects within this one would be allocated for as many fields.
                object = Map::with_capacity(self.0.fields_expected.take());
            }
            object.insert(name, entries.next_value_seed(BoundedValue(self.0))?);
        }
        self.0.fields_expected.set(object.len().min(FIELDS_EXPECTED_MAX));
        Ok(Value::Object(object))
    }
}

/// Counts one value and all values in it.
struct CountedValue<'a>(&'a Counter);

impl<'de> DeserializeSeed<'de> for CountedValue<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.take()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CountedValue<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(CountedValue(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while entries.next_key::<IgnoredAny>()?.is_some() {
            entries.next_value_seed(CountedValue(self.0))?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "bounded_json_tests.rs"]
mod tests;
