//! The ways in which a source can behave.

use bytes::Bytes;
use serde_json::Value;
use std::time::Duration;

#[derive(Debug, Clone)]
pub enum Behaviour {
    Json(Value),
    Xml(String),
    Text {
        content_type: String,
        body: Bytes,
    },
    /// Any status, headers and body. `connection: close` among the headers closes the connection.
    Status {
        code: u16,
        headers: Vec<(String, String)>,
        body: Bytes,
    },
    /// Waits before it starts to answer.
    Delay(Duration, Box<Behaviour>),
    /// Takes the request and never answers.
    Hang,
    /// Sends its head at once, then one byte of its body each time.
    Drip {
        byte_every: Duration,
        total: u64,
    },
    /// Spaces without end, or nearly; their number is not announced.
    Huge {
        bytes: u64,
    },
    /// A small body that unpacks to this many zeros.
    GzipBomb {
        bytes: u64,
    },
    Redirect {
        to: String,
        code: u16,
    },
    /// Takes the request and closes the connection.
    CloseAtOnce,
    /// Announces more than it sends, then closes the connection.
    HalfAnswer,
    /// One after the other; the last one stays.
    Sequence(Vec<Behaviour>),
    /// A small search source: `?q=…&page=…&count=…` gives `{"total": n, "items": […]}`.
    Documents(Vec<Value>),
}

impl Behaviour {
    pub fn text(content_type: &str, body: impl Into<Bytes>) -> Self {
        Self::Text { content_type: content_type.to_owned(), body: body.into() }
    }

    /// A status with no header of its own and an empty body.
    pub fn status(code: u16) -> Self {
        Self::Status { code, headers: Vec::new(), body: Bytes::new() }
    }

    pub fn delayed(self, by: Duration) -> Self {
        Self::Delay(by, Box::new(self))
    }

    pub fn redirect(to: impl Into<String>, code: u16) -> Self {
        Self::Redirect { to: to.into(), code }
    }

    /// The behaviour for one request; a sequence moves on.
    pub(super) fn take_turn(&mut self) -> Self {
        match self {
            Self::Sequence(turns) if turns.len() > 1 => turns.remove(0).take_turn(),
            Self::Sequence(turns) => turns.first_mut().map_or(Self::status(404), Self::take_turn),
            Self::Delay(by, inner) => inner.take_turn().delayed(*by),
            other => other.clone(),
        }
    }
}
