//! `/svc/querytransforms/` and the form of administrators.

mod form;
mod limits;
mod rest;
mod rights;
mod usage;

use crate::app_harness::{Answer, Client};
use serde_json::{Value, json};

/// Creates a transform; the record.
async fn made(client: &Client, name: &str, kind: &str, rules: &str) -> Value {
    let spec = json!({"name": name, "qrx_type": kind, "config_content": rules});
    let answer = client.post("/svc/querytransforms/", &spec).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.body
}

/// What is said of the rules.
fn of_rules(answer: &Answer) -> Vec<&str> {
    let sentences = answer.body["errors"]["config_content"].as_array();
    sentences.map(|all| all.iter().map(|one| one.as_str().unwrap()).collect()).unwrap_or_default()
}
