//! The stored form is that of `serde_json` without default values, and is read back as what was written.

use super::{push_records, to_bytes};
use crate::ids::{ProviderId, ResultId, SignalId};
use crate::result::{Duplicate, ResultItem};
use crate::search_run::RunEntry;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

fn text_of<T: Serialize>(records: &[T]) -> String {
    let mut text = Vec::new();
    push_records(records, &mut text).expect("JSON");
    String::from_utf8(text).expect("UTF-8")
}

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("a record")
}

/// A result none of whose saved fields has its default value. A new field must be added here.
fn full_item() -> ResultItem {
    let text = |name: &str| format!("\u{1f30a} \"{name}\"\n");
    let mut given = ResultItem { url: "https://a.example/given".to_owned(), ..ResultItem::default() };
    given.mark_as_given(ProviderId(7));
    ResultItem {
        swirl_rank: 1,
        swirl_score: 428.3489,
        swirl_confidence_score: 0.8857,
        searchprovider: text("provider"),
        searchprovider_rank: 2,
        title: text("title"),
        url: "https://a.example/1".to_owned(),
        provenance: ResultItem::default().in_place_of(&given).provenance,
        body: text("body"),
        date_published: text("date"),
        date_published_display: text("display"),
        date_retrieved: text("retrieved"),
        author: text("author"),
        title_hit_highlights: vec![text("one"), String::new()],
        body_hit_highlights: vec![text("two")],
        swirl_id: ResultId(15_591),
        new: Some(1),
        starred: true,
        result_block: Some(text("block")),
        duplicates: vec![Duplicate { signal_id: Some(SignalId(3)), ..Duplicate::default() }],
        group: None,
        rag_query_items: vec!["1".to_owned()],
        additional_content: Some(Box::default()),
        cache: Some(read(json!({
            "signal_id": 7, "state": "indexed", "badge": "Auto-selected", "last_verified": "2026-01-02T03:04:05Z",
            "liveness": "alive", "stale": false, "shared_externally": true, "matter_tags": [],
        }))),
        payload: read(json!({
            "": "", "a\tb": [null, true, -1, 1.5, 18_446_744_073_709_551_615_u64, {}], "object": {"empty": []},
        })),
        explain: Some(read(json!({
            "NOT": {"body": "big town"}, "stems": "river level",
            "title": {"river_*": 0.5, "result_length_adjust": 1.0, "query_length_adjust": 1.0},
            "hits": {"title": {"river": [0, 7]}, "body": {}, "author": {}}, "boosts": "FILE_SYSTEM",
            "score": {"title": 1.5, "body": 0.0, "author": 0.0, "total": 1.5},
            "evidence": {"cosine": 0.25}, "confidence": {"total": 1e-7},
            "personal": [{"domain": "a.example", "wish": "raise", "factor": 1.25}], "note": "by hand",
        }))),
        embedding: None,
        hashed_words: None,
    }
}

fn full_entry() -> RunEntry {
    RunEntry {
        title: "Rivers".to_owned(),
        url: "https://a.example/1".to_owned(),
        searchprovider: "Library".into(),
        date_published: "2026-01-02".to_owned(),
        signal_id: Some(SignalId(0)),
    }
}

/// Each field alone, and all but each field. Fields that clients cannot set are not read back.
fn check_each_field<T: Serialize + DeserializeOwned + Default + PartialEq + std::fmt::Debug>(full: T) {
    assert_eq!(text_of(&[T::default()]), "[{}]");
    assert_eq!(text_of(&[&full, &full]), serde_json::to_string(&[&full, &full]).expect("JSON"));
    let Value::Object(mut all) = serde_json::to_value(&full).expect("JSON") else { panic!("an object") };
    for unread in ["source_url", "starred"] {
        all.shift_remove(unread);
    }
    for (name, value) in &all {
        let one = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
        let record: T = read(one.clone());
        assert_ne!(record, T::default(), "{name} has its default value");
        let text = text_of(&[&record]);
        assert_eq!(text, format!("[{one}]"));
        assert_eq!(serde_json::from_str::<Vec<T>>(&text).expect("records"), [record]);

        let mut others = all.clone();
        others.shift_remove(name);
        let record: T = read(Value::Object(others.clone()));
        let text = text_of(&[&record]);
        assert_eq!(text, Value::from(vec![Value::Object(others)]).to_string());
        assert_eq!(serde_json::from_str::<Vec<T>>(&text).expect("records"), [record]);
    }
}

