//! Translation coverage: every text of the templates, scripts and Rust code is translated into each language, and no
//! translation is unused.

use super::i18n::LANGUAGES;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web");
const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/ui");
/// The translation code itself contains no texts.
const TRANSLATORS: &[&str] = &["js/i18n.js", "ui/i18n.rs", "ui/i18n_coverage_tests.rs"];

/// Calls with texts: the name of the function, and which of its literals are texts.
const CALLS: &[(&str, &[usize])] = &[("t", &[0]), ("tn", &[0, 1])];
/// The table of console pages has the title and the group after the path.
const CONSOLE_CALLS: &[(&str, &[usize])] = &[("t", &[0]), ("page", &[1, 2])];
/// Keys with texts in a declared resource and its groups, columns, filters and fields.
const DECLARED: &[&str] = &["singular", "about", "label", "title", "help"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Every text, with a file that uses it.
fn texts_in_use() -> BTreeMap<String, PathBuf> {
    let mut sources = Vec::new();
    for folder in [format!("{WEB}/templates"), format!("{WEB}/static/js"), PAGES.to_owned()] {
        files(Path::new(&folder), &mut sources);
    }
    let mut texts = BTreeMap::new();
    for path in sources {
        let text = fs::read_to_string(&path).expect("a text");
        if TRANSLATORS.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let calls = if path.extension().is_some_and(|end| end == "rs") { CONSOLE_CALLS } else { CALLS };
        for sentence in sentences(&text, calls).unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()))
        {
            texts.insert(sentence, path.clone());
        }
    }
    let document = crate::openapi_json().expect("the document of the API");
    let mut sentences = Vec::new();
    for resource in super::admin::declared_resources(document.as_bytes()) {
        collect_declared(resource, &mut sentences);
    }
    texts.extend(sentences.into_iter().map(|sentence| (sentence, PathBuf::from("a declared resource"))));
    texts
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

/// The literals of all calls in a file. A literal in other quotes is an error, because it would be overlooked.
fn sentences(text: &str, calls: &[(&str, &[usize])]) -> Result<Vec<String>, String> {
    let is_comment = |line: &&str| ["//", "*", "/*"].iter().any(|mark| line.trim_start().starts_with(mark));
    let text = text.lines().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for (name, wanted) in calls {
        for (place, _) in text.match_indices(&format!("{name}(")) {
            let before = text[..place].chars().next_back().unwrap_or(' ');
            if before.is_alphanumeric() || "_.$".contains(before) {
                continue;
            }
            let literals = literals(&text[place + name.len() + 1..])?;
            found.extend(
                wanted.iter().filter_map(|at| literals.get(*at)).filter(|one| !one.is_empty()).cloned(),
            );
        }
    }
    Ok(found)
}

/// The consecutive literals at the start of the arguments.
fn literals(arguments: &str) -> Result<Vec<String>, String> {
    let mut rest = arguments.trim_start();
    let mut found = Vec::new();
    if rest.starts_with(['\'', '`']) {
        return Err(format!("use double quotes: {}", rest.chars().take(60).collect::<String>()));
    }
    while let Some(inside) = rest.strip_prefix('"') {
        let Some((literal, after)) = literal(inside) else { break };
        found.push(literal);
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None => break,
        }
    }
    Ok(found)
}

/// The text up to the closing quote, and the rest.
fn literal(inside: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut chars = inside.char_indices();
    while let Some((place, c)) = chars.next() {
        match c {
            '"' => return Some((text, &inside[place + 1..])),
            '\\' => text.push(chars.next()?.1),
            _ => text.push(c),
        }
    }
    None
}

/// The names in braces.
fn placeholders(sentence: &str) -> BTreeSet<&str> {
    sentence.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

fn translated(code: &str) -> BTreeMap<String, String> {
    let file = fs::read(format!("{WEB}/words/{code}.json")).expect("the words of a language");
    serde_json::from_slice(&file).expect("sentences by sentences")
}

#[test]
fn every_text_is_translated_and_no_translation_is_unused() {
    let texts_in_use = texts_in_use();
    assert!(texts_in_use.len() > 100, "only {} sentences were found", texts_in_use.len());
    for language in &LANGUAGES[1..] {
        let words = translated(language.code);
        let missing: Vec<_> =
            texts_in_use.iter().filter(|(sentence, _)| !words.contains_key(*sentence)).collect();
        assert!(missing.is_empty(), "{} lacks {}: {missing:#?}", language.code, missing.len());
        let idle: Vec<_> = words.keys().filter(|sentence| !texts_in_use.contains_key(*sentence)).collect();
        assert!(idle.is_empty(), "{} has unused texts: {idle:#?}", language.code);
    }
}

#[test]
fn translations_have_the_same_placeholders_and_are_not_empty() {
    for language in &LANGUAGES[1..] {
        for (sentence, translation) in translated(language.code) {
            assert_eq!(placeholders(&sentence), placeholders(&translation), "{sentence}: {translation}");
            assert!(!translation.trim().is_empty(), "{sentence}");
        }
    }
}

#[test]
fn texts_are_found_in_calls() {
    let table: &[(&str, &[&str])] = &[
        (r#"{{ t("Sign in") }}"#, &["Sign in"]),
        (r#"{{ t("Menu for {user}", user=context.user) }}"#, &["Menu for {user}"]),
        ("t(\n  \"On its own line\",\n)", &["On its own line"]),
        (r#"tn("1 result", "{n} results", count)"#, &["1 result", "{n} results"]),
        (r#"a ? t("one") : t("two")"#, &["one", "two"]),
        (r#"t("a \"quoted\" word")"#, &["a \"quoted\" word"]),
        (r#"const x = set("no"); list.t("no"); it("no"); t(name)"#, &[]),
        ("// t(\"a comment\")\n * t(\"another\")", &[]),
    ];
    for (text, expected) in table {
        assert_eq!(sentences(text, CALLS).expect("double quotes"), *expected, "{text}");
    }
    let pages =
        sentences(r#"page("logs", "Logs", "System"), page("dashboard", "Dashboard", "")"#, CONSOLE_CALLS);
    assert_eq!(pages.expect("double quotes"), ["Logs", "System", "Dashboard"]);
    for text in ["t('single')", "t(`back`)"] {
        assert!(sentences(text, CALLS).is_err(), "{text}");
    }
}
