//! Fake Pinecone: the control plane that resolves index hosts, and two indexes on their own hosts.

use super::fake_server::{FakeRequest, FakeResponse, FakeServer, unknown, vector};
use super::vector_documents::{self, Document, nearest};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub const KEY: &str = "pinecone-key-5b27";
/// Most results with metadata per request.
const TOP_K_MAX: u64 = 1000;

pub struct Pinecone {
    /// The control plane.
    pub api: FakeServer<BTreeMap<String, String>>,
    /// An index of documents.
    pub rivers: FakeServer<Index>,
    /// An index with vectors of three dimensions.
    pub small: FakeServer<Index>,
}

pub struct Index {
    dimension: usize,
    documents: Vec<Document>,
}

/// `lured` and `lured-2` are indexes with look-alike hosts.
pub async fn start() -> Pinecone {
    let rivers = FakeServer::start(
        Index { dimension: vector_documents::DIMENSIONS, documents: vector_documents::documents() },
        search,
    )
    .await;
    let small = FakeServer::start(Index { dimension: 3, documents: Vec::new() }, search).await;
    let host = |url: &str| url.trim_start_matches("http://").to_owned();
    let hosts = BTreeMap::from([
        ("rivers".to_owned(), host(&rivers.listener.url)),
        ("small".to_owned(), host(&small.listener.url)),
        ("lured".to_owned(), "lured.evilpinecone.io".to_owned()),
        ("lured-2".to_owned(), "x.pinecone.io.evil.test".to_owned()),
    ]);
    Pinecone { api: FakeServer::start(hosts, describe).await, rivers, small }
}

fn refusal(request: &FakeRequest) -> Option<FakeResponse> {
    let version = request.header("x-pinecone-api-version");
    if version.len() != 7 || !version.starts_with("20") {
        return Some((400, json!({"error": {"code": "INVALID_ARGUMENT", "message": "no API version"}})));
    }
    (request.header("api-key") != KEY).then(|| (401, json!("Invalid API Key")))
}

fn describe(hosts: &mut BTreeMap<String, String>, request: &FakeRequest) -> FakeResponse {
    if let Some(refusal) = refusal(request) {
        return refusal;
    }
    let (method, path) = request.route();
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

fn search(index: &mut Index, request: &FakeRequest) -> FakeResponse {
    if let Some(refusal) = refusal(request) {
        return refusal;
    }
    if request.route() != ("POST", vec!["query"]) {
        return (404, json!("not found"));
    }
    let wrong = |message: String| (400, json!({"code": 3, "message": message, "details": []}));
    let body = &request.body;
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
    // Only the default namespace has records.
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
