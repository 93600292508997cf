//! The documents that scripts load from the file of a language: `words/<code>.json` on every page,
//! `words/<code>.console.json` in the console, and `words/<code>.catalog.json` where texts of tables are shown.

use super::call_texts::{CALLS, call_texts};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

const FOLDER: &str = "words/";
const ENDING: &str = ".json";
const FORMAT: &str = "@language";
pub const CATALOG: &str = "@catalog";
/// The scripts that only the console loads.
const CONSOLE_SCRIPTS: &str = "static/js/admin/";

/// Whether pages outside of the console show the text in scripts.
pub fn is_of_pages(name: &str) -> bool {
    name.starts_with("static/js/") && name.ends_with(".js") && !name.starts_with(CONSOLE_SCRIPTS)
}

/// The texts that these scripts translate. A test makes sure that they can be found.
pub fn texts_of_scripts(scripts: impl Iterator<Item = String>) -> BTreeSet<String> {
    scripts.flat_map(|code| call_texts(&code, CALLS).unwrap_or_default()).collect()
}

/// The file with the document of this name, such as `words/de.json` for `words/de.catalog.json`.
pub fn file_of(document: &str) -> Option<String> {
    let name = document.strip_prefix(FOLDER)?.strip_suffix(ENDING)?;
    let code = name.split('.').next()?;
    Some(format!("{FOLDER}{code}{ENDING}"))
}

/// The documents of a language by their names; none if the file is not an object. Texts that are not of pages are in
/// the document of the console.
pub fn split(file: &str, json: &[u8], is_page_text: impl Fn(&str) -> bool) -> BTreeMap<String, Vec<u8>> {
    let Some(code) = file.strip_prefix(FOLDER).and_then(|name| name.strip_suffix(ENDING)) else {
        return BTreeMap::new();
    };
    let Ok(mut texts) = serde_json::from_slice::<Map<String, Value>>(json) else { return BTreeMap::new() };
    texts.shift_remove(FORMAT);
    let catalog = match texts.shift_remove(CATALOG) {
        Some(Value::Object(catalog)) => catalog,
        _ => Map::new(),
    };
    // The other forms of a plural have the key of the text and a category, such as `{n} results|few`.
    let (pages, console): (Map<_, _>, Map<_, _>) =
        texts.into_iter().partition(|(key, _)| is_page_text(key.split('|').next().unwrap_or_default()));
    let document = |name: &str, texts: Map<String, Value>| {
        (format!("{FOLDER}{code}{name}{ENDING}"), Value::Object(texts).to_string().into_bytes())
    };
    [document("", pages), document(".console", console), document(".catalog", catalog)].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_has_three_documents() {
        let json = br#"{"@language": {"name": "Test"}, "@catalog": {"The port.": "Port"}, "Search": "S", "Save": "V",
            "{n} results": "{n}", "{n} results|few": "{n} few"}"#;
        let scripts = [r#"t("Search"); tn("1 result", "{n} results", n)"#.to_owned(), "t('odd')".to_owned()];
        let texts = texts_of_scripts(scripts.into_iter());
        let found = split("words/xx-YY.json", json, |text| texts.contains(text));
        let expected = [
            ("words/xx-YY.catalog.json", r#"{"The port.":"Port"}"#),
            ("words/xx-YY.console.json", r#"{"Save":"V"}"#),
            ("words/xx-YY.json", r#"{"Search":"S","{n} results":"{n}","{n} results|few":"{n} few"}"#),
        ];
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(name, json)| (name.as_str(), std::str::from_utf8(json).unwrap_or_default()))
            .collect();
        assert_eq!(found, expected);
        for (name, _) in expected {
            assert_eq!(file_of(name).as_deref(), Some("words/xx-YY.json"), "{name}");
        }
        assert_eq!(file_of("words/xx"), None);
        assert!(split("words/xx.json", b"[]", |_| true).is_empty());
        assert!(is_of_pages("static/js/search/main.js"));
        for name in ["static/js/admin/logs.js", "static/tributary.css", "words/de.json"] {
            assert!(!is_of_pages(name), "{name}");
        }
    }
}
