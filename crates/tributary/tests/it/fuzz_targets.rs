//! The fuzz targets in `fuzz/`: each has a binary, committed inputs, and a check that passes on them.

use crate::architecture::root;
use std::collections::BTreeSet;
use std::path::PathBuf;

#[path = "../../../../fuzz/src/checks/mod.rs"]
mod checks;

/// The inputs are seeds and need not cover everything.
const CORPUS_BYTES_MAX: usize = 200 * 1024;

fn names(folder: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(root().join("fuzz").join(folder)).unwrap();
    entries
        .map(|entry| {
            PathBuf::from(entry.unwrap().file_name()).file_stem().unwrap().to_string_lossy().into_owned()
        })
        .collect()
}

fn inputs(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(root().join("fuzz/corpus").join(target)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}

#[test]
fn every_target_is_built_and_has_inputs_and_a_check() {
    let targets = names("fuzz_targets");
    let manifest = std::fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let field = |binary: &toml::Value, name: &str| binary[name].as_str().unwrap().to_owned();
    let binaries: BTreeSet<(String, String)> = manifest["bin"]
        .as_array()
        .unwrap()
        .iter()
        .map(|binary| (field(binary, "name"), field(binary, "path")))
        .collect();
    let expected: BTreeSet<(String, String)> =
        targets.iter().map(|name| (name.clone(), format!("fuzz_targets/{name}.rs"))).collect();
    assert_eq!(binaries, expected, "fuzz/Cargo.toml has a [[bin]] for each file in fuzz/fuzz_targets");
    let checked: BTreeSet<String> = checks::CHECKS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(checked, targets, "CHECKS has a row for each file in fuzz/fuzz_targets");
    assert_eq!(names("corpus"), targets, "fuzz/corpus has a folder for each target, and no other");
    for target in &targets {
        assert!(!inputs(target).is_empty(), "fuzz/corpus/{target} needs an input");
        let path = root().join(format!("fuzz/fuzz_targets/{target}.rs"));
        let calls = format!("checks::{target}::check(");
        assert!(std::fs::read_to_string(path).unwrap().contains(&calls), "{target} calls its own check");
    }
}

#[test]
fn committed_inputs_are_small_and_pass_their_checks() {
    let mut bytes = 0;
    for (target, check) in checks::CHECKS {
        for (path, input) in inputs(target) {
            // A failure shows its input.
            eprintln!("{}", path.display());
            check(&input);
            bytes += input.len();
        }
    }
    assert!(bytes <= CORPUS_BYTES_MAX, "{bytes} bytes of inputs; keep few and small ones");
}
