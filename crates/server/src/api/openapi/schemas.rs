//! Schemas of the OpenAPI document, completed after all routes are known: references, limits, and a schema for each kind
//! of request.

use super::limits::{Limit, REQUIRED_TO_CREATE, SchemaLimits};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const SCHEMAS: &str = "#/components/schemas/";
/// The end of the name of a schema of a request, and the one of a schema of a `PATCH`.
const INPUT: &str = "Input";
const PATCH: &str = "Patch";
/// Keywords whose value is a list of schemas.
const COMBINATIONS: [&str; 3] = ["allOf", "oneOf", "anyOf"];
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Operations whose body may be omitted.
pub const BODY_OPTIONAL: [&str; 3] = ["approve_run", "unpin", "begin_scan"];

type Schemas = Map<String, Value>;

/// Replaces copies of schemas with references: generic types contain copies of their parameters.
pub fn refer_to_components(document: &mut Value) {
    let known = schemas(document).clone();
    for schema in schemas_mut(document).values_mut() {
        children_mut(schema).for_each(|part| refer(part, &known));
    }
}

fn refer(schema: &mut Value, known: &Schemas) {
    let is_composed =
        schema.get("properties").is_some() || COMBINATIONS.iter().any(|key| schema.get(key).is_some());
    if is_composed && let Some((name, _)) = known.iter().find(|(_, one)| *one == schema) {
        *schema = reference(name);
        return;
    }
    children_mut(schema).for_each(|part| refer(part, known));
}

/// Merges the parts of the schemas of requests that have several, so that each field is in one place.
pub fn merge_parts_of_inputs(document: &mut Value) {
    for name in body_schemas(document) {
        let merged = merged_parts(&schemas(document)[&name], schemas(document));
        schemas_mut(document).insert(name, merged);
    }
}

fn merged_parts(schema: &Value, known: &Schemas) -> Value {
    let mut merged = schema.as_object().cloned().unwrap_or_default();
    let Some(Value::Array(parts)) = merged.shift_remove("allOf") else { return schema.clone() };
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for part in &parts {
        let part = resolved(part, known);
        properties.extend(part["properties"].as_object().cloned().unwrap_or_default());
        required.extend(part["required"].as_array().cloned().unwrap_or_default());
    }
    merged.insert("type".to_owned(), json!("object"));
    merged.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        merged.insert("required".to_owned(), Value::Array(required));
    }
    Value::Object(merged)
}

/// Adds the limits of fields. Returns those that no field has, for a test.
pub fn add_limits(document: &mut Value, limits: &[SchemaLimits]) -> Vec<String> {
    let mut unknown = Vec::new();
    for SchemaLimits { schema, fields } in limits {
        for (field, limit) in *fields {
            let property = schemas_mut(document)
                .get_mut(*schema)
                .and_then(|one| one.get_mut("properties")?.get_mut(*field));
            match property.map(|property| limit.apply(property)) {
                Some(true) => require(&mut schemas_mut(document)[*schema], &[*field]),
                Some(false) => {}
                None => unknown.push(format!("{schema}.{field}")),
            }
        }
    }
    unknown
}

/// Adds the limits of parameters. Returns those that no operation has, for a test.
pub fn add_parameter_limits(document: &mut Value, limits: &[(&str, &str, Limit)]) -> Vec<String> {
    let mut unused: BTreeSet<usize> = (0..limits.len()).collect();
    for (_, _, operation) in operations_mut(document) {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default().to_owned();
            for (place, (operation, parameter_name, limit)) in limits.iter().enumerate() {
                let is_meant = *parameter_name == name && (operation.is_empty() || *operation == id);
                if is_meant {
                    limit.apply(&mut parameter["schema"]);
                    unused.remove(&place);
                }
            }
        }
    }
    unused.into_iter().map(|place| format!("{} {}", limits[place].0, limits[place].1)).collect()
}

/// Gives requests that create or change a record schemas of their own. A `PATCH` requires nothing and has no defaults,
/// because fields that are not sent are not changed.
pub fn separate_inputs(document: &mut Value) {
    let used_elsewhere = {
        let mut others = document.clone();
        operations_mut(&mut others).for_each(|(_, method, operation)| {
            if method == "patch" {
                operation["requestBody"] = Value::Null;
            }
        });
        reachable(&others)
    };
    let mut added = Vec::new();
    let patched = operations_mut(document).filter(|(path, method, _)| *method == "patch" && is_edit(path));
    for (_, _, operation) in patched {
        let Some(name) = body_schema(operation) else { continue };
        let patch = if used_elsewhere.contains(&name) { patch_name(&name) } else { name.clone() };
        set_body_schema(operation, &patch);
        added.push((name, patch));
    }
    for (name, patch) in added {
        let schema = without_requirements(&schemas(document)[&name]);
        schemas_mut(document).insert(patch, schema);
    }
    for (name, creation, fields) in REQUIRED_TO_CREATE {
        let mut schema = schemas(document)[name].clone();
        require(&mut schema, fields);
        fields.iter().for_each(|field| not_null(&mut schema["properties"][*field]));
        schemas_mut(document).insert(creation.to_owned(), schema);
        let created = operations_mut(document).filter(|(_, method, _)| *method == "post");
        created.for_each(|(_, _, operation)| {
            if body_schema(operation).as_deref() == Some(name) {
                set_body_schema(operation, creation);
            }
        });
    }
    drop_defaults_of_required(document);
    for (_, _, operation) in operations_mut(document) {
        if BODY_OPTIONAL.iter().any(|id| operation["operationId"] == *id) {
            operation["requestBody"]["required"] = json!(false);
        }
    }
}

/// A match found in sent mail is decided on, not edited.
pub fn is_edit(path: &str) -> bool {
    !path.starts_with("/svc/egress/")
}

