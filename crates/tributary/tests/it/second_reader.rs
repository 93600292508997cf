//! The second reader: `tributary reader`, and the published model.

use crate::program::{run, text};
use relevancy::second_reader::{DIMENSIONS, TOKENS_MAX, cosine};
use std::path::Path;
use tributary::second_reader::{MODEL_FILE, load};

/// Pairs of texts with their similarity by the published model in 32 bits.
const PAIRS: [(&str, &str, f32); 4] = [
    ("When was the river mill built?", "The mill was built in 1868 and grinds rye and wheat.", 0.564),
    ("How do I reset my password?", "To choose a new password, open the settings of your account.", 0.665),
    ("electric cars", "Where to charge a battery vehicle on a long trip", 0.408),
    ("flood warning", "A bread recipe with rye and honey", 0.034),
];
/// How much the similarity may differ because of weights of 8 bits.
const TOLERANCE: f32 = 0.015;

/// Runs `tributary reader` in a folder. Returns the exit code and everything that it printed.
fn reader(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let ended = run(folder, &[&["reader"][..], arguments].concat());
    (ended.status.code(), text(&ended.stdout) + &text(&ended.stderr))
}

#[test]
fn a_wrong_model_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (code, said) = reader(folder.path(), &["status"]);
    assert!(code == Some(0) && said.contains("Not installed") && said.contains("is off"), "{said}");
    let published = folder.path().join("published");
    std::fs::create_dir(&published).unwrap();
    for (name, text, expected) in [
        ("config.json", "{\"model_type\": \"gpt2\"}", "vocab.txt cannot be read"),
        ("vocab.txt", "[PAD]", "model.safetensors cannot be read"),
        ("model.safetensors", "", "'model_type' must be \"bert\""),
    ] {
        std::fs::write(published.join(name), text).unwrap();
        let (code, said) = reader(folder.path(), &["install", "published"]);
        assert!(code == Some(1) && said.contains(expected), "{name}: {said}");
    }
    let (code, said) = reader(folder.path(), &["install", "published/model.safetensors"]);
    assert!(code == Some(1) && said.contains("not a safetensors file"), "{said}");
    assert!(!folder.path().join("data").join(MODEL_FILE).exists());
    let (code, said) = reader(folder.path(), &["remove"]);
    assert!(code == Some(0) && said.contains("Nothing to do"), "{said}");
}

#[test]
fn the_published_model_is_installed_and_read() {
    let Some(published) = testkit::given("SVC_TEST_READER_MODEL", "the published model of the second reader")
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (code, said) = reader(folder.path(), &["install", &published]);
    assert!(code == Some(0) && said.contains("SVC_SECOND_READER=true"), "{said}");
    let (code, said) = reader(folder.path(), &["status"]);
    assert!(code == Some(0) && said.contains("Installed: "), "{said}");

    let data_dir = folder.path().join("data");
    let model = load(&data_dir).unwrap().unwrap();
    let vector = |text: &str| model.vector(text).unwrap();
    for (one, other, expected) in PAIRS {
        let found = cosine(&vector(one), &vector(other));
        assert!((found - expected).abs() < TOLERANCE, "{one} / {other}: {found}");
    }
    let long = "A river rises in spring. ".repeat(TOKENS_MAX);
    assert_eq!(vector(&long).len(), DIMENSIONS);
    assert_eq!(vector(&long), vector(&long.repeat(2)), "the rest of a long text is not read");

    // A converted file is installed as it is.
    let other = tempfile::tempdir().unwrap();
    let converted = data_dir.join(MODEL_FILE);
    let (code, said) = reader(other.path(), &["install", converted.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{said}");
    let copied = std::fs::read(other.path().join("data").join(MODEL_FILE)).unwrap();
    assert!(copied == std::fs::read(&converted).unwrap());
    // The published file without its folder is not enough.
    let alone = Path::new(&published).join("model.safetensors");
    let (code, said) = reader(other.path(), &["install", alone.to_str().unwrap()]);
    assert!(code == Some(1) && said.contains("name its folder"), "{said}");
    let (code, said) = reader(folder.path(), &["remove"]);
    assert!(code == Some(0) && said.contains("Removed") && !converted.exists(), "{said}");
}