#[test]
fn fields_are_left_out_if_they_have_their_default_value() {
    check_each_field(full_item());
    check_each_field(full_entry());
    assert_eq!(text_of::<ResultItem>(&[]), "[]");
}

/// An option of a default value, and a zero with a sign, are read back as they were.
#[test]
fn what_only_looks_like_a_default_value_is_kept() {
    for one in [
        json!({"new": 0}),
        json!({"result_block": ""}),
        json!({"explain": {}}),
        json!({"swirl_score": -0.0}),
        json!({"author": "0"}),
        json!({"payload": {"empty": {}, "none": null, "zero": 0}}),
        json!({"duplicates": [{"searchprovider": "", "title": "", "url": "", "body": "", "date_published": ""}]}),
    ] {
        let record: ResultItem = read(one.clone());
        assert_eq!(text_of(&[record]), format!("[{one}]"));
    }
    assert_eq!(
        text_of(&[ResultItem { swirl_score: f64::NAN, ..Default::default() }]),
        r#"[{"swirl_score":null}]"#
    );
}

/// What results contain is written as by `serde_json`, whatever its type.
#[test]
fn other_types_are_written_as_well() {
    #[derive(Serialize)]
    enum Kind {
        Unit,
        Newtype(u8),
        Tuple(i8, f32),
        Struct { a: char, b: Option<()> },
    }
    #[derive(Serialize)]
    struct Unit;
    #[derive(Serialize)]
    struct Pair(i16, u16);
    let kinds = [Kind::Unit, Kind::Newtype(0), Kind::Tuple(-1, 0.1), Kind::Struct { a: '"', b: Some(()) }];
    assert_eq!(text_of(&kinds), serde_json::to_string(&kinds).expect("JSON"));
    let numbers = BTreeMap::from([(-1_i64, (0_u32, Unit)), (7, (1, Unit))]);
    assert_eq!(text_of(&[&numbers]), serde_json::to_string(&[&numbers]).expect("JSON"));
    let pairs = [Pair(0, 0), Pair(-7, 7)];
    assert_eq!(text_of(&pairs), serde_json::to_string(&pairs).expect("JSON"));
    assert!(push_records(&[BTreeMap::from([(None::<u8>, 1)])], &mut Vec::new()).is_err());
}

#[test]
fn raw_json_is_refused() {
    let raw = serde_json::value::to_raw_value(&[1]).expect("JSON");
    assert!(push_records(&[raw], &mut Vec::new()).is_err());
}

#[test]
fn records_are_appended() {
    let mut text = b"1,".to_vec();
    push_records(&["one"], &mut text).expect("JSON");
    push_records::<&str>(&[], &mut text).expect("JSON");
    assert_eq!(text, b"1,[\"one\"][]");
}

proptest! {
    #[test]
    fn texts_are_escaped_as_by_serde_json(text in "[\\x00-\\x7f]{0,40}|\\PC{0,40}|.{0,40}|[a-z\"\\\\\u{e9}]{0,20}") {
        prop_assert_eq!(text_of(&[&text]), serde_json::to_string(&[&text]).expect("JSON"));
    }
}

#[test]
fn a_response_has_all_fields_and_formatted_texts() {
    let item = ResultItem { title: "\u{1}é\"".to_owned(), ..ResultItem::default() };
    let time = "2026-01-02T03:04:05.000006Z".parse::<crate::instant::Instant>().expect("a time");
    let path = std::net::IpAddr::from([127, 0, 0, 1]);
    let numbers = [0.0, -0.0, 1.0, -1.0, 0.1, 1e300, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY];
    let value = (time, path, [&item], format!("{:?}", item.title), Some(0), 'x', numbers);
    assert_eq!(to_bytes(&value, 0).expect("JSON"), serde_json::to_vec(&value).expect("JSON"));
}
