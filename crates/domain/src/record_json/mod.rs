//! The JSON of records, as `serde_json` writes it, for half of the instructions: texts are examined sixteen bytes at a
//! time and not one by one. `serde_json` writes most numbers. A search writes two hundred kilobytes.
//!
//! In the store, a field that has its default value is left out: every version reads an absent field as its default.

mod decimal;
mod escape;

use decimal::Decimal;
use escape::{Escaped, first_escaped, push_text};
use serde::ser::{self, Error as _, Serialize, Serializer};
use serde_json::{Error, Result};
use std::fmt::{Display, Write};

/// Appends a list of records to a text. The type of a record is a struct with `#[serde(default)]`, whose default numbers
/// are zero and whose default texts and lists are empty.
pub(crate) fn push_records<T: Serialize>(records: &[T], text: &mut Vec<u8>) -> Result<()> {
    // The writer owns its text, so that every byte is written over one pointer less.
    let mut writer = Writer { text: std::mem::take(text), is_record: false, is_some: false };
    let outcome = writer.push_records(records);
    *text = writer.text;
    outcome
}

/// Serializes a value of about so many bytes, with all its fields.
pub(crate) fn to_bytes<T: Serialize + ?Sized>(value: &T, bytes_expected: usize) -> Result<Vec<u8>> {
    let mut writer = Writer { text: Vec::with_capacity(bytes_expected), is_record: false, is_some: false };
    value.serialize(&mut writer)?;
    Ok(writer.text)
}

const ZERO: u64 = 0.0_f64.to_bits();
const ONE: u64 = 1.0_f64.to_bits();

/// Whether a value is the JSON of a default.
fn is_default(value: &[u8]) -> bool {
    matches!(value, b"0" | b"0.0" | b"\"\"" | b"[]" | b"{}")
}

struct Writer {
    text: Vec<u8>,
    /// The next struct is a record.
    is_record: bool,
    /// The last value was an option: its default is none, and not the default of what it contains.
    is_some: bool,
}

impl Writer {
    fn push_records<T: Serialize>(&mut self, records: &[T]) -> Result<()> {
        self.text.push(b'[');
        for (number, record) in records.iter().enumerate() {
            if number > 0 {
                self.text.push(b',');
            }
            self.is_record = true;
            record.serialize(&mut *self)?;
        }
        self.push_word("]")
    }

    fn push_number(&mut self, number: &impl Serialize) -> Result<()> {
        serde_json::to_writer(&mut self.text, number)
    }

    fn push_word(&mut self, word: &str) -> Result<()> {
        self.text.extend_from_slice(word.as_bytes());
        Ok(())
    }

    /// Begins a list or an object.
    fn members(&mut self, begin: u8, end: &'static [u8]) -> Members<'_> {
        self.text.push(begin);
        Members { writer: self, is_empty: true, is_record: false, end }
    }

    /// Begins the object whose only key is a variant of an enum.
    fn begin_variant(&mut self, variant: &str) {
        self.text.push(b'{');
        push_text(&mut self.text, variant);
        self.text.push(b':');
    }
}

/// The elements of a list, or the fields of an object.
struct Members<'w> {
    writer: &'w mut Writer,
    is_empty: bool,
    is_record: bool,
    end: &'static [u8],
}

impl Members<'_> {
    fn begin_next(&mut self) {
        if !self.is_empty {
            self.writer.text.push(b',');
        }
        self.is_empty = false;
    }

    fn push_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        self.begin_next();
        value.serialize(&mut *self.writer)
    }

    /// Names of fields are part of the source code and contain nothing to escape.
    fn push_field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<()> {
        debug_assert_eq!(first_escaped(name.as_bytes()), None);
        let (before, was_empty) = (self.writer.text.len(), self.is_empty);
        self.begin_next();
        let text = &mut self.writer.text;
        text.reserve(name.len() + 3);
        text.push(b'"');
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b"\":");
        let start = self.writer.text.len();
        self.writer.is_some = false;
        value.serialize(&mut *self.writer)?;
        if self.is_record && !self.writer.is_some && is_default(&self.writer.text[start..]) {
            self.writer.text.truncate(before);
            self.is_empty = was_empty;
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        self.writer.text.extend_from_slice(self.end);
        Ok(())
    }
}

