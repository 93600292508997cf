//! Pinecone: the service that names the hosts of indexes, and two indexes at hosts of their own.

use super::desk::{Answered, Asked, Desk, unknown, vector};
use super::likeness::{self, Document, nearest};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub const KEY: &str = "pinecone-key-5b27";
/// With metadata no more are given at once.
const TOP_K_MAX: u64 = 1000;

pub struct Pinecone {
    /// Names the hosts.
    pub api: Desk<BTreeMap<String, String>>,
    /// An index of documents.
    pub rivers: Desk<Index>,
    /// An index whose vectors have three dimensions.
    pub small: Desk<Index>,
}

pub struct Index {
    dimension: usize,
    documents: Vec<Document>,
}

/// `lured` and `lured-2` are indexes whose named hosts look like the service's own.
pub async fn start() -> Pinecone {
    let rivers =
        Desk::start(Index { dimension: likeness::DIMENSIONS, documents: likeness::documents() }, search)
            .await;
    let small = Desk::start(Index { dimension: 3, documents: Vec::new() }, search).await;
    let host = |url: &str| url.trim_start_matches("http://").to_owned();
    let hosts = BTreeMap::from([
        ("rivers".to_owned(), host(&rivers.stand.url)),
        ("small".to_owned(), host(&small.stand.url)),
        ("lured".to_owned(), "lured.evilpinecone.io".to_owned()),
        ("lured-2".to_owned(), "x.pinecone.io.evil.test".to_owned()),
    ]);
    Pinecone { api: Desk::start(hosts, describe).await, rivers, small }
}

fn refusal(asked: &Asked) -> Option<Answered> {
    let version = asked.header("x-pinecone-api-version");
    if version.len() != 7 || !version.starts_with("20") {
        return Some((400, json!({"error": {"code": "INVALID_ARGUMENT", "message": "no API version"}})));
    }
    (asked.header("api-key") != KEY).then(|| (401, json!("Invalid API Key")))
}

fn describe(hosts: &mut BTreeMap<String, String>, asked: &Asked) -> Answered {
    if let Some(refusal) = refusal(asked) {
        return refusal;
    }
    let (method, path) = asked.route();
    let ("GET", ["indexes", name]) = (method, path.as_slice()) else {
        return (404, json!("not found"));
    };
    match hosts.get(*name) {
        Some(host) => {
            (200, json!({"name": name, "metric": "cosine", "host": host, "status": {"ready": true}}))
        }
        None => {
            let message = format!("Resource {name} not found");
            (404, json!({"error": {"code": "NOT_FOUND", "message": message}, "status": 404}))
        }
    }
}

const QUERY: [&str; 6] = ["vector", "topK", "includeMetadata", "includeValues", "namespace", "filter"];

fn search(index: &mut Index, asked: &Asked) -> Answered {
    if let Some(refusal) = refusal(asked) {
        return refusal;
    }
    if asked.route() != ("POST", vec!["query"]) {
        return (404, json!("not found"));
    }
    let wrong = |message: String| (400, json!({"code": 3, "message": message, "details": []}));
    let body = &asked.body;
    if let Some(name) = unknown(body, &QUERY) {
        return wrong(format!("unknown field {name}"));
    }
    let Some(top) = body["topK"].as_u64().filter(|top| (1..=TOP_K_MAX).contains(top)) else {
        return wrong("topK must be between 1 and 1000".to_owned());
    };
    let Some(vector) = vector(body.get("vector")) else { return wrong("vector is missing".to_owned()) };
    if vector.len() != index.dimension {
        return wrong(format!(
            "Vector dimension {} does not match the dimension of the index {}",
            vector.len(),
            index.dimension
        ));
    }
    // One namespace holds something: the one without a name.
    let namespace = body["namespace"].as_str().unwrap_or_default();
    let number_from = body["filter"]["number"]["$gte"].as_u64().unwrap_or(0);
    let found = nearest(&index.documents, &vector)
        .into_iter()
        .filter(|(_, document)| namespace.is_empty() && document.number as u64 >= number_from)
        .take(usize::try_from(top).expect("a small number"));
    let matches: Vec<Value> = found
        .map(|(score, document)| {
            let mut shown = json!({"id": format!("r{}", document.number), "score": score, "values": []});
            if body["includeMetadata"] == true {
                shown["metadata"] = Value::Object(document.fields());
            }
            shown
        })
        .collect();
    (200, json!({"matches": matches, "namespace": namespace, "usage": {"readUnits": 5}}))
}
