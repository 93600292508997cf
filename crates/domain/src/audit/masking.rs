//! Masking of secrets in audit entries, by the names of fields and by their position in texts.

use crate::inline_secrets::{self, is_secret_parameter};
use crate::secret::{MASK, Secret};
use serde_json::{Map, Value};

/// Every value in these fields may be a secret, except for the named ones.
const SECRET_MAPS: [(&str, &[&str]); 2] =
    [("http_request_headers", &[]), ("page_fetch_config_json", &PAGE_FETCH_PLAIN)];
const PAGE_FETCH_PLAIN: [&str; 7] =
    ["cache", "content_url", "fallback", "mimetype_path", "mimetype_url", "mimetype_whitelist", "timeout"];

/// The value of a field as it is logged.
pub(super) fn masked(name: &str, value: &Value) -> Value {
    // A number of tokens is not a secret.
    let is_count = value.is_number() && name.ends_with("_tokens");
    if !is_count && is_secret_parameter(name) {
        return hidden(name, value);
    }
    if let Some((_, plain)) = SECRET_MAPS.iter().find(|(map, _)| *map == name) {
        return hidden_except(plain, name, value);
    }
    match value {
        Value::String(text) => Value::String(inline_secrets::mask(text)),
        Value::Array(list) => Value::Array(list.iter().map(|one| masked(name, one)).collect()),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| (name.clone(), masked(name, value));
            Value::Object(fields.iter().map(field).collect::<Map<String, Value>>())
        }
        plain => plain.clone(),
    }
}

/// Keys stay readable, to show which headers or parts of the credentials exist.
fn hidden(name: &str, value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        Value::String(text) if text.is_empty() => value.clone(),
        Value::String(text) if name == "credentials" => Value::String(Secret::new(text.as_str()).masked()),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| (key.clone(), hidden(name, value));
            Value::Object(fields.iter().map(field).collect::<Map<String, Value>>())
        }
        Value::Array(list) if list.is_empty() => value.clone(),
        Value::String(_) | Value::Number(_) | Value::Array(_) => Value::String(MASK.to_owned()),
    }
}

/// Texts of plain fields are masked as anywhere else.
fn hidden_except(plain: &[&str], name: &str, value: &Value) -> Value {
    let Value::Object(fields) = value else { return hidden(name, value) };
    let field = |(key, value): (&String, &Value)| {
        let shown = if plain.contains(&key.as_str()) { masked(key, value) } else { hidden(name, value) };
        (key.clone(), shown)
    };
    Value::Object(fields.iter().map(field).collect::<Map<String, Value>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_hidden_by_the_names_of_fields() {
        let cases = [
            ("credentials", json!("key=abc,other"), json!("key=••••,••••")),
            ("credentials", json!(""), json!("")),
            ("password", json!("$argon2id$abc"), json!("••••")),
            ("http_request_headers", json!({"X-One": "abc"}), json!({"X-One": "••••"})),
            (
                "page_fetch_config_json",
                json!({"cache": "true", "timeout": 5, "headers": {"X-One": "abc"}, "x.example": {"a": "abc"},
                    "content_url": "https://a.example/{id}?api_key=abc", "mimetype_whitelist": ["text/html"]}),
                json!({"cache": "true", "timeout": 5, "headers": {"X-One": "••••"}, "x.example": {"a": "••••"},
                    "content_url": "https://a.example/{id}?api_key=••••", "mimetype_whitelist": ["text/html"]}),
            ),
            ("page_fetch_config_json", json!("abc"), json!("••••")),
            ("eval_credentials", json!("session[abc]"), json!("••••")),
            (
                "config",
                json!({"swirl": {"api_key": "abc", "rate": "1/minute", "apiToken": 7}}),
                json!({"swirl": {"api_key": "••••", "rate": "1/minute", "apiToken": "••••"}}),
            ),
            ("config", json!({"list": [{"Password": "abc"}]}), json!({"list": [{"Password": "••••"}]})),
            ("config", json!({"max_tokens": 500, "token": 7}), json!({"max_tokens": 500, "token": "••••"})),
            ("tags", json!(["a", "keyboard"]), json!(["a", "keyboard"])),
            ("active", json!(true), json!(true)),
        ];
        for (name, value, expected) in cases {
            assert_eq!(masked(name, &value), expected, "{name} {value}");
        }
    }

    #[test]
    fn secrets_are_hidden_in_texts() {
        let cases = [
            ("postgres://me:abc@host:5432/db?x=1", "postgres://me:••••@host:5432/db?x=1"),
            ("https://host/@me:x?q=1", "https://host/@me:x?q=1"),
            ("a http://u:p@h/ b ftp://v:w@h", "a http://u:••••@h/ b ftp://v:••••@h"),
            ("{url}?q={query_string}&api_key=abc&n=2", "{url}?q={query_string}&api_key=••••&n=2"),
            ("{url}?key={key}&q={query_string}", "{url}?key={key}&q={query_string}"),
            ("key=abc,DATE_SORT=sort=date", "key=••••,DATE_SORT=sort=date"),
            ("monkey=abc", "monkey=abc"),
            ("access_token=abc==", "access_token=••••"),
            ("=", "="),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(masked("url", &json!(text)), json!(expected), "{text}");
        }
    }
}
