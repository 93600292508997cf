//! Forms of the console: the declared fields with type, default, choices and help from the OpenAPI document.

use super::resources::{Control, FieldGroup, FieldUse, RESOURCES, Resource};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::OnceLock;

const SCHEMAS: &str = "#/components/schemas/";
/// Longest chain of references.
const DEPTH_MAX: usize = 8;

/// The declarations of all resources, by slug.
static DECLARED: OnceLock<BTreeMap<&'static str, Value>> = OnceLock::new();

/// A field of a form, as the page reads it.
#[derive(Debug, Serialize)]
struct FormField {
    name: &'static str,
    label: String,
    control: Control,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<Value>,
    default: Value,
    help: String,
    is_expert: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_length: Option<u64>,
}

/// The declaration of the resource of this page, if it has one. `document` is the OpenAPI document as JSON.
pub fn declared_resource(slug: &str, document: &[u8]) -> Option<&'static Value> {
    let all = DECLARED.get_or_init(|| {
        let document = serde_json::from_slice::<Value>(document).unwrap_or_default();
        RESOURCES.iter().map(|resource| (resource.slug, describe(resource, &document))).collect()
    });
    all.get(slug)
}

/// The resource with its groups of fields.
fn describe(resource: &Resource, document: &Value) -> Value {
    let schemas = &document["components"]["schemas"];
    let properties = properties(schemas, &schemas[resource.schema], 0);
    let groups: Vec<Value> =
        resource.groups.iter().map(|group| describe_group(group, schemas, &properties)).collect();
    let mut value = json!(resource);
    value["groups"] = Value::Array(groups);
    value
}

fn describe_group(group: &FieldGroup, schemas: &Value, properties: &Map<String, Value>) -> Value {
    let field = |one: &FieldUse| form_field(one, schemas, properties.get(one.name).unwrap_or(&Value::Null));
    let fields: Vec<FormField> = group.fields.iter().map(field).collect();
    let mut value = json!(group);
    value["fields"] = json!(fields);
    value
}

fn form_field(one: &FieldUse, schemas: &Value, property: &Value) -> FormField {
    let schema = resolve_ref(schemas, property);
    let words = enum_values(schemas, schema).or_else(|| enum_values(schemas, &schema["items"]));
    let choices = match one.choices {
        Some(choices) => Some(json!(choices)),
        None => words.map(|words| json!({"these": words})),
    };
    let control = one.control.unwrap_or_else(|| control_for(schema, choices.is_some()));
    let text = |key: &str| property[key].as_str().or(schema[key].as_str()).unwrap_or_default();
    FormField {
        name: one.name,
        label: if one.label.is_empty() { label(one.name) } else { one.label.to_owned() },
        control,
        choices,
        default: default_value(property, schema),
        help: if one.help.is_empty() { text("description").replace('\n', " ") } else { one.help.to_owned() },
        is_expert: one.is_expert,
        example: property.get("example").filter(|example| !example.is_null()).cloned(),
        max_length: schema["maxLength"].as_u64(),
    }
}

/// The writable fields of a schema, including those in `allOf`.
fn properties(schemas: &Value, schema: &Value, depth: usize) -> Map<String, Value> {
    let mut found = Map::new();
    if depth > DEPTH_MAX {
        return found;
    }
    let schema = resolve_ref(schemas, schema);
    for part in schema["allOf"].as_array().into_iter().flatten() {
        found.extend(properties(schemas, part, depth + 1));
    }
    if let Some(own) = schema["properties"].as_object() {
        found.extend(own.clone());
    }
    found
}

/// The schema, with references resolved.
fn resolve_ref<'a>(schemas: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..DEPTH_MAX {
        match schema["$ref"].as_str().and_then(|path| path.strip_prefix(SCHEMAS)) {
            Some(name) => schema = &schemas[name],
            None => break,
        }
    }
    schema
}

fn enum_values(schemas: &Value, schema: &Value) -> Option<Vec<Value>> {
    resolve_ref(schemas, schema)["enum"].as_array().cloned()
}

fn has_type(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::Array(types) => types.iter().any(|one| one == name),
        one => one == name,
    }
}

