//! Filters: all of `must`, one of `should`, none of `must_not`.

use super::collection::{Collection, Point};
use super::refusal::{Refused, known, wrong};
use serde_json::Value;

/// The points that match a filter, in the order of their ids.
pub(super) fn matching<'a>(
    collection: &'a Collection,
    filter: Option<&Value>,
) -> Result<Vec<&'a Point>, Refused> {
    let mut found = Vec::new();
    for point in collection.points() {
        if filter.is_none_or(Value::is_null) || holds(filter, point)? {
            found.push(point);
        }
    }
    Ok(found)
}

/// In strict mode, rejects the filter of a request that uses a field without an index.
pub(super) fn check(collection: &Collection, body: &Value, is_strict: bool) -> Result<(), Refused> {
    let missing = fields(&body["filter"]).into_iter().find(|name| !collection.has_index(name));
    match missing.filter(|_| is_strict) {
        None => Ok(()),
        Some(name) => Err(wrong(&format!(
            "Bad request: Index required but not found for \"{name}\". Help: Create an index for this key or use a different filter."
        ))),
    }
}

/// The fields of a filter.
fn fields(filter: &Value) -> Vec<String> {
    let lists = ["must", "should", "must_not"].into_iter().flat_map(|name| conditions(filter, name));
    let own = filter["key"].as_str().map(str::to_owned);
    lists.flat_map(|condition| fields(&condition)).chain(own).collect()
}

fn conditions(filter: &Value, name: &str) -> Vec<Value> {
    match &filter[name] {
        Value::Null => Vec::new(),
        Value::Array(list) => list.clone(),
        one => vec![one.clone()],
    }
}

fn holds(filter: Option<&Value>, point: &Point) -> Result<bool, Refused> {
    let Some(filter) = filter else { return Ok(true) };
    known(filter, &["must", "should", "must_not"])?;
    let each = |name: &str| -> Result<Vec<bool>, Refused> {
        conditions(filter, name).iter().map(|condition| meets(condition, point)).collect()
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
