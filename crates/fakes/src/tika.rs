//! Fake Apache Tika server: `PUT /tika` returns the plain text of a file. This one finds its alphabetic runs.

use super::http_listener::HttpListener;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::put;
use std::sync::{Arc, Mutex, PoisonError};

/// Files with these signatures are supported: compound files, rich text, and PNG, whose alphabetic runs stand for
/// recognized text.
const KNOWN: [&[u8]; 3] = [b"\xd0\xcf\x11\xe0", b"{\\rtf", b"\x89PNG"];
/// Shorter runs are not words.
const RUN_MIN: usize = 5;
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What was sent with each file.
type Seen = Arc<Mutex<Vec<(Option<String>, Option<String>)>>>;

pub struct Tika {
    pub listener: HttpListener,
    seen: Seen,
}

impl Tika {
    pub async fn start() -> Self {
        let seen = Seen::default();
        let router = Router::new()
            .route("/tika", put(handle))
            .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
            .with_state(Arc::clone(&seen));
        Self { listener: HttpListener::start(router).await, seen }
    }

    /// `Content-Type` and `Content-Disposition` of each file.
    pub fn seen(&self) -> Vec<(Option<String>, Option<String>)> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn handle(State(seen): State<Seen>, headers: HeaderMap, body: Bytes) -> Response {
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
    let sent = (header("content-type"), header("content-disposition"));
    seen.lock().unwrap_or_else(PoisonError::into_inner).push(sent);
    if header("accept").as_deref() != Some("text/plain") {
        return StatusCode::NOT_ACCEPTABLE.into_response();
    }
    if !KNOWN.iter().any(|mark| body.starts_with(mark)) {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    if body.windows(9).any(|window| window == b"encrypted") {
        return StatusCode::UNPROCESSABLE_ENTITY.into_response();
    }
    let is_text = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'.' | b',');
    let runs = body.split(|byte| !is_text(byte)).filter(|run| run.len() >= RUN_MIN);
    let text: Vec<String> = runs.map(|run| String::from_utf8_lossy(run).into_owned()).collect();
    if text.is_empty() {
        StatusCode::NO_CONTENT.into_response()
    } else {
        ([("content-type", "text/plain; charset=UTF-8")], text.join("\n")).into_response()
    }
}
