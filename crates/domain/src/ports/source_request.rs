//! Requests and responses between a connector and its source: what the rest of the service needs to know of them.

use super::{HttpRequest, HttpResponse};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Debug;

/// A request in the source's own language. Each connector has its own type.
pub trait SourceRequest: Send + Sync + Debug {
    /// What it asks and where. Concurrent requests of one user with equal descriptions share one call, so everything
    /// that changes the response belongs into it.
    fn description(&self) -> RequestDescription<'_>;
    /// The request for display, without secrets.
    fn shown(&self) -> String {
        self.description().shown()
    }
}

/// A response before it is normalized. Each connector has its own type. It is cloned only if several searches share it.
pub trait SourceResponse: Clone + Send + Sync + Debug + 'static {
    /// The part that is still to be parsed, which takes more memory then.
    fn unparsed(&self) -> Option<&HttpResponse> {
        None
    }
}

impl SourceRequest for HttpRequest {
    fn description(&self) -> RequestDescription<'_> {
        RequestDescription::Http(self)
    }
}

impl SourceResponse for HttpResponse {
    fn unparsed(&self) -> Option<&HttpResponse> {
        Some(self)
    }
}

/// Rows or documents that are already in memory.
impl<T: Clone + Send + Sync + Debug + 'static> SourceResponse for Vec<T> {}

/// What a request asks and where, apart from its time limit.
#[derive(Debug, Clone)]
pub enum RequestDescription<'a> {
    Http(&'a HttpRequest),
    /// A statement with bound values, never interpolated ones.
    Statement {
        text: &'a str,
        values: &'a [String],
        rows_max: u32,
    },
    /// A query to a source that is queried neither over HTTP nor by a statement, as JSON.
    Command {
        /// Destination for display.
        place: &'a str,
        body: Cow<'a, Value>,
        rows_max: u32,
    },
}

impl RequestDescription<'_> {
    /// The request for display, without secrets.
    pub fn shown(&self) -> String {
        match self {
            Self::Http(request) => request.shown_url(),
            Self::Statement { text, .. } => (*text).to_owned(),
            Self::Command { body, .. } => brief(body).to_string(),
        }
    }
}

/// Longer lists of numbers are vectors, which are not worth displaying.
const NUMBERS_SHOWN_MAX: usize = 16;

/// Replaces each vector by the number of its components.
fn brief(value: &Value) -> Value {
    match value {
        Value::Array(list) if list.len() > NUMBERS_SHOWN_MAX && list.iter().all(Value::is_number) => {
            Value::String(format!("{} numbers", list.len()))
        }
        Value::Array(list) => list.iter().map(brief).collect(),
        Value::Object(object) => object.iter().map(|(key, value)| (key.clone(), brief(value))).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_vector_is_shown_by_its_length() {
        let shown = |numbers: usize| {
            let body = json!({"data": [vec![0.5; numbers]], "limit": 3});
            RequestDescription::Command { place: "", body: Cow::Owned(body), rows_max: 3 }.shown()
        };
        assert_eq!(shown(2), r#"{"data":[[0.5,0.5]],"limit":3}"#);
        assert!(shown(NUMBERS_SHOWN_MAX).contains("0.5"));
        assert_eq!(shown(NUMBERS_SHOWN_MAX + 1), r#"{"data":["17 numbers"],"limit":3}"#);
    }
}
