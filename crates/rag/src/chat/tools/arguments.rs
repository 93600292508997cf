//! The arguments of a tool call, as models write them.

use serde_json::Value;

/// A text argument; empty if it is missing or not a string.
pub(super) fn text_of<'a>(args: &'a Value, key: &str) -> &'a str {
    args.get(key).and_then(Value::as_str).unwrap_or_default().trim()
}

/// An integer argument, even if the model wrote it as text.
pub(super) fn number_of(args: &Value, key: &str) -> Option<usize> {
    let value = args.get(key)?;
    let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())?;
    usize::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_read_as_models_write_them() {
        let args = json!({"offset": "12", "window": 5, "ref": " 1:2 ", "sort": 7, "big": -1});
        assert_eq!((number_of(&args, "offset"), number_of(&args, "window")), (Some(12), Some(5)));
        assert_eq!((number_of(&args, "big"), number_of(&args, "none")), (None, None));
        assert_eq!((text_of(&args, "ref"), text_of(&args, "sort"), text_of(&args, "none")), ("1:2", "", ""));
        assert_eq!(text_of(&json!("text"), "ref"), "");
    }
}
