//! Differences between two states of a record, by field.

use super::masking::masked;
use serde_json::{Map, Value, json};

/// Maximum length of a value in an entry; longer ones are truncated.
pub const CHANGE_CHARS_MAX: usize = 1000;

/// The fields that differ, each as `{from, to}`. None: the record does not exist. A field that is empty on one side and
/// missing on the other is omitted. Values are compared first, then masked and truncated.
pub fn changes(from: Option<&Value>, to: Option<&Value>) -> Map<String, Value> {
    let nothing = Map::new();
    let fields =
        |side: Option<&'_ Value>| side.and_then(Value::as_object).cloned().unwrap_or(nothing.clone());
    let (from, to) = (fields(from), fields(to));
    let names = from.keys().chain(to.keys().filter(|name| !from.contains_key(*name)));
    let mut found = Map::new();
    for name in names {
        let (before, after) = (from.get(name), to.get(name));
        if before == after || (is_empty(before) && is_empty(after)) {
            continue;
        }
        let shown = |value: Option<&Value>| value.map_or(Value::Null, |value| short(masked(name, value)));
        found.insert(name.clone(), json!({"from": shown(before), "to": shown(after)}));
    }
    found
}

/// The text truncated to [`CHANGE_CHARS_MAX`] characters, with its original length.
pub(super) fn cut(text: &str) -> String {
    let count = text.chars().count();
    if count <= CHANGE_CHARS_MAX {
        return text.to_owned();
    }
    let start: String = text.chars().take(CHANGE_CHARS_MAX).collect();
    format!("{start}… ({count} characters)")
}

fn short(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut(&text)),
        Value::Array(_) | Value::Object(_) => {
            let text = value.to_string();
            if text.chars().count() <= CHANGE_CHARS_MAX { value } else { Value::String(cut(&text)) }
        }
        plain => plain,
    }
}

fn is_empty(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(list)) => list.is_empty(),
        Some(Value::Object(map)) => map.is_empty(),
        Some(Value::Bool(_) | Value::Number(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_told() {
        let one = json!({"name": "a", "tags": [], "active": true, "url": "x"});
        let two = json!({"name": "b", "tags": ["t"], "active": true, "url": "x"});
        let cases = [
            (Some(&one), Some(&one), json!({})),
            (
                Some(&one),
                Some(&two),
                json!({"name": {"from": "a", "to": "b"}, "tags": {"from": [], "to": ["t"]}}),
            ),
            (
                None,
                Some(&one),
                json!({"name": {"from": null, "to": "a"}, "active": {"from": null, "to": true},
                    "url": {"from": null, "to": "x"}}),
            ),
        ];
        for (from, to, expected) in cases {
            assert_eq!(Value::Object(changes(from, to)), expected);
        }
        assert_eq!(changes(Some(&one), None)["url"], json!({"from": "x", "to": null}));
        assert!(changes(None, None).is_empty());
    }

    #[test]
    fn a_changed_secret_is_told_and_not_shown() {
        let (one, two) = (json!({"credentials": "key=abc"}), json!({"credentials": "key=xyz"}));
        let found = changes(Some(&one), Some(&two));
        assert_eq!(found["credentials"], json!({"from": "key=••••", "to": "key=••••"}));
    }

    #[test]
    fn long_values_are_cut() {
        let text = |count: usize| "ä".repeat(count);
        for (count, is_cut) in [(CHANGE_CHARS_MAX, false), (CHANGE_CHARS_MAX + 1, true)] {
            let found = changes(None, Some(&json!({"rules": text(count)})));
            let shown = found["rules"]["to"].as_str().unwrap();
            assert_eq!(shown == text(count), !is_cut);
            assert_eq!(shown.ends_with(&format!("… ({count} characters)")), is_cut, "{count}");
        }
        let list = vec!["word"; CHANGE_CHARS_MAX];
        let found = changes(None, Some(&json!({"list": list})));
        assert!(found["list"]["to"].as_str().unwrap().chars().count() < CHANGE_CHARS_MAX + 30);
    }
}
