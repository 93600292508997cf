//! Fake Qdrant: collections of points with payloads, with one vector or several named ones, dense and sparse. It
//! rejects, with the original messages, vectors of another length, unknown names and fields, and, in strict mode,
//! filters on fields without an index. Writes without `wait` become visible later.

mod collection;
mod filter;
mod points;
mod refusal;
mod search;

use super::fake_server::{FakeRequest, FakeResponse, FakeServer};
use super::vector_documents;
use collection::{Collection, Point};
use refusal::{Refused, Step};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub const KEY: &str = "qdrant-key-81c4";

pub type Qdrant = FakeServer<Collections>;

#[derive(Default)]
pub struct Collections {
    all: BTreeMap<String, Collection>,
    /// Strict mode: filters need an index.
    is_strict: bool,
    /// Pending writes.
    pending: Vec<(String, Vec<String>, Value)>,
}

/// Has a collection `rivers` of documents and one `small` with vectors of three dimensions.
pub async fn start() -> Qdrant {
    let mut collections = Collections::default();
    let mut rivers = Collection::of(vector_documents::DIMENSIONS);
    for document in vector_documents::documents() {
        let id = json!(document.number);
        rivers.keep(Point::of(id, document.vector.clone(), Value::Object(document.fields())));
    }
    collections.all.insert("rivers".to_owned(), rivers.clone());
    collections.all.insert("my-rivers".to_owned(), rivers);
    collections.all.insert("small".to_owned(), Collection::of(3));
    FakeServer::start(collections, answer).await
}

/// In strict mode, without collections.
pub async fn start_empty() -> Qdrant {
    FakeServer::start(Collections { is_strict: true, ..Collections::default() }, answer).await
}

impl Collections {
    fn find(&mut self, name: &str) -> Result<&mut Collection, Refused> {
        let missing = || (404, format!("Not found: Collection `{name}` doesn't exist!"));
        self.all.get_mut(name).ok_or_else(missing)
    }

    /// The payload of every point of a collection, by the order of ids.
    pub fn payloads(&self, name: &str) -> Vec<Value> {
        let points = self.all.get(name).into_iter().flat_map(Collection::points);
        points.map(|point| point.payload.clone()).collect()
    }

    /// Creates a collection directly, as a request would.
    pub fn make(&mut self, name: &str, body: &Value) {
        self.create(name, body).expect("a collection");
    }

    /// Deletes a collection directly.
    pub fn remove(&mut self, name: &str) {
        self.all.remove(name).expect("a collection");
    }

    /// Creates an index on every field that filters of a corpus use.
    pub fn index(&mut self, name: &str) {
        let collection = self.find(name).expect("a collection");
        for (field, kind) in [("acl", "keyword"), ("signal_id", "integer"), ("chunk", "integer")] {
            collection.index(&json!({"field_name": field, "field_schema": kind})).expect("an index");
        }
    }

    /// Writes points directly, as a request would.
    pub fn put_points(&mut self, name: &str, points: &Value) {
        let collection = self.find(name).expect("a collection");
        points::upsert(collection, &json!({"points": points})).expect("valid points");
    }

    fn create(&mut self, name: &str, body: &Value) -> Step {
        let collection = Collection::configured(body)?;
        if self.all.contains_key(name) {
            return Err((409, format!("Wrong input: Collection `{name}` already exists!")));
        }
        self.all.insert(name.to_owned(), collection);
        Ok(json!(true))
    }
}

fn answer(collections: &mut Collections, request: &FakeRequest) -> FakeResponse {
    let bearer = format!("Bearer {KEY}");
    if request.header("api-key") != KEY && request.header("authorization") != bearer {
        return (401, json!("Must provide an API key or an Authorization bearer token"));
    }
    let is_number = |value: &str| value.parse::<u64>().is_ok_and(|number| number > 0);
    let is_known = |(name, value): &(String, String)| match name.as_str() {
        "timeout" => is_number(value),
        "wait" => matches!(value.as_str(), "true" | "false"),
        _ => false,
    };
    if !request.query.iter().all(is_known) {
        return refused((400, "Deserialize error: unknown parameter".to_owned()));
    }
    match step(collections, request) {
        Ok(result) => (200, json!({"result": result, "status": "ok", "time": 0.001})),
        // An unknown path gets no message.
        Err((404, sentence)) if sentence.is_empty() => (404, json!("")),
        Err(refusal) => refused(refusal),
    }
}

fn refused((status, sentence): Refused) -> FakeResponse {
    (status, json!({"status": {"error": sentence}, "time": 0.0}))
}

fn step(collections: &mut Collections, request: &FakeRequest) -> Step {
    let (method, path) = request.route();
    let is_awaited = request.query.iter().any(|(name, value)| name == "wait" && value == "true");
    if let Some(refused) = collections.change(method, &path, &request.body, is_awaited) {
        return refused;
    }
    let (body, is_strict) = (&request.body, collections.is_strict);
    match (method, path.as_slice()) {
        ("GET", ["collections"]) => {
            let names: Vec<Value> = collections.all.keys().map(|name| json!({"name": name})).collect();
            Ok(json!({"collections": names}))
        }
        ("PUT", ["collections", name]) => collections.create(name, body),
        ("DELETE", ["collections", name]) => Ok(json!(collections.all.remove(*name).is_some())),
        ("GET", ["collections", name]) => Ok(collections.find(name)?.shown()),
        ("POST", ["collections", name, "points", request]) => {
            let collection = collections.find(name)?;
            filter::check(collection, body, is_strict)?;
            match *request {
                "query" => search::query(collection, body),
                "scroll" => search::scroll(collection, body),
                "count" => search::count(collection, body),
                _ => Err((404, String::new())),
            }
        }
        _ => Err((404, String::new())),
    }
}

impl Collections {
    /// Changes the contents of a collection; `None` for any other request. Without `wait` the change is deferred.
    fn change(&mut self, method: &str, path: &[&str], body: &Value, is_awaited: bool) -> Option<Step> {
        let is_change = matches!(
            (method, path),
            ("PUT", [_, _, "points" | "index"])
                | ("POST", [_, _, "points", "delete" | "batch" | "payload"])
                | ("PUT", [_, _, "points", "payload"])
        );
        if !is_change {
            return None;
        }
        let path: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
        if !is_awaited {
            self.pending.push((method.to_owned(), path, body.clone()));
            return Some(Ok(json!({"operation_id": 1, "status": "acknowledged"})));
        }
        for (method, path, body) in std::mem::take(&mut self.pending) {
            // Nobody waits for its response.
            let _ = self.change_now(&method, &path, &body);
        }
        let done = self.change_now(method, &path, body);
        Some(done.map(|()| json!({"operation_id": 1, "status": "completed"})))
    }

    fn change_now(&mut self, method: &str, path: &[String], body: &Value) -> Result<(), Refused> {
        let is_strict = self.is_strict;
        let collection = self.find(&path[1])?;
        let what: Vec<&str> = path[2..].iter().map(String::as_str).collect();
        match (method, what.as_slice()) {
            (_, ["index"]) => collection.index(body),
            (_, ["points"]) => points::upsert(collection, body),
            (_, ["points", "delete"]) => points::delete(collection, body, is_strict),
            ("POST", ["points", "payload"]) => points::set_payload(collection, body, is_strict),
            (_, ["points", "batch"]) => points::batch(collection, body, is_strict),
            _ => Err((404, String::new())),
        }
    }
}

#[cfg(test)]
mod tests;
