//! Converts SQL Server rows to JSON objects by column name.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use serde_json::{Map, Value};
use tiberius::{ColumnData, Row};

/// One row; binary values become null.
pub fn to_object(row: &Row) -> Result<Value, tiberius::error::Error> {
    let mut object = Map::new();
    for (index, (column, data)) in row.cells().enumerate() {
        object.insert(column.name().to_owned(), cell(row, index, data)?);
    }
    Ok(Value::Object(object))
}

/// The first value of a row as a row count.
pub fn count(row: &Row) -> u64 {
    let number = match row.cells().next() {
        Some((_, ColumnData::I32(Some(number)))) => i64::from(*number),
        Some((_, ColumnData::I64(Some(number)))) => *number,
        _ => 0,
    };
    u64::try_from(number).unwrap_or(0)
}

fn cell(row: &Row, index: usize, data: &ColumnData<'static>) -> Result<Value, tiberius::error::Error> {
    Ok(match data {
        ColumnData::U8(value) => (*value).into(),
        ColumnData::I16(value) => (*value).into(),
        ColumnData::I32(value) => (*value).into(),
        ColumnData::I64(value) => (*value).into(),
        // Via text, because a conversion to f64 would show digits that are not there.
        ColumnData::F32(value) => value.map_or(Value::Null, |value| number(value.to_string())),
        ColumnData::F64(value) => (*value).into(),
        ColumnData::Numeric(value) => value.map_or(Value::Null, |value| number(value.to_string())),
        ColumnData::Bit(value) => (*value).into(),
        ColumnData::String(value) => value.as_deref().into(),
        ColumnData::Guid(value) => value.map(|value| value.to_string()).into(),
        ColumnData::Xml(value) => value.as_ref().map(|value| value.to_string()).into(),
        ColumnData::DateTime(_) | ColumnData::SmallDateTime(_) | ColumnData::DateTime2(_) => {
            row.try_get::<NaiveDateTime, _>(index)?.map(|value| value.to_string()).into()
        }
        ColumnData::Date(_) => row.try_get::<NaiveDate, _>(index)?.map(|value| value.to_string()).into(),
        ColumnData::Time(_) => row.try_get::<NaiveTime, _>(index)?.map(|value| value.to_string()).into(),
        ColumnData::DateTimeOffset(_) => {
            row.try_get::<DateTime<FixedOffset>, _>(index)?.map(|value| value.to_rfc3339()).into()
        }
        ColumnData::Binary(_) => Value::Null,
    })
}

fn number(text: String) -> Value {
    text.parse::<f64>().map_or(Value::String(text), Value::from)
}
