//! Tests of dictionaries.

use super::*;
use proptest::prelude::*;

fn english() -> std::sync::Arc<Dictionary> {
    crate::spelling::dictionary("english", "").expect("it is built in")
}

#[test]
fn corrects_what_is_clear() {
    let table = [
        ("recieve", "receive"),
        ("goverment", "government"),
        ("definately", "definitely"),
        ("seperate", "separate"),
        ("occured", "occurred"),
        ("enviroment", "environment"),
        ("acommodation", "accommodation"),
        ("batterys", "battery"),
        ("algoritm", "algorithm"),
        ("electrc", "electric"),
        ("vehicel", "vehicle"),
        ("lithum", "lithium"),
        ("neccessary", "necessary"),
        ("photovoltiac", "photovoltaic"),
        ("tommorow", "tomorrow"),
        ("univercity", "university"),
        ("knowlege", "knowledge"),
        ("pirces", "prices"),
        ("lerning", "learning"),
        ("wich", "which"),
        ("adress", "address"),
        ("modle", "model"),
        ("batery", "battery"),
        ("finaly", "finally"),
        ("teh", "the"),
        ("hte", "the"),
    ];
    for (word, want) in table {
        assert_eq!(english().correct(word), Some(want), "{word}");
    }
}

#[test]
fn leaves_the_rest() {
    for word in [
        // Known, also in British spelling, as a plural, or as a compound.
        "receive",
        "colour",
        "organisation",
        "qubits",
        "kubernetes",
        "genomics",
        "waterproof",
        "lockfile",
        "tributary",
        // Too short, or too far from every word.
        "adn",
        "wsa",
        "btu",
        "",
        "xqzvwkj",
        "tantivy",
        // Several words are equally near and about equally frequent.
        "bame",
        "wheather",
        // A rare word without one character, or a frequent one with a wrong character.
        "chargr",
        // Not plain words.
        "recieve1",
        "Recieve",
        "re-cieve",
        "рекцив",
        "日本語文字",
    ] {
        assert_eq!(english().correct(word), None, "{word}");
    }
    let long = "recieve".repeat(10);
    assert_eq!(english().correct(&long), None);
}

#[test]
fn accents_that_the_language_lacks_do_not_make_a_word_foreign() {
    for (word, expected) in [
        ("café", WordEvidence::Loanword),
        ("jalapeño", WordEvidence::Foreign),
        ("flüsse", WordEvidence::Foreign),
        ("правительство", WordEvidence::Foreign),
        ("cafe", WordEvidence::Known),
    ] {
        assert_eq!(english().evidence(word), expected, "{word}");
    }
}

#[test]
fn a_slip_is_certain_within_a_long_frequent_word() {
    for (word, right, expected) in [
        ("goverment", "government", true),
        ("goverrnment", "government", true),
        ("govenrment", "government", true),
        ("govornment", "government", false),
        ("governmentt", "government", false),
        ("recieve", "receive", false),
        ("formular", "formula", false),
        ("maladie", "maladies", false),
        ("photovoltiac", "photovoltaic", false),
    ] {
        assert_eq!(english().is_certain_slip(word, right), expected, "{word}");
    }
}

#[test]
fn frequency_decides() {
    let filler: String = (0..40).map(|n| format!("filler{}\n", "x".repeat(n))).collect();
    let list = format!("plane\n{filler}plain\nplaid\n\nplate\nslate\n");
    let dictionary = Dictionary::read(&list);
    assert_eq!(dictionary.correct("plene"), Some("plane"));
    assert_eq!(dictionary.correct("plan"), Some("plane"), "one is far more frequent");
    assert_eq!(dictionary.correct("plaid"), None);
    assert_eq!(Dictionary::read("horse\nmouse\nmorse").correct("morse"), None);
    assert_eq!(Dictionary::read("word\nsword\nwords").correct("wordd"), None);
    assert_eq!(Dictionary::read("\n\nhorse\nmouse").correct("bouse"), Some("mouse"));
    assert_eq!(Dictionary::read("\nhorse\nmorse").correct("corse"), None, "rare ones are alike");
}

#[test]
fn words_with_the_same_beginning_are_in_order() {
    let dictionary = Dictionary::read("the\nflood\nriver\nflow\n\nflume");
    let found: Vec<_> = dictionary.frequent_words_like("flod").collect();
    assert_eq!(found, [(2, "flood"), (4, "flow")], "rare words are left out");
    assert_eq!(dictionary.frequent_words_like("").count(), 0);
}

#[test]
fn a_list_is_bounded() {
    let many: String = (0..WORDS_MAX + 10).map(|n| format!("{}\n", alphabetic_word(n))).collect();
    let dictionary = Dictionary::read(&many);
    assert_eq!(dictionary.words.len(), WORDS_MAX);
    assert_eq!(dictionary.frequent, FREQUENT_MAX);
    assert!(Dictionary::read(&"a".repeat(CHARACTERS_MAX + 1)).words.is_empty());
}

fn alphabetic_word(mut number: usize) -> String {
    let mut word = String::new();
    for _ in 0..5 {
        word.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    word
}

proptest! {
    #[test]
    fn never_panics(word in "[a-e]{0,12}|\\PC{0,40}") {
        let english = english();
        if let Some(better) = english.correct(&word) {
            prop_assert!(english.contains(better));
            prop_assert!(strsim::osa_distance(&word, better) <= 2);
        }
    }
}
