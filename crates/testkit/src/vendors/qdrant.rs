//! Qdrant: collections of points with payloads. It knows filters, scrolls, and refuses vectors of another length.

use super::desk::{Answered, Asked, Desk, unknown, vector};
use super::likeness::{self, cosine};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub const KEY: &str = "qdrant-key-81c4";
/// More at once are refused.
const LIMIT_MAX: u64 = 10_000;

pub type Qdrant = Desk<Collections>;

#[derive(Default)]
pub struct Collections {
    all: BTreeMap<String, Collection>,
}

#[derive(Debug, Clone)]
struct Collection {
    size: usize,
    points: Vec<Point>,
}

#[derive(Debug, Clone)]
struct Point {
    id: Value,
    vector: Vec<f32>,
    payload: Value,
}

type Refused = (u16, String);
type Step = Result<Value, Refused>;

/// With a collection `rivers` of documents and one `small` whose vectors have three dimensions.
pub async fn start() -> Qdrant {
    let mut collections = Collections::default();
    let points = likeness::documents().into_iter().map(|document| Point {
        id: json!(document.number),
        payload: Value::Object(document.fields()),
        vector: document.vector,
    });
    let rivers = Collection { size: likeness::DIMENSIONS, points: points.collect() };
    collections.all.insert("rivers".to_owned(), rivers.clone());
    collections.all.insert("my-rivers".to_owned(), rivers);
    collections.all.insert("small".to_owned(), Collection { size: 3, points: Vec::new() });
    Desk::start(collections, answer).await
}

/// With no collection.
pub async fn start_empty() -> Qdrant {
    Desk::start(Collections::default(), answer).await
}

fn answer(collections: &mut Collections, asked: &Asked) -> Answered {
    let bearer = format!("Bearer {KEY}");
    if asked.header("api-key") != KEY && asked.header("authorization") != bearer {
        return (401, json!("Must provide an API key or an Authorization bearer token"));
    }
    let is_number = |value: &str| value.parse::<u64>().is_ok_and(|number| number > 0);
    let is_known = |(name, value): &(String, String)| match name.as_str() {
        "timeout" => is_number(value),
        "wait" => matches!(value.as_str(), "true" | "false"),
        _ => false,
    };
    if !asked.query.iter().all(is_known) {
        return refusal((400, "Deserialize error: unknown parameter".to_owned()));
    }
    match step(collections, asked) {
        Ok(result) => (200, json!({"result": result, "status": "ok", "time": 0.001})),
        Err(refused) => refusal(refused),
    }
}

fn refusal((status, sentence): Refused) -> Answered {
    (status, json!({"status": {"error": sentence}, "time": 0.0}))
}

fn step(collections: &mut Collections, asked: &Asked) -> Step {
    let (method, path) = asked.route();
    let body = &asked.body;
    match (method, path.as_slice()) {
        ("GET", ["collections"]) => {
            let names: Vec<Value> = collections.all.keys().map(|name| json!({"name": name})).collect();
            Ok(json!({"collections": names}))
        }
        ("PUT", ["collections", name]) => create(collections, name, body),
        ("DELETE", ["collections", name]) => Ok(json!(collections.all.remove(*name).is_some())),
        ("GET", ["collections", name]) => {
            let collection = collections.find(name)?;
            let params = json!({"vectors": {"size": collection.size, "distance": "Cosine"}});
            let count = collection.points.len();
            Ok(json!({"status": "green", "points_count": count, "config": {"params": params}}))
        }
        ("PUT", ["collections", name, "points"]) => upsert(collections.find(name)?, body),
        ("POST", ["collections", name, "points", "delete"]) => delete(collections.find(name)?, body),
        ("POST", ["collections", name, "points", "query"]) => query(collections.find(name)?, body),
        ("POST", ["collections", name, "points", "scroll"]) => scroll(collections.find(name)?, body),
        ("POST", ["collections", name, "points", "count"]) => {
            let collection = collections.find(name)?;
            known(body, &["filter", "exact"])?;
            Ok(json!({"count": collection.matching(body.get("filter"))?.len()}))
        }
        ("POST", ["collections", name, "points", "batch"]) => batch(collections.find(name)?, body),
        _ => Err((404, String::new())),
    }
}

impl Collections {
    fn find(&mut self, name: &str) -> Result<&mut Collection, Refused> {
        let missing = || (404, format!("Not found: Collection `{name}` doesn't exist!"));
        self.all.get_mut(name).ok_or_else(missing)
    }
}

