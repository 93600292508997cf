//! Values of source items as text.

use super::bitcoin::to_bitcoin;
use serde_json::Value;
use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Deref;
use syntax::json_path::Matches;
use syntax::query_template::encode_percent;
use syntax::result_mappings::{Function, Source};

/// Longest text of one field; the rest is cut.
pub const TEXT_BYTES_MAX: usize = 256 * 1024;

/// The values that a source finds in an item. Most find one, which needs no list.
#[derive(Debug)]
pub enum Values<'a> {
    One([Cow<'a, Value>; 1]),
    Several(Vec<Cow<'a, Value>>),
}

impl<'a> Deref for Values<'a> {
    type Target = [Cow<'a, Value>];

    fn deref(&self) -> &Self::Target {
        match self {
            Self::One(one) => one,
            Self::Several(several) => several,
        }
    }
}

/// The populated values that a source finds in an item, without null and empty values.
pub fn look_up<'a>(source: &Source, item: &'a Value) -> Values<'a> {
    let read = |value: &'a Value| match source.function {
        _ if !is_populated(value) => None,
        None => Some(Cow::Borrowed(value)),
        Some(function) => call(function, &text_of(value)).map(|text| Cow::Owned(Value::String(text))),
    };
    match source.path.locate(item) {
        Matches::Single(value) => match value.and_then(read) {
            Some(value) => Values::One([value]),
            None => Values::Several(Vec::new()),
        },
        Matches::All(values) => Values::Several(values.into_iter().filter_map(read).collect()),
    }
}

/// One value as text: numbers and booleans as in JSON, a list joined by spaces, an object as JSON (but an XML element
/// with attributes as its text). Without NUL, which databases reject.
pub fn text_of(value: &Value) -> String {
    let mut out = String::new();
    push_text(&mut out, value);
    out
}

/// Like [`text_of`], without a copy of most texts.
pub fn borrowed_text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) if text.len() <= TEXT_BYTES_MAX && !has_nul(text) => Cow::Borrowed(text),
        other => Cow::Owned(text_of(other)),
    }
}

/// Several values as one text, joined by spaces.
pub fn joined<'a>(values: impl IntoIterator<Item = &'a Value>) -> String {
    let mut out = String::new();
    for value in values {
        push_spaced(&mut out, value);
    }
    out
}

/// False for null and empty values.
pub fn is_populated(value: &Value) -> bool {
    match value {
        Value::Null => false,
        // Most texts begin with a character that is not a space.
        Value::String(text) => {
            text.as_bytes().first().is_some_and(u8::is_ascii_graphic) || !text.trim().is_empty()
        }
        Value::Array(list) => list.iter().any(is_populated),
        Value::Object(object) => !object.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

fn call(function: Function, text: &str) -> Option<String> {
    match function {
        Function::UrlEncode => Some(encode_percent(text)),
        Function::BtcConvert => to_bitcoin(text.trim()),
    }
}

fn push_text(out: &mut String, value: &Value) {
    match value {
        Value::Null => {}
        Value::String(text) => push_bounded(out, text),
        Value::Bool(_) | Value::Number(_) => push_bounded(out, &value.to_string()),
        Value::Array(list) => list.iter().for_each(|item| push_spaced(out, item)),
        Value::Object(object) => match object.get("#text") {
            Some(text) => push_text(out, text),
            None => push_json(out, value),
        },
    }
}

fn push_spaced(out: &mut String, value: &Value) {
    if out.len() >= TEXT_BYTES_MAX || !is_populated(value) {
        return;
    }
    // A nested list adds its own spaces.
    if !out.is_empty() && !value.is_array() {
        out.push(' ');
    }
    push_text(out, value);
}

/// Adds a text without NUL, up to the limit.
pub fn push_bounded(out: &mut String, text: &str) {
    let left = TEXT_BYTES_MAX.saturating_sub(out.len());
    let mut end = text.len().min(left);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    if has_nul(text) {
        out.reserve(end);
        text.split('\0').for_each(|part| out.push_str(part));
    } else if out.is_empty() {
        *out = text.to_owned();
    } else {
        out.push_str(text);
    }
}

/// Whether a text has a NUL. Looks at every byte, because the compiler generates vector instructions for that.
pub fn has_nul(text: &str) -> bool {
    text.bytes().fold(false, |found, byte| found | (byte == 0))
}

fn push_json(out: &mut String, value: &Value) {
    let mut written = Bounded(Vec::new());
    // The writer stops at the limit; what was written is kept.
    let _ = serde_json::to_writer(&mut written, value);
    push_bounded(out, &String::from_utf8_lossy(&written.0));
}

struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > TEXT_BYTES_MAX {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_as_text() {
        let table = [
            (json!("a\0b"), "ab"),
            (json!(5), "5"),
            (json!(1.5), "1.5"),
            (json!(true), "true"),
            (json!(null), ""),
            (json!(["a", null, "", ["b", 3]]), "a b 3"),
            (json!({"x": 1}), r#"{"x":1}"#),
            (json!({"@type": "html", "#text": "words"}), "words"),
        ];
        for (value, want) in table {
            assert_eq!(text_of(&value), want, "{value}");
            assert_eq!(borrowed_text_of(&value), want, "{value}");
        }
        assert!(matches!(borrowed_text_of(&json!("a")), Cow::Borrowed("a")));
        assert_eq!(joined([&json!("a"), &json!(2)]), "a 2");
    }

    #[test]
    fn nul_is_found_anywhere() {
        for length in [1, 7, 16, 33, 100] {
            let text = "x".repeat(length);
            assert!(!has_nul(&text));
            for place in 0..length {
                let mut odd = text.clone();
                odd.replace_range(place..=place, "\0");
                assert!(has_nul(&odd), "at {place} of {length}");
                assert_eq!(text_of(&json!(odd)).len(), length - 1);
            }
        }
        assert!(!has_nul(""));
    }

    #[test]
    fn texts_are_populated_unless_they_are_blank() {
        for (text, expected) in [
            ("", false),
            (" \t\n", false),
            ("\u{a0}", false),
            ("x", true),
            (" x", true),
            ("é", true),
            ("\u{7f}", true),
        ] {
            assert_eq!(is_populated(&json!(text)), expected, "{text:?}");
        }
    }

    #[test]
    fn finds_one_value_or_several() {
        let item = json!({"a": "x", "none": null, "blank": " ", "list": ["p", "", "q"]});
        let found = |path: &str, function| {
            let source = Source { path: path.parse().expect("a path"), function };
            look_up(&source, &item).iter().map(|value| value.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(found("a", None), ["\"x\""]);
        assert_eq!(found("list", None), [r#"["p","","q"]"#]);
        assert_eq!(found("list[*]", None), ["\"p\"", "\"q\""]);
        assert_eq!(found("list[*]", Some(Function::UrlEncode)), ["\"p\"", "\"q\""]);
        for nothing in ["none", "blank", "missing", "none[*]", "a.b"] {
            assert!(found(nothing, None).is_empty(), "{nothing}");
        }
        assert!(found("a", Some(Function::BtcConvert)).is_empty(), "not a number");
    }

    #[test]
    fn text_is_bounded() {
        let long = "é".repeat(TEXT_BYTES_MAX);
        assert_eq!(text_of(&json!(long)).len(), TEXT_BYTES_MAX);
        assert_eq!(borrowed_text_of(&json!(long)).len(), TEXT_BYTES_MAX);
        assert!(text_of(&json!([long, long, long])).len() <= TEXT_BYTES_MAX + 2);
        assert!(text_of(&json!({"a": "b", "c": long})).len() <= TEXT_BYTES_MAX);
    }
}
