//! Estimates the memory of a response when it is parsed, and of its results afterwards.

use domain::bounded_json::{ANSWER_VALUES_MAX, count_marks, count_values};
use domain::ports::HttpResponse;
use serde_json::Value;

/// A parsed response that takes less memory is not counted.
pub(super) const FREE_BYTES: usize = 1024 * 1024;
/// Most memory of one value: an object of one field, with its slot in a list.
pub(super) const BYTES_PER_VALUE: usize = 320;

/// Upper bound of the memory of a parsed response. For JSON the values are counted, for other formats all characters
/// that could start a value.
pub(crate) fn estimate(http: &HttpResponse) -> usize {
    let bound = estimate_of(http, count_marks(&http.body));
    if bound > FREE_BYTES && is_plain_json(http) {
        estimate_of(http, count_values(&http.body, ANSWER_VALUES_MAX))
    } else {
        bound
    }
}

/// Parsing stops at `ANSWER_VALUES_MAX` values.
fn estimate_of(http: &HttpResponse, values: usize) -> usize {
    http.body.len() + values.min(ANSWER_VALUES_MAX) * BYTES_PER_VALUE
}

/// Whether every parser treats the bytes as JSON: not as XML, and not in another character set.
fn is_plain_json(http: &HttpResponse) -> bool {
    let header = http.header("content-type").unwrap_or_default().to_ascii_lowercase();
    let is_utf8 = !header.contains("charset") || header.contains("utf-8");
    let first = http.body.iter().find(|byte| !byte.is_ascii_whitespace());
    is_utf8 && !header.contains("xml") && matches!(first, Some(b'{' | b'['))
}

pub(super) fn memory_of(items: &[Value]) -> usize {
    items.iter().map(|item| BYTES_PER_VALUE + content_of(item)).sum()
}

fn content_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(list) => memory_of(list),
        Value::Object(object) => {
            object.iter().map(|(name, value)| name.len() + BYTES_PER_VALUE + content_of(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(media: &str, body: String) -> HttpResponse {
        let headers = vec![("content-type".to_owned(), media.to_owned())];
        HttpResponse { status: 200, headers, body: body.into() }
    }

    #[test]
    fn an_estimate_is_an_upper_bound() {
        const JSON: &str = "application/json";
        let lists = format!("[{}[0]]", "[0],".repeat(10_000));
        assert!(estimate(&response(JSON, lists)) >= 20_000 * BYTES_PER_VALUE);
        let objects = format!("[{}{{}}]", r#"{"a":{}},"#.repeat(10_000));
        assert!(estimate(&response(JSON, objects)) >= 20_000 * BYTES_PER_VALUE);
        let cut = format!("[{}", r#"{"a":{}},"#.repeat(10_000));
        assert!(estimate(&response(JSON, cut)) >= 20_000 * BYTES_PER_VALUE, "parsed until it ends");
        let elements = format!("<r>{}</r>", "<a b='c'/>".repeat(10_000));
        assert!(estimate(&response("text/xml", elements)) >= 20_000 * BYTES_PER_VALUE);
        let hidden = format!("[\"{}\"]", "<a/>".repeat(10_000));
        for media in ["application/xml", "application/atom+xml", "application/json; charset=iso-2022-jp"] {
            assert!(estimate(&response(media, hidden.clone())) >= 10_000 * BYTES_PER_VALUE, "{media}");
        }
        let many = format!("[{}0]", "0,".repeat(3 * ANSWER_VALUES_MAX));
        assert!(
            estimate(&response(JSON, many)) < 2 * ANSWER_VALUES_MAX * BYTES_PER_VALUE,
            "parsing stops before"
        );
        assert_eq!(estimate(&response(JSON, "x".repeat(100))), 100);
    }

    #[test]
    fn commas_in_a_string_are_not_values() {
        let body = format!(r#"{{"text": "{}"}}"#, "well, a = b, ".repeat(100_000));
        let length = body.len();
        assert_eq!(estimate(&response("application/json", body)), length + 2 * BYTES_PER_VALUE);
    }
}
