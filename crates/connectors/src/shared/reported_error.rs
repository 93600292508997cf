//! Errors that a source reports in a successful response.

use domain::ports::{ConnectorError, ConnectorErrorKind};
use serde_json::Value;
use std::borrow::Cow;
use syntax::json_path::JsonPath;
use syntax::response_mappings::{ErrorCondition, ResponseMappings};

/// Longest message of a source that is repeated.
const MESSAGE_CHARS_MAX: usize = 240;
/// Members of an error that may describe it, the best first.
const MESSAGE_MEMBERS: [&str; 9] =
    ["message", "info", "detail", "description", "reason", "title", "error", "code", "#text"];
/// Levels of an error that are searched for its message.
const LEVELS_MAX: usize = 4;

/// An error if the response is one according to `ERROR` and `ERROR_IF`.
pub fn check(answer: &Value, mappings: &ResponseMappings) -> Result<(), ConnectorError> {
    reported(answer, mappings.error.as_ref(), mappings.error_if.as_ref()).map_or(Ok(()), Err)
}

/// Why results are missing from the response, if it says so according to `PARTIAL` and `PARTIAL_IF`.
pub fn missing(answer: &Value, mappings: &ResponseMappings) -> Option<ConnectorError> {
    reported(answer, mappings.partial.as_ref(), mappings.partial_if.as_ref())
}

fn reported(
    answer: &Value,
    path: Option<&JsonPath>,
    condition: Option<&ErrorCondition>,
) -> Option<ConnectorError> {
    let said = || path?.find(answer).into_iter().find_map(|value| message(value, LEVELS_MAX));
    let message = match condition {
        None => said()?,
        Some(condition) if applies(condition, answer) => {
            said().unwrap_or_else(|| format!("{} is {}", condition.path.as_str(), condition.value).into())
        }
        Some(_) => return None,
    };
    let message = format!("the source reports: {}", one_line(&message));
    Some(ConnectorError::new(ConnectorErrorKind::SourceError, message))
}

fn applies(condition: &ErrorCondition, answer: &Value) -> bool {
    condition.path.find(answer).into_iter().any(|value| match value {
        Value::String(text) => text.trim() == condition.value,
        Value::Bool(flag) => flag.to_string() == condition.value,
        Value::Number(number) => number.to_string() == condition.value,
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    })
}

/// What an error says. Empty values, `false` and 0 are no error.
fn message(value: &Value, levels: usize) -> Option<Cow<'_, str>> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Bool(true) => Some("an error".into()),
        Value::Number(number) => (number.as_f64() != Some(0.0)).then(|| number.to_string().into()),
        Value::String(text) => (!text.trim().is_empty()).then_some(Cow::Borrowed(text)),
        Value::Array(list) if levels > 0 => list.iter().find_map(|one| message(one, levels - 1)),
        Value::Object(members) if levels > 0 => MESSAGE_MEMBERS
            .iter()
            .find_map(|name| message(members.get(*name)?, levels - 1))
            .or_else(|| (!members.is_empty()).then(|| "an error".into())),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(MESSAGE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reported(answer: &Value, mappings: &str) -> Option<String> {
        let error = check(answer, &ResponseMappings::parse(mappings).expect("mappings")).err()?;
        assert_eq!(error.kind, ConnectorErrorKind::SourceError);
        Some(error.message.strip_prefix("the source reports: ").expect("the beginning").to_owned())
    }

    #[test]
    fn an_error_is_found_where_the_mappings_say() {
        let slack = json!({"ok": false, "error": "invalid_auth"});
        let good = json!({"ok": true, "messages": {"matches": []}, "error": "", "status": 0});
        let wiki =
            json!({"error": {"code": "badvalue", "info": "Unrecognized  value\nfor \u{7}action", "x": [1]}});
        let list = json!({"errors": [{"detail": "no key"}], "status": 401});
        let table = [
            (&slack, "ERROR=error,ERROR_IF=ok=false", Some("invalid_auth")),
            (&slack, "ERROR_IF=ok=false", Some("ok is false")),
            (&slack, "ERROR=error", Some("invalid_auth")),
            (&slack, "ERROR=missing,ERROR_IF=ok=false", Some("ok is false")),
            (&slack, "ERROR=error,ERROR_IF=ok=true", None),
            (&slack, "ERROR=error,ERROR_IF=missing=false", None),
            (&slack, "RESULTS=messages.matches", None),
            (&good, "ERROR=error,ERROR_IF=ok=false", None),
            (&good, "ERROR=error", None),
            (&good, "ERROR=status", None),
            (&wiki, "ERROR=error", Some("Unrecognized value for action")),
            (&wiki, "ERROR=error.code", Some("badvalue")),
            (&wiki, "ERROR=error.x", Some("1")),
            (&list, "ERROR=errors", Some("no key")),
            (&list, "ERROR=errors[*].detail,ERROR_IF=status=401", Some("no key")),
        ];
        for (answer, mappings, expected) in table {
            assert_eq!(reported(answer, mappings).as_deref(), expected, "{mappings}");
        }
    }

    #[test]
    fn missing_results_are_told_where_the_mappings_say() {
        let solr = json!({"responseHeader": {"status": 0, "partialResults": true, "partialResultsDetails": "Limits exceeded"}});
        let searx = json!({"results": [1], "unresponsive_engines": [["google", "timeout"]]});
        let all = json!({"results": [1], "unresponsive_engines": [], "incomplete_results": false});
        let table = [
            (
                &solr,
                "PARTIAL_IF=responseHeader.partialResults=true",
                Some("responseHeader.partialResults is true"),
            ),
            (
                &solr,
                "PARTIAL=responseHeader.partialResultsDetails,PARTIAL_IF=responseHeader.partialResults=true",
                Some("Limits exceeded"),
            ),
            (&solr, "", None),
            (&searx, "PARTIAL=unresponsive_engines", Some("google")),
            (&all, "PARTIAL=unresponsive_engines", None),
            (&all, "PARTIAL_IF=incomplete_results=true", None),
        ];
        for (answer, mappings, expected) in table {
            let mappings = ResponseMappings::parse(mappings).expect("mappings");
            let expected = expected.map(|text| format!("the source reports: {text}"));
            assert_eq!(missing(answer, &mappings).map(|error| error.message), expected, "{answer}");
            assert!(check(answer, &mappings).is_ok());
        }
    }

    #[test]
    fn the_message_is_bounded() {
        let long = json!({"error": "x".repeat(MESSAGE_CHARS_MAX + 5)});
        assert_eq!(reported(&long, "ERROR=error").map(|text| text.len()), Some(MESSAGE_CHARS_MAX));
        let mut deep = json!("the cause");
        for _ in 0..LEVELS_MAX {
            deep = json!({"error": deep});
        }
        assert_eq!(reported(&json!({"error": deep}), "ERROR=error").as_deref(), Some("the cause"));
        let deeper = json!({"error": {"error": deep}});
        assert_eq!(reported(&deeper, "ERROR=error").as_deref(), Some("an error"));
    }
}
