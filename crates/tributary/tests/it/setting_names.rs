//! Names of settings: every setting is read by code, and every name in code and documents exists.

use crate::architecture::{TEST_CRATES, root};
use crate::product_text::{has_word, product_text, texts};
use domain::settings::Settings;
use std::collections::BTreeSet;
use std::path::Path;

const TABLE: &str = "crates/domain/src/settings";
/// Variables that tell tests which servers are running.
const OF_TESTS: &str = "SVC_TEST_";
/// Files in which people read names of settings. Decision records may name former ones.
const READ_BY_PEOPLE: [&str; 7] =
    ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "docs", "web", "config", "deploy"];

/// The field of each row of the settings table.
fn fields() -> Vec<String> {
    let text = std::fs::read_to_string(root().join(TABLE).join("table.rs")).unwrap();
    let rows = text.lines().filter(|line| line.ends_with("\";") || line.ends_with("\", plugins;"));
    rows.filter_map(|line| Some(line.trim().split_once(": ")?.0.to_owned())).collect()
}

#[test]
fn every_setting_is_read() {
    let fields = fields();
    assert_eq!(fields.len(), Settings::TABLE.len(), "{fields:?}");
    // The validation of the table itself is not a use of a setting.
    let crates = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let text: String = crates
        .filter(|krate| !TEST_CRATES.iter().any(|name| krate.ends_with(name)))
        .map(|krate| {
            if krate.ends_with("domain") {
                product_text(&krate.join("src")).replace(&product_text(&root().join(TABLE)), "")
            } else {
                product_text(&krate.join("src"))
            }
        })
        .collect();
    // A chain of calls may be split before any of its dots.
    let text: String = text
        .lines()
        .map(str::trim)
        .flat_map(|line| [if line.starts_with('.') { "" } else { "\n" }, line])
        .collect();
    let is_read = |field: &str| has_word(&text, &format!("settings.{field}"));
    let idle: Vec<_> = fields.iter().filter(|field| !is_read(field)).collect();
    assert!(idle.is_empty(), "nothing reads {idle:?}");
}

/// The words that look like names of settings.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'));
    parts.filter(|part| part.starts_with("SVC_") && part.len() > "SVC_".len())
}

#[test]
fn every_setting_that_is_named_is_there() {
    let known: BTreeSet<&str> = Settings::TABLE.iter().map(|row| row.name).collect();
    let is_right = |name: &str| known.contains(name.trim_end_matches('_')) || name.starts_with(OF_TESTS);
    let mut count = 0;
    let mut check = |place: &str, text: &str| {
        for name in names(text) {
            assert!(is_right(name), "{place} names {name}, which is no setting");
            count += 1;
        }
    };
    for place in READ_BY_PEOPLE {
        for (path, text) in texts(&root().join(place), &|path: &Path| !path.ends_with("decisions")) {
            check(&path.display().to_string(), &text);
        }
    }
    for krate in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = krate.unwrap().path().join("src");
        check(&folder.display().to_string(), &product_text(&folder));
    }
    assert!(count > 500, "{count} names");
}
