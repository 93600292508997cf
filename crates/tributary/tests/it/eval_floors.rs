//! The required quality of the merged list on judged collections: at least 0.97 of one central BM25 index by nDCG@10.

use crate::eval::{check, json};
use crate::program::run;
use std::path::Path;

const FLOOR: f64 = 0.97;
/// Ten topical sources with different engines that share a third of their documents, as in the README.
const RECIPE: [&str; 6] = ["--split", "topical", "--overlap", "0.3", "--unlike", "--json"];

/// Runs every `step`-th query of the collection.
fn hold_floor(name: &str, step: usize, queries: u64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/eval/collections").join(name);
    let Ok(collection) = folder.canonicalize() else {
        testkit::skip(
            "the floor of the merged list",
            &format!("the {name} collection is not beside this tree"),
        );
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let all = std::fs::read_to_string(collection.join("queries.jsonl")).unwrap();
    let asked: Vec<&str> = all.lines().step_by(step).collect();
    std::fs::write(folder.path().join("asked.jsonl"), asked.join("\n")).unwrap();
    let collection = collection.display().to_string();
    let arguments = ["eval", "--collection", &collection, "--queries", "asked.jsonl"];
    let object = json(&run(folder.path(), &[&arguments[..], &RECIPE[..]].concat()));
    check(&object);
    assert_eq!(object["queries"].as_u64(), Some(queries));
    let ratio = object["ratio"].as_f64().unwrap();
    eprintln!("measured: {name}: merged / central BM25 = {ratio} by nDCG@10");
    assert!(ratio >= FLOOR, "{name}: {ratio} is less than {FLOOR}");
}

/// Half of the queries: all 225 take a minute and a half of CPU in a debug build, and give 1.016 instead of 1.006.
#[test]
fn the_merged_list_of_cranfield_holds_its_floor() {
    hold_floor("cranfield", 2, 113);
}

#[test]
fn the_merged_list_of_medline_holds_its_floor() {
    hold_floor("medline", 1, 30);
}
