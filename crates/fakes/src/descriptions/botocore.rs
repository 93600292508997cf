//! Reads AWS service models in the format of botocore.

use super::schema::{Description, Route, reference};
use serde_json::{Map, Value, json};

pub fn description(model: &Value) -> Description {
    let shapes = model["shapes"].as_object().expect("shapes");
    let types = shapes.iter().map(|(name, shape)| (name.clone(), schema(shape))).collect();
    let operations = model["operations"].as_object().expect("operations");
    let routes = operations.values().map(|operation| route(shapes, operation)).collect();
    Description { routes, types }
}

fn route(shapes: &Map<String, Value>, operation: &Value) -> Route {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let body = |side: &Value| match side["shape"].as_str() {
        // A payload is the whole body, in its own format.
        Some(name) if shapes[name].get("payload").is_some() => json!({}),
        Some(name) => reference(name),
        None => Value::Null,
    };
    let input = operation["input"]["shape"].as_str().map(|name| &shapes[name]);
    let members = input.and_then(|shape| shape["members"].as_object()).into_iter().flatten();
    let parameters = members.filter(|(_, member)| member["location"] == "querystring");
    let parameters = parameters.map(|(name, member)| (wire_name(name, member), json!({"type": "string"})));
    Route {
        method: text(&operation["http"]["method"]),
        path: text(&operation["http"]["requestUri"]),
        parameters: parameters.collect(),
        request: body(&operation["input"]),
        answer: body(&operation["output"]),
    }
}

fn wire_name(name: &str, member: &Value) -> String {
    member["locationName"].as_str().unwrap_or(name).to_owned()
}

fn schema(shape: &Value) -> Value {
    if shape["document"] == true {
        return json!({});
    }
    let inner = |place: &str| reference(shape[place]["shape"].as_str().expect("a shape"));
    let mut schema = match shape["type"].as_str().expect("a type") {
        "structure" => structure(shape),
        "list" => json!({"type": "array", "items": inner("member")}),
        "map" => json!({"type": "object", "additionalProperties": inner("value")}),
        "integer" | "long" => json!({"type": "integer"}),
        "float" | "double" | "timestamp" => json!({"type": "number"}),
        "boolean" => json!({"type": "boolean"}),
        "blob" => return json!({"type": "string"}),
        _ => json!({"type": "string"}),
    };
    for name in ["enum", "min", "max"] {
        if let Some(value) = shape.get(name) {
            schema[name] = value.clone();
        }
    }
    schema
}

/// The members in the body.
fn structure(shape: &Value) -> Value {
    let members: Vec<(&String, &Value)> = shape["members"].as_object().into_iter().flatten().collect();
    let in_body = members.iter().filter(|(_, member)| member.get("location").is_none());
    let properties: Map<String, Value> = in_body
        .map(|(name, member)| {
            (wire_name(name, member), reference(member["shape"].as_str().expect("a shape")))
        })
        .collect();
    let needed = shape["required"].as_array().into_iter().flatten();
    let required: Vec<&Value> =
        needed.filter(|name| name.as_str().is_some_and(|name| properties.contains_key(name))).collect();
    json!({"type": "object", "required": required, "union": shape["union"] == true, "properties": properties})
}