impl Collection {
    fn matching(&self, filter: Option<&Value>) -> Result<Vec<&Point>, Refused> {
        let mut found = Vec::new();
        for point in &self.points {
            if filter.is_none_or(Value::is_null) || holds(filter, point)? {
                found.push(point);
            }
        }
        Ok(found)
    }

    fn check(&self, vector: &[f32]) -> Result<(), Refused> {
        if vector.len() == self.size {
            return Ok(());
        }
        let (expected, got) = (self.size, vector.len());
        Err(wrong(&format!("Wrong input: Vector dimension error: expected dim: {expected}, got {got}")))
    }
}

fn wrong(sentence: &str) -> Refused {
    (400, sentence.to_owned())
}

fn known(body: &Value, names: &[&str]) -> Result<(), Refused> {
    if !body.is_object() {
        return Err(wrong("Format error in JSON body: an object is needed"));
    }
    match unknown(body, names) {
        None => Ok(()),
        Some(name) => Err(wrong(&format!("Format error in JSON body: unknown field `{name}`"))),
    }
}

fn create(collections: &mut Collections, name: &str, body: &Value) -> Step {
    known(body, &["vectors", "on_disk_payload", "hnsw_config", "optimizers_config"])?;
    known(&body["vectors"], &["size", "distance", "on_disk"])?;
    let size = body["vectors"]["size"].as_u64().filter(|size| (1..=65_536).contains(size));
    let size = size.ok_or_else(|| wrong("Validation error in JSON body: vectors.size"))?;
    if body["vectors"]["distance"] != "Cosine" {
        return Err(wrong("this stand-in measures by Cosine"));
    }
    if collections.all.contains_key(name) {
        return Err((409, format!("Wrong input: Collection `{name}` already exists!")));
    }
    let size = usize::try_from(size).expect("a small number");
    collections.all.insert(name.to_owned(), Collection { size, points: Vec::new() });
    Ok(json!(true))
}

fn upsert(collection: &mut Collection, body: &Value) -> Step {
    known(body, &["points"])?;
    let points = body["points"].as_array().ok_or_else(|| wrong("Format error in JSON body: points"))?;
    let mut read = Vec::new();
    for point in points {
        known(point, &["id", "vector", "payload"])?;
        let is_uuid = |text: &str| text.len() == 36 && text.split('-').count() == 5;
        if !point["id"].is_u64() && !point["id"].as_str().is_some_and(is_uuid) {
            return Err(wrong("Format error in JSON body: value is not a valid point ID"));
        }
        let vector = vector(point.get("vector")).ok_or_else(|| wrong("Format error in JSON body: vector"))?;
        collection.check(&vector)?;
        read.push(Point { id: point["id"].clone(), vector, payload: point["payload"].clone() });
    }
    for point in read {
        collection.points.retain(|old| old.id != point.id);
        collection.points.push(point);
    }
    Ok(json!({"operation_id": 1, "status": "completed"}))
}

fn delete(collection: &mut Collection, body: &Value) -> Step {
    known(body, &["points", "filter"])?;
    let gone: Vec<Value> = match (body["points"].as_array(), body.get("filter")) {
        (Some(ids), None) => ids.clone(),
        (None, filter @ Some(_)) => {
            collection.matching(filter)?.into_iter().map(|point| point.id.clone()).collect()
        }
        _ => return Err(wrong("Format error in JSON body: points or filter is needed")),
    };
    collection.points.retain(|point| !gone.contains(&point.id));
    Ok(json!({"operation_id": 1, "status": "completed"}))
}

fn batch(collection: &mut Collection, body: &Value) -> Step {
    known(body, &["operations"])?;
    let operations = body["operations"].as_array().ok_or_else(|| wrong("Format error in JSON body"))?;
    let mut done = Vec::new();
    for operation in operations {
        known(operation, &["upsert", "delete"])?;
        done.push(match (operation.get("upsert"), operation.get("delete")) {
            (Some(points), None) => upsert(collection, points)?,
            (None, Some(points)) => delete(collection, points)?,
            _ => return Err(wrong("Format error in JSON body: one operation is needed")),
        });
    }
    Ok(Value::Array(done))
}

const QUERY: [&str; 9] = [
    "query",
    "using",
    "filter",
    "params",
    "score_threshold",
    "limit",
    "offset",
    "with_payload",
    "with_vector",
];

