//! JSON merge patch: given fields replace the fields of a record; the others remain.

use crate::error::ApiError;
use crate::extract::read_object;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The record with the given fields changed. Unknown fields are ignored.
pub fn merge<T: Serialize + DeserializeOwned>(current: &T, given: Map<String, Value>) -> Result<T, ApiError> {
    let mut fields = match serde_json::to_value(current).map_err(ApiError::internal)? {
        Value::Object(fields) => fields,
        other => return Err(ApiError::internal(format_args!("a record is not an object: {other}"))),
    };
    fields.extend(given);
    read_object(Value::Object(fields))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::search::SearchSpec;
    use serde_json::json;

    fn patch(given: Value) -> Result<SearchSpec, ApiError> {
        let current =
            SearchSpec { tags: vec!["a".into()], retention: Some(2), ..SearchSpec::of_query("rivers") };
        let Value::Object(given) = given else { panic!("an object") };
        merge(&current, given)
    }

    #[test]
    fn given_fields_change_and_others_remain() {
        let changed = patch(json!({"query_string": "lakes", "status": "ignored"})).expect("a spec");
        assert_eq!(changed.query_string, "lakes");
        assert_eq!((changed.tags, changed.retention), (vec!["a".to_owned()], Some(2)));
    }

    #[test]
    fn a_wrong_value_is_named() {
        let error = patch(json!({"retention": "long"})).expect_err("not a number");
        assert!(error.detail().starts_with("retention: "), "{}", error.detail());
        assert!(patch(json!({"tags": null})).is_err());
    }
}
