//! Changes of points.

use super::collection::{Collection, ONE, Point, Vector};
use super::filter;
use super::refusal::{Refused, known, wrong};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Points and vectors are validated before any of them is stored.
pub(super) fn upsert(collection: &mut Collection, body: &Value) -> Result<(), Refused> {
    known(body, &["points"])?;
    let points = body["points"].as_array().ok_or_else(|| wrong("Format error in JSON body: points"))?;
    let read: Result<Vec<Point>, Refused> = points.iter().map(|point| read(collection, point)).collect();
    for point in read? {
        collection.keep(point);
    }
    Ok(())
}

fn read(collection: &Collection, point: &Value) -> Result<Point, Refused> {
    known(point, &["id", "vector", "payload"])?;
    let is_uuid = |text: &str| text.len() == 36 && text.split('-').count() == 5;
    let id = &point["id"];
    if !id.is_u64() && !id.as_str().is_some_and(is_uuid) {
        return Err(wrong(&format!(
            "Format error in JSON body: value {id} is not a valid point ID, valid values are either an unsigned integer or a UUID"
        )));
    }
    let payload = match &point["payload"] {
        Value::Null => json!({}),
        payload @ Value::Object(_) => payload.clone(),
        _ => return Err(wrong("Format error in JSON body: payload")),
    };
    let mut kept = Point { id: id.clone(), dense: BTreeMap::new(), sparse: BTreeMap::new(), payload };
    let named: Vec<(&str, &Value)> = match &point["vector"] {
        Value::Object(named) => named.iter().map(|(name, vector)| (name.as_str(), vector)).collect(),
        vector => vec![(ONE, vector)],
    };
    for (name, vector) in named {
        match collection.vector(name, vector)? {
            Vector::Dense(vector) => _ = kept.dense.insert(name.to_owned(), vector),
            Vector::Sparse(vector) => _ = kept.sparse.insert(name.to_owned(), vector),
        }
    }
    Ok(kept)
}

pub(super) fn delete(collection: &mut Collection, body: &Value, is_strict: bool) -> Result<(), Refused> {
    known(body, &["points", "filter"])?;
    for id in chosen(collection, body, is_strict)? {
        collection.drop(&id);
    }
    Ok(())
}

/// Other fields stay unchanged.
pub(super) fn set_payload(collection: &mut Collection, body: &Value, is_strict: bool) -> Result<(), Refused> {
    known(body, &["payload", "points", "filter"])?;
    let fields = body["payload"].as_object().ok_or_else(|| wrong("Format error in JSON body: payload"))?;
    let chosen = chosen(collection, body, is_strict)?;
    for point in collection.points_mut().filter(|point| chosen.contains(&point.id)) {
        for (name, value) in fields {
            point.payload[name] = value.clone();
        }
    }
    Ok(())
}

/// One after the other; what came before a failure stays.
pub(super) fn batch(collection: &mut Collection, body: &Value, is_strict: bool) -> Result<(), Refused> {
    known(body, &["operations"])?;
    let operations = body["operations"].as_array().ok_or_else(|| wrong("Format error in JSON body"))?;
    for operation in operations {
        known(operation, &["upsert", "delete", "set_payload"])?;
        let one = operation.as_object().filter(|one| one.len() == 1).and_then(|one| one.iter().next());
        match one.map(|(name, body)| (name.as_str(), body)) {
            Some(("upsert", body)) => upsert(collection, body)?,
            Some(("delete", body)) => delete(collection, body, is_strict)?,
            Some((_, body)) => set_payload(collection, body, is_strict)?,
            None => return Err(wrong("Format error in JSON body: one operation is needed")),
        }
    }
    Ok(())
}

/// The ids that a request names, or those that match its filter.
fn chosen(collection: &Collection, body: &Value, is_strict: bool) -> Result<Vec<Value>, Refused> {
    match (body["points"].as_array(), body.get("filter")) {
        (Some(ids), None) => Ok(ids.clone()),
        (None, Some(wanted)) => {
            filter::check(collection, body, is_strict)?;
            let fitting = filter::matching(collection, Some(wanted))?;
            Ok(fitting.into_iter().map(|point| point.id.clone()).collect())
        }
        _ => Err(wrong("Format error in JSON body: points or filter is needed")),
    }
}
