//! The checks can fail: each finds what a description does not have.

use super::*;
use serde_json::json;

fn small() -> Description {
    discovery::description(&json!({
        "servicePath": "books/v1/",
        "parameters": {"fields": {"type": "string", "location": "query"}},
        "schemas": {
            "Book": {"type": "object", "properties": {
                "title": {"type": "string"}, "pages": {"type": "integer"}, "kind": {"type": "string", "enum": ["A", "B"]},
                "id": {"type": "string", "readOnly": true}, "next": {"$ref": "Book"},
                "tags": {"type": "array", "items": {"type": "string"}}}},
        },
        "resources": {"books": {"methods": {
            "insert": {"path": "sections/{section}/books", "httpMethod": "POST", "request": {"$ref": "Book"},
                "response": {"$ref": "Book"}, "parameters": {
                    "section": {"type": "string", "location": "path"},
                    "most": {"type": "integer", "location": "query", "required": true, "maximum": "10"}}},
            "list": {"path": "sections/{section}/books:list", "httpMethod": "POST", "response": {"$ref": "Book"}},
        }}},
    }))
}

fn exchange() -> Exchange {
    Exchange {
        method: "POST".to_owned(),
        path: "/books/v1/sections/a%2Fb/books".to_owned(),
        query: vec![("most".to_owned(), "3".to_owned()), ("fields".to_owned(), "title".to_owned())],
        body: json!({"title": "x", "pages": 3, "kind": "A", "tags": ["y"], "next": {"title": "z"}}),
        answer: json!({"id": "1", "title": null}),
    }
}

type Change = fn(&mut Exchange);
type Addition = fn(&mut TypeScript);

#[test]
fn what_a_description_does_not_have_is_found() {
    assert_eq!(small().mistakes(&exchange()), Vec::<String>::new());
    let table: &[(Change, &str)] = &[
        (|one| one.body["madeUp"] = json!(1), "body has no member madeUp"),
        (|one| one.body["next"]["madeUp"] = json!(1), "body.next has no member madeUp"),
        (|one| one.body["pages"] = json!("3"), "body.pages is \"3\" and not of the type \"integer\""),
        (|one| one.body["title"] = json!(null), "body.title is null"),
        (|one| one.body["kind"] = json!("C"), "none of"),
        (|one| one.body["tags"] = json!(["a", 1]), "body.tags[1] is 1"),
        (|one| one.body["id"] = json!("1"), "body.id is set by the vendor alone"),
        (|one| one.query.push(("madeUp".into(), "1".into())), "there is no parameter madeUp"),
        (|one| one.query.push(("most".into(), "4".into())), "may be there once"),
        (|one| one.query[0].1 = "many".into(), "most is null"),
        (|one| one.query[0].1 = "11".into(), "most is not between"),
        (|one| one.query.truncate(0), "the parameter most is missing"),
        (|one| one.method = "GET".into(), "there is no GET"),
        (|one| one.path += "/more", "there is no POST"),
        (|one| one.path += ":list", "there is a body"),
        (|one| one.answer["madeUp"] = json!(1), "answer has no member madeUp"),
    ];
    for (change, expected) in table {
        let mut one = exchange();
        change(&mut one);
        let mistakes = small().mistakes(&one);
        assert!(mistakes.iter().any(|told| told.contains(expected)), "{expected}: {mistakes:?}");
    }
}

#[test]
fn a_pointer_is_followed_through_a_description() {
    let description = small();
    for (pointer, expected) in [
        ("/title", true),
        ("/next/next/tags/0", true),
        ("/name", false),
        ("/title/0", false),
        ("/tags/x", false),
    ] {
        assert_eq!(description.has("Book", pointer), expected, "{pointer}");
    }
    let sample = description.sample("Book");
    assert_eq!((&sample["title"], &sample["next"]["tags"]), (&json!("the title"), &json!(["the tags"])));
}

