//! Conversion between JSON and BSON.

use mongodb::bson::oid::ObjectId;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Bson, DateTime, Document};
use serde_json::{Map, Value};

/// Deepest document; MongoDB allows no deeper one.
pub const DEPTH_MAX: usize = 100;

/// Converts a JSON object. `{"$date": "…"}` and `{"$oid": "…"}` become the values that they name.
pub fn to_document(object: &Map<String, Value>) -> Document {
    object.iter().map(|(key, value)| (key.clone(), to_bson(value))).collect()
}

fn to_bson(value: &Value) -> Bson {
    match value {
        Value::Null => Bson::Null,
        Value::Bool(value) => Bson::Boolean(*value),
        Value::Number(number) => match number.as_i64() {
            Some(number) => i32::try_from(number).map_or(Bson::Int64(number), Bson::Int32),
            None => Bson::Double(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Bson::String(text.clone()),
        Value::Array(list) => Bson::Array(list.iter().map(to_bson).collect()),
        Value::Object(object) => special(object).unwrap_or_else(|| Bson::Document(to_document(object))),
    }
}

fn special(object: &Map<String, Value>) -> Option<Bson> {
    let (key, value) = object.iter().next().filter(|_| object.len() == 1)?;
    match (key.as_str(), value.as_str()?) {
        ("$oid", text) => ObjectId::parse_str(text).ok().map(Bson::ObjectId),
        ("$date", text) => DateTime::parse_rfc3339_str(text).ok().map(Bson::DateTime),
        _ => None,
    }
}

/// Converts a document to JSON; values without a JSON form become null.
pub fn to_json(document: Document) -> Value {
    of_document(document, 0)
}

fn of_document(document: Document, depth: usize) -> Value {
    Value::Object(document.into_iter().map(|(key, value)| (key, of_bson(value, depth + 1))).collect())
}

fn of_bson(value: Bson, depth: usize) -> Value {
    if depth > DEPTH_MAX {
        return Value::Null;
    }
    match value {
        Bson::Double(number) => number.into(),
        Bson::Int32(number) => number.into(),
        Bson::Int64(number) => number.into(),
        Bson::Decimal128(number) => decimal(number.to_string()),
        Bson::Boolean(value) => value.into(),
        Bson::String(text) | Bson::Symbol(text) | Bson::JavaScriptCode(text) => text.into(),
        Bson::RegularExpression(pattern) => pattern.pattern.to_string().into(),
        Bson::Array(list) => list.into_iter().map(|item| of_bson(item, depth + 1)).collect(),
        Bson::Document(document) => of_document(document, depth),
        Bson::ObjectId(id) => id.to_hex().into(),
        Bson::DateTime(date) => date.try_to_rfc3339_string().ok().into(),
        Bson::Timestamp(stamp) => {
            DateTime::from_millis(i64::from(stamp.time) * 1000).try_to_rfc3339_string().ok().into()
        }
        Bson::Binary(binary) if binary.subtype == BinarySubtype::Uuid => {
            binary.to_uuid().ok().map(|id| id.to_string()).into()
        }
        _ => Value::Null,
    }
}

/// As a number if it fits.
fn decimal(text: String) -> Value {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.map_or(Value::String(text), Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mongodb::bson::{Binary, Timestamp, doc};
    use serde_json::json;

    #[test]
    fn values_keep_their_types() {
        let id = "0123456789abcdef01234567";
        let document = doc! {
            "_id": ObjectId::parse_str(id).expect("an id"),
            "text": "a", "double": 0.5, "int": 7, "long": 9_007_199_254_740_993_i64, "yes": true, "none": Bson::Null,
            "date": DateTime::from_millis(1_700_000_000_000),
            "stamp": Timestamp { time: 1_700_000_000, increment: 1 },
            "price": Bson::Decimal128("12.50".parse().expect("a number")),
            "huge": Bson::Decimal128("1E+6000".parse().expect("a number")),
            "image": Binary { subtype: BinarySubtype::Generic, bytes: vec![0, 255] },
            "nan": f64::NAN,
            "list": [1, { "a": "b" }],
        };
        let want = json!({
            "_id": id,
            "text": "a", "double": 0.5, "int": 7, "long": 9_007_199_254_740_993_i64, "yes": true, "none": null,
            "date": "2023-11-14T22:13:20Z",
            "stamp": "2023-11-14T22:13:20Z",
            "price": 12.5,
            "huge": "1E+6000",
            "image": null,
            "nan": null,
            "list": [1, { "a": "b" }],
        });
        assert_eq!(to_json(document), want);
    }

    #[test]
    fn a_question_may_name_dates_and_ids() {
        let id = "0123456789abcdef01234567";
        let filter = json!({"a": {"$date": "2023-11-14T22:13:20Z"}, "b": {"$oid": id}, "c": {"$date": "x"}, "d": 1e300});
        let want = doc! {
            "a": DateTime::from_millis(1_700_000_000_000),
            "b": ObjectId::parse_str(id).expect("an id"),
            "c": { "$date": "x" },
            "d": 1e300,
        };
        assert_eq!(to_document(filter.as_object().expect("an object")), want);
    }

    #[test]
    fn depth_has_its_limit() {
        let mut value = Bson::String("bottom".into());
        for _ in 0..DEPTH_MAX + 5 {
            value = Bson::Array(vec![value]);
        }
        let mut read = &to_json(doc! { "a": value })["a"];
        let mut depth = 0;
        while let Some(inner) = read.get(0) {
            read = inner;
            depth += 1;
        }
        assert_eq!((depth, read), (DEPTH_MAX, &Value::Null));
    }
}
