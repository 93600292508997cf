//! Turns the body of a request into the body template of a provider.

use crate::fields::identifier_words::is_named;
use crate::request::conventions::{PLACEHOLDERS, QUERY, QUERY_NAMES, SIZES, find_ignoring_case, query_rank};
use crate::request::curl::{Body, Request};
use crate::request::quotes;
use crate::request::secrets::is_secret;
use domain::ports::HttpMethod;
use domain::provider::{ProviderSpec, RESULTS_PER_QUERY_MAX};
use serde_json::{Map, Value};

/// Deepest position of the query in a body.
const BODY_DEPTH_MAX: usize = 32;

/// Sets the body template of the provider; true if it contains the query.
pub fn apply_body(
    request: &Request,
    query: &str,
    spec: &mut ProviderSpec,
    remarks: &mut Vec<String>,
) -> bool {
    if request.method == HttpMethod::Get {
        return false;
    }
    spec.connector = "RequestsPost".to_owned();
    let mut body = match &request.body {
        Some(Body::Json(value)) => value.clone(),
        Some(Body::Form(pairs)) => {
            remarks.push("The request sends a form; RequestsPost sends the same values as JSON. Check that the source accepts it.".to_owned());
            let pairs = pairs.iter().map(|(name, value)| (name.clone(), Value::String(value.clone())));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
        None => Value::Object(Map::new()),
    };
    redact_secrets(&mut body, 0);
    let has_query = place_by_word("", &mut body, query.trim(), 0)
        || (query.trim().is_empty() && place_by_name(&mut body, 0));
    if let Value::Object(object) = body {
        if let Some(size) =
            object.iter().find(|(name, _)| is_named(name, SIZES)).and_then(|(_, value)| value.as_u64())
        {
            let size = u32::try_from(size).unwrap_or(RESULTS_PER_QUERY_MAX);
            spec.results_per_query = size.clamp(1, RESULTS_PER_QUERY_MAX);
        }
        spec.post_query_template = object;
    }
    has_query
}

/// Replaces the query or a placeholder in the body. `name` is that of the value.
fn place_by_word(name: &str, value: &mut Value, query: &str, depth: usize) -> bool {
    match value {
        Value::String(text) if quotes::filtered_placeholder(text).is_some() => true,
        Value::String(text) => {
            let candidates =
                PLACEHOLDERS.iter().copied().chain(Some(query).filter(|query| !query.is_empty()));
            let Some((start, placeholder)) = candidates
                .filter_map(|placeholder| Some((find_ignoring_case(text, placeholder)?, placeholder)))
                .next()
            else {
                return false;
            };
            let end = start + placeholder.len();
            let placeholder = quotes::placeholder(name, &text[..start], &text[end..]);
            text.replace_range(start..end, &placeholder);
            true
        }
        Value::Array(list) if depth < BODY_DEPTH_MAX => {
            list.iter_mut().any(|one| place_by_word(name, one, query, depth + 1))
        }
        Value::Object(object) if depth < BODY_DEPTH_MAX => {
            object.iter_mut().any(|(name, one)| place_by_word(name, one, query, depth + 1))
        }
        _ => false,
    }
}

/// Replaces the text whose name is that of a query.
fn place_by_name(value: &mut Value, depth: usize) -> bool {
    match value {
        Value::Object(object) if depth < BODY_DEPTH_MAX => {
            let named = object
                .iter_mut()
                .filter(|(name, value)| value.is_string() && query_rank(name) <= QUERY_NAMES.len());
            if let Some((_, text)) = named.min_by_key(|(name, _)| query_rank(name)) {
                *text = Value::String(QUERY.to_owned());
                return true;
            }
            object.values_mut().any(|one| place_by_name(one, depth + 1))
        }
        Value::Array(list) if depth < BODY_DEPTH_MAX => {
            list.iter_mut().any(|one| place_by_name(one, depth + 1))
        }
        _ => false,
    }
}

fn redact_secrets(value: &mut Value, depth: usize) {
    match value {
        Value::Object(object) if depth < BODY_DEPTH_MAX => {
            for (name, inside) in object {
                match inside {
                    Value::String(text) if is_secret(name) => "YOUR_KEY".clone_into(text),
                    other => redact_secrets(other, depth + 1),
                }
            }
        }
        Value::Array(list) if depth < BODY_DEPTH_MAX => {
            list.iter_mut().for_each(|one| redact_secrets(one, depth + 1))
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::curl::parse;
    use crate::request::template::{RequestTemplate, build_template};
    use serde_json::json;

    fn template_of(text: &str, query: &str) -> RequestTemplate {
        let request = parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).expect("a request");
        build_template(&request, query)
    }

    #[test]
    fn bodies_become_templates() {
        let table = [
            ("{\"query\":\"tea\",\"limit\":20}", "", json!({"query": QUERY, "limit": 20}), 20),
            (
                "{\"a\":[{\"match\":{\"body\":\"some tea, please\"}}],\"api_key\":\"hush\"}",
                "tea",
                json!({"a": [{"match": {"body": "some {query_string}, please"}}], "api_key": "YOUR_KEY"}),
                10,
            ),
            ("{\"x\":{\"q\":\"a\"}}", "", json!({"x": {"q": QUERY}}), 10),
            ("q=tea&n=5", "tea", json!({"q": QUERY, "n": "5"}), 10),
        ];
        for (body, query, want, results) in table {
            let template = template_of(&format!("curl https://h.example/s -d '{body}'"), query);
            let spec = template.spec;
            assert_eq!(Value::Object(spec.post_query_template.clone()), want, "{body}");
            assert_eq!(
                (spec.connector.as_str(), spec.query_template.as_str()),
                ("RequestsPost", "{url}"),
                "{body}"
            );
            assert_eq!(
                (spec.query_mappings.as_str(), spec.results_per_query),
                ("NO_URL_ENCODE", results),
                "{body}"
            );
            assert_eq!(spec.active, !body.contains("hush"), "{body}");
        }
        let unknown = template_of("curl https://h.example/s -d '{\"a\":\"b\"}'", "tea");
        assert!(unknown.remarks.iter().any(|remark| remark.contains("not in the request")));
    }

    #[test]
    fn depth_is_bounded() {
        let deep = |depth: usize| (0..depth).fold(json!("tea"), |inside, _| json!({ "a": inside }));
        assert!(place_by_word("", &mut deep(BODY_DEPTH_MAX), "tea", 0));
        assert!(!place_by_word("", &mut deep(BODY_DEPTH_MAX + 1), "tea", 0));
    }
}
