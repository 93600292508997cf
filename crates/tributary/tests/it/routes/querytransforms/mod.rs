//! `/svc/querytransforms/` and the form for administrators.

mod crud;
mod form;
mod limits;
mod permissions;
mod usage;

use crate::app_harness::{Answer, Client};
use serde_json::{Value, json};

/// Creates a transform. Returns the record.
async fn create_transform(client: &Client, name: &str, kind: &str, rules: &str) -> Value {
    let spec = json!({"name": name, "qrx_type": kind, "config_content": rules});
    let answer = client.post("/svc/querytransforms/", &spec).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.body
}

/// The error messages about the rules.
fn rule_errors(answer: &Answer) -> Vec<&str> {
    let sentences = answer.body["errors"]["config_content"].as_array();
    sentences.map(|all| all.iter().map(|one| one.as_str().unwrap()).collect()).unwrap_or_default()
}
