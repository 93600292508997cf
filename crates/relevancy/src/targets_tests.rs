//! Tests of the targets of a query and their similarities.

use super::*;
use crate::language::Language;
use crate::query_parts::{TARGETS_MAX, targets, text};

fn names(query: &str) -> Vec<String> {
    let query = Query::parse(query);
    targets(&query).iter().map(|target| text(&query.words[target.words.clone()])).collect()
}

fn keys(query: &Query, config: &ScoringConfig, text: &str) -> Vec<String> {
    similarities(query, config, text).into_iter().map(|(key, _)| key).collect()
}

fn similarities(query: &Query, config: &ScoringConfig, text: &str) -> Similarities {
    let (match_targets, reading) = (MatchTargets::of(query, config), FieldReading::of(query, text));
    match_targets.similarities(text, &reading, &match_targets.match_text(text, &reading))
}

#[test]
fn keys_end_in_their_place() {
    let tokens: Vec<Token<'_>> = crate::tokens::tokens("Electric cars").collect();
    for place in [0, 9, 10, 99, 100, 909, 12_345_678_900, usize::MAX] {
        assert_eq!(key(&tokens, place), format!("Electric_cars_{place}"));
    }
}

#[test]
fn targets_of_queries() {
    let table: &[(&str, &[&str])] = &[
        ("", &[]),
        ("cars", &["cars"]),
        ("electric cars", &["electric cars", "electric", "cars"]),
        (
            "new electric cars today",
            &[
                "new electric cars today",
                "new electric",
                "electric cars",
                "cars today",
                "new",
                "electric",
                "cars",
                "today",
            ],
        ),
        (
            "the state of the art",
            &["the state of the art", "the state", "state of", "the art", "state", "art"],
        ),
        ("the cars", &["the cars", "cars"]),
        ("to be", &["to be", "to", "be"]),
        (
            "\"big cats\" and \"small dogs\"",
            &[
                "small dogs",
                "big cats",
                "big cats and small dogs",
                "cats and",
                "and small",
                "big",
                "cats",
                "small",
                "dogs",
            ],
        ),
        ("car cars car", &["car cars car", "car cars", "car"]),
        ("alpha -beta NOT gamma", &["alpha"]),
    ];
    for (query, expected) in table {
        assert_eq!(names(query), *expected, "{query}");
    }
    let many = (0..100).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
    assert_eq!(names(&many).len(), TARGETS_MAX);
}

#[test]
fn keys_name_what_matched_and_where() {
    let table: &[(&str, &str, &[&str])] = &[
        (
            "electric cars",
            "Electric cars win",
            &["electric_cars_*", "Electric_cars_0", "Electric_0", "cars_1"],
        ),
        ("Electric car", "one CAR. And an electric fence", &["Electric_car_s*", "electric_4", "CAR_1"]),
        (
            "electric cars",
            "A win? Electric cars!",
            &["electric_cars_s*", "Electric_cars_2", "Electric_2", "cars_3"],
        ),
        ("electric cars", "cart of electricians", &[]),
        (
            "\"state of the art\"",
            "A State of the Art",
            &["state_of_the_art_*", "State_of_the_Art_1", "State_of_1", "the_Art_3", "State_1", "Art_4"],
        ),
        ("art", "cart", &[]),
        ("the cars", "the boats", &[]),
        ("東京", "新東京", &["東_京_*", "東_京_1", "東_1", "京_2"]),
    ];
    for (query, text, expected) in table {
        let found = keys(&Query::parse(query), &ScoringConfig::default(), text);
        assert_eq!(found, *expected, "{query} in {text}");
    }
    let german = Query::parse_in(Language::named("german"), "Haus der Kunst");
    let found = keys(&german, &ScoringConfig::default(), "Häuser der Kunst");
    assert_eq!(found[..2], ["Haus_der_Kunst_*", "Häuser_der_Kunst_0"]);
}

#[test]
fn values_are_similarities() {
    let query = Query::parse("electric cars");
    let found = similarities(&query, &ScoringConfig::default(), "Electric cars win");
    assert!(found.iter().all(|(_, value)| (0.2..=1.0).contains(value)), "{found:?}");
    let exact = similarities(&query, &ScoringConfig::default(), "electric cars");
    assert_eq!(exact[0], ("electric_cars_*".to_owned(), 1.0));
    let words = "Soups for cold days. Electric cars. ";
    let sentence = similarities(&query, &ScoringConfig::default(), words);
    assert_eq!(sentence[0].0, "electric_cars_s*");
    assert!(sentence[0].1 > 0.9, "the best sentence counts: {sentence:?}");
    for (_, value) in found.into_iter().chain(sentence) {
        assert_eq!(value, rounded(value));
    }
    let nothing: f64 = Vec::<f64>::new().iter().sum();
    assert!(rounded(nothing).is_sign_positive(), "zero is shown without a sign");
}

#[test]
fn settings_bound_what_counts() {
    let query = Query::parse("river");
    let text = "a river and a river ".repeat(40);
    for max_matches in [0, 1, 5, 1000] {
        let config = ScoringConfig { max_matches, ..ScoringConfig::default() };
        assert_eq!(keys(&query, &config, &text).len(), 1 + max_matches.min(80));
    }
    let config = ScoringConfig { max_matches: 10_000, ..ScoringConfig::default() };
    let long = "river ".repeat(MATCHES_MAX + 9);
    assert_eq!(keys(&query, &config, &long).len(), 1 + MATCHES_MAX);
    let strict = ScoringConfig { min_similarity: 0.999, ..ScoringConfig::default() };
    assert!(keys(&query, &strict, "the long list of rivers, lakes and seas of the north").is_empty());
}

#[test]
fn numbers_do_not_change_what_words_are_about() {
    let query = Query::parse("river");
    let value =
        |text: &str| similarities(&query, &ScoringConfig::default(), text).pop().map(|(_, value)| value);
    assert_eq!(value("the old river 2021 flood"), value("the old river 4711 flood"));
    let numbers = Query::parse("river 2021");
    assert_ne!(
        similarities(&numbers, &ScoringConfig::default(), "the old river 2021 flood")
            .pop()
            .map(|(_, value)| value),
        similarities(&numbers, &ScoringConfig::default(), "the old river 2021 4711")
            .pop()
            .map(|(_, value)| value),
    );
}

#[test]
fn windows() {
    let text = "a b c d e f g h i j";
    let query = Query::parse("x");
    let tokens = FieldReading::of(&query, text).tokens;
    let table = [
        (0, 1, "a b c d"),
        (2, 1, "c d e f"),
        (3, 1, "a b c d e f"),
        (9, 1, "g h i j"),
        (5, 2, "a b c d e f g h i j"),
    ];
    for (place, length, expected) in table {
        assert_eq!(&text[bytes(window(&tokens, place, length))], expected, "{place} {length}");
    }
}
