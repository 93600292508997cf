//! Fakes of model services on loopback, written from the vendors' public descriptions. Each rejects what the original
//! rejects, and can be slow or broken on demand.
//!
//! A vendor is one file: how requests are parsed, and how responses and errors are written. The content and the
//! misbehavior are set on the [`ModelServer`].

pub mod anthropic;
pub mod azure;
pub mod bedrock;
pub mod cohere;
pub mod gemini;
pub mod ollama;
pub mod openai;
mod refusal;
mod request;
pub mod request_post;

pub use refusal::Refusal;
pub use request::ModelRequest;

use super::http_listener::HttpListener;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::Response;
use futures_util::stream;
use serde_json::Value;
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The key that every fake accepts.
pub const KEY: &str = "model-key-7c41d0e2";
/// The default text.
pub const TEXT: &str =
    "The mill stands by the river [1]. Its wheel is made of oak, größer than the first [2].";
/// The tokens that every response reports.
pub const TOKENS_IN: u64 = 31;
pub const TOKENS_OUT: u64 = 17;

/// The reply of a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    pub text: String,
    /// Tool calls: name and arguments.
    pub calls: Vec<(String, Value)>,
    /// What the model reasons before it replies, in the vendor's own format.
    pub reasoning: String,
    /// The reply reaches its token limit.
    pub is_cut: bool,
}

impl Reply {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub fn call(name: &str, arguments: Value) -> Self {
        Self { calls: vec![(name.to_owned(), arguments)], ..Self::default() }
    }

    /// Why the reply ends, in the words of a vendor for its end, its tool calls and its token limit.
    pub fn finish<'a>(&self, end: &'a str, calls: &'a str, cut: &'a str) -> &'a str {
        if self.is_cut {
            cut
        } else if self.calls.is_empty() {
            end
        } else {
            calls
        }
    }

    /// The text in streamed chunks: words with their trailing space.
    pub fn words(&self) -> Vec<&str> {
        self.text.split_inclusive(' ').collect()
    }
}

/// What a request asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    Text {
        streamed: bool,
    },
    Vectors {
        texts: Vec<String>,
    },
    Ranks {
        query: String,
        texts: Vec<String>,
    },
    /// An access token, with this response.
    Token(Value),
}

/// A response on the wire: each chunk is sent separately.
pub struct Wire {
    pub content_type: &'static str,
    pub pieces: Vec<Bytes>,
}

impl Wire {
    /// One JSON chunk.
    pub fn whole(body: &Value) -> Self {
        Self { content_type: "application/json", pieces: vec![body.to_string().into()] }
    }
}

/// The wire format of one vendor.
pub trait Vendor: Send + Sync + 'static {
    /// Rejects wrong keys, paths, methods and fields.
    fn understand(&self, request: &ModelRequest) -> Result<Wanted, Refusal>;
    fn write(&self, request: &ModelRequest, reply: &Reply, streamed: bool) -> Wire;
    fn vectors(&self, _vectors: &[Vec<f32>]) -> Value {
        Value::Null
    }
    fn ranks(&self, _scores: &[f32]) -> Value {
        Value::Null
    }
    /// The body of an error.
    fn refuse(&self, refusal: &Refusal) -> Value;
    fn refusal_headers(&self, _refusal: &Refusal) -> Vec<(&'static str, String)> {
        Vec::new()
    }
    /// The chunk for an error in the middle of a stream; `None` if the vendor just breaks off.
    fn stumble(&self, _message: &str) -> Option<Bytes> {
        None
    }
}

/// The behaviors of a model service.
#[derive(Debug, Clone)]
pub enum Manner {
    Fine,
    /// Waits before each chunk.
    Slow(Duration),
    /// Accepts the request and never responds.
    Hangs,
    /// Any status, with the vendor's own body.
    Refuses(Refusal),
    /// 429, optionally with the seconds to wait.
    Throttles(Option<u64>),
    /// Sends this many chunks, then cuts the connection.
    BreaksOff(usize),
    /// Sends this many chunks, then ends normally.
    EndsEarly(usize),
    /// Sends this many chunks, then reports an error in the vendor's format.
    Stumbles(usize),
    /// Status 200, and then at once an error with this message in the vendor's format.
    FailsWithin(String),
    /// Status 200 with unrelated content.
    Garbage,
}

