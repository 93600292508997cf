//! Translation coverage: every text of the templates, scripts and Rust code is translated into each language of
//! `web/words/`, and no translation is unused. The texts of tables are checked in the crate `tributary`.

use super::i18n::call_texts::{CALLS, Call, call_texts};
use super::i18n::documents::CATALOG;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web");
const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/ui");
/// The translation code itself contains no texts.
const TRANSLATORS: &[&str] =
    &["js/i18n.js", "i18n/call_texts.rs", "i18n/documents.rs", "i18n/mod.rs", "ui/i18n_coverage_tests.rs"];

/// The table of console pages has titles, those of the pages after the slug and the address.
const CONSOLE_CALLS: &[Call] = &[("t", &[0]), ("section", &[0]), ("page", &[2]), ("user_page", &[1])];
/// Keys with texts in a declared resource and its groups, columns, filters and fields.
const DECLARED: &[&str] = &["singular", "about", "label", "title", "help"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// The texts that are translated.
#[derive(Default)]
struct TextsInUse {
    /// Each with a file that uses it.
    all: BTreeMap<String, PathBuf>,
    /// The texts for one and for many; the first may be used without a count too.
    singulars: BTreeSet<String>,
    plurals: BTreeSet<String>,
    without_count: BTreeSet<String>,
}

impl TextsInUse {
    /// The keys that a language with these plural categories needs.
    fn keys(&self, categories: &[String]) -> BTreeMap<String, PathBuf> {
        let mut keys = self.all.clone();
        for category in categories.iter().filter(|category| *category != "one") {
            for text in &self.plurals {
                keys.insert(format!("{text}|{category}"), self.all[text].clone());
            }
        }
        keys
    }

    /// The placeholders that a translation must have. For one, languages may spell the count out or not.
    fn placeholders<'a>(&self, key: &'a str, text: &'a str) -> BTreeSet<&'a str> {
        let mut found = placeholders(text);
        if self.singulars.contains(key) && !self.without_count.contains(key) {
            found.remove("n");
        }
        found
    }
}

fn texts_in_use() -> TextsInUse {
    let mut sources = Vec::new();
    for folder in [format!("{WEB}/templates"), format!("{WEB}/static/js"), PAGES.to_owned()] {
        files(Path::new(&folder), &mut sources);
    }
    let mut found = TextsInUse::default();
    for path in sources {
        let text = fs::read_to_string(&path).expect("a text");
        if TRANSLATORS.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let calls = if path.extension().is_some_and(|end| end == "rs") { CONSOLE_CALLS } else { CALLS };
        let read =
            |calls| call_texts(&text, calls).unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
        found.all.extend(read(calls).into_iter().map(|sentence| (sentence, path.clone())));
        found.without_count.extend(read(&[("t", &[0])]));
        found.singulars.extend(read(&[("tn", &[0])]));
        found.plurals.extend(read(&[("tn", &[1])]));
    }
    let document = crate::openapi_json().expect("the document of the API");
    let mut sentences = Vec::new();
    for resource in super::admin::declared_resources(document.as_bytes()) {
        collect_declared(resource, &mut sentences);
    }
    found.all.extend(sentences.into_iter().map(|sentence| (sentence, PathBuf::from("a declared resource"))));
    found
}

/// Collects the texts of declared resources.
fn collect_declared(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_declared(item, found)),
        Value::Object(fields) => {
            for (name, inside) in fields {
                match inside.as_str() {
                    Some(text) if DECLARED.contains(&name.as_str()) && !text.is_empty() => {
                        found.push(text.to_owned())
                    }
                    _ => collect_declared(inside, found),
                }
            }
        }
        _ => {}
    }
}

/// The names in braces.
fn placeholders(sentence: &str) -> BTreeSet<&str> {
    sentence.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

/// The file of a language.
struct Words {
    name: String,
    plural_categories: Vec<String>,
    translations: BTreeMap<String, String>,
}

fn languages() -> Vec<Words> {
    let mut paths = Vec::new();
    files(Path::new(&format!("{WEB}/words")), &mut paths);
    paths.iter().map(|path| words(path)).collect()
}

fn words(path: &Path) -> Words {
    let mut file: BTreeMap<String, Value> =
        serde_json::from_slice(&fs::read(path).expect("a file")).expect("an object");
    let format = file.remove("@language").unwrap_or_default();
    // A test of the program, which has all the tables, checks their texts.
    file.remove(CATALOG);
    let plurals = format["plurals"].as_object().cloned().unwrap_or_default();
    let translations =
        file.into_iter().map(|(key, text)| (key, text.as_str().unwrap_or_default().to_owned()));
    Words {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        plural_categories: plurals.keys().cloned().collect(),
        translations: translations.collect(),
    }
}

#[test]
fn every_text_is_translated_and_no_translation_is_unused() {
    let texts_in_use = texts_in_use();
    assert!(texts_in_use.all.len() > 100, "only {} sentences were found", texts_in_use.all.len());
    let languages = languages();
    assert!(languages.len() >= 2, "only {} languages were found", languages.len());
    for Words { name, plural_categories, translations } in languages {
        let keys = texts_in_use.keys(&plural_categories);
        let missing: Vec<_> = keys.iter().filter(|(key, _)| !translations.contains_key(*key)).collect();
        assert!(missing.is_empty(), "{name} lacks {}: {missing:#?}", missing.len());
        let idle: Vec<_> = translations.keys().filter(|key| !keys.contains_key(*key)).collect();
        assert!(idle.is_empty(), "{name} has unused texts: {idle:#?}");
    }
}

#[test]
fn translations_have_the_same_placeholders_and_are_not_empty() {
    let texts_in_use = texts_in_use();
    for Words { name, translations, .. } in languages() {
        for (key, translation) in translations {
            let expected = texts_in_use.placeholders(&key, &key);
            assert_eq!(
                texts_in_use.placeholders(&key, &translation),
                expected,
                "{name}: {key}: {translation}"
            );
            assert!(!translation.trim().is_empty(), "{name}: {key}");
        }
    }
}

#[test]
fn titles_of_console_pages_are_found() {
    let pages = call_texts(
        r#"section("System", &[page("logs", "/admin/logs/", "Logs"), user_page("/egress/", "Sent outside")])"#,
        CONSOLE_CALLS,
    );
    assert_eq!(pages.expect("double quotes"), ["System", "Logs", "Sent outside"]);
}