fn query(collection: &Collection, body: &Value) -> Step {
    known(body, &QUERY)?;
    let number = |name: &str, usual: u64| match body.get(name) {
        None => Ok(usual),
        Some(value) => value.as_u64().ok_or_else(|| wrong("Format error in JSON body: a number is needed")),
    };
    let (limit, offset) = (number("limit", 10)?, number("offset", 0)?);
    if limit == 0 || limit > LIMIT_MAX {
        return Err((422, "Validation error in JSON body: [limit: value is out of range]".to_owned()));
    }
    if body.get("using").is_some() {
        return Err(wrong("Wrong input: Not existing vector name error"));
    }
    let vector = vector(body.get("query")).ok_or_else(|| wrong("Format error in JSON body: query"))?;
    collection.check(&vector)?;
    let least = body["score_threshold"].as_f64().unwrap_or(-2.0);
    let points = collection.matching(body.get("filter"))?.into_iter();
    let mut scored: Vec<(f64, &Point)> = points
        .map(|point| (cosine(&point.vector, &vector), point))
        .filter(|(score, _)| *score >= least)
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    let has_payload = body["with_payload"] == true;
    let has_vector = body["with_vector"] == true;
    let place = |number: u64| usize::try_from(number).expect("a small number");
    let shown = scored.into_iter().skip(place(offset)).take(place(limit)).map(|(score, point)| {
        let mut shown = json!({"id": point.id, "version": 1, "score": score});
        if has_payload {
            shown["payload"] = point.payload.clone();
        }
        if has_vector {
            shown["vector"] = json!(point.vector);
        }
        shown
    });
    Ok(json!({"points": shown.collect::<Vec<Value>>()}))
}

fn scroll(collection: &Collection, body: &Value) -> Step {
    known(body, &["filter", "limit", "offset", "with_payload", "with_vector"])?;
    let limit = body["limit"].as_u64().unwrap_or(10);
    let mut points = collection.matching(body.get("filter"))?;
    points
        .sort_by_key(|point| (point.id.is_string(), point.id.as_u64(), point.id.as_str().map(str::to_owned)));
    let start = match body.get("offset").filter(|offset| !offset.is_null()) {
        None => 0,
        Some(id) => points.iter().position(|point| point.id == *id).ok_or_else(|| wrong("offset"))?,
    };
    let end = points.len().min(start + usize::try_from(limit).expect("a small number"));
    let shown: Vec<Value> = points[start..end]
        .iter()
        .map(|point| match body["with_payload"] == false {
            true => json!({"id": point.id}),
            false => json!({"id": point.id, "payload": point.payload}),
        })
        .collect();
    let next = points.get(end).map_or(Value::Null, |point| point.id.clone());
    Ok(json!({"points": shown, "next_page_offset": next}))
}

/// All of `must`, one of `should`, none of `must_not`.
fn holds(filter: Option<&Value>, point: &Point) -> Result<bool, Refused> {
    let Some(filter) = filter else { return Ok(true) };
    known(filter, &["must", "should", "must_not"])?;
    let each = |name: &str| -> Result<Vec<bool>, Refused> {
        let list = match &filter[name] {
            Value::Null => Vec::new(),
            Value::Array(list) => list.clone(),
            one => vec![one.clone()],
        };
        list.iter().map(|condition| meets(condition, point)).collect()
    };
    let (must, should, must_not) = (each("must")?, each("should")?, each("must_not")?);
    let is_one = should.is_empty() || should.contains(&true);
    Ok(!must.contains(&false) && is_one && !must_not.contains(&true))
}