type Script = Arc<dyn Fn(&ModelRequest) -> Reply + Send + Sync>;

/// A running fake. It stops when it is dropped.
pub struct ModelServer {
    listener: HttpListener,
    state: Arc<Mutex<ServerState>>,
    open: Arc<AtomicUsize>,
}

struct ServerState {
    vendor: Arc<dyn Vendor>,
    manner: Manner,
    /// The behavior of single requests before `manner` applies again.
    next: VecDeque<Manner>,
    script: Script,
    requests: Vec<ModelRequest>,
}

impl ModelServer {
    pub async fn start(vendor: impl Vendor) -> Self {
        Self::of(Arc::new(vendor)).await
    }

    pub async fn of(vendor: Arc<dyn Vendor>) -> Self {
        let state = Arc::new(Mutex::new(ServerState {
            vendor,
            manner: Manner::Fine,
            next: VecDeque::new(),
            script: Arc::new(|_| Reply::text(TEXT)),
            requests: Vec::new(),
        }));
        let open = Arc::new(AtomicUsize::new(0));
        let shared = (Arc::clone(&state), Arc::clone(&open));
        let listener = HttpListener::start(Router::new().fallback(serve).with_state(shared)).await;
        Self { listener, state, open }
    }

    /// `http://127.0.0.1:<port>`
    pub fn url(&self) -> &str {
        &self.listener.url
    }

    /// The URL of a path.
    pub fn at(&self, path: &str) -> String {
        self.listener.at(path)
    }

    /// Sets the text of all replies; its citations may be false.
    pub fn says(&self, text: &str) {
        let reply = Reply::text(text);
        self.replies(move |_| reply.clone());
    }

    /// Sets a function from requests to replies.
    pub fn replies(&self, script: impl Fn(&ModelRequest) -> Reply + Send + Sync + 'static) {
        lock(&self.state).script = Arc::new(script);
    }

    /// Sets the behavior.
    pub fn behaves(&self, manner: Manner) {
        lock(&self.state).manner = manner;
    }

    /// Sets the behavior of one request, after those that were set before.
    pub fn behaves_once(&self, manner: Manner) {
        lock(&self.state).next.push_back(manner);
    }

    /// Every received request, in order.
    pub fn requests(&self) -> Vec<ModelRequest> {
        lock(&self.state).requests.clone()
    }

