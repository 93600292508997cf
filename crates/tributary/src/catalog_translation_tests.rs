//! Translation coverage of the texts that tables declare: `@catalog` of each file of `web/words/` has exactly these.

use crate::app::PLUGINS;
use crate::bundled_providers;
use domain::settings::{SettingOrigin, Settings};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fs;

const WORDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/words");

/// The descriptions of settings and ready-made sources, and the summaries of plug-ins.
fn declared_texts() -> BTreeSet<String> {
    let rows = Settings::TABLE.iter();
    let settings = rows.flat_map(|row| [row.meaning(), row.kind.to_owned()]);
    let origins = SettingOrigin::ALL.into_iter().map(|origin| origin.as_str().to_owned());
    let ready_sources = bundled_providers::all().expect("ready-made sources");
    let ready_sources = ready_sources.into_iter().map(|source| source.spec.description);
    let connectors = PLUGINS.connectors.iter().map(|kind| kind.summary);
    let query = PLUGINS.query_processors.iter().map(|kind| kind.summary);
    let result = PLUGINS.result_processors.iter().map(|kind| kind.summary);
    let post_result = PLUGINS.post_result_processors.iter().map(|kind| kind.summary);
    let mixers = PLUGINS.mixers.iter().map(|kind| kind.summary);
    let plugins = connectors.chain(query).chain(result).chain(post_result).chain(mixers).map(str::to_owned);
    settings.chain(origins).chain(ready_sources).chain(plugins).collect()
}

/// The catalog of each language, by the name of its file.
fn catalogs() -> Vec<(String, Map<String, Value>)> {
    let catalog = |entry: fs::DirEntry| {
        let file: Value = serde_json::from_slice(&fs::read(entry.path()).expect("a file")).expect("JSON");
        let catalog = file["@catalog"].as_object().cloned().unwrap_or_default();
        (entry.file_name().to_string_lossy().into_owned(), catalog)
    };
    fs::read_dir(WORDS).expect("a folder").map(|entry| catalog(entry.expect("an entry"))).collect()
}

/// Names in a text that no language translates: in backticks, in angle brackets, of settings, and with underscores.
fn names(text: &str) -> BTreeSet<&str> {
    let code = text.split('`').skip(1).step_by(2);
    let is_name = |word: &str| word.contains('_') || (word.starts_with('<') && word.ends_with('>'));
    let words = text.split(|c: char| !(c.is_alphanumeric() || "_<>-".contains(c)));
    code.chain(words.filter(|word| is_name(word))).collect()
}

#[test]
fn every_text_of_a_table_is_translated_and_no_translation_is_unused() {
    let declared = declared_texts();
    assert!(declared.len() > 250, "only {} texts were found", declared.len());
    let catalogs = catalogs();
    assert!(catalogs.len() >= 2, "only {} languages were found", catalogs.len());
    for (file, catalog) in catalogs {
        let missing: Vec<_> = declared.iter().filter(|text| !catalog.contains_key(*text)).collect();
        assert!(missing.is_empty(), "@catalog of {file} lacks {}: {missing:#?}", missing.len());
        let unused: Vec<_> = catalog.keys().filter(|text| !declared.contains(*text)).collect();
        assert!(unused.is_empty(), "@catalog of {file} has unused texts: {unused:#?}");
    }
}

#[test]
fn translations_have_the_same_names() {
    for (file, catalog) in catalogs() {
        for (text, translation) in &catalog {
            let translation = translation.as_str().unwrap_or_default();
            assert!(!translation.trim().is_empty(), "{file}: {text}");
            assert_eq!(names(translation), names(text), "{file}: {text}: {translation}");
        }
    }
}
