//! GraphQL responses: data or errors.

use crate::shared::response;
use domain::bounded_json::parse_answer;
use domain::instant::Instant;
use domain::ports::{ConnectorError, ConnectorErrorKind, HttpResponse};
use serde_json::Value;

/// Longest error message of a source that is repeated.
const MESSAGE_CHARS_MAX: usize = 200;

/// The response as JSON. Many sources report errors in the body of a 400.
pub fn read(http: &HttpResponse, now: Instant) -> Result<Value, ConnectorError> {
    let refused = match response::read(http, now) {
        Ok(answer) => return Ok(answer),
        Err(error) => error,
    };
    let told =
        (refused.kind == ConnectorErrorKind::QueryInvalid).then(|| parse_answer(&http.body).ok()).flatten();
    Err(told.and_then(|answer| errors(&answer)).unwrap_or(refused))
}

/// The first error of a response as a connector error.
pub fn errors(answer: &Value) -> Option<ConnectorError> {
    let error = answer.get("errors")?.as_array()?.first()?;
    let code = ["/extensions/code", "/extensions/classification", "/type"]
        .iter()
        .find_map(|path| error.pointer(path)?.as_str())
        .unwrap_or_default()
        .to_ascii_uppercase();
    let kind = match code.as_str() {
        "UNAUTHENTICATED" | "UNAUTHORIZED" | "FORBIDDEN" | "INSUFFICIENT_SCOPES" | "ACCESS_DENIED" => {
            ConnectorErrorKind::Denied
        }
        "RATE_LIMITED" | "RATELIMITED" | "THROTTLED" | "MAX_COST_EXCEEDED" | "TOO_MANY_REQUESTS" => {
            ConnectorErrorKind::RateLimited
        }
        "GRAPHQL_PARSE_FAILED"
        | "GRAPHQL_VALIDATION_FAILED"
        | "VALIDATIONERROR"
        | "INVALIDSYNTAX"
        | "UNDEFINEDFIELD" => ConnectorErrorKind::ConfigInvalid,
        "BAD_USER_INPUT" | "BAD_REQUEST" => ConnectorErrorKind::QueryInvalid,
        "NOT_FOUND" => ConnectorErrorKind::PlaceUnknown,
        "TIMEOUT" | "REQUEST_TIMEOUT" => ConnectorErrorKind::Timeout,
        // Without a code, an error with locations is about the document.
        "" if error.get("locations").is_some() && answer.get("data").is_none_or(Value::is_null) => {
            ConnectorErrorKind::ConfigInvalid
        }
        _ => ConnectorErrorKind::Unavailable,
    };
    let words: Vec<&str> = error.get("message")?.as_str()?.split_whitespace().collect();
    let said: String = words.join(" ").chars().filter(|c| !c.is_control()).take(MESSAGE_CHARS_MAX).collect();
    Some(ConnectorError::new(kind, format!("the source reports: {said}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_have_their_kinds() {
        let table = [
            (
                json!({"message": "who?", "extensions": {"code": "UNAUTHENTICATED"}}),
                ConnectorErrorKind::Denied,
            ),
            (json!({"message": "slow\ndown", "type": "RATE_LIMITED"}), ConnectorErrorKind::RateLimited),
            (json!({"message": "no field", "locations": [{"line": 1}]}), ConnectorErrorKind::ConfigInvalid),
            (
                json!({"message": "x", "extensions": {"code": "BAD_USER_INPUT"}}),
                ConnectorErrorKind::QueryInvalid,
            ),
            (json!({"message": "oh"}), ConnectorErrorKind::Unavailable),
        ];
        for (error, want) in table {
            let found = errors(&json!({"data": null, "errors": [error]})).expect("an error");
            assert_eq!(found.kind, want, "{error}");
            assert!(!found.message.contains('\n'), "{found}");
        }
        for answer in [json!({"data": {}}), json!({"errors": []}), json!({"errors": [{}]}), json!([])] {
            assert!(errors(&answer).is_none(), "{answer}");
        }
        let long = errors(&json!({"errors": [{"message": "x".repeat(999)}]})).expect("an error");
        assert!(long.message.len() <= MESSAGE_CHARS_MAX + 30);
    }
}
