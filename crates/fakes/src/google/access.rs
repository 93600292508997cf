//! What the lists of Google have in common: scopes, errors, parameters and pages.

use crate::cloud_state::{CloudState, json_of};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};

pub const SCOPES: [&str; 3] = ["drive.readonly", "gmail.readonly", "calendar.readonly"];

pub type Parameters = axum::extract::Query<Vec<(String, String)>>;

pub fn admit(state: &CloudState, headers: &HeaderMap, scope: &'static str) -> Result<(), Box<Response>> {
    state.admit(headers, scope, |status, missing| {
        let reason = match (status, missing) {
            (401, _) => "authError",
            (403, Some(_)) => "insufficientPermissions",
            (403, None) => "userRateLimitExceeded",
            _ => "backendError",
        };
        told(status, reason)
    })
}

pub fn told(status: u16, reason: &str) -> Value {
    json!({"error": {"code": status, "message": reason, "errors": [{"domain": "global", "reason": reason}]}})
}

pub fn invalid(reason: &str) -> Response {
    json_of(400, &told(400, reason))
}

/// Known parameters, each at most once.
pub fn checked<'a>(
    given: &'a [(String, String)],
    known: &[&str],
) -> Result<impl Fn(&str) -> Option<&'a str> + use<'a>, String> {
    for (number, (name, _)) in given.iter().enumerate() {
        if !known.contains(&name.as_str()) || given[..number].iter().any(|(other, _)| other == name) {
            return Err(format!("Invalid parameter {name}"));
        }
    }
    Ok(move |name: &str| given.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()))
}

/// The part of a list that a page token selects, and the token of the next one.
pub fn page<T: Clone>(
    all: &[T],
    token: Option<&str>,
    size: usize,
) -> Result<(Vec<T>, Option<String>), String> {
    let start = match token {
        None => 0,
        Some(token) => {
            let place = token.strip_prefix("~page/").and_then(|text| text.parse::<usize>().ok());
            place.filter(|place| *place < all.len()).ok_or("Invalid page token")?
        }
    };
    let end = (start + size).min(all.len());
    Ok((all[start..end].to_vec(), (end < all.len()).then(|| format!("~page/{end}"))))
}

pub fn size(text: Option<&str>, most: usize) -> Result<usize, String> {
    let size = text.map_or(Some(100), |text| text.parse().ok());
    size.filter(|size| (1..=most).contains(size)).ok_or_else(|| "Invalid page size".to_owned())
}
