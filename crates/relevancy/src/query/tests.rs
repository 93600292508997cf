use super::*;
use domain::ids::{RunNumber, SearchId, UserId};
use domain::instant::Instant;
use domain::search::SearchSpec;
use domain::status::SearchStatus;

fn shown(query: &Query) -> (Vec<&str>, Vec<String>) {
    let words = query.terms.iter().map(|term| term.word.as_str()).collect();
    (words, query.negated.iter().map(|words| words.join(" ")).collect())
}

#[test]
fn terms_and_negated_words() {
    let table: &[(&str, &[&str], &[&str])] = &[
        ("Electric CARS", &["electric", "cars"], &[]),
        ("the state of the art", &["state", "art"], &[]),
        ("to be or not to be", &["to", "be", "or", "not"], &[]),
        ("cars car car's", &["cars"], &[]),
        ("alpha NOT beta gamma", &["alpha"], &["beta", "gamma"]),
        ("alpha -beta - -gamma", &["alpha"], &["beta", "gamma"]),
        ("alpha -\"beta gamma\"", &["alpha"], &["beta gamma"]),
        ("alpha NOT \"beta gamma\"", &["alpha"], &["beta gamma"]),
        ("solid-state --flag", &["solid", "state", "flag"], &[]),
        ("-only", &[], &["only"]),
        ("a1 AND (b1 OR c1)", &["a1", "b1", "c1"], &[]),
        ("news:fed rates", &["fed", "rates"], &[]),
        ("Dune: part", &["dune", "part"], &[]),
        ("title:\"part two\" news:(dune OR spice)", &["part", "two", "dune", "spice"], &[]),
        ("time:10:30 16:9", &["10", "30", "16", "9"], &[]),
        ("std::vector 2001:db8::1", &["std", "vector", "2001", "db8", "1"], &[]),
        ("Vec<String> slow", &["vec", "string", "slow"], &[]),
        ("https://example.org/x", &["https", "example", "org", "x"], &[]),
        ("\"unclosed phrase", &["unclosed", "phrase"], &[]),
        ("", &[], &[]),
        ("?!", &[], &[]),
    ];
    for (text, terms, negated) in table {
        let query = Query::parse(text);
        let negated: Vec<String> = negated.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(shown(&query), (terms.to_vec(), negated), "{text}");
    }
}

#[test]
fn phrases_keep_the_place_of_their_stopwords() {
    let query = Query::parse("museum \"state of the art\" \"single\"");
    assert_eq!(query.phrases, [Phrase(vec![(1, 0), (2, 3)])]);
    assert_eq!(query.quoted, [1..5, 5..6]);
    let words: Vec<_> = query.words.iter().map(|word| (word.written.as_str(), word.term)).collect();
    let expected = [
        ("museum", Some(0)),
        ("state", Some(1)),
        ("of", None),
        ("the", None),
        ("art", Some(2)),
        ("single", Some(3)),
    ];
    assert_eq!(words, expected);
}

#[test]
fn the_language_decides() {
    let shown = |language: &str, text: &str| {
        let query = Query::parse_in(Language::named(language), text);
        (query.stems(), query.only_stopwords)
    };
    assert_eq!(shown("german", "die Häuser der Straße"), ("haus strass".to_owned(), false));
    assert_eq!(shown("english", "die Häuser"), ("die häuser".to_owned(), false));
    assert_eq!(shown("french", "l'été des rivières"), ("été rivi".to_owned(), false));
    assert_eq!(shown("german", "der die das"), ("der die das".to_owned(), true));
    assert_eq!(shown("klingon", "the cars"), ("the cars".to_owned(), false));
}

#[test]
fn lengths_count_every_word() {
    for (text, expected) in [("electric cars", 2), ("alpha NOT beta", 3), ("a -b", 2), ("", 0), ("東京", 2)]
    {
        assert_eq!(Query::parse(text).length, expected, "{text}");
    }
}

#[test]
fn alternatives_share_a_group() {
    let groups = |text| Query::parse(text).terms.iter().map(|term| term.group).collect::<Vec<_>>();
    assert_eq!(groups("cats OR dogs food"), [0, 0, 1]);
    assert_eq!(groups("OR cats dogs"), [0, 1]);
    assert_eq!(groups("(car OR automobile OR vehicle) hire"), [0, 0, 0, 1]);
}

#[test]
fn highlights_are_shown_and_no_terms() {
    let words = ["vehicles".to_owned(), "the cars".to_owned()];
    let query = Query::parse("car").with_highlights(&words);
    assert_eq!(query.stems(), "car vehicl");
    assert_eq!(query.terms.len(), 1);
    assert!(
        query.may_match("Vehicle")
            && query.may_match("Cart")
            && !query.may_match("coat")
            && !query.may_match("boat")
    );
}

#[test]
fn a_search_excludes_for_all_its_providers() {
    let search = |processed: &str| Search {
        id: SearchId(1),
        owner: UserId(1),
        spec: SearchSpec::of_query("raw -draft"),
        query_string_processed: processed.to_owned(),
        status: SearchStatus::Federating,
        notices: Vec::new(),
        time_s: 0.0,
        run: RunNumber::FIRST,
        date_created: Instant::UNIX_EPOCH,
        date_updated: Instant::UNIX_EPOCH,
    };
    let table = [
        ("alpha NOT beta", "alpha", "alpha -beta"),
        ("alpha NOT beta", "alpha -beta", "alpha -beta"),
        ("alpha -beta", "alfa -gamma", "alfa -gamma -beta"),
        ("alpha -beta", "", "alpha -beta"),
        ("", "", "raw -draft"),
    ];
    for (processed, to_provider, expected) in table {
        let query = Query::of_search(Language::ENGLISH, &search(processed), to_provider);
        assert!(query.asks_the_same(&Query::parse(expected)), "{processed}, {to_provider}");
        let again = Query::of_search(Language::ENGLISH, &search(processed), to_provider);
        assert_eq!(again, query);
        let german = Language::named("german");
        assert_eq!(Query::of_search(german, &search(processed), to_provider).language, german);
    }
}

#[test]
fn a_query_is_bounded() {
    let many = |prefix: &str| (0..200).map(|n| format!("{prefix}w{n}")).collect::<Vec<_>>().join(" ");
    assert_eq!(Query::parse(&many("")).terms.len(), TERMS_MAX);
    assert_eq!(Query::parse(&many("")).words.len(), WORDS_MAX);
    assert_eq!(Query::parse(&many("-")).negated.len(), NEGATED_MAX);
    assert_eq!(Query::parse("").with_highlights(&[many("")]).highlights.len(), HIGHLIGHTS_MAX);
}
