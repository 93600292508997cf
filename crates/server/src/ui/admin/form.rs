//! The forms of the console: the declared fields, each with the type, default, choices and help of the API's own
//! document. A field is described in one place, its spec; the API's pages and the console tell the same.

use super::kinds::{Control, FieldGroup, FieldUse, KINDS, Kind};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::OnceLock;

const SCHEMAS: &str = "#/components/schemas/";
/// References that are followed one after the other.
const DEPTH_MAX: usize = 8;

/// All kinds as pages read them, by slug. They are the same as long as the program runs.
static DECLARED: OnceLock<BTreeMap<&'static str, Value>> = OnceLock::new();

/// A field as the page reads it.
#[derive(Debug, Serialize)]
struct FormField {
    name: &'static str,
    label: String,
    control: Control,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<Value>,
    default: Value,
    help: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_length: Option<u64>,
}

/// The kind of this page, if the page is about records. `document` is the OpenAPI document as JSON.
pub fn declared(slug: &str, document: &[u8]) -> Option<&'static Value> {
    let all = DECLARED.get_or_init(|| {
        let document = serde_json::from_slice::<Value>(document).unwrap_or_default();
        KINDS.iter().map(|kind| (kind.slug, described(kind, &document))).collect()
    });
    all.get(slug)
}

/// The kind with its groups of fields.
fn described(kind: &Kind, document: &Value) -> Value {
    let schemas = &document["components"]["schemas"];
    let properties = properties(schemas, &schemas[kind.schema], 0);
    let groups: Vec<Value> =
        kind.groups.iter().map(|group| described_group(group, schemas, &properties)).collect();
    let mut value = json!(kind);
    value["groups"] = Value::Array(groups);
    value
}

fn described_group(group: &FieldGroup, schemas: &Value, properties: &Map<String, Value>) -> Value {
    let field = |one: &FieldUse| form_field(one, schemas, properties.get(one.name).unwrap_or(&Value::Null));
    let fields: Vec<FormField> = group.fields.iter().map(field).collect();
    let mut value = json!(group);
    value["fields"] = json!(fields);
    value
}

fn form_field(one: &FieldUse, schemas: &Value, property: &Value) -> FormField {
    let schema = followed(schemas, property);
    let words = enum_of(schemas, schema).or_else(|| enum_of(schemas, &schema["items"]));
    let choices = match one.choices {
        Some(choices) => Some(json!(choices)),
        None => words.map(|words| json!({"these": words})),
    };
    let control = one.control.unwrap_or_else(|| control_of(schema, choices.is_some()));
    let text = |key: &str| property[key].as_str().or(schema[key].as_str()).unwrap_or_default();
    FormField {
        name: one.name,
        label: if one.label.is_empty() { label(one.name) } else { one.label.to_owned() },
        control,
        choices,
        default: default_of(property, schema),
        help: text("description").replace('\n', " "),
        example: property.get("example").filter(|example| !example.is_null()).cloned(),
        max_length: schema["maxLength"].as_u64(),
    }
}

/// The writable fields of a schema, with those of the schemas that it is made of.
fn properties(schemas: &Value, schema: &Value, depth: usize) -> Map<String, Value> {
    let mut found = Map::new();
    if depth > DEPTH_MAX {
        return found;
    }
    let schema = followed(schemas, schema);
    for part in schema["allOf"].as_array().into_iter().flatten() {
        found.extend(properties(schemas, part, depth + 1));
    }
    if let Some(own) = schema["properties"].as_object() {
        found.extend(own.clone());
    }
    found
}

/// The schema itself, or the one that it refers to.
fn followed<'a>(schemas: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..DEPTH_MAX {
        match schema["$ref"].as_str().and_then(|path| path.strip_prefix(SCHEMAS)) {
            Some(name) => schema = &schemas[name],
            None => break,
        }
    }
    schema
}

fn enum_of(schemas: &Value, schema: &Value) -> Option<Vec<Value>> {
    followed(schemas, schema)["enum"].as_array().cloned()
}

fn is_of_type(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::Array(types) => types.iter().any(|one| one == name),
        one => one == name,
    }
}

fn control_of(schema: &Value, has_choices: bool) -> Control {
    match () {
        () if has_choices => Control::Choice,
        () if is_of_type(schema, "boolean") => Control::Switch,
        () if is_of_type(schema, "integer") || is_of_type(schema, "number") => Control::Number,
        () if is_of_type(schema, "array") => Control::Lines,
        () if is_of_type(schema, "object") => Control::Json,
        () if schema["format"] == "date-time" => Control::Moment,
        () => Control::Text,
    }
}

