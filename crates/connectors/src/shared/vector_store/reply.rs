//! Responses of vector stores, and their errors.

use crate::shared::response;
use domain::bounded_json::parse_answer;
use domain::instant::Instant;
use domain::ports::{ConnectorError, ConnectorErrorKind, HttpResponse};
use serde_json::Value;

/// Longest error message of a store that is repeated.
const WORDS_CHARS_MAX: usize = 200;

/// Where the stores put their error message.
const WORDS_AT: [&str; 6] =
    ["/status/error", "/error/message", "/errors/0/message", "/error/0/message", "/message", "/error"];

/// A response of any status.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub body: Value,
    /// The error derived from the status alone.
    refused: Option<ConnectorError>,
}

/// The collection that was queried, for error messages.
#[derive(Debug, Clone)]
pub struct Target {
    /// `collection`, `index`, `class`
    pub what: &'static str,
    pub name: String,
}

impl Reply {
    /// A successful response that cannot be parsed is an error.
    pub fn of(http: &HttpResponse, now: Instant) -> Result<Self, ConnectorError> {
        let (body, refused) = match response::read(http, now) {
            Ok(body) => (body, None),
            Err(error) if (200..300).contains(&http.status) => return Err(error),
            Err(error) => (parse_answer(&http.body).unwrap_or(Value::Null), Some(error)),
        };
        Ok(Self { status: http.status, body, refused })
    }

    /// The body of a successful response. `dimensions` is that of the query vector.
    pub fn good(self, target: &Target, dimensions: usize) -> Result<Value, ConnectorError> {
        let Some(refused) = self.refused else { return Ok(self.body) };
        let words = words(&self.body);
        Err(match refused.kind {
            ConnectorErrorKind::QueryInvalid | ConnectorErrorKind::Unavailable
                if is_about_dimensions(&words) =>
            {
                target.other_dimensions(&words, dimensions)
            }
            ConnectorErrorKind::QueryInvalid if self.status == 404 => target.unknown(),
            // The query is only a vector, so the provider's configuration must be wrong.
            ConnectorErrorKind::QueryInvalid => target.refused(&words, self.status),
            _ => refused,
        })
    }
}

impl Target {
    pub fn unknown(&self) -> ConnectorError {
        let message = format!("the {} '{}' does not exist", self.what, self.name);
        ConnectorError::new(ConnectorErrorKind::PlaceUnknown, message)
    }

    /// The stored vectors were made by another model than that of the query.
    pub fn other_dimensions(&self, words: &str, ours: usize) -> ConnectorError {
        let theirs = theirs(words, ours).map_or("another number".to_owned(), |number| number.to_string());
        let message = format!(
            "the query's vector has {ours} dimensions and those of the {} '{}' have {theirs}; \
             set the tag model:<name> to the model that made them",
            self.what, self.name
        );
        ConnectorError::new(ConnectorErrorKind::ConfigInvalid, message)
    }

    pub fn refused(&self, words: &str, status: u16) -> ConnectorError {
        let message_text = if words.is_empty() { format!("HTTP {status}") } else { words.to_owned() };
        let message =
            format!("the source rejected the query to the {} '{}': {message_text}", self.what, self.name);
        ConnectorError::new(ConnectorErrorKind::ConfigInvalid, message)
    }
}

/// The store's error message in one line; empty if there is none.
pub fn words(body: &Value) -> String {
    let message_text =
        WORDS_AT.iter().find_map(|pointer| body.pointer(pointer)?.as_str()).unwrap_or_default();
    let line = message_text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(WORDS_CHARS_MAX).collect()
}

pub fn is_about_dimensions(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    ["dimension", "vector length", "vectors with length", "vector with length"]
        .iter()
        .any(|part| words.contains(part))
}

/// The dimension next to ours in the message. Some stores count bytes, four per number.
fn theirs(words: &str, ours: usize) -> Option<usize> {
    let parts = words.split(|c: char| !c.is_ascii_alphanumeric());
    let numbers: Vec<usize> = parts.filter_map(|part| part.parse().ok()).collect();
    let beside = |wanted: usize| {
        let at = numbers.iter().rposition(|number| *number == wanted)?;
        let others = [at.checked_sub(1), Some(at + 1)];
        others.into_iter().flatten().find_map(|at| numbers.get(at).copied().filter(|other| *other != wanted))
    };
    beside(ours).or_else(|| beside(ours * 4).map(|bytes| bytes / 4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn target() -> Target {
        Target { what: "collection", name: "rivers".to_owned() }
    }

    fn refusal(status: u16, body: &Value) -> ConnectorError {
        let http = HttpResponse { status, headers: Vec::new(), body: body.to_string().into() };
        let reply = Reply::of(&http, Instant::default()).expect("a reply");
        reply.good(&target(), 3).expect_err("a refusal")
    }

    #[test]
    fn both_dimensions_are_named() {
        for sentence in [
            "Wrong input: Vector dimension error: expected dim: 768, got 3",
            "Vector dimension 3 does not match the dimension of the index 768",
            "can only accept json format request, error: dimension: 768, but length of []float: 3",
            "vector dimension mismatch, expected vector size(byte) 3072, actual 12",
            "shard a_mj30: knn search: distance between entrypoint and query node: 768 vs 3: vector lengths don't match",
            "vector lengths don't match: 3 vs 768",
            "Collection expecting embedding with dimension of 768, got 3",
            "new node has a vector with length 3. Existing nodes have vectors with length 768",
        ] {
            let error = refusal(400, &json!({"message": sentence}));
            assert_eq!(error.kind, ConnectorErrorKind::ConfigInvalid, "{sentence}");
            let message_text = &error.message;
            assert!(
                message_text.contains("3 dimensions") && message_text.contains("have 768;"),
                "{sentence}: {message_text}"
            );
            assert!(message_text.contains("model:<name>"), "{message_text}");
        }
        let error = refusal(500, &json!({"message": "QueryNode 1 failed: vector dimension mismatch"}));
        assert!(error.message.contains("another number"), "{error}");
    }

    #[test]
    fn refusals_have_their_kinds() {
        let table = [
            (404, json!({"status": {"error": "Not found"}}), ConnectorErrorKind::PlaceUnknown),
            (400, json!({"status": {"error": "bad\nfilter"}}), ConnectorErrorKind::ConfigInvalid),
            (422, json!({"error": "Unprocessable"}), ConnectorErrorKind::ConfigInvalid),
            (401, json!(null), ConnectorErrorKind::Denied),
            (403, json!({"message": "no dimension for you"}), ConnectorErrorKind::Denied),
            (429, json!({}), ConnectorErrorKind::RateLimited),
            (503, json!({"message": "later"}), ConnectorErrorKind::Unavailable),
        ];
        for (status, body, kind) in table {
            let error = refusal(status, &body);
            assert_eq!(error.kind, kind, "{status}: {error}");
            assert!(!error.message.contains('\n'), "{error}");
        }
        let long = words(&json!({"message": "x".repeat(999)}));
        assert_eq!(long.len(), WORDS_CHARS_MAX);
    }

    #[test]
    fn a_good_answer_must_be_readable() {
        let http = HttpResponse { status: 200, headers: Vec::new(), body: "<html>".into() };
        let error = Reply::of(&http, Instant::default()).expect_err("no JSON");
        assert_eq!(error.kind, ConnectorErrorKind::Unreadable);
    }
}
