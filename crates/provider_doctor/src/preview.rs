//! Truncated copy of a response for display. Its paths are those of the response.

use serde_json::{Map, Value};

/// Most items of a list that are kept.
pub const ITEMS_MAX: usize = 5;
/// Most members of an object that are kept.
pub const MEMBERS_MAX: usize = 200;
/// Longest text, in characters; a truncated text ends with an ellipsis.
pub const TEXT_CHARS_MAX: usize = 300;
/// Most values in all.
pub const VALUES_MAX: usize = 4000;
/// Deepest value.
const DEPTH_MAX: usize = 32;

/// The response with the first items of its lists and the beginnings of its texts.
pub fn build_preview(response: &Value) -> Value {
    copy_truncated(response, DEPTH_MAX, &mut { VALUES_MAX })
}

fn copy_truncated(value: &Value, depth: usize, left: &mut usize) -> Value {
    if *left == 0 || depth == 0 {
        return Value::Null;
    }
    *left -= 1;
    match value {
        Value::String(text) => Value::String(truncate_text(text)),
        Value::Array(list) => {
            list.iter().take(ITEMS_MAX.min(*left)).map(|item| copy_truncated(item, depth - 1, left)).collect()
        }
        Value::Object(object) => {
            let mut kept = Map::new();
            for (name, item) in object.iter().take(MEMBERS_MAX) {
                if *left == 0 {
                    break;
                }
                kept.insert(name.clone(), copy_truncated(item, depth - 1, left));
            }
            Value::Object(kept)
        }
        plain => plain.clone(),
    }
}

fn truncate_text(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn small_responses_are_unchanged() {
        let response = json!({"found": 2, "docs": [{"title": "A", "tags": ["x"]}, {"title": null}]});
        assert_eq!(build_preview(&response), response);
    }

    #[test]
    fn lists_texts_and_objects_are_truncated() {
        let members: Map<String, Value> =
            (0..MEMBERS_MAX + 5).map(|n| (format!("k{n:04}"), json!(n))).collect();
        let long = "é".repeat(TEXT_CHARS_MAX + 1);
        let small = build_preview(&json!([[1, 2, 3, 4, 5, 6], long, members]));
        assert_eq!(small[0].as_array().map(Vec::len), Some(ITEMS_MAX));
        assert_eq!(small[1].as_str().map(|text| text.chars().count()), Some(TEXT_CHARS_MAX + 1));
        assert!(small[1].as_str().is_some_and(|text| text.ends_with('…')));
        assert_eq!(small[2].as_object().map(Map::len), Some(MEMBERS_MAX));
    }

    #[test]
    fn wide_and_deep_responses_are_bounded() {
        let row: Map<String, Value> =
            (0..MEMBERS_MAX).map(|n| (n.to_string(), json!([n, n, n, n]))).collect();
        let wide = build_preview(&json!([row, row, row, row, row]));
        assert!(count(&wide) <= VALUES_MAX + 1);
        let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
        assert!(count(&build_preview(&deep)) <= DEPTH_MAX + 1);
    }

    fn count(value: &Value) -> usize {
        1 + match value {
            Value::Array(list) => list.iter().map(count).sum(),
            Value::Object(object) => object.values().map(count).sum(),
            _ => 0,
        }
    }
}