/// What a new record has; an object without a default is empty.
fn default_of(property: &Value, schema: &Value) -> Value {
    match property.get("default").or_else(|| schema.get("default")) {
        Some(value) => value.clone(),
        None if is_of_type(schema, "object") => json!({}),
        None if is_of_type(schema, "boolean") => json!(true),
        None => Value::Null,
    }
}

/// `query_mappings` as people read it: `Query mappings`.
fn label(name: &str) -> String {
    let plain = name.trim_end_matches("_json").replace('_', " ");
    let plain = plain.replace("uri", "address").replace("api key", "API key");
    let mut letters = plain.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Value {
        serde_json::from_str(&crate::openapi_json().expect("a document")).expect("JSON")
    }

    fn fields(kind: &Kind) -> Vec<&'static str> {
        kind.groups.iter().flat_map(|group| group.fields).map(|field| field.name).collect()
    }

    fn form_fields(described: &Value) -> impl Iterator<Item = &Value> {
        let groups = described["groups"].as_array().expect("groups").iter();
        groups.flat_map(|group| group["fields"].as_array().expect("fields"))
    }

    #[test]
    fn every_field_of_a_schema_stands_in_one_group_and_no_other_does() {
        let document = document();
        for kind in KINDS {
            let schemas = &document["components"]["schemas"];
            assert!(schemas.get(kind.schema).is_some(), "{} has no schema {}", kind.slug, kind.schema);
            let mut declared = fields(kind);
            declared.sort_unstable();
            let properties = properties(schemas, &schemas[kind.schema], 0);
            let mut known: Vec<&str> = properties.keys().map(String::as_str).collect();
            known.sort_unstable();
            assert_eq!(declared, known, "{}", kind.slug);
        }
    }

    #[test]
    fn every_field_has_a_help_text() {
        let document = document();
        let mut without = Vec::new();
        for kind in KINDS {
            let described = described(kind, &document);
            for field in form_fields(&described) {
                if field["help"].as_str().is_none_or(|help| help.len() < 10) {
                    without.push(format!("{}.{}", kind.schema, field["name"]));
                }
            }
        }
        assert!(without.is_empty(), "{without:?}");
    }

    #[test]
    fn paths_and_parameters_are_those_of_the_api() {
        let document = document();
        for kind in KINDS {
            let path = format!("/svc{}", kind.api);
            let list = &document["paths"][&path]["get"];
            assert!(!list.is_null(), "{path}");
            let parameters: Vec<&str> = list["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|one| one["name"].as_str())
                .collect();
            for filter in kind.filters {
                assert!(parameters.contains(&filter.parameter), "{path} has no {}", filter.parameter);
            }
            assert_eq!(kind.is_paged, parameters.contains(&"text"), "{path}");
            let one = &document["paths"][format!("{path}{{id}}/")];
            for (may, method) in [(kind.may.change, "patch"), (kind.may.delete, "delete")] {
                assert_eq!(may, !one[method].is_null(), "{method} {path}");
            }
            assert_eq!(kind.may.create, !document["paths"][&path]["post"].is_null(), "{path}");
        }
    }

    #[test]
    fn every_kind_has_its_page() {
        for kind in KINDS {
            assert!(super::super::CONSOLE.iter().any(|page| page.slug == kind.slug), "{}", kind.slug);
            let module = format!("static/js/admin/{}.js", kind.slug);
            assert!(crate::ui::Assets::new("").read(&module).is_some(), "{module}");
        }
    }

    #[test]
    fn switches_are_fields_that_are_true_or_false() {
        let document = document();
        for kind in KINDS {
            let described = described(kind, &document);
            for switch in kind.switches {
                let field = form_fields(&described).find(|field| field["name"] == *switch);
                assert_eq!(field.map(|field| &field["control"]), Some(&json!("switch")), "{switch}");
            }
        }
    }

    #[test]
    fn controls_follow_the_schema() {
        let table = [
            (json!({"type": "boolean"}), Control::Switch),
            (json!({"type": ["string", "null"], "format": "date-time"}), Control::Moment),
            (json!({"type": "integer"}), Control::Number),
            (json!({"type": "array"}), Control::Lines),
            (json!({"type": "object"}), Control::Json),
            (json!({"type": "string"}), Control::Text),
        ];
        for (schema, control) in table {
            assert_eq!(control_of(&schema, false), control, "{schema}");
        }
        assert_eq!(control_of(&json!({"type": "string"}), true), Control::Choice);
        assert_eq!(label("query_mappings"), "Query mappings");
        assert_eq!(label("token_uri"), "Token address");
    }
}
