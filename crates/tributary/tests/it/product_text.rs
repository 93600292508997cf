//! Source texts of the repository, for tests that search them for names.

use std::path::{Path, PathBuf};

/// The line before the tests of a file.
const TESTS: &str = "#[cfg(test)]\nmod tests {";

/// Every text file below this folder, with its text; folders that `enters` refuses are skipped.
pub fn texts(place: &Path, enters: &dyn Fn(&Path) -> bool) -> Vec<(PathBuf, String)> {
    if !place.is_dir() {
        return std::fs::read_to_string(place).map(|text| (place.to_owned(), text)).into_iter().collect();
    }
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().filter(|path| enters(path)).flat_map(|path| texts(path, enters)).collect()
}

/// The code of a folder without its tests and comments.
pub fn product_text(folder: &Path) -> String {
    let is_of_tests = |path: &Path| path.to_string_lossy().ends_with("tests.rs");
    let is_code = |path: &Path| path.is_dir() || is_rust(path) && !is_of_tests(path);
    let of_product = |text: String| code(text.split(TESTS).next().unwrap_or_default());
    texts(folder, &is_code).into_iter().map(|(_, text)| of_product(text)).collect()
}

/// The code of a folder, including tests, without comments.
pub fn all_text(folder: &Path) -> String {
    let is_code = |path: &Path| path.is_dir() || is_rust(path);
    texts(folder, &is_code).into_iter().map(|(_, text)| code(&text)).collect()
}

/// True if the text contains the name as a whole word.
pub fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "rs")
}

/// The text without comment lines.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn tests_comments_and_parts_of_names_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("one.rs", "// river\nfn lake_side() {}\n#[cfg(test)]\nmod tests {\n  use sea;\n}\n");
    write("tests.rs", "fn ocean() {}\n");
    write("one_tests.rs", "fn bay() {}\n");
    write("notes.md", "pond\n");
    let text = product_text(folder.path());
    for (word, is_there) in [
        ("lake_side", true),
        ("lake", false),
        ("side", false),
        ("river", false),
        ("sea", false),
        ("ocean", false),
        ("bay", false),
    ] {
        assert_eq!(has_word(&text, word), is_there, "{word} in {text}");
    }
    let all = all_text(folder.path());
    assert!(has_word(&all, "sea") && has_word(&all, "ocean") && !has_word(&all, "pond"), "{all}");
}
