//! Extracts one page of items from a response according to `response_mappings`.

use super::reported_error;
use domain::ports::{ConnectorError, ConnectorErrorKind, NormalizedPage};
use serde_json::Value;
use syntax::json_path::JsonPath;
use syntax::response_mappings::ResponseMappings;

/// Splits a response into found, retrieved and the items, which are moved, not copied.
pub fn take_apart(mut answer: Value, mappings: &ResponseMappings) -> Result<NormalizedPage, ConnectorError> {
    reported_error::check(&answer, mappings)?;
    let missing = reported_error::missing(&answer, mappings);
    let found = count("FOUND", mappings.found.as_ref(), &answer)?;
    let retrieved = count("RETRIEVED", mappings.retrieved.as_ref(), &answer)?;
    let found = if mappings.found.is_some() { found } else { retrieved };
    if found == Some(0) || retrieved == Some(0) {
        return Ok(nothing(missing));
    }
    let mut items = take_results(mappings.results.as_ref(), &mut answer)?;
    drop(answer);
    if let Some(path) = &mappings.result {
        let unwrapped = items.into_iter().map(|mut item| {
            let found = single_of("RESULT", path.find_mut(&mut item))?;
            Ok::<_, ConnectorError>(found.map(Value::take))
        });
        items = unwrapped.filter_map(Result::transpose).collect::<Result<_, _>>()?;
    }
    items.retain(|item| !item.is_null());
    if items.is_empty() {
        return Ok(nothing(missing));
    }
    Ok(NormalizedPage { found, retrieved, items, missing })
}

fn nothing(missing: Option<ConnectorError>) -> NormalizedPage {
    NormalizedPage { found: Some(0), retrieved: Some(0), items: Vec::new(), missing }
}

/// The items of a response. Without a path, a list is the items and an object is one item; with a path that finds
/// nothing, an object has no items.
fn take_results(path: Option<&JsonPath>, answer: &mut Value) -> Result<Vec<Value>, ConnectorError> {
    let mapped = match path {
        Some(path) => single_of("RESULTS", path.find_mut(answer))?,
        None => None,
    };
    match mapped {
        Some(Value::Array(list)) => return Ok(std::mem::take(list)),
        Some(Value::Object(object)) if object.is_empty() => return Ok(Vec::new()),
        Some(item @ Value::Object(_)) => return Ok(vec![item.take()]),
        Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::String(text)) if text.is_empty() => return Ok(Vec::new()),
        Some(_) => return Err(wrong("RESULTS", "does not point to a list of results")),
        None => {}
    }
    match answer {
        Value::Array(list) => Ok(std::mem::take(list)),
        Value::Object(object) if path.is_none() && !object.is_empty() => Ok(vec![answer.take()]),
        Value::Object(_) | Value::Null => Ok(Vec::new()),
        _ => Err(ConnectorError::new(
            ConnectorErrorKind::Unreadable,
            "the source's answer is neither a list nor an object",
        )),
    }
}

fn count(key: &str, path: Option<&JsonPath>, answer: &Value) -> Result<Option<u64>, ConnectorError> {
    let Some(path) = path else { return Ok(None) };
    let value = match single_of(key, path.find(answer))? {
        Some(Value::Object(element)) => element.get("#text"), // an XML element with attributes
        other => other,
    };
    let number = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().parse::<f64>().ok().filter(|number| number.is_finite()),
        Some(_) => None,
    };
    match number {
        // A negative number means that the source does not count.
        Some(number) if number < 0.0 => Ok(None),
        // The cast saturates.
        Some(number) => Ok(Some(number as u64)),
        None => Err(wrong(key, "does not point to a number")),
    }
}

/// The single value at a path; several are an error in the mapping.
fn single_of<V>(key: &str, mut found: Vec<V>) -> Result<Option<V>, ConnectorError> {
    match found.len() {
        0 | 1 => Ok(found.pop()),
        count => Err(wrong(key, &format!("points to {count} values instead of one"))),
    }
}

