//! License terms, and their signing.

use crate::keys::SigningKey;
use chrono::NaiveDate;
use serde_json::{Map, Value};

/// The field with the signature of all others.
pub(crate) const SIGNATURE: &str = "key";

/// The terms of a license.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LicenseTerms {
    pub owner: String,
    /// The day of issue; the license is never evaluated for an earlier day.
    pub issued: NaiveDate,
    /// The last day.
    pub expiration: NaiveDate,
    /// Includes the semantic cache.
    pub cache: bool,
    /// The last day of the cache, if it ends before the license.
    pub cache_expiration: Option<NaiveDate>,
}

impl LicenseTerms {
    /// The license: one line of JSON including the signature.
    pub fn issue(&self, key: &SigningKey) -> String {
        let mut fields = Map::new();
        let day = |date: NaiveDate| Value::String(date.to_string());
        fields.insert("owner".to_owned(), Value::String(self.owner.clone()));
        fields.insert("issued".to_owned(), day(self.issued));
        fields.insert("expiration".to_owned(), day(self.expiration));
        if self.cache {
            fields.insert("cache".to_owned(), Value::Bool(true));
        }
        if let Some(last) = self.cache_expiration {
            fields.insert("cache_expiration".to_owned(), day(last));
        }
        fields.insert(SIGNATURE.to_owned(), Value::String(key.sign(&signed_text(&fields))));
        Value::Object(fields).to_string()
    }
}

/// The text to sign: all fields except the signature, with sorted keys and without whitespace.
pub fn signed_text(fields: &Map<String, Value>) -> String {
    let unsigned: Map<String, Value> = fields
        .iter()
        .filter(|(name, _)| name.as_str() != SIGNATURE)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    canonical(&Value::Object(unsigned))
}

/// Canonical JSON.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<(&String, &Value)> = map.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            let field = |(name, value): (&String, &Value)| {
                format!("{}:{}", Value::from(name.as_str()), canonical(value))
            };
            format!("{{{}}}", fields.into_iter().map(field).collect::<Vec<_>>().join(","))
        }
        Value::Array(list) => format!("[{}]", list.iter().map(canonical).collect::<Vec<_>>().join(",")),
        plain => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_signed_text_has_one_form() {
        let fields = json!({"key": "s", "b": [1, {"d": null, "c": "é\""}], "a": true});
        assert_eq!(
            signed_text(fields.as_object().expect("an object")),
            r#"{"a":true,"b":[1,{"c":"é\"","d":null}]}"#
        );
    }
}
