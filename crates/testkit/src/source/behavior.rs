//! The behaviors of a fake source.

use bytes::Bytes;
use serde_json::Value;
use std::time::Duration;

#[derive(Debug, Clone)]
pub enum Behavior {
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
    /// Waits before it responds.
    Delay(Duration, Box<Behavior>),
    /// Accepts the request and never responds.
    Hang,
    /// Sends its headers at once, then its body byte by byte.
    Drip {
        byte_every: Duration,
        total: u64,
    },
    /// An almost endless run of spaces, without a length.
    Huge {
        bytes: u64,
    },
    /// A small body that decompresses to this many zeros.
    GzipBomb {
        bytes: u64,
    },
    Redirect {
        to: String,
        code: u16,
    },
    /// Accepts the request and closes the connection.
    CloseAtOnce,
    /// Announces more than it sends, then closes the connection.
    HalfAnswer,
    /// One after the other; the last one stays.
    Sequence(Vec<Behavior>),
    /// A small search API: `?q=…&page=…&count=…` returns `{"total": n, "items": […]}`.
    Documents(Vec<Value>),
}

impl Behavior {
    pub fn text(content_type: &str, body: impl Into<Bytes>) -> Self {
        Self::Text { content_type: content_type.to_owned(), body: body.into() }
    }

    /// A status with no headers and an empty body.
    pub fn status(code: u16) -> Self {
        Self::Status { code, headers: Vec::new(), body: Bytes::new() }
    }

    pub fn delayed(self, by: Duration) -> Self {
        Self::Delay(by, Box::new(self))
    }

    pub fn redirect(to: impl Into<String>, code: u16) -> Self {
        Self::Redirect { to: to.into(), code }
    }

    /// The behavior for one request; a sequence advances.
    pub(super) fn take_turn(&mut self) -> Self {
        match self {
            Self::Sequence(turns) if turns.len() > 1 => turns.remove(0).take_turn(),
            Self::Sequence(turns) => turns.first_mut().map_or(Self::status(404), Self::take_turn),
            Self::Delay(by, inner) => inner.take_turn().delayed(*by),
            other => other.clone(),
        }
    }
}
