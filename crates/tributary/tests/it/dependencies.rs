//! The dependencies of the crates: each is used, has a reason, and is listed in `docs/dependencies.md`.

use crate::architecture::{ARROWS, TEST_CRATES, dependencies, dependencies_of, root};
use crate::product_text::{all_text, has_word, product_text};
use cargo_metadata::DependencyKind;
use std::collections::BTreeSet;

fn page() -> String {
    std::fs::read_to_string(root().join("docs/dependencies.md")).unwrap()
}

#[test]
fn every_dependency_has_its_reason() {
    let reasons = page();
    let crates: BTreeSet<&str> = ARROWS.iter().map(|(krate, _)| *krate).collect();
    for (krate, needs) in dependencies() {
        for name in needs.iter().filter(|name| !crates.contains(name.as_str())) {
            assert!(
                reasons.contains(&format!("`{name}`")),
                "{krate} uses {name}, which docs/dependencies.md does not explain"
            );
        }
    }
}

/// The name of a crate in code.
fn in_code(name: &str) -> String {
    match name {
        "md-5" => "md5".to_owned(),
        name => name.replace('-', "_"),
    }
}

/// The dependencies that the code does not use.
fn unused<'a>(needs: &'a BTreeSet<String>, code: &str) -> Vec<&'a str> {
    needs.iter().map(String::as_str).filter(|name| !has_word(code, &in_code(name))).collect()
}

/// A dependency that only tests use is a dev-dependency.
#[test]
fn every_dependency_is_used() {
    for (krate, needs) in dependencies() {
        let idle = unused(&needs, &product_text(&root().join("crates").join(&krate).join("src"))).join(", ");
        assert!(idle.is_empty(), "{krate} does not use {idle}");
    }
    for (krate, needs) in dependencies_of(DependencyKind::Development) {
        let idle = unused(&needs, &all_text(&root().join("crates").join(&krate))).join(", ");
        assert!(idle.is_empty(), "the tests of {krate} do not use {idle}");
    }
}

#[test]
fn an_unused_dependency_is_found() {
    let needs = BTreeSet::from(["md-5", "serde", "serde_json"].map(str::to_owned));
    assert_eq!(unused(&needs, "use md5::Md5;\nuse serde_json::Value;\n"), ["serde"]);
}

#[test]
fn every_version_is_for_a_crate() {
    let manifest: toml::Table = std::fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let named: BTreeSet<String> =
        manifest["workspace"]["dependencies"].as_table().unwrap().keys().cloned().collect();
    let used: BTreeSet<String> = [DependencyKind::Normal, DependencyKind::Development]
        .into_iter()
        .flat_map(|kind| dependencies_of(kind).into_values().flatten())
        .collect();
    let idle: Vec<_> = named.difference(&used).collect();
    assert!(idle.is_empty(), "no crate names {idle:?}");
}

/// More crates than these are written as `many`.
const CRATES_NAMED_MAX: usize = 6;

#[test]
fn the_page_names_the_crates() {
    let page = page();
    let (_, program) = page.split_once("## In the program").unwrap();
    let (program, rest) = program.split_once("## In tests only").unwrap();
    let (tests_only, _) = rest.split_once("## Not taken").unwrap();
    let crates = dependencies();
    let takers = |name: &str| -> BTreeSet<&str> {
        crates.iter().filter(|(_, needs)| needs.contains(name)).map(|(krate, _)| krate.as_str()).collect()
    };
    let mut rows = 0;
    for (names, told) in program.lines().filter_map(row) {
        for name in names {
            let found = takers(name);
            assert!(!found.is_empty(), "{name} has a reason, but no crate takes it");
            match told {
                "many" => assert!(found.len() > CRATES_NAMED_MAX, "{name}: name them, {found:?}"),
                told if told.starts_with("all") => {}
                told => assert_eq!(told.split(", ").collect::<BTreeSet<_>>(), found, "the crates of {name}"),
            }
            rows += 1;
        }
    }
    assert!(rows > 50, "{rows} rows");
    for (names, _) in tests_only.lines().filter_map(row) {
        for name in names {
            let others: Vec<_> =
                takers(name).into_iter().filter(|krate| !TEST_CRATES.contains(krate)).collect();
            assert!(others.is_empty(), "{name} is said to be for tests only: {others:?}");
        }
    }
}

/// The names in the first cell of a table row, and the second cell.
fn row(line: &str) -> Option<(Vec<&str>, &str)> {
    let mut cells = line.strip_prefix("| `")?.split(" | ");
    let names = cells.next()?.split(", ").map(|name| name.trim_matches('`')).collect();
    Some((names, cells.next()?))
}

/// The default program has every feature, and the page lists what can be left out.
#[test]
fn every_feature_is_built_in_and_documented() {
    let manifest = std::fs::read_to_string(root().join("crates/tributary/Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let features = manifest["features"].as_table().unwrap();
    let default: Vec<&str> =
        features["default"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let all: Vec<&str> = features.keys().map(String::as_str).filter(|name| *name != "default").collect();
    assert_eq!(default, all);
    let releasing = std::fs::read_to_string(root().join("docs/releasing.md")).unwrap();
    let (_, section) = releasing.split_once("### Features").unwrap();
    let (section, _) = section.split_once("\n#").unwrap();
    for name in all {
        assert!(section.contains(&format!("`{name}`")), "docs/releasing.md does not name the feature {name}");
    }
}
