//! What the APIs of both services have in common: paths, responses, ids and time windows.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::str::FromStr;

/// The paths of a service.
pub struct Paths {
    /// The base path.
    pub base: &'static str,
    /// A part of every path at which the text of a message is read.
    pub text: &'static str,
    /// A part of every path at which a file of a message is read.
    pub file: &'static str,
}

pub fn status_of(status: u16) -> Response {
    StatusCode::from_u16(status).expect("a status").into_response()
}

pub fn json(value: &Value) -> Response {
    ([("content-type", "application/json")], value.to_string()).into_response()
}

/// A number in an id.
pub fn number(id: &str, before: &str, after: &str) -> Option<usize> {
    id.strip_prefix(before)?.strip_suffix(after)?.parse().ok()
}

/// The bounds in terms such as `after:7`; `None` if a term is unknown.
pub fn window<'a, T: FromStr>(
    terms: impl Iterator<Item = &'a str>,
    from: &str,
    until: &str,
) -> Option<(Option<T>, Option<T>)> {
    let mut window = (None, None);
    for term in terms {
        let bound = |prefix: &str| term.strip_prefix(prefix).and_then(|text| text.parse().ok());
        match (bound(from), bound(until)) {
            (Some(from), _) => window.0 = Some(from),
            (_, Some(until)) => window.1 = Some(until),
            _ => return None,
        }
    }
    Some(window)
}
