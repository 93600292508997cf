//! Which queries show their language, by a table of short queries.

use relevancy::{Language, stopwords};

/// The language of a query, the one that it shows, and the query.
const QUERIES: &str = include_str!("../data/query-languages.tsv");
const LANGUAGES: [&str; 17] = [
    "arabic",
    "danish",
    "dutch",
    "finnish",
    "french",
    "german",
    "greek",
    "hungarian",
    "italian",
    "norwegian",
    "portuguese",
    "romanian",
    "russian",
    "spanish",
    "swedish",
    "tamil",
    "turkish",
];

fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    QUERIES.lines().map(|line| {
        let mut columns = line.split('\t');
        let mut next = || columns.next().unwrap_or_default();
        (next(), next(), next())
    })
}

fn shown(query: &str) -> &'static str {
    let shown = Language::shown_by(query, Language::ENGLISH);
    shown.and_then(Language::known).map_or("-", |known| known.name)
}

#[test]
fn a_query_shows_its_language_or_none() {
    let wrong: Vec<String> = rows()
        .filter(|(_, expected, query)| shown(query) != *expected)
        .map(|(_, expected, query)| format!("{query}: {} instead of {expected}", shown(query)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (language, expected, query) in rows() {
        assert!(expected == "-" || expected == language, "{query}");
    }
    let count = |language| rows().filter(|row| row.0 == language).count();
    assert!(count("english") >= 100 && ["german", "french", "spanish"].iter().all(|name| count(name) >= 20));
}

#[test]
fn one_foreign_word_does_not_make_an_english_query_foreign() {
    let mut wrong = Vec::new();
    for word in LANGUAGES.iter().flat_map(|name| stopwords::list(Language::named(name))) {
        for query in [
            format!("{word} in London"),
            format!("{word} me"),
            format!("{word} a day"),
            format!("{word} on a ship"),
            format!("best {word} and weather"),
        ] {
            if !["-", "english"].contains(&shown(&query)) {
                wrong.push(format!("{query}: {}", shown(&query)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
}
