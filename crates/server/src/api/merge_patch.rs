//! JSON merge patch: given fields replace the fields of a record; the others remain. Fields with settings are merged
//! themselves.

use crate::error::ApiError;
use crate::extract::read_object;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Fields whose members are settings of their own: a patch changes the members that it names, and removes those that
/// are null. All other objects, such as the template of a query, are one value.
const MERGED: [&str; 2] = ["config", "page_fetch_config_json"];

/// The record with the given fields changed. Unknown fields are ignored.
pub fn merge<T: Serialize + DeserializeOwned>(current: &T, given: Map<String, Value>) -> Result<T, ApiError> {
    let mut fields = match serde_json::to_value(current).map_err(ApiError::internal)? {
        Value::Object(fields) => fields,
        other => return Err(ApiError::internal(format_args!("a record is not an object: {other}"))),
    };
    for (name, value) in given {
        let merged = if MERGED.contains(&name.as_str()) {
            with_changes(fields.remove(&name).unwrap_or_default(), value)
        } else {
            value
        };
        fields.insert(name, merged);
    }
    read_object(Value::Object(fields))
}

/// A value with the changes of a patch, at every depth. A request body has a limited depth.
fn with_changes(current: Value, change: Value) -> Value {
    let Value::Object(changes) = change else { return change };
    let mut members = if let Value::Object(members) = current { members } else { Map::new() };
    for (name, change) in changes {
        let current = members.get_mut(&name).map(Value::take).unwrap_or_default();
        match with_changes(current, change) {
            Value::Null => _ = members.shift_remove(&name),
            changed => _ = members.insert(name, changed),
        }
    }
    Value::Object(members)
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
    fn settings_are_merged_and_null_removes_them() {
        let current = json!({"a": 1, "b": {"c": 2, "d": [1, 2]}, "e": "x"});
        for (change, expected) in [
            (json!({}), current.clone()),
            (json!({"a": 3}), json!({"a": 3, "b": {"c": 2, "d": [1, 2]}, "e": "x"})),
            (
                json!({"a": null, "f": {"g": null, "h": 1}}),
                json!({"b": {"c": 2, "d": [1, 2]}, "e": "x", "f": {"h": 1}}),
            ),
            (json!({"b": {"d": [3]}}), json!({"a": 1, "b": {"c": 2, "d": [3]}, "e": "x"})),
            (json!({"b": 7, "e": {"i": 1}}), json!({"a": 1, "b": 7, "e": {"i": 1}})),
            (json!([1]), json!([1])),
        ] {
            assert_eq!(with_changes(current.clone(), change.clone()), expected, "{change}");
        }
    }

    #[test]
    fn other_objects_are_replaced() {
        let current = Map::from_iter([
            ("config".to_owned(), json!({"a": 1})),
            ("query_template_json".to_owned(), json!({"a": 1})),
        ]);
        let given = Map::from_iter([
            ("config".to_owned(), json!({"b": 2})),
            ("query_template_json".to_owned(), json!({"b": 2})),
        ]);
        let merged: Map<String, Value> = merge(&current, given).expect("an object");
        assert_eq!(Value::from(merged), json!({"config": {"a": 1, "b": 2}, "query_template_json": {"b": 2}}));
    }

    #[test]
    fn a_wrong_value_is_named() {
        let error = patch(json!({"retention": "long"})).expect_err("not a number");
        assert!(error.detail().starts_with("retention: "), "{}", error.detail());
        assert!(patch(json!({"tags": null})).is_err());
    }
}
