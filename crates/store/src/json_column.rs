//! Large JSON columns: results and run entries. SQLite stores them compressed, PostgreSQL as JSON.

use crate::json::{JSON_OID, JsonText};
use crate::json_block::{CACHE_KEY, JsonCompressor, NEW_KEY, json_of};
use domain::ports::StoreError;
use domain::result::ResultItem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};
use sqlx::sqlite::{SqliteArgumentsBuffer, SqliteTypeInfo, SqliteValueRef};
use sqlx::{Decode, Encode, Postgres, Sqlite, Type};

/// Makes the values of these columns for one database.
pub(crate) struct JsonWriter(Option<JsonCompressor>);

impl JsonWriter {
    pub(crate) fn for_sqlite() -> Result<Self, StoreError> {
        JsonCompressor::new().map(Some).map(Self)
    }

    /// Nodes of an earlier version read what this one writes.
    pub(crate) fn for_postgres() -> Self {
        Self(None)
    }

    pub(crate) fn write(&mut self, value: &(impl Serialize + ?Sized)) -> Result<JsonColumn, StoreError> {
        self.finish(JsonText::of(value)?, &[])
    }

    pub(crate) fn write_items(&mut self, items: &[ResultItem]) -> Result<JsonColumn, StoreError> {
        let keys = [
            (NEW_KEY, items.iter().any(|item| item.new.is_some())),
            (CACHE_KEY, items.iter().any(|item| item.cache.is_some())),
        ];
        let keys: Vec<&str> =
            keys.into_iter().filter_map(|(key, is_there)| is_there.then_some(key)).collect();
        self.finish(JsonText::of_items(items)?, &keys)
    }

    fn finish(&mut self, text: JsonText, keys: &[&str]) -> Result<JsonColumn, StoreError> {
        let Some(compressor) = &mut self.0 else { return Ok(JsonColumn::Text(text)) };
        let block = compressor.compress(text.as_str(), keys)?;
        Ok(block.map_or(JsonColumn::Text(text), JsonColumn::Block))
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
        let items = vec![item("one").build(), item("two").build()];
        let text = serde_json::to_string(&items).unwrap();
        let JsonColumn::Block(block) = JsonWriter::for_sqlite().unwrap().write_items(&items).unwrap() else {
            panic!("two results are long enough")
        };
        assert_eq!(json_of(&block).unwrap(), text);
        let JsonColumn::Text(plain) = JsonWriter::for_postgres().write_items(&items).unwrap() else {
            panic!("nothing is compressed")
        };
        assert_eq!(plain.as_str(), text);
        let nothing = JsonWriter::for_sqlite().unwrap().write(&Vec::<u8>::new()).unwrap();
        assert!(matches!(nothing, JsonColumn::Text(text) if text.as_str() == "[]"));
    }

    #[test]
    fn keys_are_those_of_the_results_and_not_of_their_texts() {
        let mut texts = item("\"new\":1").build();
        texts.payload.insert("cache".to_owned(), 1.into());
        let new = ResultItem { new: Some(1), ..item("new").build() };
        let cached = ResultItem { cache: Some(Box::new(mark(1))), ..item("cached").build() };
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
