//! JSON columns and other values, in a form that both databases store.

use crate::error::JsonError;
use crate::json_block::json_of;
use domain::notice::{self, Notice};
use domain::ports::StoreError;
use domain::result::ResultItem;
use serde::Serialize;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};
use sqlx::sqlite::{SqliteArgumentsBuffer, SqliteTypeInfo, SqliteValueRef};
use sqlx::{Decode, Encode, Postgres, Sqlite, Type};

/// PostgreSQL's type id of `json`.
pub(crate) const JSON_OID: Oid = Oid(114);
/// PostgreSQL's type id of `json[]`.
const JSON_ARRAY_OID: Oid = Oid(199);
/// More than the lines or the facts of most notices have, so that the memory is allocated once.
pub(crate) const NOTICE_BYTES: usize = 192;

/// A value as JSON text for a column, serialized once.
///
/// `sqlx::types::Json` would declare JSONB; PostgreSQL would sort the keys and reject NUL.
#[derive(Debug, Clone)]
pub(crate) struct JsonText(String);

impl JsonText {
    pub(crate) fn of(value: &(impl Serialize + ?Sized)) -> Result<Self, StoreError> {
        serde_json::to_string(value).map(Self).map_err(unwritable)
    }

    /// What is JSON already.
    pub(crate) fn of_json(json: Vec<u8>) -> Result<Self, StoreError> {
        let text = String::from_utf8(json);
        text.map(Self).map_err(|error| StoreError::failed(UNWRITABLE).caused_by(error.utf8_error()))
    }

    /// The lines of notices.
    pub(crate) fn of_lines(notices: &[Notice]) -> Result<Self, StoreError> {
        Self::of_notices(notices, notice::push_lines)
    }

    /// The facts of notices.
    pub(crate) fn of_facts(notices: &[Notice]) -> Result<Self, StoreError> {
        Self::of_notices(notices, notice::push_facts)
    }

    #[cfg(test)]
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    fn of_notices(
        notices: &[Notice],
        push: fn(&[Notice], &mut Vec<u8>) -> serde_json::Result<()>,
    ) -> Result<Self, StoreError> {
        let mut text = Vec::with_capacity(2 + notices.len() * NOTICE_BYTES);
        push(notices, &mut text).map_err(unwritable)?;
        Self::of_json(text)
    }
}

const UNWRITABLE: &str = "a record could not be written as JSON";

pub(crate) fn unwritable(error: serde_json::Error) -> StoreError {
    StoreError::failed(UNWRITABLE).caused_by(JsonError::of(&error))
}

/// The items column of a result set, when read.
#[derive(Debug)]
pub(crate) struct Items(pub(crate) Vec<ResultItem>);

impl Type<Sqlite> for Items {
    fn type_info() -> SqliteTypeInfo {
        <[u8] as Type<Sqlite>>::type_info()
    }

    fn compatible(stored: &SqliteTypeInfo) -> bool {
        <[u8] as Type<Sqlite>>::compatible(stored)
    }
}

impl<'r> Decode<'r, Sqlite> for Items {
    fn decode(value: SqliteValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(Self(ResultItem::list_from_json(&json_of(<&[u8] as Decode<Sqlite>>::decode(value)?)?)?))
    }
}

impl Type<Postgres> for Items {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(JSON_OID)
    }
}

impl<'r> Decode<'r, Postgres> for Items {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(Self(ResultItem::list_from_json(value.as_str()?)?))
    }
}

impl Type<Sqlite> for JsonText {
    fn type_info() -> SqliteTypeInfo {
        <String as Type<Sqlite>>::type_info()
    }
}

impl Encode<'_, Sqlite> for JsonText {
    fn encode(self, buf: &mut SqliteArgumentsBuffer) -> Result<IsNull, BoxDynError> {
        <String as Encode<Sqlite>>::encode(self.0, buf)
    }

    fn encode_by_ref(&self, buf: &mut SqliteArgumentsBuffer) -> Result<IsNull, BoxDynError> {
        <String as Encode<Sqlite>>::encode_by_ref(&self.0, buf)
    }
}

impl Type<Postgres> for JsonText {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(JSON_OID)
    }
}

impl PgHasArrayType for JsonText {
    fn array_type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(JSON_ARRAY_OID)
    }
}

impl Encode<'_, Postgres> for JsonText {
    fn encode_by_ref(&self, buf: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <&str as Encode<Postgres>>::encode(self.0.as_str(), buf)
    }
}

/// A text for a text column: PostgreSQL stores every character but NUL.
pub(crate) fn plain(text: &str) -> String {
    text.replace('\0', "")
}

/// A number for a column: neither JSON nor SQLite has NaN or infinity.
pub(crate) fn finite(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

/// A count for a column; it never reaches the limit.
pub(crate) fn to_column(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A count from a column, which is never negative.
pub(crate) fn to_count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_their_columns() {
        assert_eq!(plain("a\0b"), "ab");
        assert_eq!([finite(1.5), finite(f64::NAN), finite(f64::INFINITY)], [1.5, 0.0, 0.0]);
        assert_eq!([to_column(7), to_column(u64::MAX)], [7, i64::MAX]);
        assert_eq!([to_count(7), to_count(-1)], [7, 0]);
    }
}
