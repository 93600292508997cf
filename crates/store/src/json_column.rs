//! Large JSON columns: results and run entries. SQLite stores them compressed, PostgreSQL as JSON.

use crate::json::{JSON_OID, JsonText, unwritable};
use crate::json_block::{CACHE_KEY, JsonCompressor, NEW_KEY, json_of};
use domain::ports::StoreError;
use domain::result::ResultItem;
use domain::search_run::RunEntry;
use serde::de::DeserializeOwned;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};
use sqlx::sqlite::{SqliteArgumentsBuffer, SqliteTypeInfo, SqliteValueRef};
use sqlx::{Decode, Encode, Postgres, Sqlite, Type};

/// More than the JSON of most run entries has.
const ENTRY_BYTES: usize = 192;

/// Longer texts are rare, and their memory is not kept for the next.
const MEMORY_KEPT_MAX: usize = 256 * 1024;

/// Makes the values of these columns for one database, one after the other, with the same memory.
pub(crate) struct JsonWriter {
    compressor: Option<JsonCompressor>,
    text: Vec<u8>,
}

impl JsonWriter {
    pub(crate) fn for_sqlite() -> Result<Self, StoreError> {
        Ok(Self { compressor: Some(JsonCompressor::new()?), text: Vec::new() })
    }

    /// Nodes of an earlier version read what this one writes.
    pub(crate) fn for_postgres() -> Self {
        Self { compressor: None, text: Vec::new() }
    }

    pub(crate) fn write_entries(&mut self, entries: &[RunEntry]) -> Result<JsonColumn, StoreError> {
        self.begin(entries.len() * ENTRY_BYTES);
        RunEntry::push_stored(entries, &mut self.text).map_err(unwritable)?;
        self.finish(&[])
    }

    pub(crate) fn write_items(&mut self, items: &[ResultItem]) -> Result<JsonColumn, StoreError> {
        let keys = [
            (NEW_KEY, items.iter().any(|item| item.new.is_some())),
            (CACHE_KEY, items.iter().any(|item| item.cache.is_some())),
        ];
        let keys: Vec<&str> =
            keys.into_iter().filter_map(|(key, is_there)| is_there.then_some(key)).collect();
        self.begin(items.len() * ResultItem::JSON_BYTES);
        ResultItem::push_stored(items, &mut self.text).map_err(unwritable)?;
        self.finish(&keys)
    }

    /// Frees the memory of texts that were unusually long.
    pub(crate) fn free_long_memory(&mut self) {
        if self.text.capacity() > MEMORY_KEPT_MAX {
            self.text = Vec::new();
        }
        if let Some(compressor) = &mut self.compressor {
            compressor.free_memory_above(MEMORY_KEPT_MAX);
        }
    }

    /// Bytes that are kept for the next texts, without the context of the compressor.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> usize {
        self.text.capacity() + self.compressor.as_ref().map_or(0, JsonCompressor::memory)
    }

    fn begin(&mut self, bytes_expected: usize) {
        self.text.clear();
        self.text.reserve(bytes_expected);
    }

    fn finish(&mut self, keys: &[&str]) -> Result<JsonColumn, StoreError> {
        let block = match &mut self.compressor {
            Some(compressor) => compressor.compress(&self.text, keys)?,
            None => None,
        };
        Ok(match block {
            Some(block) => JsonColumn::Block(block),
            None if self.text.capacity() > MEMORY_KEPT_MAX => {
                JsonColumn::Text(JsonText::of_json(std::mem::take(&mut self.text))?)
            }
            None => JsonColumn::Text(JsonText::of_json(self.text.clone())?),
        })
    }
}

/// A value to write.
#[derive(Debug, Clone)]
pub(crate) enum JsonColumn {
    Text(JsonText),
    Block(Vec<u8>),
}

impl Type<Sqlite> for JsonColumn {
    fn type_info() -> SqliteTypeInfo {
        <JsonText as Type<Sqlite>>::type_info()
    }
}

impl Encode<'_, Sqlite> for JsonColumn {
    fn encode(self, buf: &mut SqliteArgumentsBuffer) -> Result<IsNull, BoxDynError> {
        match self {
            Self::Text(text) => <JsonText as Encode<Sqlite>>::encode(text, buf),
            Self::Block(block) => <Vec<u8> as Encode<Sqlite>>::encode(block, buf),
        }
    }

    fn encode_by_ref(&self, buf: &mut SqliteArgumentsBuffer) -> Result<IsNull, BoxDynError> {
        <Self as Encode<Sqlite>>::encode(self.clone(), buf)
    }
}

