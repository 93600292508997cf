//! Tests of paths.

use super::*;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn finds() {
    let root = json!({
        "_source": {"to": "x"}, "@attr": {"total-count": 3}, "one": {"b": 1}, "nothing": null, "text": "word",
        "list": [{"n": 1, "m": [1, 2]}, {"n": 2}, {"n": 3, "m": [4]}], "og:type": "page", "it's": 1, "a2": [[5]],
    });
    let cases: &[(&str, &str)] = &[
        ("_source.to", r#"["x"]"#),
        ("$._source.to", r#"["x"]"#),
        ("$['_source']['to']", r#"["x"]"#),
        (" @attr.total-count ", "[3]"),
        ("list[0].n", "[1]"),
        ("list[-1].n", "[3]"),
        ("list[3].n", "[]"),
        ("list[-4].n", "[]"),
        ("list[1:].n", "[2,3]"),
        ("list[:-1].n", "[1,2]"),
        ("list[2:1]", "[]"),
        ("list[-9:9].n", "[1,2,3]"),
        ("list[*].n", "[1,2,3]"),
        ("list[*].m[*]", "[1,2,4]"),
        ("list.n", "[]"),
        ("one[*].b", "[1]"),
        ("one[0].b", "[1]"),
        ("one[1].b", "[]"),
        ("one[b]", "[1]"),
        ("text[0]", r#"["word"]"#),
        ("nothing", "[null]"),
        ("nothing[*]", "[]"),
        ("nothing[0]", "[]"),
        ("['og:type']", r#"["page"]"#),
        ("$.['og:type']", r#"["page"]"#),
        (r"['it\'s']", "[1]"),
        ("[\"it's\"]", "[1]"),
        ("a2[0][0]", "[5]"),
        ("missing.deeper[*].x", "[]"),
    ];
    for (path, want) in cases {
        let parsed = JsonPath::parse(path).unwrap_or_else(|error| panic!("{error}"));
        let found = parsed.find(&root).into_iter();
        assert_eq!(Value::from_iter(found.cloned()).to_string(), *want, "{path}");
        let mut changed = root.clone();
        let taken = parsed.find_mut(&mut changed).into_iter().map(Value::take);
        assert_eq!(Value::from_iter(taken).to_string(), *want, "{path}");
    }
    assert_eq!(JsonPath::parse("$").expect("the whole").find(&root), [&root]);
}

#[test]
fn members_are_found_in_small_and_large_objects() {
    for count in [0, 1, COMPARED_MEMBERS_MAX, COMPARED_MEMBERS_MAX + 1, 50] {
        let root: Value = (0..count).map(|number| (format!("m{number}"), Value::from(number))).collect();
        for number in 0..=count {
            let path = JsonPath::parse(&format!("m{number}")).expect("a path");
            assert_eq!(
                path.locate(&root),
                Matches::Single(root.get(format!("m{number}"))),
                "{number} of {count}"
            );
        }
    }
    let root = json!({"a": [1, 2]});
    let all = JsonPath::parse("a[*]").expect("a path");
    assert_eq!(all.locate(&root), Matches::All(vec![&json!(1), &json!(2)]));
}

#[test]
fn refuses() {
    for path in [
        "", " ", ".", "a.", "a b", "a:b", "a#", "a[", "a[']", "a['x'", "a[]", "a[x y]", "a..b", "a.*", "*",
        "$x", "a]",
    ] {
        assert!(JsonPath::parse(path).is_err(), "{path}");
    }
    assert!(JsonPath::parse("a b").expect_err("a space").message().contains("'a b'"));
}

#[test]
fn size_is_bounded() {
    assert!(JsonPath::parse(&"x".repeat(PATH_CHARS_MAX)).is_ok());
    assert!(JsonPath::parse(&"x".repeat(PATH_CHARS_MAX + 1)).is_err());
    assert!(JsonPath::parse(&"[0]".repeat(STEPS_MAX)).is_ok());
    assert!(JsonPath::parse(&"[0]".repeat(STEPS_MAX + 1)).is_err());
}

proptest! {
    #[test]
    fn never_panics(text in "[a\\[\\]\\.\\*'\"\\\\:0-9$é -]{0,30}|.{0,30}") {
        let root = json!({"a": [1, {"a": [2, "x"]}], "é": null});
        if let Ok(path) = JsonPath::parse(&text) {
            let _ = path.find(&root);
        }
    }
}

#[test]
fn what_was_found_is_removed() {
    let whole = json!({
        "a": 1, "o": {"x": 1, "y": 2}, "deep": {"in": {"x": 1}}, "list": ["p", "q"], "one": ["only"],
        "people": [{"n": "A", "age": 5}, {"n": "B"}], "names": [{"n": "A"}, {"n": "B"}],
    });
    let table = [
        ("a", json!({"a": null})),
        ("o.x", json!({"o": {"y": 2}})),
        ("deep.in.x", json!({"deep": null})),
        ("list", json!({"list": null})),
        ("list[*]", json!({"list": null})),
        ("list[0]", json!({})),
        ("list[0:1]", json!({})),
        ("one[0]", json!({"one": null})),
        ("people[*].n", json!({"people": [{"age": 5}]})),
        ("names[*].n", json!({"names": null})),
        ("o[*].x", json!({"o": {"y": 2}})),
        ("a[*]", json!({"a": null})),
        ("missing.x", json!({})),
        ("a.x", json!({})),
        ("$", json!({})),
    ];
    for (path, changed) in table {
        let mut expected = whole.clone();
        for (name, value) in changed.as_object().expect("an object") {
            match value {
                Value::Null => drop(expected.as_object_mut().expect("an object").shift_remove(name)),
                value => expected[name] = value.clone(),
            }
        }
        let mut left = whole.clone();
        JsonPath::parse(path).expect(path).remove(&mut left);
        assert_eq!(left, expected, "{path}");
    }
    let path = |text: &str| JsonPath::parse(text).expect(text);
    assert_eq!(
        (path("['a b']").as_member(), path("a.b").as_member(), path("$").as_member()),
        (Some("a b"), None, None)
    );
    assert_eq!((path("a[*].b").first_member(), path("$[0]").first_member()), (Some("a"), None));
}
