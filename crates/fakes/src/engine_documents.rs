//! Documents of the fake search engines, word search over them, and the state of a fake.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use testkit::hostile;

/// Documents about rivers: more than one page of any engine.
pub const RIVERS: usize = 260;
/// The `Retry-After` of a throttled response.
pub const RETRY_AFTER: &str = "7";

/// Many about rivers, with dates in no order, and one for each hostile text.
pub fn documents() -> Vec<Value> {
    let rivers = (0..RIVERS).map(|number| {
        let published = format!("2024-{:02}-{:02}", number * 7 % 12 + 1, number * 11 % 28 + 1);
        (format!("river {number}"), published)
    });
    let hostile = hostile::QUERIES.iter().map(|text| ((*text).to_owned(), "2023-01-01".to_owned()));
    let all = rivers.chain(hostile).enumerate();
    all.map(|(number, (title, published))| {
        let day: i64 = published.replace('-', "").parse().expect("a date");
        json!({"id": number.to_string(), "title": title, "published": published, "day": day, "url": format!("https://docs.example/{number}")})
    })
    .collect()
}

/// The words of a text, as an index sees them.
pub fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Documents with all the `wanted` words and none of the `unwanted`, the shortest first.
pub fn search(wanted: &BTreeSet<String>, unwanted: &BTreeSet<String>) -> Vec<Value> {
    search_by(|title| {
        let own = words(title);
        !wanted.is_empty() && own.is_superset(wanted) && own.is_disjoint(unwanted)
    })
}

/// Documents with such a title, the shortest first.
pub fn search_by(is_hit: impl Fn(&str) -> bool) -> Vec<Value> {
    let title = |document: &Value| document["title"].as_str().unwrap_or_default().to_owned();
    let mut found: Vec<(usize, Value)> = documents()
        .into_iter()
        .filter(|document| is_hit(&title(document)))
        .map(|document| (words(&title(&document)).len(), document))
        .collect();
    found.sort_by_key(|(count, _)| *count);
    found.into_iter().map(|(_, document)| document).collect()
}

/// Newest first, by the field that a request names.
pub fn newest_first(found: &mut [Value], field: &str) {
    found.sort_by_key(|document| {
        let value = &document[field];
        std::cmp::Reverse((value.as_i64(), value.as_str().map(str::to_owned)))
    });
}

/// What a fake records.
#[derive(Default)]
pub struct EngineRecord {
    pub seen: Option<String>,
    pub last: Value,
    throttled: bool,
}

/// Shared by the requests of one fake.
#[derive(Clone, Default)]
pub struct EngineState(Arc<Mutex<EngineRecord>>);

impl EngineState {
    /// The words of the last valid query.
    pub fn seen(&self) -> impl Fn() -> Option<String> + Send + Sync + use<> {
        let state = self.clone();
        move || state.0.lock().expect("the lock").seen.clone()
    }

    /// The last valid body.
    pub fn last(&self) -> Value {
        self.0.lock().expect("the lock").last.clone()
    }

    /// Answers the next request with 429.
    pub fn throttle(&self) {
        self.0.lock().expect("the lock").throttled = true;
    }

    pub(super) fn remember(&self, seen: &str, last: &Value) {
        let mut record = self.0.lock().expect("the lock");
        record.seen = Some(seen.to_owned());
        record.last = last.clone();
    }

    /// The response to a throttled request.
    pub(super) fn too_soon(&self, body: &Value) -> Option<Response> {
        let mut record = self.0.lock().expect("the lock");
        // The previous query must not be taken for one that was never parsed.
        record.seen = None;
        std::mem::take(&mut record.throttled).then(|| {
            (StatusCode::TOO_MANY_REQUESTS, [("Retry-After", RETRY_AFTER)], body.to_string()).into_response()
        })
    }
}

pub(super) fn answer(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, [("content-type", "application/json")], body.to_string()).into_response()
}

/// The first unknown member.
pub(super) fn unknown_member<'a>(object: &'a Value, known: &[&str]) -> Option<&'a str> {
    object.as_object()?.keys().map(String::as_str).find(|name| !known.contains(name))
}
