//! Queries: the nearest points, points in the order of their ids, and counts.

use super::super::vector_documents::cosine;
use super::collection::{Collection, ONE, Point, Vector, order};
use super::filter;
use super::refusal::{Step, invalid, known, wrong};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Most results per request.
const LIMIT_MAX: u64 = 10_000;
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

pub(super) fn query(collection: &Collection, body: &Value) -> Step {
    known(body, &QUERY)?;
    let number = |name: &str, usual: u64| match body.get(name) {
        None => Ok(usual),
        Some(value) => value.as_u64().ok_or_else(|| wrong("Format error in JSON body: a number is needed")),
    };
    let (limit, offset) = (number("limit", 10)?, number("offset", 0)?);
    if limit == 0 || limit > LIMIT_MAX {
        return Err(invalid("limit: value is out of range"));
    }
    let using = body.get("using").map_or(Some(ONE), Value::as_str);
    let using = using.ok_or_else(|| wrong("Format error in JSON body: using"))?;
    let question = body.get("query").ok_or_else(|| wrong("Format error in JSON body: query"))?;
    let fitting = filter::matching(collection, body.get("filter"))?;
    let mut scored: Vec<(f64, &Point)> = match collection.vector(using, question)? {
        Vector::Dense(wanted) => fitting
            .into_iter()
            .filter_map(|point| Some((cosine(point.dense.get(using)?, &wanted), point)))
            .collect(),
        Vector::Sparse(wanted) => {
            let weighed = weighed(collection, using, wanted);
            let score = |point: &Point| overlap(&weighed, point.sparse.get(using)?);
            fitting.into_iter().filter_map(|point| Some((score(point)?, point))).collect()
        }
    };
    let least = body["score_threshold"].as_f64().unwrap_or(f64::MIN);
    scored.retain(|(score, _)| *score >= least);
    // Among equals any order is valid; this one is unlike the natural one.
    scored.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then_with(|| order(&other.1.id).cmp(&order(&one.1.id)))
    });
    let place = |number: u64| usize::try_from(number).expect("a small number");
    let scored = scored.into_iter().skip(place(offset)).take(place(limit));
    let shown = scored.map(|(score, point)| {
        let mut shown = json!({"id": point.id, "version": 1, "score": score});
        if body["with_payload"] == true {
            shown["payload"] = point.payload.clone();
        }
        if body["with_vector"] == true {
            shown["vector"] = json!(point.dense.get(ONE));
        }
        shown
    });
    Ok(json!({"points": shown.collect::<Vec<Value>>()}))
}

/// The weights of a sparse query, each by how rare its word is among all points.
fn weighed(collection: &Collection, name: &str, question: BTreeMap<u32, f32>) -> BTreeMap<u32, f64> {
    let all = collection.points().count() as f64;
    let rarity = |index: u32| {
        if !collection.is_weighed(name) {
            return 1.0;
        }
        let has = |point: &&Point| point.sparse.get(name).is_some_and(|words| words.contains_key(&index));
        let with = collection.points().filter(has).count() as f64;
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    };
    question.into_iter().map(|(index, weight)| (index, f64::from(weight) * rarity(index))).collect()
}

/// `None` without a common word.
fn overlap(question: &BTreeMap<u32, f64>, words: &BTreeMap<u32, f32>) -> Option<f64> {
    let common = question.iter().filter_map(|(index, weight)| Some(weight * f64::from(*words.get(index)?)));
    let scores: Vec<f64> = common.collect();
    (!scores.is_empty()).then(|| scores.iter().sum())
}

/// The offset is the smallest id that is returned; such a point need not exist.
pub(super) fn scroll(collection: &Collection, body: &Value) -> Step {
    known(body, &["filter", "limit", "offset", "with_payload", "with_vector"])?;
    let limit = body["limit"].as_u64().unwrap_or(10);
    if limit == 0 {
        return Err(invalid("limit: value 0 invalid, must be 1 or larger"));
    }
    let from = body.get("offset").filter(|offset| !offset.is_null()).map(order);
    let mut points = filter::matching(collection, body.get("filter"))?;
    points.retain(|point| from.as_ref().is_none_or(|from| order(&point.id) >= *from));
    let end = points.len().min(usize::try_from(limit).expect("a small number"));
    let shown: Vec<Value> = points[..end]
        .iter()
        .map(|point| {
            if body["with_payload"] == false {
                json!({"id": point.id})
            } else {
                json!({"id": point.id, "payload": point.payload})
            }
        })
        .collect();
    let next = points.get(end).map_or(Value::Null, |point| point.id.clone());
    Ok(json!({"points": shown, "next_page_offset": next}))
}

pub(super) fn count(collection: &Collection, body: &Value) -> Step {
    known(body, &["filter", "exact"])?;
    Ok(json!({"count": filter::matching(collection, body.get("filter"))?.len()}))
}
