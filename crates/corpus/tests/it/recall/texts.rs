//! The texts and queries of `tests/data/recall`.

use std::collections::BTreeSet;

/// Texts that are made from templates, so that the search has more to choose from.
pub const GENERATED: usize = 197;
/// Steps through the lists of values, so that a text has no combination of values of another one.
const TEXT_STEP: usize = 7;
const ROUND_STEP: usize = 3;
const LIST_STEP: usize = 5;

pub const DOCUMENTS: &str = include_str!("../../data/recall/documents.txt");
pub const QUERIES: &str = include_str!("../../data/recall/queries.txt");
pub const TEMPLATES: &str = include_str!("../../data/recall/templates.txt");
pub const DEVELOPMENT_DOCUMENTS: &str = include_str!("../../data/recall/development_documents.txt");
pub const DEVELOPMENT_QUERIES: &str = include_str!("../../data/recall/development_queries.txt");

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text {
    pub title: String,
    pub text: String,
}

/// A query, and the title of its document.
#[derive(Debug, Clone, Copy)]
pub struct TestQuery {
    pub kind: &'static str,
    pub query: &'static str,
    /// None: no document fits.
    pub title: Option<&'static str>,
}

/// Texts with their titles, separated by blank lines.
pub fn texts(file: &str) -> Vec<Text> {
    let blocks = file.split("\n\n").filter_map(|block| block.trim().strip_prefix('@')?.split_once('\n'));
    blocks.map(|(title, text)| Text { title: title.to_owned(), text: text.replace('\n', " ") }).collect()
}

pub fn queries(file: &'static str) -> Vec<TestQuery> {
    let lines = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let query = |line: &'static str| {
        let (kind, rest) = line.split_once(" | ").unwrap();
        let (query, title) =
            rest.split_once(" => ").map_or((rest, None), |(query, title)| (query, Some(title)));
        TestQuery { kind, query, title }
    };
    lines.map(query).collect()
}

/// Texts made from the templates. They are equal at every call.
pub fn generated(templates: &str, count: usize) -> Vec<Text> {
    let list = |line: &'_ str| {
        let (name, values) = line.strip_prefix('=')?.split_once(": ")?;
        Some((format!("{{{name}}}"), values.split(" | ").map(str::to_owned).collect::<Vec<_>>()))
    };
    let lists: Vec<(String, Vec<String>)> = templates.lines().filter_map(list).collect();
    let templates = texts(templates);
    let filled = |number: usize| {
        let round = number / templates.len();
        let mut text = templates[number % templates.len()].clone();
        for (place, (name, values)) in lists.iter().enumerate() {
            let step = number * TEXT_STEP + round * ROUND_STEP + place * LIST_STEP;
            let value = &values[step % values.len()];
            text.title = text.title.replace(name.as_str(), value);
            text.text = text.text.replace(name.as_str(), value);
        }
        text
    };
    (0..count).map(filled).collect()
}

#[test]
fn the_texts_are_as_described() {
    let (written, made) = (texts(DOCUMENTS), generated(TEMPLATES, GENERATED));
    let development = texts(DEVELOPMENT_DOCUMENTS);
    assert_eq!((written.len(), made.len(), development.len()), (103, 197, 80));
    let all: BTreeSet<&Text> = written.iter().chain(&made).chain(&development).collect();
    assert_eq!(all.len(), 380, "no two are equal");
    for text in all {
        let words = text.text.split_whitespace().count();
        assert!((40..=100).contains(&words) && !text.text.contains(['{', '}']), "{words}: {text:?}");
    }
    let kinds = |file: &'static str| {
        let count = |kind: &str| queries(file).iter().filter(|query| query.kind == kind).count();
        ["paraphrased", "words", "question", "name", "title", "unrelated"].map(count)
    };
    assert_eq!(kinds(QUERIES), [40, 40, 40, 10, 10, 20]);
    assert_eq!(kinds(DEVELOPMENT_QUERIES), [36, 18, 20, 7, 7, 24]);
    for (file, documents) in [(QUERIES, &written), (DEVELOPMENT_QUERIES, &development)] {
        for query in queries(file) {
            assert_eq!(query.title.is_none(), query.kind == "unrelated", "{query:?}");
            let named = |title: &str| documents.iter().filter(|text| text.title == title).count();
            assert!(query.title.is_none_or(|title| named(title) == 1), "{query:?}");
        }
    }
}
