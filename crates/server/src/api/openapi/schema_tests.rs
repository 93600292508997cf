//! Tests of the completed schemas.

use super::schemas::{BODY_OPTIONAL, add_limits, add_parameter_limits};
use super::{limits, schemas, start};
use serde_json::{Value, json};

fn document() -> Value {
    serde_json::from_str(&crate::openapi_json().expect("a document")).expect("valid JSON")
}

fn schema(name: &str) -> Value {
    document()["components"]["schemas"][name].clone()
}

fn bodies(method: &str) -> Vec<(String, String)> {
    let document = document();
    let paths = document["paths"].as_object().expect("paths").iter();
    let body = |operation: &Value| {
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str().map(str::to_owned)
    };
    paths
        .filter_map(|(path, item)| {
            let name = body(&item[method])?;
            Some((path.clone(), name.rsplit('/').next().unwrap_or_default().to_owned()))
        })
        .collect()
}

#[test]
fn every_limit_has_its_field() {
    let mut document = serde_json::to_value(crate::api::router().into_openapi()).expect("JSON");
    schemas::merge_parts_of_inputs(&mut document);
    assert_eq!(add_limits(&mut document, limits::FIELDS), Vec::<String>::new());
    assert_eq!(add_parameter_limits(&mut document, limits::PARAMETERS), Vec::<String>::new());
    let nothing = [limits::SchemaLimits { schema: "Error", fields: &[("nothing", limits::Limit::Text(1))] }];
    let mut empty = serde_json::to_value(start()).expect("JSON");
    assert_eq!(add_limits(&mut empty, &nothing), ["Error.nothing"]);
}

#[test]
fn a_patch_requires_nothing_and_has_no_defaults() {
    let patches = bodies("patch");
    assert!(patches.len() >= 12, "{patches:?}");
    for (path, name) in patches.into_iter().filter(|(path, _)| schemas::is_edit(path)) {
        let schema = schema(&name);
        assert!(schema.get("required").is_none(), "{path}: {name}");
        for (field, property) in schema["properties"].as_object().expect("properties") {
            assert!(property.get("default").is_none(), "{path}: {name}.{field}");
        }
    }
}

#[test]
fn requests_that_create_have_their_own_requirements() {
    for (name, required) in [
        ("SearchInput", json!(["query_string"])),
        ("SearchPatch", Value::Null),
        ("SearchProviderInput", json!(["name"])),
        ("UserCreate", json!(["username", "password"])),
        ("UserInput", json!(["username"])),
        ("UserPatch", Value::Null),
        ("PromptInput", json!(["name", "prompt", "tags"])),
        ("PinInput", json!(["signal_id", "query"])),
        ("ElectInput", json!(["search_id"])),
        ("RejectInput", json!(["reason"])),
    ] {
        assert_eq!(schema(name)["required"], required, "{name}");
    }
    assert_eq!(schema("UserCreate")["properties"]["password"]["type"], "string");
    assert_eq!(schema("UserInput")["properties"]["password"]["type"], json!(["string", "null"]));
}

#[test]
fn defaults_are_those_of_optional_fields() {
    let document = document();
    for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for field in required.iter().filter_map(Value::as_str) {
            assert!(schema["properties"][field].get("default").is_none(), "{name}.{field}");
        }
    }
}

#[test]
fn limits_are_written_as_keywords() {
    let search = schema("SearchInput");
    let (query, tags) = (&search["properties"]["query_string"], &search["properties"]["tags"]);
    assert_eq!(query["maxLength"], domain::search::QUERY_CHARS_MAX);
    assert_eq!((&query["minLength"], &query["pattern"]), (&json!(1), &json!(r"\S")));
    assert_eq!(tags["maxItems"], domain::search::LIST_MAX);
    assert_eq!(tags["items"]["maxLength"], domain::search::LIST_ITEM_CHARS_MAX);
    assert_eq!(search["properties"]["retention"]["enum"], json!([0, 1, 2, 3, 4]));
    assert_eq!(schema("Rating")["properties"]["rating"]["enum"], json!([1, -1]));
    assert_eq!(schema("ScanInput")["properties"]["channel"]["enum"], json!(["outlook", "gmail", null]));
    let providers = &document()["paths"]["/svc/searchproviders/"]["get"]["parameters"];
    let items = providers.as_array().expect("parameters").iter().find(|one| one["name"] == "items");
    let items = &items.expect("items")["schema"];
    assert_eq!((&items["minimum"], &items["maximum"]), (&json!(1), &json!(100)));
    assert_eq!(items["format"], "int64", "a number of 32 bits without a sign");
}

#[test]
fn lists_refer_to_the_schemas_of_their_items() {
    assert_eq!(
        schema("Paged_Search")["properties"]["results"]["items"]["$ref"],
        "#/components/schemas/Search"
    );
    assert_eq!(
        schema("OneOrMany_SearchProviderInput")["oneOf"],
        json!([
            {"$ref": "#/components/schemas/SearchProviderInput"},
            {"type": "array", "items": {"$ref": "#/components/schemas/SearchProviderInput"}}
        ]),
    );
}

#[test]
fn bodies_that_may_be_omitted_are_optional() {
    let document = document();
    let operations = document["paths"].as_object().expect("paths").values();
    let mut optional: Vec<&str> = operations
        .flat_map(|item| item.as_object().expect("operations").values())
        .filter(|operation| operation["requestBody"]["required"] == false)
        .filter_map(|operation| operation["operationId"].as_str())
        .collect();
    let mut expected = BODY_OPTIONAL.to_vec();
    optional.sort_unstable();
    expected.sort_unstable();
    assert_eq!(optional, expected);
}