    /// How many responses are being sent.
    pub fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

fn lock(state: &Mutex<ServerState>) -> MutexGuard<'_, ServerState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts a response while it is being sent.
struct Open(Arc<AtomicUsize>);

impl Open {
    fn new(count: Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

type Shared = (Arc<Mutex<ServerState>>, Arc<AtomicUsize>);

async fn serve(
    State((state, open)): State<Shared>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    raw: Bytes,
) -> Response {
    let request = record(&method, &uri, &headers, raw);
    let (vendor, manner, script) = {
        let mut state = lock(&state);
        state.requests.push(request.clone());
        let manner = state.next.pop_front().unwrap_or_else(|| state.manner.clone());
        (Arc::clone(&state.vendor), manner, Arc::clone(&state.script))
    };
    let open = Open::new(open);
    let understood = vendor.understand(&request);
    let wanted = match (&understood, &manner) {
        (_, Manner::Hangs) => return std::future::pending().await,
        (_, Manner::Refuses(refusal)) | (Err(refusal), _) => return refused(vendor.as_ref(), refusal, &[]),
        (_, Manner::Throttles(wait)) => {
            let wait: Vec<_> = wait.iter().map(|wait| ("retry-after", wait.to_string())).collect();
            return refused(vendor.as_ref(), &Refusal::new(429, "slow down, there is too much to do"), &wait);
        }
        (_, Manner::Garbage) => return garbage(),
        (Ok(wanted), _) => wanted,
    };
    match wanted {
        Wanted::Text { streamed } => {
            let wire = vendor.write(&request, &script(&request), *streamed);
            let (manner, message) = match manner {
                Manner::FailsWithin(message) => (Manner::Stumbles(0), message),
                manner => (manner, "the model fell over".to_owned()),
            };
            send(wire, &manner, vendor.stumble(&message), open)
        }
        Wanted::Vectors { texts } => {
            let vectors: Vec<Vec<f32>> =
                texts.iter().map(|text| super::vector_documents::embed(text)).collect();
            send(Wire::whole(&vendor.vectors(&vectors)), &manner, None, open)
        }
        Wanted::Token(token) => send(Wire::whole(token), &Manner::Fine, None, open),
        Wanted::Ranks { query, texts } => {
            let scores: Vec<f32> = texts.iter().map(|text| word_overlap(query, text)).collect();
            send(Wire::whole(&vendor.ranks(&scores)), &manner, None, open)
        }
    }
}

/// How well a text matches a query, 0 to 1: the share of the query's words that it contains.
#[expect(clippy::cast_precision_loss, reason = "a query has few words")]
pub fn word_overlap(query: &str, text: &str) -> f32 {
    let text = text.to_lowercase();
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let found = words.iter().filter(|word| text.contains(word.as_str())).count();
    if words.is_empty() { 0.0 } else { found as f32 / words.len() as f32 }
}

fn record(method: &Method, uri: &Uri, headers: &HeaderMap, raw: Bytes) -> ModelRequest {
    let query = uri.query().unwrap_or_default();
    ModelRequest {
        method: method.to_string(),
        path: uri.path().to_owned(),
        query: url::form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        headers: headers
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect(),
        body: serde_json::from_slice(&raw).unwrap_or_default(),
        raw,
    }
}

fn refused(vendor: &dyn Vendor, refusal: &Refusal, more: &[(&'static str, String)]) -> Response {
    let status = StatusCode::from_u16(refusal.status).expect("a status");
    let mut response = Response::builder().status(status).header("content-type", "application/json");
    for (name, value) in vendor.refusal_headers(refusal).iter().chain(more) {
        response = response.header(*name, value);
    }
    response.body(Body::from(vendor.refuse(refusal).to_string())).expect("a response")
}

fn garbage() -> Response {
    let noise: Vec<u8> = (0..2000_u32).map(|n| u8::try_from(n * 167 % 251).expect("a byte")).collect();
    Response::builder()
        .header("content-type", "text/event-stream")
        .body(Body::from(noise))
        .expect("a response")
}

fn send(wire: Wire, manner: &Manner, stumble: Option<Bytes>, open: Open) -> Response {
    let delay = if let Manner::Slow(delay) = manner { *delay } else { Duration::ZERO };
    let mut pieces: VecDeque<Result<Bytes, io::Error>> = wire.pieces.into_iter().map(Ok).collect();
    match manner {
        Manner::BreaksOff(after) | Manner::EndsEarly(after) | Manner::Stumbles(after) => {
            pieces.truncate(*after)
        }
        _ => {}
    }
    match (manner, stumble) {
        (Manner::BreaksOff(_), _) | (Manner::Stumbles(_), None) => {
            pieces.push_back(Err(io::Error::other("cut off")));
        }
        (Manner::Stumbles(_), Some(last)) => pieces.push_back(Ok(last)),
        _ => {}
    }
    let body = stream::unfold((pieces, open), move |(mut pieces, open)| async move {
        let piece = pieces.pop_front()?;
        // Without a pause the chunks would arrive as one.
        tokio::task::yield_now().await;
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        Some((piece, (pieces, open)))
    });
    let response = Response::builder().header("content-type", wire.content_type);
    response.body(Body::from_stream(body)).expect("a response")
}
