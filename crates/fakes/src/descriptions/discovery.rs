//! Reads Google discovery documents.

use super::schema::{Description, Route};
use serde_json::{Map, Value, json};

pub fn description(document: &Value) -> Description {
    let types = document["schemas"].as_object().expect("schemas").iter();
    let types = types.map(|(name, schema)| (name.clone(), with_limits(schema))).collect();
    let mut routes = Vec::new();
    collect(document, document, &mut routes);
    Description { routes, types }
}

fn collect(document: &Value, resource: &Value, routes: &mut Vec<Route>) {
    let methods = resource["methods"].as_object().into_iter().flatten();
    routes.extend(methods.map(|(_, method)| route(document, method)));
    for (_, inner) in resource["resources"].as_object().into_iter().flatten() {
        collect(document, inner, routes);
    }
}

fn route(document: &Value, method: &Value) -> Route {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let path = method.get("flatPath").unwrap_or(&method["path"]);
    let own = method["parameters"].as_object().into_iter().flatten();
    let common = document["parameters"].as_object().into_iter().flatten();
    let parameters: Map<String, Value> = common
        .chain(own)
        .filter(|(_, schema)| schema["location"] == "query")
        .map(|(name, schema)| (name.clone(), with_limits(schema)))
        .collect();
    Route {
        method: text(&method["httpMethod"]),
        path: format!("/{}{}", text(&document["servicePath"]), text(path)),
        parameters,
        request: method.get("request").cloned().unwrap_or_default(),
        answer: method.get("response").cloned().unwrap_or_default(),
    }
}

/// Limits are strings there.
fn with_limits(schema: &Value) -> Value {
    let mut schema = schema.clone();
    for (theirs, ours) in [("minimum", "min"), ("maximum", "max")] {
        if let Some(limit) = schema[theirs].as_str().and_then(|text| text.parse::<f64>().ok()) {
            schema[ours] = json!(limit);
        }
    }
    schema
}
