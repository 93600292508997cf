//! Generalization test: the doctor on small responses of many shapes, none of them from a bundled provider.

use crate::diagnosis::analyze;
use serde_json::Value;
use std::path::PathBuf;

/// Minimum number of samples; title, body and url must be right in all of them.
const SAMPLES_MIN: usize = 40;

/// All samples with their names.
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

/// The fields whose first path is not the expected one.
fn misses(sample: &Value) -> Vec<String> {
    let analysis = match analyze(&sample["answer"]) {
        Ok(analysis) => analysis,
        Err(reason) => return vec![reason.to_string()],
    };
    let miss = |field: &str| {
        let proposal = analysis.proposals.iter().find(|one| one.field == field);
        let path = proposal.and_then(|one| one.path.split('|').next()).unwrap_or_default();
        let want = sample["want"][field].as_str().expect("a path");
        (path != want).then(|| format!("{field}: '{path}' instead of '{want}'"))
    };
    ["title", "body", "url"].into_iter().filter_map(miss).collect()
}

#[test]
fn unseen_samples_are_mapped_correctly() {
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
