//! How much memory an answer needs when it is parsed, and how much its results need afterwards.

use super::FREE_BYTES;
use domain::bounded_json::{ANSWER_VALUES_MAX, count_values};
use domain::contracts::{HttpResponse, SourceResponse};
use serde_json::Value;

/// What one value takes at most: an object of one field, with its place in a list.
pub(super) const BYTES_PER_VALUE: usize = 320;

/// What an answer may take when it is parsed, never too little. The values of JSON are counted; of anything else, all
/// marks that could begin a value are.
pub(crate) fn estimate(response: &SourceResponse) -> usize {
    match response {
        SourceResponse::Http(http) => {
            let is_mark = |byte: &&u8| matches!(byte, b',' | b'[' | b'{' | b'<' | b'=');
            let bound = estimate_of(http, http.body.iter().filter(is_mark).count());
            match bound > FREE_BYTES && is_plain_json(http) {
                true => estimate_of(http, count_values(&http.body, ANSWER_VALUES_MAX)),
                false => bound,
            }
        }
        // Rows are in memory already.
        SourceResponse::Rows { .. } => 0,
    }
}

/// Reading stops at the most values that an answer may have.
fn estimate_of(http: &HttpResponse, values: usize) -> usize {
    http.body.len() + values.min(ANSWER_VALUES_MAX) * BYTES_PER_VALUE
}

/// Whether every reader takes the bytes for JSON, as they are: not for XML, and not in another character set.
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

    fn answer(media: &str, body: String) -> SourceResponse {
        let headers = vec![("content-type".to_owned(), media.to_owned())];
        SourceResponse::Http(HttpResponse { status: 200, headers, body: body.into() })
    }

    #[test]
    fn an_estimate_is_never_too_small() {
        const JSON: &str = "application/json";
        let lists = format!("[{}[0]]", "[0],".repeat(10_000));
        assert!(estimate(&answer(JSON, lists)) >= 20_000 * BYTES_PER_VALUE);
        let objects = format!("[{}{{}}]", r#"{"a":{}},"#.repeat(10_000));
        assert!(estimate(&answer(JSON, objects)) >= 20_000 * BYTES_PER_VALUE);
        let cut = format!("[{}", r#"{"a":{}},"#.repeat(10_000));
        assert!(estimate(&answer(JSON, cut)) >= 20_000 * BYTES_PER_VALUE, "built until it ends");
        let elements = format!("<r>{}</r>", "<a b='c'/>".repeat(10_000));
        assert!(estimate(&answer("text/xml", elements)) >= 20_000 * BYTES_PER_VALUE);
        let hidden = format!("[\"{}\"]", "<a/>".repeat(10_000));
        for media in ["application/xml", "application/atom+xml", "application/json; charset=iso-2022-jp"] {
            assert!(estimate(&answer(media, hidden.clone())) >= 10_000 * BYTES_PER_VALUE, "{media}");
        }
        let many = format!("[{}0]", "0,".repeat(3 * ANSWER_VALUES_MAX));
        assert!(
            estimate(&answer(JSON, many)) < 2 * ANSWER_VALUES_MAX * BYTES_PER_VALUE,
            "reading stops before"
        );
        assert_eq!(estimate(&answer(JSON, "x".repeat(100))), 100);
    }

    #[test]
    fn commas_of_a_text_are_no_values() {
        let body = format!(r#"{{"text": "{}"}}"#, "well, a = b, ".repeat(100_000));
        let length = body.len();
        assert_eq!(estimate(&answer("application/json", body)), length + 2 * BYTES_PER_VALUE);
    }
}
