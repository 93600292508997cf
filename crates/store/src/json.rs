//! JSON columns and other values, in the form both databases keep.

use domain::contracts::StoreError;
use serde::Serialize;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};
use sqlx::sqlite::{SqliteArgumentsBuffer, SqliteTypeInfo};
use sqlx::{Encode, Postgres, Sqlite, Type};

/// PostgreSQL's own number of its type `json`.
const JSON_OID: Oid = Oid(114);

/// A value as JSON text, made once, on its way into a column.
///
/// `sqlx::types::Json` would declare JSONB, and PostgreSQL would sort the keys and refuse NUL on the way.
#[derive(Debug, Clone)]
pub(crate) struct JsonText(String);

impl JsonText {
    pub(crate) fn of(value: &(impl Serialize + ?Sized)) -> Result<Self, StoreError> {
        serde_json::to_string(value)
            .map(Self)
            .map_err(|_| StoreError::Failed("a record could not be written as JSON".to_owned()))
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

impl Encode<'_, Postgres> for JsonText {
    fn encode_by_ref(&self, buf: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <&str as Encode<Postgres>>::encode(self.0.as_str(), buf)
    }
}

/// A text for a plain column: PostgreSQL keeps every character but NUL.
pub(crate) fn plain(text: &str) -> String {
    text.replace('\0', "")
}

/// A number for a column: JSON and SQLite know neither NaN nor infinity.
pub(crate) fn finite(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

/// A count for a column; none of ours comes near the limit.
pub(crate) fn to_column(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A count from a column, where it is never negative.
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
