//! Tests of the Gemini API.

use super::*;
use crate::repetition::tests::all_of;

#[test]
fn schemas_lose_what_the_service_refuses() {
    let given = json!({
        "$schema": "x", "type": "object", "additionalProperties": false,
        "properties": {"additionalProperties": {"type": "array", "items": {"type": "string", "const": "a"}}},
        "anyOf": [{"type": "object", "$id": 1}],
    });
    let expected = json!({
        "type": "object",
        "properties": {"additionalProperties": {"type": "array", "items": {"type": "string"}}},
        "anyOf": [{"type": "object"}],
    });
    assert_eq!(known_schema(&given), expected);
}

#[test]
fn an_answer_that_was_held_back_is_none() {
    for (body, says) in [
        (json!({"promptFeedback": {"blockReason": "SAFETY"}}), "SAFETY"),
        (json!({"candidates": [{"finishReason": "RECITATION"}]}), "RECITATION"),
        (json!({"error": {"code": 429, "message": "slow down"}}), "slow down"),
    ] {
        let read = Decoder::default().whole(&body, &mut Vec::new());
        assert!(read.is_err_and(|error| all_of(&error).contains(says)), "{body}");
    }
    assert!(Decoder::default().end(&mut Vec::new()).is_err());
    let mut many = Decoder { calls: CALLS_MAX - 1, ..Decoder::default() };
    let call = json!({"functionCall": {"name": "f"}});
    assert!(many.part(&call, &mut Vec::new()).is_ok());
    assert!(many.part(&call, &mut Vec::new()).is_err());
}