#[test]
fn the_members_of_a_service_model_are_those_of_its_bodies() {
    let description = botocore::description(&json!({
        "operations": {"Say": {"http": {"method": "POST", "requestUri": "/model/{modelId}/say"},
            "input": {"shape": "SayRequest"}, "output": {"shape": "Block"}}},
        "shapes": {
            "SayRequest": {"type": "structure", "required": ["modelId", "blocks"], "members": {
                "modelId": {"shape": "Text", "location": "uri", "locationName": "modelId"},
                "blocks": {"shape": "Blocks"}}},
            "Blocks": {"type": "list", "member": {"shape": "Block"}, "max": 2},
            "Block": {"type": "structure", "union": true, "members": {"text": {"shape": "Text"}, "any": {"shape": "Any"}}},
            "Text": {"type": "string", "min": 1},
            "Any": {"type": "structure", "members": {}, "document": true},
        },
    }));
    let mistakes = |body| {
        let path = "/model/a%3A0/say".to_owned();
        description.mistakes(&Exchange { method: "POST".to_owned(), path, body, ..Exchange::default() })
    };
    assert_eq!(mistakes(json!({"blocks": [{"text": "a"}, {"any": {"free": 1}}]})), Vec::<String>::new());
    for (body, expected) in [
        (json!({}), "body lacks blocks"),
        (json!({"blocks": [], "modelId": "a"}), "body has no member modelId"),
        (json!({"blocks": [{"text": "a", "any": 1}]}), "must have one member"),
        (json!({"blocks": [{"text": ""}]}), "not between"),
    ] {
        let told = mistakes(body);
        assert!(told.iter().any(|told| told.contains(expected)), "{expected}: {told:?}");
    }
}

#[test]
fn members_are_renamed() {
    let value = json!({"tool_calls": [{"call_id": 1, "parameters": {"a_b": 1}}], "a": "b_c"});
    let expected = json!({"toolCalls": [{"callId": 1, "parameters": {"a_b": 1}}], "a": "b_c"});
    assert_eq!(with_camel_case(&value), expected);
}

#[test]
fn pointers_of_a_source_are_found() {
    let source = "fn a(x: &Value) { first_text(x, &[\"/owners/0/displayName\", \"/name\"]); x.get(\"id\"); \
                  let text = \"a/b\"; format!(\"/of {}\") }\n#[cfg(test)]\nmod tests { \"/not/this\" }";
    assert_eq!(pointers(source).into_iter().collect::<Vec<_>>(), ["/id", "/name", "/owners/0/displayName"]);
}

#[test]
fn what_a_type_of_typescript_does_not_have_is_found() {
    let imports = "import type * as graph from \"@microsoft/microsoft-graph-types\";";
    let check = |change: Addition| {
        let mut program = TypeScript::given(imports)?;
        change(&mut program);
        Some(program.mistakes())
    };
    let right = check(|program| {
        program.request("graph.SearchRequest", &json!({"entityTypes": ["message"], "from": 0}));
        program.answer("graph.SearchHit", &json!({"hitId": "a", "resource": {"id": "b"}}));
        program.reads("graph.Message", &BTreeSet::from(["/from/emailAddress/name".to_owned()]));
    });
    let Some(right) = right else { return };
    assert_eq!(right, Vec::<String>::new());
    let table: &[(Addition, &str)] = &[
        (
            |program| program.request("graph.SearchRequest", &json!({"madeUp": 1})),
            "'\"madeUp\"' does not exist",
        ),
        (
            |program| program.request("graph.SearchRequest", &json!({"from": "0"})),
            "not assignable to type 'number'",
        ),
        (|program| program.request("graph.SearchRequest", &json!({"entityTypes": ["mail"]})), "'\"mail\"'"),
        (|program| program.answer("graph.SearchHit", &json!({"resource": {"madeUp": 1}})), "does not exist"),
        (
            |program| program.reads("graph.Message", &BTreeSet::from(["/from/name".to_owned()])),
            "index type 'Recipient'",
        ),
        (|program| program.request("graph.NoSuchType", &json!({})), "NoSuchType"),
        (|program| program.request("any", &json!({})), "Unused '@ts-expect-error'"),
    ];
    for (change, expected) in table {
        let mistakes = check(*change).expect("it is here");
        assert!(mistakes.iter().any(|told| told.contains(expected)), "{expected}: {mistakes:?}");
    }
}
