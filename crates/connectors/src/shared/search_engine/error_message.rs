//! Error messages of search engines, in one line.

use domain::bounded_json::parse_answer;
use domain::ports::{ConnectorError, ConnectorErrorKind, HttpResponse};
use serde_json::Value;

/// Longest message that is repeated, and longest body that is parsed for it.
const SENTENCE_CHARS_MAX: usize = 240;
const BODY_BYTES_MAX: usize = 1024 * 1024;

/// Reads the kind and the message from an error body; without a kind, that of the status is used.
pub type ReadError = fn(u16, &Value) -> Option<(Option<ConnectorErrorKind>, String)>;

/// The error of a status, with the engine's own message.
pub fn explain(error: ConnectorError, http: &HttpResponse, read_error: ReadError) -> ConnectorError {
    if (200..300).contains(&http.status) || http.body.len() > BODY_BYTES_MAX {
        return error;
    }
    let body = parse_answer(&http.body).ok();
    let Some((kind, sentence)) = body.and_then(|body| read_error(http.status, &body)) else { return error };
    // Authentication errors and rate limits are identified by the status alone.
    let is_settled = matches!(error.kind, ConnectorErrorKind::Denied | ConnectorErrorKind::RateLimited);
    let kind = kind.filter(|_| !is_settled).unwrap_or(error.kind);
    let mut explained = source_error(kind, &sentence);
    if is_settled {
        explained.message = format!("{}: {}", error.message, one_line(&sentence));
    }
    explained.is_reported = kind == ConnectorErrorKind::Timeout;
    ConnectorError { retry_after: error.retry_after, ..explained }
}

/// An error with the engine's own message.
pub fn source_error(kind: ConnectorErrorKind, sentence: &str) -> ConnectorError {
    ConnectorError::new(kind, format!("the source reports: {}", one_line(sentence)))
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(SENTENCE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn explained(status: u16, body: &str) -> ConnectorError {
        let http = HttpResponse { status, headers: Vec::new(), body: body.to_owned().into() };
        let kind = match status {
            401 => ConnectorErrorKind::Denied,
            429 => ConnectorErrorKind::RateLimited,
            _ => ConnectorErrorKind::QueryInvalid,
        };
        let mut error = ConnectorError::new(kind, "the source refused");
        error.retry_after = (status == 429).then_some(Duration::from_secs(3));
        explain(error, &http, |_, body| {
            Some((Some(ConnectorErrorKind::PlaceUnknown), body.get("m")?.as_str()?.to_owned()))
        })
    }

    #[test]
    fn refusals_are_explained() {
        let table = [
            (
                404,
                r#"{"m": "no\nsuch  index"}"#,
                ConnectorErrorKind::PlaceUnknown,
                "the source reports: no such index",
            ),
            (401, r#"{"m": "who?"}"#, ConnectorErrorKind::Denied, "the source refused: who?"),
            (429, r#"{"m": "slow"}"#, ConnectorErrorKind::RateLimited, "the source refused: slow"),
            (400, r#"{"other": 1}"#, ConnectorErrorKind::QueryInvalid, "the source refused"),
            (400, "<html>", ConnectorErrorKind::QueryInvalid, "the source refused"),
        ];
        for (status, body, kind, message) in table {
            let error = explained(status, body);
            assert_eq!((error.kind, error.message.as_str()), (kind, message), "{body}");
            assert_eq!(error.retry_after.is_some(), status == 429);
        }
        let long = explained(404, &format!(r#"{{"m": "{}"}}"#, "x".repeat(9_999)));
        assert!(long.message.chars().count() <= SENTENCE_CHARS_MAX + 30);
    }
}
