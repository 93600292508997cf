//! Parses the configuration of vector store providers: server, collection, fields and fixed parts of the query.

use crate::shared::http_check::{web_address, without_blanks_to_fill};
use domain::ports::ConnectorError;
use domain::provider::SearchProvider;
use serde_json::{Map, Value};
use syntax::query_mappings::QueryMappings;

const NAME_CHARS_MAX: usize = 255;
/// Most fields per document.
const FIELDS_MAX: usize = 100;

/// A valid address, once its placeholders are filled in.
pub fn server(address: &str) -> Result<String, ConnectorError> {
    let address = address.trim();
    web_address(&without_blanks_to_fill(address)).map_err(|error| ConnectorError::of_syntax("url", error))?;
    Ok(address.to_owned())
}

/// A name for a path segment or a JSON string.
pub fn path_name(key: &str, value: &str) -> Result<String, ConnectorError> {
    let value = value.trim();
    let is_name = !matches!(value, "" | "." | "..")
        && value.chars().count() <= NAME_CHARS_MAX
        && !value.contains(|c: char| c.is_control() || matches!(c, '/' | '\\' | '?' | '#'));
    is_name.then(|| value.to_owned()).ok_or_else(|| mapping(format!("{key} is not a name.")))
}

/// A name for a query language document: ASCII alphanumeric characters and `_` only.
pub fn word(key: &str, value: &str) -> Result<String, ConnectorError> {
    let value = value.trim();
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_word = value.starts_with(is_first)
        && value.len() <= NAME_CHARS_MAX
        && value.chars().all(|c| is_first(c) || c.is_ascii_digit());
    let sentence = || {
        mapping(format!(
            "{key} may contain only alphanumeric characters and _, and must not begin with a digit."
        ))
    };
    is_word.then(|| value.to_owned()).ok_or_else(sentence)
}

/// `fields=title body url`: names separated by spaces, because a comma ends the mapping.
pub fn list(mappings: &QueryMappings, key: &str) -> Result<Vec<String>, ConnectorError> {
    let names = mappings.get(key).unwrap_or_default().split_whitespace();
    let names = names.map(|name| word(key, name)).collect::<Result<Vec<_>, _>>()?;
    if names.len() > FIELDS_MAX {
        return Err(mapping(format!("{key}: at most {FIELDS_MAX} names are allowed.")));
    }
    Ok(names)
}

/// `query_template_json`: members added to every query, limited to `allowed`.
pub fn extras(provider: &SearchProvider, allowed: &[&str]) -> Result<Map<String, Value>, ConnectorError> {
    let template = &provider.spec.query_template_json;
    match template.keys().find(|key| !allowed.contains(&key.as_str())) {
        None => Ok(template.clone()),
        Some(unknown) => {
            let sentence = match allowed {
                [] => format!("'{unknown}' is not supported; it must be empty."),
                _ => format!("'{unknown}' is not supported. Supported: {}.", allowed.join(", ")),
            };
            Err(ConnectorError::in_field("query_template_json", sentence))
        }
    }
}

fn mapping(sentence: String) -> ConnectorError {
    ConnectorError::in_field("query_mappings", sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        for (name, is_path, is_word) in [
            ("rivers", true, true),
            ("_my_2", true, true),
            ("my rivers-2.x", true, false),
            ("<your-collection>", true, false),
            ("2rivers", true, false),
            ("a{b}", true, false),
            ("", false, false),
            ("..", false, false),
            ("a/b", false, false),
            ("a?b", false, false),
            ("a\nb", false, false),
        ] {
            assert_eq!(path_name("collection", name).is_ok(), is_path, "{name:?}");
            assert_eq!(word("class", name).is_ok(), is_word, "{name:?}");
        }
        assert!(path_name("x", &"x".repeat(NAME_CHARS_MAX)).is_ok());
        assert!(path_name("x", &"x".repeat(NAME_CHARS_MAX + 1)).is_err());
        assert!(word("x", &"x".repeat(NAME_CHARS_MAX + 1)).is_err());
    }

    #[test]
    fn fields_are_a_list() {
        let fields = |text: &str| list(&QueryMappings::parse(text).expect("mappings"), "fields");
        assert_eq!(fields("fields=title  body").expect("names"), ["title", "body"]);
        assert!(fields("").expect("none").is_empty());
        assert!(fields("fields=title {x}").is_err());
        assert!(fields(&format!("fields={}", "a ".repeat(FIELDS_MAX))).is_ok());
        assert!(fields(&format!("fields={}", "a ".repeat(FIELDS_MAX + 1))).is_err());
    }

    #[test]
    fn a_server_may_have_blanks() {
        for (address, is_good) in [
            ("https://<your-host>:6333", true),
            (" http://127.0.0.1:8000/base ", true),
            ("qdrant.example", false),
            ("ftp://qdrant.example", false),
            ("https://user:secret@qdrant.example", false),
        ] {
            assert_eq!(server(address).is_ok(), is_good, "{address}");
        }
    }
}
