//! Tests of the bounded parser: the same values as from any other one, and its limits.

use super::*;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn reads_what_any_reader_would() {
    let text = r#" {"a":[1,-2,2.5,1e40,"x\u00e9",true,null,[],{}],"b":18446744073709551615,"a2":{"c":{"d":"e"}},"b":3} "#;
    let expected: Value = serde_json::from_str(text).expect("JSON");
    let found = parse(text.as_bytes(), 100).expect("JSON");
    assert_eq!(found, expected);
    assert_eq!(found.to_string(), expected.to_string(), "in the same order");
}

#[test]
fn marks_are_counted_in_texts_of_any_length() {
    for length in [0, 1, COUNTED_BYTES - 1, COUNTED_BYTES, COUNTED_BYTES + 1, 1_000, 10_000] {
        assert_eq!(count_marks(&vec![b','; length]), length);
        let text: Vec<u8> = (0..=u8::MAX).cycle().take(length).collect();
        let marks = text.iter().filter(|byte| b",[{<=".contains(byte)).count();
        assert_eq!(count_marks(&text), marks, "{length}");
    }
}

#[test]
fn stops_at_the_bound() {
    let table =
        [("[1,2,3]", 4), (r#"{"a":{"b":[]}}"#, 3), ("7", 1), (r#"[[0],[0]]"#, 5), (r#"{"a":1,"a":2}"#, 3)];
    for (text, values) in table {
        assert!(parse(text.as_bytes(), values).is_ok(), "{text}");
        assert_eq!(count_values(text.as_bytes(), 100), values, "{text}");
        assert_eq!(count_values(text.as_bytes(), values - 1), values, "{text}");
        let error = parse(text.as_bytes(), values - 1).expect_err(text);
        assert!(
            matches!(error, BoundedJsonError::TooManyValues(max) if max == values - 1),
            "{text}: {error}"
        );
    }
    let error = parse(format!("[{}0]", "1000000000000000,".repeat(200_000)).as_bytes(), ANSWER_VALUES_MAX);
    assert_eq!(error.expect_err("too many").to_string(), "contains more than 200,000 values");
}

#[test]
fn stops_when_small_values_take_too_much_memory() {
    let dense = |count: usize| format!("[{}{{}}]", r#"{"a":0},"#.repeat(count));
    let fits = MEMORY_FREE / (ITEM_BYTES + OBJECT_BYTES + FIELD_BYTES + 1) - 2;
    assert!(parse_answer(dense(fits).as_bytes()).is_ok());
    let error = parse_answer(dense(2 * fits).as_bytes()).expect_err("too dense");
    assert!(matches!(error, BoundedJsonError::TooMuchMemory(16)), "{error}");
    let lists = format!("[{}[0]]", "[0],".repeat(50_000));
    assert!(parse_answer(lists.as_bytes()).is_ok(), "sixteen megabytes are free");

    let result = |number: usize| {
        json!({"title": format!("river level {number}"), "url": format!("https://h.example/{number}"),
            "body": "The river rose in the night and fell again. ".repeat(3), "id": number, "tags": ["a", "b"]})
    };
    let ordinary = Value::Array((0..20_000).map(result).collect()).to_string();
    assert!(ordinary.len() * 4 > MEMORY_FREE && parse_answer(ordinary.as_bytes()).is_ok());
}

#[test]
fn objects_of_other_sizes_follow_each_other() {
    let fields = |count: usize| -> Value {
        (0..count).map(|number| (format!("f{number}"), json!({"n": number}))).collect()
    };
    let sizes = [0, 1, 4, 4, 9, 30, 2, 0, 30, 1];
    let expected: Value = sizes.into_iter().map(fields).collect::<Vec<Value>>().into();
    assert_eq!(parse_answer(expected.to_string().as_bytes()).expect("JSON"), expected);
    let counter = Counter::new(100, MEMORY_FREE);
    counter.fields_expected.set(FIELDS_EXPECTED_MAX);
    let mut reader = serde_json::Deserializer::from_slice(b"{}");
    assert_eq!(BoundedValue(&counter).deserialize(&mut reader).expect("JSON"), json!({}));
    assert_eq!(counter.fields_expected.get(), 0, "after an empty object, none are expected");
}

#[test]
fn a_type_of_its_own_has_the_same_bound() {
    let text = b"[[1,2],[3]]";
    assert_eq!(parse_as::<Vec<Vec<u8>>>(text, 6).expect("JSON"), [vec![1, 2], vec![3]]);
    let error = parse_as::<Vec<Vec<u8>>>(text, 5).expect_err("too many");
    assert!(matches!(error, BoundedJsonError::TooManyValues(5)), "{error}");
    let error = parse_as::<Vec<u8>>(text, 6).expect_err("another type");
    assert!(matches!(error, BoundedJsonError::Malformed(_)), "{error}");
}

#[test]
fn what_is_no_json_is_told() {
    let deep = "[".repeat(100_000);
    for text in ["", "{", "[1,]", "{} x", "<html>", deep.as_str(), "\"\\ud800\""] {
        let error = parse(text.as_bytes(), 1_000).expect_err("no JSON");
        let expected = serde_json::from_str::<Value>(text).expect_err("no JSON");
        assert_eq!(error.to_string(), format!("is not JSON ({expected})"));
    }
}

#[test]
fn numbers_have_commas() {
    for (number, shown) in
        [(0, "0"), (999, "999"), (1_000, "1,000"), (50_000, "50,000"), (1_234_567, "1,234,567")]
    {
        assert_eq!(grouped(number), shown);
    }
}

proptest! {
    #[test]
    fn is_equal_to_the_common_reader(text in "(\\[|\\]|\\{|\\}|\"a\"|:|,|1|-2.5|null|true| ){0,20}") {
        let (found, expected) = (parse(text.as_bytes(), 1_000), serde_json::from_str::<Value>(&text));
        prop_assert_eq!(found.ok(), expected.ok());
    }
}

#[test]
fn a_list_takes_no_more_space_than_it_needs() {
    let Value::Array(list) = parse(b"[[0],[0],[0],[0],[0]]", 100).expect("JSON") else { panic!("a list") };
    let Some(Value::Array(inner)) = list.first() else { panic!("a list") };
    assert_eq!((list.capacity(), inner.capacity()), (5, 1));
    assert_eq!(json!(list).to_string(), "[[0],[0],[0],[0],[0]]");
}
