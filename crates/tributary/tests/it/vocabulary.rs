//! The vocabulary of docs/glossary.md: none of the banned words in file names, identifiers, comments or texts.

use crate::architecture::root;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Each with its plural.
const BANNED: &[&str] = &[
    "bell",
    "bells",
    "board",
    "boards",
    "desk",
    "desks",
    "door",
    "doors",
    "errand",
    "errands",
    "gate",
    "gates",
    "guest",
    "guests",
    "hall",
    "halls",
    "house",
    "houses",
    "letter",
    "letters",
    "lookout",
    "lookouts",
    "parcel",
    "parcels",
    "room",
    "rooms",
    "shelf",
    "shelves",
    "toolbox",
    "toolboxes",
    "wish",
    "wishes",
];
/// Where a banned word may be: the beginning of a path, the words, the reason. The list may only get shorter.
const ALLOWED: &[(&str, &[&str], &str)] = &[
    ("crates/domain/src/corpus/election.rs", &["gates"], "a field of the API"),
    (
        "crates/domain/src/",
        &["letters", "wish"],
        "characters of the alphabet, in sentences for users; a field of the API",
    ),
    ("crates/provider_doctor/src/fields/vocabulary.rs", &["board"], "a name that sources use"),
    ("crates/federation/src/results/preferences.rs", &["wish"], "a field of the API"),
    ("crates/server/src/api/canonical/view.rs", &["gates"], "a field of the API"),
    ("crates/server/src/", &["wish"], "a field of the API"),
    (
        "crates/store/migrations/",
        &["gates", "house", "letters", "wishes"],
        "an applied migration never changes",
    ),
    ("crates/store/src/sql/", &["gates", "wish", "wishes"], "columns of the database"),
    ("crates/tasks/src/queue/nats/", &["bell", "letters"], "a subject of NATS that running processes use"),
    ("crates/tributary/tests/it/", &["gates", "wish"], "fields of the API"),
    ("docs/api/openapi.json", &["gates", "letters", "wish"], "fields of the API"),
    ("tests/browser/list.test.mjs", &["wish"], "a field of the API"),
    ("tests/claims/canonical_elections.py", &["gates"], "a field of the API"),
    ("web/static/js/", &["gates", "wish"], "fields of the API"),
    ("web/static/", &["letter"], "letter-spacing of CSS"),
    (
        "web/words/",
        &["boards", "letters"],
        "names of vendors, and characters of the alphabet, in sentences for users",
    ),
];
const ALLOWED_MAX: usize = 16;
/// Lists of words, sample data, and texts of vendors.
const DATA: &[&str] = &[
    "config/providers/",
    "crates/corpus/data/",
    "crates/corpus/tests/data/",
    "crates/domain/data/",
    "crates/processors/data/",
    "crates/provider_doctor/tests/doctor/",
    "crates/rag/tests/data/",
    "crates/relevancy/data/",
    "crates/tributary/demo/",
    "crates/tributary/tests/it/snapshots/",
    "crates/tributary/tests/data/",
    "crates/tributary/tests/sample_responses/",
    "crates/tributary/tests/wire/",
    "fuzz/corpus/",
];
/// These pages and this test name the words.
const NAMES_THEM: [&str; 2] = ["crates/tributary/tests/it/vocabulary.rs", "docs/glossary.md"];
const TEXT: &[&str] = &[
    "rs", "md", "toml", "html", "js", "mjs", "css", "json", "sh", "py", "sql", "yaml", "yml", "txt", "snap",
    "conf", "service",
];

/// The banned words of a text, with their lines. Identifiers are split at underscores and capitals.
fn banned_words(text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for word in words(line) {
            if let Ok(place) = BANNED.binary_search(&word.as_str()) {
                found.push((number + 1, BANNED[place]));
            }
        }
    }
    found
}

/// The words of a line in lower case: `GateLimits` and `gate_limits` are two each, `navigate` is one.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in line.chars() {
        let starts_word = !c.is_alphabetic() || (c.is_uppercase() && was_lower);
        if starts_word {
            words.push(String::new());
        }
        if c.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The files of the repository, by the path from its root.
fn files() -> Vec<String> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output().unwrap();
    assert!(listed.status.success(), "{listed:?}");
    let listed = String::from_utf8(listed.stdout).unwrap();
    listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

#[test]
fn no_banned_words() {
    let mut mistakes = Vec::new();
    let mut unused: BTreeSet<(&str, &str)> =
        ALLOWED.iter().flat_map(|(start, words, _)| words.iter().map(|word| (*start, *word))).collect();
    let mut check = |path: &str, line: usize, word: &'static str| {
        let allowed =
            ALLOWED.iter().find(|(start, words, _)| path.starts_with(start) && words.contains(&word));
        match allowed {
            Some((start, ..)) => {
                unused.remove(&(*start, word));
            }
            None => mistakes.push(format!("{path}:{line}: {word}")),
        }
    };
    for path in files() {
        if DATA.iter().any(|folder| path.starts_with(folder)) || NAMES_THEM.contains(&path.as_str()) {
            continue;
        }
        for (_, word) in banned_words(&path) {
            check(&path, 0, word);
        }
        let is_text = Path::new(&path).extension().is_some_and(|end| TEXT.iter().any(|text| end == *text));
        let Some(text) = is_text.then(|| std::fs::read_to_string(root().join(&path)).ok()).flatten() else {
            continue;
        };
        for (line, word) in banned_words(&text) {
            check(&path, line, word);
        }
    }
    assert!(mistakes.is_empty(), "docs/glossary.md has better words:\n{}", mistakes.join("\n"));
    assert!(unused.is_empty(), "remove from ALLOWED: {unused:?}");
    assert!(ALLOWED.len() <= ALLOWED_MAX, "the list may only get shorter");
}

#[test]
fn words_are_found_in_identifiers_and_texts() {
    let cases: [(&str, &[&str]); 8] = [
        ("pub struct GateLimits {", &["gate"]),
        ("let wide_gate = HOUSE_MAX;", &["gate", "house"]),
        ("// The rooms of the house.", &["rooms", "house"]),
        ("crates/federation/src/lookout.rs", &["lookout"]),
        ("navigate, dashboard, keyboard, challenge, negated", &[]),
        ("\"wish\": \"raise\"", &["wish"]),
        ("clipboard hallway whiteboarding", &[]),
        ("innerDoor, XRoom", &["door"]),
    ];
    for (line, expected) in cases {
        let found: Vec<&str> = banned_words(line).into_iter().map(|(_, word)| word).collect();
        assert_eq!(found, expected, "{line}");
    }
    assert!(BANNED.is_sorted());
}