fn meets(condition: &Value, point: &Point) -> Result<bool, Refused> {
    if let Some(ids) = condition["has_id"].as_array() {
        return Ok(ids.contains(&point.id));
    }
    if ["must", "should", "must_not"].iter().any(|name| condition.get(name).is_some()) {
        return holds(Some(condition), point);
    }
    known(condition, &["key", "match", "range"])?;
    let key = condition["key"].as_str().ok_or_else(|| wrong("Format error in JSON body: key"))?;
    let value = key.split('.').try_fold(&point.payload, |value, name| value.get(name));
    let Some(value) = value else { return Ok(false) };
    let values = value.as_array().map_or_else(|| vec![value], |list| list.iter().collect());
    if let Some(wanted) = condition["match"].get("value") {
        return Ok(values.contains(&wanted));
    }
    if let Some(wanted) = condition["match"]["any"].as_array() {
        return Ok(values.iter().any(|value| wanted.contains(value)));
    }
    let range =
        condition["range"].as_object().ok_or_else(|| wrong("Format error in JSON body: match or range"))?;
    let number = value.as_f64().unwrap_or(f64::NAN);
    let within = range.iter().map(|(name, bound)| {
        let bound = bound.as_f64().ok_or_else(|| wrong("Format error in JSON body: range"))?;
        match name.as_str() {
            "gt" => Ok(number > bound),
            "gte" => Ok(number >= bound),
            "lt" => Ok(number < bound),
            "lte" => Ok(number <= bound),
            _ => Err(wrong("Format error in JSON body: range")),
        }
    });
    Ok(within.collect::<Result<Vec<bool>, Refused>>()?.into_iter().all(|holds| holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(collections: &mut Collections, route: &str, body: Value) -> Step {
        step(collections, &Asked::of(route, body))
    }

    fn ids(result: &Value) -> Vec<u64> {
        result["points"].as_array().unwrap().iter().map(|point| point["id"].as_u64().unwrap()).collect()
    }

    #[test]
    fn points_are_kept_found_and_dropped() {
        let mut all = Collections::default();
        let vectors = json!({"vectors": {"size": 2, "distance": "Cosine"}});
        ask(&mut all, "PUT /collections/c", vectors.clone()).unwrap();
        assert_eq!(ask(&mut all, "PUT /collections/c", vectors).unwrap_err().0, 409);
        let point = |id: u64, x: f32, kind: &str| json!({"id": id, "vector": [x, 1.0], "payload": {"kind": kind, "n": id}});
        let points = json!({"points": [point(1, 0.0, "a"), point(2, 1.0, "b"), point(3, 9.0, "a")]});
        ask(&mut all, "PUT /collections/c/points", points).unwrap();
        let query = |filter: Value| json!({"query": [1.0, 0.0], "limit": 9, "filter": filter});
        let table = [
            (json!(null), vec![3, 2, 1]),
            (json!({"must": [{"key": "kind", "match": {"value": "a"}}]}), vec![3, 1]),
            (json!({"must_not": [{"key": "kind", "match": {"any": ["a", "c"]}}]}), vec![2]),
            (json!({"should": [{"has_id": [1]}, {"key": "n", "range": {"gte": 3, "lt": 4}}]}), vec![3, 1]),
            (json!({"must": [{"key": "missing", "match": {"value": 1}}]}), vec![]),
        ];
        for (filter, want) in table {
            let found = ask(&mut all, "POST /collections/c/points/query", query(filter.clone())).unwrap();
            assert_eq!(ids(&found), want, "{filter}");
        }
        let page = ask(&mut all, "POST /collections/c/points/scroll", json!({"limit": 2})).unwrap();
        assert_eq!((ids(&page), &page["next_page_offset"]), (vec![1, 2], &json!(3)));
        let rest =
            ask(&mut all, "POST /collections/c/points/scroll", json!({"limit": 2, "offset": 3})).unwrap();
        assert_eq!((ids(&rest), &rest["next_page_offset"]), (vec![3], &Value::Null));
        let operations = json!({"operations": [{"upsert": {"points": [point(1, 5.0, "b")]}}, {"delete": {"points": [3]}}]});
        ask(&mut all, "POST /collections/c/points/batch", operations).unwrap();
        let filter = json!({"filter": {"must": [{"key": "kind", "match": {"value": "b"}}]}});
        assert_eq!(ask(&mut all, "POST /collections/c/points/count", filter.clone()).unwrap()["count"], 2);
        ask(&mut all, "POST /collections/c/points/delete", filter).unwrap();
        assert_eq!(ask(&mut all, "GET /collections/c", Value::Null).unwrap()["points_count"], 0);
    }

    #[test]
    fn what_is_wrong_is_refused() {
        let mut all = Collections::default();
        all.all.insert("c".to_owned(), Collection { size: 2, points: Vec::new() });
        let table = [
            ("POST /collections/d/points/query", json!({"query": [1, 2]}), 404),
            ("POST /collections/c/points/query", json!({"query": [1, 2, 3]}), 400),
            ("POST /collections/c/points/query", json!({"vector": [1, 2]}), 400),
            ("POST /collections/c/points/query", json!({"query": [1, 2], "limit": 0}), 422),
            ("PUT /collections/c/points", json!({"points": [{"id": "x", "vector": [1, 2]}]}), 400),
            ("PUT /collections/c/points", json!({"points": [{"id": 1, "vector": [1]}]}), 400),
            ("PUT /collections/e", json!({"vectors": {"size": 0, "distance": "Cosine"}}), 400),
            ("GET /collections/c/points/query", Value::Null, 404),
        ];
        for (route, body, status) in table {
            assert_eq!(ask(&mut all, route, body.clone()).unwrap_err().0, status, "{route} {body}");
        }
    }
}
