//! The JSON of records in the store. It is that of `serde_json`, but a field that has its default value is left out:
//! every version reads an absent field as its default.
//!
//! Every search writes hundreds of records, so this takes fewer instructions than `serde_json`, which examines the bytes
//! of texts one by one. `serde_json` writes the numbers.

use serde::ser::{self, Error as _, Serialize, Serializer};
use serde_json::{Error, Result};

/// Appends a list of records to a text. The type of a record is a struct with `#[serde(default)]`, whose default numbers
/// are zero and whose default texts and lists are empty.
pub(crate) fn push_records<T: Serialize>(records: &[T], text: Vec<u8>) -> Result<Vec<u8>> {
    let mut writer = Writer { text, is_record: false, is_some: false };
    writer.text.push(b'[');
    for (number, record) in records.iter().enumerate() {
        if number > 0 {
            writer.text.push(b',');
        }
        writer.is_record = true;
        record.serialize(&mut writer)?;
    }
    writer.text.push(b']');
    Ok(writer.text)
}

/// The texts of default values.
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
    fn push_text(&mut self, text: &str) {
        self.text.reserve(text.len() + 2);
        self.text.push(b'"');
        let mut rest = text.as_bytes();
        while let Some(place) = first_escaped(rest) {
            self.text.extend_from_slice(&rest[..place]);
            push_escaped(&mut self.text, rest[place]);
            rest = &rest[place + 1..];
        }
        self.text.extend_from_slice(rest);
        self.text.push(b'"');
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
        self.push_text(variant);
        self.text.push(b':');
    }
}

const WORD_BYTES: usize = size_of::<u64>();

/// The place of the first byte that is escaped in JSON.
fn first_escaped(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<WORD_BYTES>();
    for (number, word) in words.iter().enumerate() {
        if let Some(place) = escaped_in_word(*word) {
            return Some(number * WORD_BYTES + place);
        }
    }
    if rest.is_empty() {
        return None;
    }
    match bytes.last_chunk::<WORD_BYTES>() {
        // It overlaps the word before, which has none.
        Some(last) => escaped_in_word(*last).map(|place| bytes.len() - WORD_BYTES + place),
        None => rest.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\')),
    }
}

/// Examines eight bytes at once: the highest bit of a byte that is escaped gets set, and perhaps those of bytes after
/// it.
fn escaped_in_word(word: [u8; WORD_BYTES]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xff;
    let word = u64::from_le_bytes(word);
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    let found = (below(word, 0x20) | equal(b'"') | equal(b'\\')) & (ONES * 0x80);
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

fn push_escaped(text: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            text.extend_from_slice(b"\\u00");
            text.extend([byte >> 4, byte & 0xf].map(|digit| DIGITS[usize::from(digit)]));
            return;
        }
    };
    text.extend_from_slice(&[b'\\', short]);
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

    fn push_field<T: ?Sized + Serialize>(&mut self, name: &str, value: &T) -> Result<()> {
        let (before, was_empty) = (self.writer.text.len(), self.is_empty);
        self.begin_next();
        self.writer.push_text(name);
        self.writer.text.push(b':');
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
        serialize_f32 f32, serialize_f64 f64
    );

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.push_word(if value { "true" } else { "false" })
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        self.push_text(value);
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