impl Type<Postgres> for JsonColumn {
    fn type_info() -> PgTypeInfo {
        <JsonText as Type<Postgres>>::type_info()
    }
}

impl PgHasArrayType for JsonColumn {
    fn array_type_info() -> PgTypeInfo {
        <JsonText as PgHasArrayType>::array_type_info()
    }
}

impl Encode<'_, Postgres> for JsonColumn {
    fn encode_by_ref(&self, buf: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        match self {
            Self::Text(text) => <JsonText as Encode<Postgres>>::encode_by_ref(text, buf),
            Self::Block(_) => Err("PostgreSQL stores JSON as text".into()),
        }
    }
}

/// A value that was read.
#[derive(Debug)]
pub(crate) struct JsonValue<T>(pub(crate) T);

impl<T> Type<Sqlite> for JsonValue<T> {
    fn type_info() -> SqliteTypeInfo {
        <[u8] as Type<Sqlite>>::type_info()
    }

    /// Also texts: they are short, or of an earlier version.
    fn compatible(stored: &SqliteTypeInfo) -> bool {
        <[u8] as Type<Sqlite>>::compatible(stored)
    }
}

impl<'r, T: DeserializeOwned> Decode<'r, Sqlite> for JsonValue<T> {
    fn decode(value: SqliteValueRef<'r>) -> Result<Self, BoxDynError> {
        let stored = <&[u8] as Decode<Sqlite>>::decode(value)?;
        Ok(Self(serde_json::from_str(&json_of(stored)?)?))
    }
}

impl<T> Type<Postgres> for JsonValue<T> {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(JSON_OID)
    }
}

impl<'r, T: DeserializeOwned> Decode<'r, Postgres> for JsonValue<T> {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(Self(serde_json::from_str(value.as_str()?)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::builders::item;
    use testkit::versions::mark;

    #[test]
    fn sqlite_gets_blocks_and_postgresql_gets_text() {
        let body = "The river rose by two metres in a night. ".repeat(8);
        let items = [item("one").body(&body).build(), item("two").body(&body).id(7).build()];
        let text =
            format!(r#"[{{"title":"one","body":"{body}"}},{{"title":"two","body":"{body}","swirl_id":7}}]"#);
        let (mut sqlite, mut postgres) = (JsonWriter::for_sqlite().unwrap(), JsonWriter::for_postgres());
        // Each several times, because a writer uses its memory again.
        for _ in 0..3 {
            let JsonColumn::Block(block) = sqlite.write_items(&items).unwrap() else {
                panic!("two results are long enough")
            };
            assert_eq!(json_of(&block).unwrap(), text);
            let JsonColumn::Text(plain) = postgres.write_items(&items).unwrap() else {
                panic!("nothing is compressed")
            };
            assert_eq!(plain.as_str(), text);
            for writer in [&mut sqlite, &mut postgres] {
                let nothing = writer.write_entries(&[]).unwrap();
                assert!(matches!(nothing, JsonColumn::Text(text) if text.as_str() == "[]"));
                let one = RunEntry { title: "one".to_owned(), ..RunEntry::default() };
                let one = writer.write_entries(&[one]).unwrap();
                assert!(matches!(one, JsonColumn::Text(text) if text.as_str() == r#"[{"title":"one"}]"#));
            }
        }
    }

    #[test]
    fn keys_are_those_of_the_results_and_not_of_their_texts() {
        let mut texts = item("\"new\":1").body("The river rose by two metres. ".repeat(9)).build();
        texts.payload.insert("cache".to_owned(), 1.into());
        let new = ResultItem { new: Some(1), ..item("new").build() };
        let cached = ResultItem { cache: Some(Box::new(mark(1))), ..texts.clone() };
        for (items, keys) in [
            (vec![texts.clone()], &[][..]),
            (vec![texts.clone(), new.clone()], &[NEW_KEY][..]),
            (vec![cached.clone()], &[CACHE_KEY][..]),
            (vec![new, texts, cached], &[NEW_KEY, CACHE_KEY][..]),
        ] {
            let written = JsonWriter::for_sqlite().unwrap().write_items(&items).unwrap();
            let JsonColumn::Block(block) = written else { panic!("it is long enough") };
            let shown = String::from_utf8_lossy(&block[..40]).into_owned();
            for key in [NEW_KEY, CACHE_KEY] {
                assert_eq!(shown.contains(key), keys.contains(&key), "{shown}");
            }
        }
    }
}
