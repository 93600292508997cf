//! Fake Milvus, v2 HTTP API. It reports errors by a code in the body.

use super::fake_server::{FakeRequest, FakeResponse, FakeServer, unknown, vector};
use super::vector_documents::{self, Document, nearest};
use serde_json::{Map, Value, json};

/// A user and a password, as one token.
pub const TOKEN: &str = "root:river-stone-3";
/// Limit of offset plus limit.
const WINDOW_MAX: u64 = 16_384;
const FIELDS: [&str; 4] = ["id", "title", "published", "number"];

pub type Milvus = FakeServer<Documents>;

pub struct Documents(Vec<Document>);

/// Has a collection `rivers` of documents and one `small` with vectors of three dimensions.
pub async fn start() -> Milvus {
    FakeServer::start(Documents(vector_documents::documents()), answer).await
}

const SEARCH: [&str; 11] = [
    "dbName",
    "collectionName",
    "data",
    "annsField",
    "filter",
    "limit",
    "offset",
    "outputFields",
    "searchParams",
    "partitionNames",
    "consistencyLevel",
];

fn answer(documents: &mut Documents, request: &FakeRequest) -> FakeResponse {
    if request.header("authorization") != format!("Bearer {TOKEN}") {
        return (401, json!({"code": 1800, "message": "user hasn't authenticated"}));
    }
    if request.route() != ("POST", vec!["v2", "vectordb", "entities", "search"]) {
        return (404, json!("404 page not found"));
    }
    match search(&documents.0, &request.body) {
        Ok(found) => (200, json!({"code": 0, "cost": 0, "data": found, "topks": [found.len()]})),
        Err((code, message)) => (200, json!({"code": code, "message": message})),
    }
}

type Refused = (u32, String);

fn search(documents: &[Document], body: &Value) -> Result<Vec<Value>, Refused> {
    if let Some(name) = unknown(body, &SEARCH) {
        return Err((1801, format!("can only accept json format request, error: unknown field {name}")));
    }
    let text =
        |name: &str| body[name].as_str().ok_or((1802, format!("missing required parameters, error: {name}")));
    let collection = text("collectionName")?;
    let database = body["dbName"].as_str().unwrap_or("default");
    if database != "default" {
        return Err((800, format!("database not found[database={database}]")));
    }
    let dimension = match collection {
        "rivers" => vector_documents::DIMENSIONS,
        "small" => 3,
        _ => return Err((100, format!("can't find collection[database=default][collection={collection}]"))),
    };
    let field = text("annsField")?;
    if field != "vector" {
        let message =
            format!("failed to get field schema by name: fieldName({field}) not found: invalid parameter");
        return Err((1100, message));
    }
    let [one] = body["data"].as_array().map(Vec::as_slice).unwrap_or_default() else {
        return Err((1802, "missing required parameters, error: data".to_owned()));
    };
    let vector = vector(Some(one)).ok_or((1801, "can only accept json format request".to_owned()))?;
    if vector.len() != dimension {
        let message = format!(
            "can only accept json format request, error: dimension: {dimension}, but length of []float: {}",
            vector.len()
        );
        return Err((1801, message));
    }
    let (limit, offset) = (body["limit"].as_u64().unwrap_or(100), body["offset"].as_u64().unwrap_or(0));
    if limit == 0 || limit + offset > WINDOW_MAX {
        return Err((
            65_535,
            "invalid max query result window, (offset+limit) should be in range".to_owned(),
        ));
    }
    let fields = output(body)?;
    let least = match body.get("filter").map(|filter| filter.as_str().unwrap_or_default()) {
        None | Some("") => 0,
        Some(filter) => {
            let number = filter.strip_prefix("number >= ").and_then(|number| number.parse::<usize>().ok());
            number.ok_or_else(|| {
                (1100, format!("failed to create query plan: cannot parse expression: {filter}"))
            })?
        }
    };
    let place = |number: u64| usize::try_from(number).expect("a small number");
    let found = nearest(documents, &vector).into_iter().filter(|(_, document)| document.number >= least);
    let page = found.skip(place(offset)).take(place(limit));
    Ok(page.map(|(score, document)| entity(score, document, &fields)).collect())
}

fn output(body: &Value) -> Result<Vec<String>, Refused> {
    let names = body["outputFields"].as_array().cloned().unwrap_or_default();
    let mut fields = Vec::new();
    for name in names.iter().filter_map(Value::as_str) {
        match name {
            "*" => fields.extend(FIELDS.iter().chain(&["vector"]).map(|&name| name.to_owned())),
            name if FIELDS.contains(&name) => fields.push(name.to_owned()),
            name => return Err((65_535, format!("field {name} not exist"))),
        }
    }
    Ok(fields)
}

fn entity(score: f64, document: &Document, fields: &[String]) -> Value {
    let mut all = document.fields();
    all.insert("id".to_owned(), json!(document.number));
    all.insert("vector".to_owned(), json!(document.vector));
    let chosen = all.into_iter().filter(|(name, _)| fields.contains(name) || name == "id");
    let mut shown: Map<String, Value> = chosen.collect();
    shown.insert("distance".to_owned(), json!(score));
    Value::Object(shown)
}
