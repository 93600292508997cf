//! Rejections of requests.

use crate::fake_server::unknown;
use serde_json::Value;

/// A status and a sentence.
pub type Refused = (u16, String);
pub type Step = Result<Value, Refused>;

pub fn wrong(sentence: &str) -> Refused {
    (400, sentence.to_owned())
}

pub fn invalid(sentence: &str) -> Refused {
    (422, format!("Validation error in JSON body: [{sentence}]"))
}

/// Rejects a body with other members.
pub fn known(body: &Value, names: &[&str]) -> Result<(), Refused> {
    if !body.is_object() {
        return Err(wrong("Format error in JSON body: an object is needed"));
    }
    match unknown(body, names) {
        None => Ok(()),
        Some(name) => Err(wrong(&format!("Format error in JSON body: unknown field `{name}`"))),
    }
}
