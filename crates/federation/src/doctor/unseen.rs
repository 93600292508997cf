//! The doctor over small answers of many shapes and names, none of them from a ready source: what it has learnt
//! must hold in general.

use super::diagnosis::read;
use serde_json::Value;
use std::path::PathBuf;

/// How many answers there are at least; all of them must be right in title, body and url.
const SAMPLES_MIN: usize = 40;

/// Every answer with its name and the paths that are right.
fn samples() -> Vec<(String, Value)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/doctor");
    let mut samples: Vec<(String, Value)> = std::fs::read_dir(folder)
        .expect("the folder of samples")
        .map(|entry| {
            let path = entry.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, serde_json::from_str(&text).expect("JSON"))
        })
        .collect();
    samples.sort_by(|a, b| a.0.cmp(&b.0));
    samples
}

/// The fields whose first path is another than it should be.
fn misses(sample: &Value) -> Vec<String> {
    let reading = match read(&sample["answer"]) {
        Ok(reading) => reading,
        Err(reason) => return vec![reason],
    };
    let miss = |field: &str| {
        let proposal = reading.proposals.iter().find(|one| one.field == field);
        let path = proposal.and_then(|one| one.path.split('|').next()).unwrap_or_default();
        let want = sample["want"][field].as_str().expect("a path");
        (path != want).then(|| format!("{field}: '{path}' instead of '{want}'"))
    };
    ["title", "body", "url"].into_iter().filter_map(miss).collect()
}

#[test]
fn unseen_answers_are_read_right() {
    let samples = samples();
    let mut wrong = Vec::new();
    for (name, sample) in &samples {
        let misses = misses(sample);
        if !misses.is_empty() {
            wrong.push(format!("  {name}: {}", misses.join("; ")));
        }
    }
    assert!(samples.len() >= SAMPLES_MIN, "{} samples", samples.len());
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), samples.len(), wrong.join("\n"));
}
