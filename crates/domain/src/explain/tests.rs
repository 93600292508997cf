//! The form of the wire, written and read.

use super::*;
use serde_json::json;

fn whole() -> Explain {
    let found = |word: &str, positions: &[u32]| WordHits {
        word: word.to_owned(),
        term: None,
        positions: positions.to_vec(),
    };
    Explain {
        negated: Some(NegatedWords { field: Field::Body, words: "big town".to_owned() }),
        stems: Some("electr car".into()),
        similarities: [
            Some(FieldSimilarities {
                by_match: vec![("cars_*".to_owned(), 0.5), ("Cars_0".to_owned(), 1.0)],
                adjusts: Some(LengthAdjusts { result_length: 0.8333, query_length: 1.0 }),
            }),
            None,
            Some(FieldSimilarities::default()),
        ],
        hits: Some([vec![found("cars", &[0, 7]), found("electric", &[])], vec![], vec![]]),
        is_file_system: true,
        score: Some(ScoreParts { fields: [1.5, 0.0, 2.0], total: 3.5 }),
        evidence: [("cosine".into(), 0.25)].into_iter().collect(),
        confidence: [("embedding".into(), 0.125), (TOTAL.into(), 0.125)].into_iter().collect(),
        personal: vec![PreferenceEffect {
            subject: PreferenceSubject::Domain("a.example".to_owned()),
            preference: Preference::Raise,
            factor: 1.25,
        }],
        other: Map::from_iter([("note".to_owned(), json!("by hand"))]),
        notes: None,
    }
}

const WHOLE: &str = r#"{"NOT":{"body":"big town"},"stems":"electr car","title":{"cars_*":0.5,"Cars_0":1.0,"result_length_adjust":0.8333,"query_length_adjust":1.0},"author":{},"hits":{"title":{"cars":[0,7],"electric":[]},"body":{},"author":{}},"boosts":"FILE_SYSTEM","score":{"title":1.5,"body":0.0,"author":2.0,"total":3.5},"evidence":{"cosine":0.25},"confidence":{"embedding":0.125,"total":0.125},"personal":[{"domain":"a.example","wish":"raise","factor":1.25}],"note":"by hand"}"#;

#[test]
fn it_is_written_in_the_order_of_the_wire_and_read_again() {
    let explain = whole();
    assert_eq!(serde_json::to_string(&explain).unwrap(), WHOLE);
    assert_eq!(serde_json::from_str::<Explain>(WHOLE).unwrap(), explain);
    assert_eq!(Value::from(explain), serde_json::from_str::<Value>(WHOLE).unwrap());
    assert_eq!(serde_json::to_string(&Explain::default()).unwrap(), "{}");
}

#[test]
fn notes_are_not_saved() {
    let explain = Explain { notes: Some(TextNotes::default()), ..Explain::default() };
    assert_eq!(serde_json::to_string(&explain).unwrap(), "{}");
}

#[test]
fn what_has_another_form_is_kept_as_it_is() {
    for (key, value) in [
        ("NOT", json!({"payload": "x"})),
        ("NOT", json!({"title": "x", "body": "y"})),
        ("stems", json!(["x"])),
        ("title", json!({"x_*": "high"})),
        ("body", json!({"result_length_adjust": 1.0})),
        ("author", json!([])),
        ("hits", json!([])),
        ("hits", json!({"title": {}, "body": {}})),
        ("hits", json!({"title": {}, "body": {}, "author": {}, "payload": {}})),
        ("hits", json!({"title": {"x": ["0"]}, "body": {}, "author": {}})),
        ("hits", json!({"title": {"x": [5_000_000_000_u64]}, "body": {}, "author": {}})),
        ("boosts", json!("TITLE")),
        ("score", json!({"total": 1.0})),
        ("score", json!("high")),
        ("evidence", json!({})),
        ("confidence", json!({"embedding": "x", "total": null})),
        ("personal", json!([7])),
        ("personal", json!([{"source": "a", "wish": "shout", "factor": 1.25}])),
        ("lengths", json!({"title": 3})),
    ] {
        let saved = json!({key: value});
        let explain: Explain = serde_json::from_value(saved.clone()).unwrap();
        assert_eq!(explain.other.len(), 1, "{saved}");
        assert_eq!(Value::from(explain), saved);
    }
    assert!(serde_json::from_value::<Explain>(json!("text")).is_err());
}

#[test]
fn a_value_of_the_search_replaces_one_by_hand() {
    let by_hand = Map::from_iter([("personal".to_owned(), json!("mine")), ("note".to_owned(), json!(1))]);
    let explain = Explain { personal: whole().personal, ..Explain::from(by_hand) };
    let text = serde_json::to_string(&explain).unwrap();
    assert_eq!(text, r#"{"personal":[{"domain":"a.example","wish":"raise","factor":1.25}],"note":1}"#);
}

#[test]
fn numbers_keep_their_places() {
    let mut numbers = NamedNumbers::with_capacity(2);
    numbers.set("a", 1.0);
    numbers.set("b", 2.0);
    numbers.set("a", 3.0);
    assert_eq!(numbers.iter().collect::<Vec<_>>(), [("a", 3.0), ("b", 2.0)]);
    numbers.remove("a");
    assert_eq!((numbers.get("a"), numbers.get("b"), numbers.is_empty()), (None, Some(2.0), false));
}
