//! What the response of a collector says about the spans that it received.

use domain::known_secrets::KnownSecrets;
use domain::ports::HttpResponse;
use serde::{Deserialize, Deserializer};

/// Larger bodies are not read; that of a collector is a short message at most.
const BODY_BYTES_MAX: usize = 64 * 1024;
/// Most characters of a message that are logged.
const MESSAGE_CHARS_MAX: usize = 200;

/// Spans of an accepted request that the collector did not keep.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RejectedSpans {
    pub spans: u64,
    /// Why, without secrets.
    pub reason: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ExportResponse {
    partial_success: Option<PartialSuccess>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct PartialSuccess {
    #[serde(deserialize_with = "count")]
    rejected_spans: u64,
    error_message: Option<String>,
}

/// A whole number may be text in JSON, because it may have 64 bits.
fn count<'de, D: Deserializer<'de>>(input: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Count {
        Number(u64),
        Text(String),
    }
    Ok(match Count::deserialize(input)? {
        Count::Number(number) => number,
        Count::Text(text) => text.parse().unwrap_or_default(),
    })
}

/// Reads the response to a request that succeeded. None if a collector would not answer like this: a redirect may have
/// led to a page, such as one for signing in.
pub fn read_success(response: &HttpResponse, secrets: &KnownSecrets) -> Option<RejectedSpans> {
    if response.body.is_empty() {
        return Some(RejectedSpans::default());
    }
    let kind = response.header("content-type")?.split(';').next()?.trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return None;
    }
    if response.body.len() > BODY_BYTES_MAX {
        return Some(RejectedSpans::default());
    }
    let parsed: ExportResponse = serde_json::from_slice(&response.body).unwrap_or_default();
    let partial = parsed.partial_success.unwrap_or_default();
    let message = partial.error_message.unwrap_or_default();
    Some(RejectedSpans { spans: partial.rejected_spans, reason: shown(&message, secrets) })
}

/// A message for the log: in one line, short and without secrets.
fn shown(message: &str, secrets: &KnownSecrets) -> String {
    let masked = secrets.mask(message);
    let plain = masked.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(MESSAGE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn read(kind: &str, body: impl Into<Bytes>) -> Option<RejectedSpans> {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        read_success(
            &HttpResponse { status: 200, headers, body: body.into() },
            &KnownSecrets::of_texts(["canary"]),
        )
    }

    #[test]
    fn only_the_response_of_a_collector_is_a_success() {
        let none_rejected = Some(RejectedSpans::default());
        assert_eq!(read("", ""), none_rejected);
        assert_eq!(read("text/html", ""), none_rejected);
        assert_eq!(read("application/json", "{}"), none_rejected);
        assert_eq!(read("Application/JSON; charset=utf-8", r#"{"partialSuccess":{}}"#), none_rejected);
        assert_eq!(read("application/json", "not JSON"), none_rejected);
        assert_eq!(read("text/html", "<h1>Sign in</h1>"), None);
        assert_eq!(read("", "{}"), None);
    }

    #[test]
    fn rejected_spans_are_counted_and_the_reason_is_short_and_masked() {
        for spans in ["7", "\"7\""] {
            let body = format!(
                r#"{{"partialSuccess":{{"rejectedSpans":{spans},"errorMessage":"no\ncanary{}"}}}}"#,
                "x".repeat(900)
            );
            let rejected = read("application/json", body).unwrap();
            assert_eq!(rejected.spans, 7);
            let reason = &rejected.reason;
            assert!(reason.starts_with("no ") && !reason.contains("canary"), "{reason}");
            assert_eq!(rejected.reason.chars().count(), MESSAGE_CHARS_MAX);
        }
        let long =
            format!(r#"{{"partialSuccess":{{"rejectedSpans":1}},"more":"{}"}}"#, "x".repeat(BODY_BYTES_MAX));
        assert_eq!(read("application/json", long), Some(RejectedSpans::default()));
    }
}
