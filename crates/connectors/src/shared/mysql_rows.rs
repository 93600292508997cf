//! Converts MySQL and MariaDB rows to JSON objects by column name.

use serde_json::{Map, Value};
use sqlx::mysql::MySqlRow;
use sqlx::types::chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use sqlx::{Column, Row, TypeInfo, ValueRef};

/// One row; binary values become null.
pub fn to_object(row: &MySqlRow) -> Result<Value, sqlx::Error> {
    let mut object = Map::new();
    for column in row.columns() {
        object.insert(column.name().to_owned(), cell(row, column.ordinal())?);
    }
    Ok(Value::Object(object))
}

fn cell(row: &MySqlRow, index: usize) -> Result<Value, sqlx::Error> {
    let raw = row.try_get_raw(index)?;
    if raw.is_null() {
        return Ok(Value::Null);
    }
    let kind = raw.type_info().name().to_owned();
    Ok(match kind.as_str() {
        "BOOLEAN" => row.try_get_unchecked::<bool, _>(index)?.into(),
        "TINYINT" | "SMALLINT" | "MEDIUMINT" | "INT" | "BIGINT" | "YEAR" => {
            row.try_get_unchecked::<i64, _>(index)?.into()
        }
        "TINYINT UNSIGNED" | "SMALLINT UNSIGNED" | "MEDIUMINT UNSIGNED" | "INT UNSIGNED"
        | "BIGINT UNSIGNED" | "BIT" => row.try_get_unchecked::<u64, _>(index)?.into(),
        "FLOAT" => f64::from(row.try_get_unchecked::<f32, _>(index)?).into(),
        "DOUBLE" => row.try_get_unchecked::<f64, _>(index)?.into(),
        "DECIMAL" => {
            let text = row.try_get_unchecked::<String, _>(index)?;
            text.parse::<f64>().map_or(Value::String(text), Value::from)
        }
        "DATE" => row.try_get_unchecked::<NaiveDate, _>(index)?.to_string().into(),
        "DATETIME" | "TIMESTAMP" => row.try_get_unchecked::<NaiveDateTime, _>(index)?.to_string().into(),
        "TIME" => row.try_get_unchecked::<NaiveTime, _>(index)?.to_string().into(),
        "JSON" => row.try_get_unchecked::<Value, _>(index)?,
        "CHAR" | "VARCHAR" | "TINYTEXT" | "TEXT" | "MEDIUMTEXT" | "LONGTEXT" | "ENUM" | "SET" => {
            let bytes = row.try_get_unchecked::<Vec<u8>, _>(index)?;
            String::from_utf8_lossy(&bytes).into_owned().into()
        }
        // A text with a binary collation looks like bytes.
        "BINARY" | "VARBINARY" => {
            let bytes = row.try_get_unchecked::<Vec<u8>, _>(index)?;
            String::from_utf8(bytes).map_or(Value::Null, Value::String)
        }
        _ => Value::Null,
    })
}