fn control_for(schema: &Value, has_choices: bool) -> Control {
    match () {
        () if has_choices => Control::Choice,
        () if has_type(schema, "boolean") => Control::Switch,
        () if has_type(schema, "integer") || has_type(schema, "number") => Control::Number,
        () if has_type(schema, "array") => Control::Lines,
        () if has_type(schema, "object") => Control::Json,
        () if schema["format"] == "date-time" => Control::Moment,
        () => Control::Text,
    }
}

/// The value in a new record; without a default, objects, lists and texts are empty.
fn default_value(property: &Value, schema: &Value) -> Value {
    match property.get("default").or_else(|| schema.get("default")) {
        Some(value) => value.clone(),
        None if has_type(schema, "object") => json!({}),
        None if has_type(schema, "array") => json!([]),
        None if has_type(schema, "string") => json!(""),
        None if has_type(schema, "boolean") => json!(true),
        None => Value::Null,
    }
}

/// The label of a field: `query_mappings` becomes `Query mappings`.
fn label(name: &str) -> String {
    let plain = name.trim_end_matches("_json").replace('_', " ");
    let plain = plain.replace("uri", "URL").replace("api key", "API key");
    let mut chars = plain.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Value {
        serde_json::from_str(&crate::openapi_json().expect("a document")).expect("JSON")
    }

    fn fields(resource: &Resource) -> Vec<&'static str> {
        resource.groups.iter().flat_map(|group| group.fields).map(|field| field.name).collect()
    }

    fn form_fields(described: &Value) -> impl Iterator<Item = &Value> {
        let groups = described["groups"].as_array().expect("groups").iter();
        groups.flat_map(|group| group["fields"].as_array().expect("fields"))
    }

    #[test]
    fn groups_contain_every_schema_field_exactly_once() {
        let document = document();
        for resource in RESOURCES {
            let schemas = &document["components"]["schemas"];
            assert!(
                schemas.get(resource.schema).is_some(),
                "{} has no schema {}",
                resource.slug,
                resource.schema
            );
            let mut declared = fields(resource);
            declared.sort_unstable();
            let properties = properties(schemas, &schemas[resource.schema], 0);
            let mut known: Vec<&str> = properties.keys().map(String::as_str).collect();
            known.sort_unstable();
            assert_eq!(declared, known, "{}", resource.slug);
        }
    }

    #[test]
    fn every_field_has_a_help_text() {
        let document = document();
        let mut without = Vec::new();
        for resource in RESOURCES {
            let described = describe(resource, &document);
            for field in form_fields(&described) {
                if field["help"].as_str().is_none_or(|help| help.len() < 10) {
                    without.push(format!("{}.{}", resource.schema, field["name"]));
                }
            }
        }
        assert!(without.is_empty(), "{without:?}");
    }

    #[test]
    fn paths_and_parameters_match_the_api() {
        let document = document();
        for resource in RESOURCES {
            let path = format!("/svc{}", resource.api);
            let list = &document["paths"][&path]["get"];
            assert!(!list.is_null(), "{path}");
            let parameters: Vec<&str> = list["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|one| one["name"].as_str())
                .collect();
            for filter in resource.filters {
                assert!(parameters.contains(&filter.parameter), "{path} has no {}", filter.parameter);
            }
            assert_eq!(resource.is_paged, parameters.contains(&"text"), "{path}");
            let one = &document["paths"][format!("{path}{{id}}/")];
            for (is_allowed, method) in
                [(resource.permissions.change, "patch"), (resource.permissions.delete, "delete")]
            {
                assert_eq!(is_allowed, !one[method].is_null(), "{method} {path}");
            }
            assert_eq!(resource.permissions.create, !document["paths"][&path]["post"].is_null(), "{path}");
        }
    }

    #[test]
    fn every_resource_has_a_page() {
        for resource in RESOURCES {
            assert!(super::super::sections::slugs().any(|slug| slug == resource.slug), "{}", resource.slug);
            let module = format!("static/js/admin/{}.js", resource.slug);
            assert!(crate::ui::assets::Assets::new("").read(&module).is_some(), "{module}");
        }
    }

    #[test]
    fn switches_are_boolean_fields() {
        let document = document();
        for resource in RESOURCES {
            let described = describe(resource, &document);
            for switch in resource.switches {
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
            assert_eq!(control_for(&schema, false), control, "{schema}");
        }
        assert_eq!(control_for(&json!({"type": "string"}), true), Control::Choice);
        assert_eq!(label("query_mappings"), "Query mappings");
        assert_eq!(label("token_uri"), "Token URL");
    }
}
