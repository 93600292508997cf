//! The table of figures in the README: up to date, with an origin for every figure, and none beyond its limit.

use crate::architecture::root;
use crate::program::{run, text};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// A folder with this README and this record.
fn write_tree(readme: &str, record: &Value) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("docs")).unwrap();
    std::fs::write(folder.path().join("README.md"), readme).unwrap();
    std::fs::write(folder.path().join("docs/figures.json"), record.to_string()).unwrap();
    folder
}

fn current_files() -> (String, Value) {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let record = std::fs::read(root().join("docs/figures.json")).unwrap();
    (readme, serde_json::from_slice(&record).unwrap())
}

/// The exit code and the output of the check.
fn check(root: &Path) -> (Option<i32>, String) {
    let checked = run(root, &["docs", "--figures", "--check"]);
    (checked.status.code(), text(&checked.stderr))
}

#[test]
fn the_figures_of_the_readme_are_those_that_were_measured() {
    let (readme, record) = current_files();
    assert_eq!(check(&root()), (Some(0), String::new()));

    // Another value makes the README outdated, and the command updates it.
    let mut other = record.clone();
    other["figures"]["build_wall"]["value"] = json!(1.5);
    let tree = write_tree(&readme, &other);
    let (code, said) = check(tree.path());
    assert!(code == Some(1) && said.contains("out of date: README.md"), "{said}");
    let written = run(tree.path(), &["docs", "--figures"]);
    assert_eq!(text(&written.stdout), "wrote README.md\n", "{written:?}");
    assert_eq!(check(tree.path()), (Some(0), String::new()));
    let fresh = std::fs::read_to_string(tree.path().join("README.md")).unwrap();
    let changed = fresh.lines().zip(readme.lines()).filter(|(new, old)| new != old).count();
    assert!(fresh.contains("| 1.5 min | ≤ 10 min |"), "{fresh}");
    assert_eq!((changed, fresh.lines().count()), (1, readme.lines().count()), "one row changed");

    // A figure that was edited by hand in the README is detected too.
    let by_hand = readme.replacen("| ≤ 60 MB", "| ≤ 61 MB", 1);
    assert_ne!(by_hand, readme);
    std::fs::write(tree.path().join("README.md"), by_hand).unwrap();
    assert_eq!(check(tree.path()).0, Some(1));
}

#[test]
fn a_doctored_record_of_figures_fails_the_check() {
    type Change = fn(&mut Value);
    let table: [(Change, &str); 6] = [
        (|all| all["program_size"]["value"] = json!(60.5), "program_size is 60.5, more than 60"),
        (|all| all["build_wall"]["value"] = json!(18), "build_wall is 18, more than 10"),
        (|all| all["build_cpu"]["value"] = json!(29), "build_cpu is 29, more than 18"),
        (|all| all["merged_ratio"]["value"] = json!(0.55), "merged_ratio is 0.55, less than 0.97"),
        (|all| all["search_cpu"]["date"] = json!(""), "search_cpu has the date ''"),
        (|all| all["search_cpu"]["commit"] = json!("HEAD"), "search_cpu names the commit 'HEAD'"),
    ];
    let (readme, record) = current_files();
    for (change, expected) in table {
        let mut doctored = record.clone();
        change(&mut doctored["figures"]);
        let tree = write_tree(&readme, &doctored);
        let (code, said) = check(tree.path());
        assert!(code == Some(1) && said.contains(expected), "'{expected}' in '{said}'");
        let refused = run(tree.path(), &["docs", "--figures"]);
        assert_eq!(refused.status.code(), Some(1), "and nothing is written");
        assert_eq!(std::fs::read_to_string(tree.path().join("README.md")).unwrap(), readme);
    }
    let tree = write_tree(&readme, &record);
    std::fs::remove_file(tree.path().join("docs/figures.json")).unwrap();
    assert!(check(tree.path()).1.contains("figures.json cannot be read"), "a record is needed");
}
