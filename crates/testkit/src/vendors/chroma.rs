//! Chroma: the second form of its HTTP interface. A collection is found by its name and asked by its id.

use super::desk::{Answered, Asked, Desk, unknown, vector};
use super::likeness::{self, Document, nearest};
use serde_json::{Value, json};

pub const TOKEN: &str = "chroma-token-90fe";
/// More at once are refused.
const RESULTS_MAX: u64 = 1000;

pub type Chroma = Desk<State>;

pub struct State {
    documents: Vec<Document>,
    /// How often the collection was made.
    made: u32,
}

impl State {
    /// The collection is dropped and made again: it has another id from now on.
    pub fn make_anew(&mut self) {
        self.made += 1;
    }
}

/// With a collection `rivers` of documents and one `small` whose vectors have three dimensions.
pub async fn start() -> Chroma {
    Desk::start(State { documents: likeness::documents(), made: 1 }, answer).await
}

fn answer(state: &mut State, asked: &Asked) -> Answered {
    if asked.header("x-chroma-token") != TOKEN {
        return (401, json!({"error": "AuthError", "message": "Unauthorized"}));
    }
    let rivers = format!("7d1f0c2a-0000-4000-8000-{:012}", state.made);
    let small = "5a11aaaa-0000-4000-8000-000000000000";
    let missing = |name: &str| {
        (404, json!({"error": "NotFoundError", "message": format!("Collection [{name}] does not exist")}))
    };
    let (method, path) = asked.route();
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
            query(&state.documents, likeness::DIMENSIONS, &asked.body)
        }
        ("POST", [id, "query"]) if is_home && *id == small => query(&[], 3, &asked.body),
        ("POST", [id, "query"]) => missing(id),
        _ => (405, json!("")),
    }
}

const QUERY: [&str; 5] = ["query_embeddings", "n_results", "include", "where", "where_document"];
const INCLUDE: [&str; 5] = ["distances", "documents", "embeddings", "metadatas", "uris"];

fn query(documents: &[Document], dimensions: usize, body: &Value) -> Answered {
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
    let column = |name: &str, read: fn(&(f64, &Document)) -> Value| match include.contains(&name) {
        true => json!([found.iter().map(read).collect::<Vec<Value>>()]),
        false => Value::Null,
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