macro_rules! elements {
    ($($list:ident $push:ident),*) => {$(
        impl ser::$list for Members<'_> {
            type Ok = ();
            type Error = Error;

            fn $push<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
                self.push_element(value)
            }

            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}
elements!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

macro_rules! fields {
    ($($object:ident),*) => {$(
        impl ser::$object for Members<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<()> {
                self.push_field(name, value)
            }

            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}
fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<()> {
        self.begin_next();
        let start = self.writer.text.len();
        key.serialize(&mut *self.writer)?;
        match self.writer.text.get(start) {
            Some(b'"') => Ok(()),
            Some(b'-' | b'0'..=b'9') => {
                self.writer.text.insert(start, b'"');
                self.writer.push_word("\"")
            }
            _ => Err(Error::custom("a key is neither a text nor a number")),
        }
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        self.writer.text.push(b':');
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

macro_rules! numbers {
    ($($name:ident $number:ty),*) => {$(
        fn $name(self, number: $number) -> Result<()> {
            self.push_number(&number)
        }
    )*};
}

impl<'w> Serializer for &'w mut Writer {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Members<'w>;
    type SerializeTuple = Members<'w>;
    type SerializeTupleStruct = Members<'w>;
    type SerializeTupleVariant = Members<'w>;
    type SerializeMap = Members<'w>;
    type SerializeStruct = Members<'w>;
    type SerializeStructVariant = Members<'w>;

    numbers!(
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64,
        serialize_f32 f32
    );

    /// A quarter of the numbers of a result are zero or one, which need no conversion, and most others have four decimals.
    fn serialize_f64(self, number: f64) -> Result<()> {
        match number.to_bits() {
            ZERO => self.push_word("0.0"),
            ONE => self.push_word("1.0"),
            _ => match Decimal::of(number) {
                Some(decimal) => {
                    decimal.push_to(&mut self.text);
                    Ok(())
                }
                None => self.push_number(&number),
            },
        }
    }

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.push_word(if value { "true" } else { "false" })
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        push_text(&mut self.text, value);
        Ok(())
    }

    fn collect_str<T: ?Sized + Display>(self, value: &T) -> Result<()> {
        self.text.push(b'"');
        write!(Escaped(&mut self.text), "{value}").map_err(Error::custom)?;
        self.text.push(b'"');
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<()> {
        value.serialize(&mut *self)?;
        self.is_some = true;
        Ok(())
    }

    fn serialize_unit(self) -> Result<()> {
        self.push_word("null")
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _name: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        self.begin_variant(variant);
        value.serialize(&mut *self)?;
        self.push_word("}")
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<Members<'w>> {
        Ok(self.members(b'[', b"]"))
    }

    fn serialize_tuple(self, _length: usize) -> Result<Members<'w>> {
        Ok(self.members(b'[', b"]"))
    }

    fn serialize_tuple_struct(self, _name: &'static str, _length: usize) -> Result<Members<'w>> {
        Ok(self.members(b'[', b"]"))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Members<'w>> {
        self.begin_variant(variant);
        Ok(self.members(b'[', b"]}"))
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Members<'w>> {
        Ok(self.members(b'{', b"}"))
    }

    fn serialize_struct(self, name: &'static str, _length: usize) -> Result<Members<'w>> {
        // Text that is JSON already, which only `serde_json` itself can write.
        if name.starts_with('$') {
            return Err(Error::custom("a record contains raw JSON"));
        }
        let is_record = std::mem::take(&mut self.is_record);
        Ok(Members { is_record, ..self.members(b'{', b"}") })
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Members<'w>> {
        self.begin_variant(variant);
        Ok(self.members(b'{', b"}}"))
    }
}

#[cfg(test)]
mod tests;
