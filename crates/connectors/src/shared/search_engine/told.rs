//! What an engine says against a request, in one line.

use domain::bounded_json::parse_answer;
use domain::contracts::{ConnectorError, ConnectorErrorKind, HttpResponse};
use serde_json::Value;

/// Longest sentence of an engine that is repeated, and longest body that is read for it.
const SENTENCE_CHARS_MAX: usize = 240;
const BODY_BYTES_MAX: usize = 1024 * 1024;

/// Reads the kind and the sentence out of the body of a refusal; a kind of `None` leaves that of the status.
pub type Told = fn(u16, &Value) -> Option<(Option<ConnectorErrorKind>, String)>;

/// The error of a status, with the engine's own words.
pub fn explained(error: ConnectorError, http: &HttpResponse, told: Told) -> ConnectorError {
    if (200..300).contains(&http.status) || http.body.len() > BODY_BYTES_MAX {
        return error;
    }
    let body = parse_answer(&http.body).ok();
    let Some((kind, sentence)) = body.and_then(|body| told(http.status, &body)) else { return error };
    // Credentials and limits are told by the status alone.
    let is_settled = matches!(error.kind, ConnectorErrorKind::Denied | ConnectorErrorKind::RateLimited);
    let kind = kind.filter(|_| !is_settled).unwrap_or(error.kind);
    let mut told = reported(kind, &sentence);
    if is_settled {
        told.message = format!("{}: {}", error.message, one_line(&sentence));
    }
    ConnectorError { retry_after: error.retry_after, ..told }
}

/// An error in the engine's own words.
pub fn reported(kind: ConnectorErrorKind, sentence: &str) -> ConnectorError {
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

    fn told(status: u16, body: &str) -> ConnectorError {
        let http = HttpResponse { status, headers: Vec::new(), body: body.to_owned().into() };
        let kind = match status {
            401 => ConnectorErrorKind::Denied,
            429 => ConnectorErrorKind::RateLimited,
            _ => ConnectorErrorKind::QueryInvalid,
        };
        let mut error = ConnectorError::new(kind, "the source refused");
        error.retry_after = (status == 429).then_some(Duration::from_secs(3));
        explained(error, &http, |_, body| {
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
            let error = told(status, body);
            assert_eq!((error.kind, error.message.as_str()), (kind, message), "{body}");
            assert_eq!(error.retry_after.is_some(), status == 429);
        }
        let long = told(404, &format!(r#"{{"m": "{}"}}"#, "x".repeat(9_999)));
        assert!(long.message.chars().count() <= SENTENCE_CHARS_MAX + 30);
    }
}