fn wrong(key: &str, what: &str) -> ConnectorError {
    let message = format!("the path of {key} in response_mappings {what} in the source's answer");
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn taken(answer: &Value, mappings: &str) -> Result<NormalizedPage, ConnectorError> {
        take_apart(answer.clone(), &ResponseMappings::parse(mappings).expect("mappings"))
    }

    #[test]
    fn takes_answers_apart() {
        let hits = json!({"total": "12", "n": 2, "items": [{"a": 1}, {"a": 2}], "none": [], "void": null, "one": {"a": 3}});
        let table = [
            (
                hits.clone(),
                "FOUND=total,RETRIEVED=n,RESULTS=items",
                Some(12),
                Some(2),
                json!([{"a": 1}, {"a": 2}]),
            ),
            (hits.clone(), "RETRIEVED=n,RESULTS=items", Some(2), Some(2), json!([{"a": 1}, {"a": 2}])),
            (hits.clone(), "RESULTS=items,RESULT=a", None, None, json!([1, 2])),
            (hits.clone(), "RESULTS=items,RESULT=b", Some(0), Some(0), json!([])),
            (hits.clone(), "RESULTS=one", None, None, json!([{"a": 3}])),
            (hits.clone(), "FOUND=total,RESULTS=none", Some(0), Some(0), json!([])),
            (hits.clone(), "RESULTS=void", Some(0), Some(0), json!([])),
            // A feed without entries has no such member.
            (hits.clone(), "RESULTS=missing", Some(0), Some(0), json!([])),
            (json!({"total": 0, "items": [1]}), "FOUND=total,RESULTS=items", Some(0), Some(0), json!([])),
            (json!([{"a": 1}, null]), "", None, None, json!([{"a": 1}])),
            (json!([{"a": 1}]), "RESULTS=items", None, None, json!([{"a": 1}])),
            (json!({"hash": "x"}), "", None, None, json!([{"hash": "x"}])),
            (json!(null), "RESULTS=items", Some(0), Some(0), json!([])),
            (json!({"n": -1, "l": [1]}), "FOUND=n,RESULTS=l", None, None, json!([1])),
            (json!({"n": 5.0, "l": [1]}), "FOUND=n,RESULTS=l", Some(5), None, json!([1])),
        ];
        for (answer, mappings, found, retrieved, items) in table {
            let page = taken(&answer, mappings).unwrap_or_else(|error| panic!("{mappings}: {error}"));
            assert_eq!((page.found, page.retrieved), (found, retrieved), "{mappings}");
            assert_eq!(Value::Array(page.items), items, "{mappings}");
        }
    }

    #[test]
    fn items_are_moved_out_of_the_answer() {
        let mappings = ResponseMappings::parse("FOUND=total,RESULTS=a.items,RESULT=b").expect("mappings");
        let answer = json!({"total": 1, "a": {"items": [{"b": "a long text of one result"}]}});
        let place = |value: &Value| value.as_str().map(str::as_ptr);
        let before = place(&answer["a"]["items"][0]["b"]);
        let page = take_apart(answer, &mappings).expect("a page");
        assert_eq!(page.items.len(), 1);
        assert_eq!(place(&page.items[0]), before, "the same text, not a copy");
    }

    #[test]
    fn mistakes_are_said() {
        let answer = json!({"items": [{"a": 1}, {"a": 2}], "n": "many", "t": "text"});
        for (mappings, want) in [
            ("RESULTS=items[*]", "RESULTS"),
            ("FOUND=n,RESULTS=items", "FOUND"),
            ("FOUND=items,RESULTS=items", "FOUND"),
            ("RESULTS=t", "RESULTS"),
        ] {
            let error = taken(&answer, mappings).expect_err(mappings);
            assert_eq!(error.kind, ConnectorErrorKind::ConfigInvalid, "{mappings}");
            assert!(error.message.contains(want), "{mappings}: {error}");
        }
        assert_eq!(taken(&json!("text"), "").expect_err("a text").kind, ConnectorErrorKind::Unreadable);
    }

    fn any_answer() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<f64>().prop_map(|number| json!(number)),
            "[0-9.e-]{0,8}|.{0,8}".prop_map(Value::String),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                proptest::collection::btree_map("[abc]", inner, 0..4)
                    .prop_map(|object| Value::Object(object.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn never_panics(answer in any_answer()) {
            for mappings in ["", "RESULTS=a", "FOUND=a,RETRIEVED=b,RESULTS=c,RESULT=a", "FOUND=a[*],RESULTS=b[0].c"] {
                let _ = taken(&answer, mappings);
            }
        }
    }
}
