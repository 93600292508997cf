//! Fake Chroma, v2 API. A collection is found by its name and queried by its id.

use super::fake_server::{FakeRequest, FakeResponse, FakeServer, unknown, vector};
use super::vector_documents::{self, Document, nearest};
use serde_json::{Value, json};

pub const TOKEN: &str = "chroma-token-90fe";
/// Most results per request.
const RESULTS_MAX: u64 = 1000;

pub type Chroma = FakeServer<State>;

pub struct State {
    documents: Vec<Document>,
    /// How often the collection was created.
    made: u32,
}

impl State {
    /// Recreates the collection, which changes its id.
    pub fn make_anew(&mut self) {
        self.made += 1;
    }
}

/// Has a collection `rivers` of documents and one `small` with vectors of three dimensions.
pub async fn start() -> Chroma {
    FakeServer::start(State { documents: vector_documents::documents(), made: 1 }, answer).await
}

fn answer(state: &mut State, request: &FakeRequest) -> FakeResponse {
    if request.header("x-chroma-token") != TOKEN {
        return (401, json!({"error": "AuthError", "message": "Unauthorized"}));
    }
    let rivers = format!("7d1f0c2a-0000-4000-8000-{:012}", state.made);
    let small = "5a11aaaa-0000-4000-8000-000000000000";
    let missing = |name: &str| {
        (404, json!({"error": "NotFoundError", "message": format!("Collection [{name}] does not exist")}))
    };
    let (method, path) = request.route();
    let ["api", "v2", "tenants", tenant, "databases", database, "collections", rest @ ..] = path.as_slice()
    else {
        return (404, json!({"error": "NotFoundError", "message": "no such route"}));
    };
    let is_home = (*tenant, *database) == ("default_tenant", "default_database");
    match (method, rest) {
        ("GET", [name]) => match *name {
            "rivers" if is_home => (200, json!({"id": rivers, "name": name})),
            "small" if is_home => (200, json!({"id": small, "name": name})),
            name => missing(name),
        },
        ("POST", [id, "query"]) if is_home && *id == rivers => {
            query(&state.documents, vector_documents::DIMENSIONS, &request.body)
        }
        ("POST", [id, "query"]) if is_home && *id == small => query(&[], 3, &request.body),
        ("POST", [id, "query"]) => missing(id),
        _ => (405, json!("")),
    }
}

const QUERY: [&str; 5] = ["query_embeddings", "n_results", "include", "where", "where_document"];
const INCLUDE: [&str; 5] = ["distances", "documents", "embeddings", "metadatas", "uris"];

fn query(documents: &[Document], dimensions: usize, body: &Value) -> FakeResponse {
    let wrong = |message: &str| (400, json!({"error": "InvalidArgumentError", "message": message}));
    if let Some(name) = unknown(body, &QUERY) {
        return (422, json!({"error": "ChromaError", "message": format!("unknown field {name}")}));
    }
    let include: Vec<&str> =
        body["include"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if include.iter().any(|name| !INCLUDE.contains(name)) {
        return (422, json!({"error": "ChromaError", "message": "include: unknown variant"}));
    }
    let Some(wanted) = body["n_results"].as_u64().filter(|wanted| (1..=RESULTS_MAX).contains(wanted)) else {
        return wrong("n_results is out of range");
    };
    let Some(vector) = vector(body["query_embeddings"].get(0)) else { return wrong("query_embeddings") };
    if vector.len() != dimensions {
        let got = vector.len();
        return wrong(&format!("Collection expecting embedding with dimension of {dimensions}, got {got}"));
    }
    let least = match body.get("where") {
        None | Some(Value::Null) => 0,
        Some(filter) => match filter["number"]["$gte"].as_u64() {
            Some(number) => number,
            None => return wrong("Invalid where clause"),
        },
    };
    let found: Vec<(f64, &Document)> = nearest(documents, &vector)
        .into_iter()
        .filter(|(_, document)| document.number as u64 >= least)
        .take(usize::try_from(wanted).expect("a small number"))
        .collect();
    let column = |name: &str, read: fn(&(f64, &Document)) -> Value| {
        if include.contains(&name) {
            json!([found.iter().map(read).collect::<Vec<Value>>()])
        } else {
            Value::Null
        }
    };
    let ids: Vec<String> = found.iter().map(|(_, document)| document.number.to_string()).collect();
    let answer = json!({
        "ids": [ids],
        "embeddings": null,
        "documents": column("documents", |(_, document)| json!(document.title)),
        "uris": column("uris", |_| Value::Null),
        "metadatas": column("metadatas", |(_, document)| Value::Object(document.fields())),
        "distances": column("distances", |(score, _)| json!(1.0 - score)),
        "include": include,
    });
    (200, answer)
}
