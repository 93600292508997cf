//! Converts Snowflake results, rows of strings with column types, to JSON.

use crate::shared::remote_sql::PAGES_MAX;
use crate::shared::remote_sql::values;
use serde_json::{Map, Value};

/// A zero UTC offset is written as this number of minutes.
const ZONE_ZERO: i32 = 1440;

pub struct ResultSet {
    pub handle: String,
    pub columns: Vec<Column>,
    /// The rows of the first partition.
    pub data: Vec<Value>,
    partitions: usize,
}

pub struct Column {
    name: String,
    kind: String,
}

impl ResultSet {
    pub fn read(body: &Value) -> Option<Self> {
        let meta = body.get("resultSetMetaData")?;
        let column = |column: &Value| {
            let text = |name: &str| column.get(name).and_then(Value::as_str).map(str::to_lowercase);
            Some(Column { name: text("name")?, kind: text("type")? })
        };
        let columns: Option<Vec<Column>> = meta.get("rowType")?.as_array()?.iter().map(column).collect();
        let partitions = meta.get("partitionInfo").and_then(Value::as_array).map_or(1, Vec::len);
        Some(Self {
            handle: body.get("statementHandle").and_then(Value::as_str).unwrap_or_default().to_owned(),
            columns: columns?,
            data: body.get("data")?.as_array()?.clone(),
            partitions,
        })
    }

    pub fn partitions(&self) -> usize {
        self.partitions.clamp(1, PAGES_MAX)
    }
}

/// A row as an object by column name, in lower case.
pub fn object(columns: &[Column], cells: &Value) -> Value {
    let cells = cells.as_array().map(Vec::as_slice).unwrap_or_default();
    let named = columns.iter().zip(cells).map(|(column, value)| (column.name.clone(), cell(column, value)));
    Value::Object(named.collect::<Map<String, Value>>())
}

/// A value that cannot be parsed as its type stays a string.
fn cell(column: &Column, value: &Value) -> Value {
    let Some(text) = value.as_str() else { return value.clone() };
    match column.kind.as_str() {
        "fixed" | "real" | "decfloat" => values::number(text),
        "boolean" => values::boolean(text),
        "date" => or_text(values::date(text).map(|date| date.to_string()), text),
        "time" => or_text(values::time(text).map(|time| time.to_string()), text),
        "timestamp_ntz" => or_text(values::local(text).map(|time| time.format("%FT%T%.f").to_string()), text),
        "timestamp_ltz" => or_text(values::instant(text).map(|time| time.to_rfc3339()), text),
        "timestamp_tz" => or_text(zoned(text), text),
        "variant" | "object" | "array" | "map" | "vector" => values::json(text),
        "binary" => Value::Null,
        _ => text.into(),
    }
}

fn or_text(read: Option<String>, text: &str) -> Value {
    read.unwrap_or_else(|| text.to_owned()).into()
}

/// `<seconds> <zone>`
fn zoned(text: &str) -> Option<String> {
    let (seconds, zone) = text.split_once(' ')?;
    let minutes = zone.parse::<i32>().ok()?.checked_sub(ZONE_ZERO)?;
    Some(values::zoned(seconds, minutes)?.to_rfc3339())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cells_have_their_types() {
        let table = [
            ("FIXED", json!("42"), json!(42)),
            ("fixed", json!("1.50"), json!(1.5)),
            ("real", json!("2.5e3"), json!(2500.0)),
            ("boolean", json!("true"), json!(true)),
            ("date", json!("19723"), json!("2024-01-01")),
            ("date", json!("soon"), json!("soon")),
            ("time", json!("82919.000000000"), json!("23:01:59")),
            ("timestamp_ntz", json!("1704067200.500000000"), json!("2024-01-01T00:00:00.500")),
            ("timestamp_ltz", json!("1704067200.000000000"), json!("2024-01-01T00:00:00+00:00")),
            ("timestamp_tz", json!("1616173619.000000000 960"), json!("2021-03-19T09:06:59-08:00")),
            ("variant", json!("{\"a\": [1]}"), json!({"a": [1]})),
            ("binary", json!("00FF"), json!(null)),
            ("text", json!("12"), json!("12")),
            ("text", json!(null), json!(null)),
        ];
        for (kind, value, want) in table {
            let body =
                json!({"resultSetMetaData": {"rowType": [{"name": "A_B", "type": kind}]}, "data": [[value]]});
            let set = ResultSet::read(&body).expect("a result");
            assert_eq!(object(&set.columns, &set.data[0]), json!({"a_b": want}), "{kind} {value}");
        }
    }

    #[test]
    fn partitions_are_bounded() {
        for (vendor_message, want) in [(0, 1), (1, 1), (7, 7), (PAGES_MAX + 5, PAGES_MAX)] {
            let info = vec![json!({"rowCount": 1}); vendor_message];
            let body = json!({"resultSetMetaData": {"rowType": [], "partitionInfo": info}, "data": []});
            assert_eq!(ResultSet::read(&body).expect("a result").partitions(), want);
        }
        assert!(ResultSet::read(&json!({"message": "no"})).is_none());
    }
}