fn patch_name(name: &str) -> String {
    format!("{}{PATCH}", name.strip_suffix(INPUT).unwrap_or(name))
}

fn without_requirements(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(members) = schema.as_object_mut() {
        members.shift_remove("required");
    }
    for property in
        schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut)
    {
        property.as_object_mut().and_then(|property| property.shift_remove("default"));
    }
    schema
}

/// A field that must be sent has no default.
fn drop_defaults_of_required(document: &mut Value) {
    for schema in schemas_mut(document).values_mut() {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for field in required.iter().filter_map(Value::as_str) {
            let property = schema.get_mut("properties").and_then(|all| all.get_mut(field));
            property.and_then(Value::as_object_mut).and_then(|property| property.shift_remove("default"));
        }
    }
}

/// An object without declared fields has any fields. Without `additionalProperties`, generators expect none.
pub fn open_objects(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let kind = members.get("type");
            let is_object = kind.is_some_and(|kind| {
                kind == "object" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("object")))
            });
            let has_fields =
                ["properties", "additionalProperties"].iter().any(|key| members.contains_key(*key));
            if is_object && !has_fields {
                members.insert("additionalProperties".to_owned(), json!(true));
            }
            members.values_mut().for_each(open_objects);
        }
        Value::Array(items) => items.iter_mut().for_each(open_objects),
        _ => {}
    }
}

/// An unsigned number of 32 bits does not fit into `int32`.
pub fn widen_unsigned(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let is_unsigned =
                members.get("minimum").and_then(Value::as_f64).is_some_and(|least| least >= 0.0);
            if is_unsigned && members.get("format").is_some_and(|format| format == "int32") {
                members.insert("format".to_owned(), json!("int64"));
            }
            members.values_mut().for_each(widen_unsigned);
        }
        Value::Array(items) => items.iter_mut().for_each(widen_unsigned),
        _ => {}
    }
}

/// A schema would describe a stream as one text, but clients receive its events one by one.
pub fn remove_schemas_of_streams(document: &mut Value) {
    for (_, _, operation) in operations_mut(document) {
        let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
        for response in responses.into_iter().flat_map(Map::values_mut) {
            let stream = response.get_mut("content").and_then(|content| content.get_mut("text/event-stream"));
            if let Some(stream) = stream {
                *stream = json!({});
            }
        }
    }
}

/// Removes the schemas that no operation uses.
pub fn remove_unused(document: &mut Value) {
    let used = reachable(document);
    schemas_mut(document).retain(|name, _| used.contains(name));
}

/// The names of all schemas that operations use, directly or by another schema.
fn reachable(document: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = Vec::new();
    references(&document["paths"], &mut open);
    while let Some(name) = open.pop() {
        if let Some(schema) = schemas(document).get(&name)
            && found.insert(name)
        {
            references(schema, &mut open);
        }
    }
    found
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            let name =
                members.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix(SCHEMAS));
            found.extend(name.map(str::to_owned));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// The schemas that a schema consists of.
fn children_mut(schema: &mut Value) -> impl Iterator<Item = &mut Value> {
    let members = schema.as_object_mut().into_iter().flatten();
    members.flat_map(|(key, value)| -> Box<dyn Iterator<Item = &mut Value>> {
        match (key.as_str(), value) {
            ("properties", Value::Object(fields)) => Box::new(fields.values_mut()),
            ("items" | "additionalProperties", part) if part.is_object() => Box::new(std::iter::once(part)),
            (key, Value::Array(parts)) if COMBINATIONS.contains(&key) => Box::new(parts.iter_mut()),
            _ => Box::new(std::iter::empty()),
        }
    })
}

fn require(schema: &mut Value, fields: &[&str]) {
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    for field in fields {
        if !required.contains(&json!(field)) {
            required.push(json!(field));
        }
    }
    schema["required"] = Value::Array(required);
}

/// A required field is never null.
fn not_null(property: &mut Value) {
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|one| one != "null");
        if let [only] = types.as_slice() {
            property["type"] = only.clone();
        }
    }
}

/// The schemas of the bodies of all requests.
fn body_schemas(document: &mut Value) -> BTreeSet<String> {
    operations_mut(document).filter_map(|(_, _, operation)| body_schema(operation)).collect()
}

fn body_schema(operation: &Value) -> Option<String> {
    let path = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str()?;
    path.strip_prefix(SCHEMAS).map(str::to_owned)
}

fn set_body_schema(operation: &mut Value, name: &str) {
    operation["requestBody"]["content"]["application/json"]["schema"] = reference(name);
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("{SCHEMAS}{name}")})
}

fn resolved<'a>(schema: &'a Value, known: &'a Schemas) -> &'a Value {
    let name = schema["$ref"].as_str().and_then(|path| path.strip_prefix(SCHEMAS));
    name.and_then(|name| known.get(name)).unwrap_or(schema)
}

#[expect(clippy::expect_used, reason = "the document begins with the schema of errors")]
fn schemas(document: &Value) -> &Schemas {
    document["components"]["schemas"].as_object().expect("schemas")
}

#[expect(clippy::expect_used, reason = "the document begins with the schema of errors")]
fn schemas_mut(document: &mut Value) -> &mut Schemas {
    document["components"]["schemas"].as_object_mut().expect("schemas")
}

/// All operations, with their paths and methods.
fn operations_mut(document: &mut Value) -> impl Iterator<Item = (&str, &str, &mut Value)> {
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    paths.flat_map(|(path, item)| {
        let members = item.as_object_mut().into_iter().flatten();
        let operations = members.filter(|(method, _)| METHODS.contains(&method.as_str()));
        operations.map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
    })
}
