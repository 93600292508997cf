//! Converts SQLite rows to JSON objects by column name.

use serde_json::{Map, Value};
use sqlx::sqlite::SqliteRow;
use sqlx::{Column, Row, TypeInfo, ValueRef};

/// One row; binary values become null.
pub fn to_object(row: &SqliteRow) -> Result<Value, sqlx::Error> {
    let mut object = Map::new();
    for column in row.columns() {
        object.insert(column.name().to_owned(), cell(row, column.ordinal())?);
    }
    Ok(Value::Object(object))
}

/// The size of a row's values, for the size limit of a response.
pub fn text_bytes(row: &Value) -> usize {
    let bytes = |value: &Value| match value {
        Value::String(text) => text.len(),
        Value::Array(_) | Value::Object(_) => value.to_string().len(),
        _ => 8,
    };
    row.as_object().into_iter().flatten().map(|(_, value)| bytes(value)).sum()
}

fn cell(row: &SqliteRow, index: usize) -> Result<Value, sqlx::Error> {
    let raw = row.try_get_raw(index)?;
    if raw.is_null() {
        return Ok(Value::Null);
    }
    let kind = raw.type_info().name().to_owned();
    Ok(match kind.as_str() {
        "INTEGER" => row.try_get_unchecked::<i64, _>(index)?.into(),
        "REAL" => row.try_get_unchecked::<f64, _>(index)?.into(),
        // The file may contain text that is not UTF-8.
        "TEXT" => {
            let bytes = row.try_get_unchecked::<Vec<u8>, _>(index)?;
            String::from_utf8_lossy(&bytes).into_owned().into()
        }
        _ => Value::Null,
    })
}
