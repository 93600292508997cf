//! One pass over a JSON body without allocating values: whether it is JSON, how many values it has, whether one
//! contains a NUL.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::cell::{Cell, RefCell};
use std::fmt;

/// Result of the pass.
#[derive(Debug, PartialEq, Eq)]
pub struct Scanned {
    pub is_object: bool,
    /// The top-level field, or `body`, that contains a NUL.
    pub nul_field: Option<String>,
}

/// Why a body is refused before it is deserialized.
#[derive(Debug)]
pub enum ScanError {
    TooManyValues,
    Malformed(serde_json::Error),
}

pub fn scan(body: &[u8], values_max: usize) -> Result<Scanned, ScanError> {
    let state = State { left: Cell::new(values_max), ..State::default() };
    let mut reader = serde_json::Deserializer::from_slice(body);
    let ended = Scan { state: &state, is_top: true }.deserialize(&mut reader).and_then(|()| reader.end());
    match ended {
        Ok(()) => Ok(Scanned { is_object: state.is_object.get(), nul_field: state.nul_field.into_inner() }),
        Err(_) if state.is_exceeded.get() => Err(ScanError::TooManyValues),
        Err(error) => Err(ScanError::Malformed(error)),
    }
}

#[derive(Default)]
struct State {
    left: Cell<usize>,
    is_exceeded: Cell<bool>,
    is_object: Cell<bool>,
    /// A NUL was found since the current top-level field began.
    has_nul: Cell<bool>,
    nul_field: RefCell<Option<String>>,
}

impl State {
    fn count<E: Error>(&self) -> Result<(), E> {
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                self.is_exceeded.set(true);
                Err(E::custom("too many values"))
            }
        }
    }

    fn look_at(&self, text: &str) {
        if text.contains('\0') {
            self.has_nul.set(true);
        }
    }

    /// Ends a top-level field; the first one with a NUL is remembered.
    fn end_field(&self, name: &str) {
        if self.has_nul.get() && self.nul_field.borrow().is_none() {
            let name = name.replace('\0', "");
            *self.nul_field.borrow_mut() = Some(if name.is_empty() { "body".to_owned() } else { name });
        }
    }
}

#[derive(Clone, Copy)]
struct Scan<'a> {
    state: &'a State,
    is_top: bool,
}

impl Scan<'_> {
    fn below(self) -> Self {
        Self { is_top: false, ..self }
    }
}

impl<'de> DeserializeSeed<'de> for Scan<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.state.count()?;
        deserializer.deserialize_any(self)?;
        if self.is_top && !self.state.is_object.get() {
            self.state.end_field("body");
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Scan<'_> {
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

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.state.look_at(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self.below())?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        if !self.is_top {
            while entries.next_key_seed(Key(self.state))?.is_some() {
                entries.next_value_seed(self.below())?;
            }
            return Ok(());
        }
        self.state.is_object.set(true);
        // Names are needed only here, and there are few of them.
        while let Some(name) = entries.next_key::<String>()? {
            self.state.has_nul.set(false);
            self.state.look_at(&name);
            entries.next_value_seed(self.below())?;
            self.state.end_field(&name);
        }
        Ok(())
    }
}

/// The name of a nested field, which is scanned and not kept.
struct Key<'a>(&'a State);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.look_at(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(text: &str) -> Scanned {
        scan(text.as_bytes(), 100).expect("JSON")
    }

    #[test]
    fn names_the_field_with_a_nul() {
        let table = [
            (r#"{"a":"b"}"#, true, None),
            (r#"{"a":"b","c":[{"d":["\u0000"]}],"e":"\u0000"}"#, true, Some("c")),
            (r#"{"a":1,"b":{"c\u0000":1},"d":2}"#, true, Some("b")),
            (r#"{"a\u0000b":1}"#, true, Some("ab")),
            (r#"{"\u0000":1}"#, true, Some("body")),
            (r#"["\u0000"]"#, false, Some("body")),
            (r#""\u0000""#, false, Some("body")),
            ("[]", false, None),
            ("1.5", false, None),
        ];
        for (text, is_object, nul_field) in table {
            let expected = Scanned { is_object, nul_field: nul_field.map(str::to_owned) };
            assert_eq!(scanned(text), expected, "{text}");
        }
    }

    #[test]
    fn counts_every_value() {
        for (text, values) in [("7", 1), ("[[0],[0]]", 5), (r#"{"a":{"b":[]},"c":null}"#, 4)] {
            assert!(scan(text.as_bytes(), values).is_ok(), "{text}");
            assert!(matches!(scan(text.as_bytes(), values - 1), Err(ScanError::TooManyValues)), "{text}");
        }
    }

    #[test]
    fn says_what_the_common_reader_says() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for text in ["", "{", "{\"a\":1} x", "[1,]", "\"\\ud800\"", deep.as_str(), "{1:2}", "nul"] {
            let expected = serde_json::from_str::<serde_json::Value>(text).expect_err("no JSON").to_string();
            match scan(text.as_bytes(), 1_000) {
                Err(ScanError::Malformed(error)) => assert_eq!(error.to_string(), expected, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
