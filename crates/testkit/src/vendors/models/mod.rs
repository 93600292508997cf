//! Stand-ins for services that run models, on loopback, written from the vendors' public descriptions. Each refuses
//! what the original refuses, and each can be slow, rude or broken on demand.
//!
//! A vendor is one file: how a request is read, how an answer and a refusal are written. What is answered, and how
//! badly, is told to the [`ModelServer`].

pub mod anthropic;
pub mod azure;
pub mod bedrock;
pub mod cohere;
pub mod gemini;
pub mod ollama;
pub mod openai;
mod request;
pub mod request_post;

pub use request::ModelRequest;

use super::stand::Stand;
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

/// The key that every stand-in takes.
pub const KEY: &str = "model-key-7c41d0e2";
/// What is said until a test says something else.
pub const TEXT: &str =
    "The mill stands by the river [1]. Its wheel is made of oak, größer than the first [2].";
/// Tokens that every answer is said to have cost.
pub const TOKENS_IN: u64 = 31;
pub const TOKENS_OUT: u64 = 17;

/// What a model answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    pub text: String,
    /// Tools that it calls: name and arguments.
    pub calls: Vec<(String, Value)>,
}

impl Reply {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), calls: Vec::new() }
    }

    pub fn call(name: &str, arguments: Value) -> Self {
        Self { text: String::new(), calls: vec![(name.to_owned(), arguments)] }
    }

    /// The text in the pieces in which it is written: words with the space behind them.
    pub fn words(&self) -> Vec<&str> {
        self.text.split_inclusive(' ').collect()
    }
}

/// What a request asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    Text { streamed: bool },
    Vectors { texts: Vec<String> },
    Ranks { query: String, texts: Vec<String> },
}

/// Why a request is turned away.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    pub status: u16,
    pub message: String,
}

impl Refusal {
    pub fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

/// An answer on the wire: each piece is sent by itself.
pub struct Wire {
    pub content_type: &'static str,
    pub pieces: Vec<Bytes>,
}

impl Wire {
    /// One piece of JSON.
    pub fn whole(body: &Value) -> Self {
        Self { content_type: "application/json", pieces: vec![body.to_string().into()] }
    }
}

/// How one vendor reads and writes.
pub trait Vendor: Send + Sync + 'static {
    /// Refuses wrong keys, paths, methods and fields.
    fn understand(&self, request: &ModelRequest) -> Result<Wanted, Refusal>;
    fn write(&self, request: &ModelRequest, reply: &Reply, streamed: bool) -> Wire;
    fn vectors(&self, _vectors: &[Vec<f32>]) -> Value {
        Value::Null
    }
    fn ranks(&self, _scores: &[f32]) -> Value {
        Value::Null
    }
    /// The body of a refusal.
    fn refuse(&self, refusal: &Refusal) -> Value;
    fn refusal_headers(&self, _refusal: &Refusal) -> Vec<(&'static str, String)> {
        Vec::new()
    }
    /// What is sent when an answer fails after it has begun; None: the vendor just breaks off.
    fn stumble(&self, _message: &str) -> Option<Bytes> {
        None
    }
}

/// The ways in which a model's service can behave.
#[derive(Debug, Clone)]
pub enum Manner {
    Fine,
    /// Waits before each piece.
    Slow(Duration),
    /// Takes the request and never answers.
    Hangs,
    /// Any status, with the vendor's own body.
    Refuses(Refusal),
    /// 429; with seconds it says how long to wait.
    Throttles(Option<u64>),
    /// Sends so many pieces, then cuts the connection.
    BreaksOff(usize),
    /// Sends so many pieces, then ends as if all were well.
    EndsEarly(usize),
    /// Sends so many pieces, then says in the vendor's way that it failed.
    Stumbles(usize),
    /// Status 200 and something else altogether.
    Garbage,
}

type Script = Arc<dyn Fn(&ModelRequest) -> Reply + Send + Sync>;

/// A running stand-in. It stops when it is dropped.
pub struct ModelServer {
    stand: Stand,
    desk: Arc<Mutex<Desk>>,
    open: Arc<AtomicUsize>,
}

struct Desk {
    vendor: Arc<dyn Vendor>,
    manner: Manner,
    /// How single requests are answered before `manner` holds again.
    next: VecDeque<Manner>,
    script: Script,
    requests: Vec<ModelRequest>,
}

impl ModelServer {
    pub async fn start(vendor: impl Vendor) -> Self {
        Self::of(Arc::new(vendor)).await
    }

    pub async fn of(vendor: Arc<dyn Vendor>) -> Self {
        let desk = Arc::new(Mutex::new(Desk {
            vendor,
            manner: Manner::Fine,
            next: VecDeque::new(),
            script: Arc::new(|_| Reply::text(TEXT)),
            requests: Vec::new(),
        }));
        let open = Arc::new(AtomicUsize::new(0));
        let state = (Arc::clone(&desk), Arc::clone(&open));
        let stand = Stand::start(Router::new().fallback(serve).with_state(state)).await;
        Self { stand, desk, open }
    }

    /// `http://127.0.0.1:<port>`
    pub fn url(&self) -> &str {
        &self.stand.url
    }

    /// The address of a path.
    pub fn at(&self, path: &str) -> String {
        self.stand.at(path)
    }

    /// Answers with this text from now on; it may lie about its citations.
    pub fn says(&self, text: &str) {
        let reply = Reply::text(text);
        self.replies(move |_| reply.clone());
    }

    /// Answers what the closure makes of the request.
    pub fn replies(&self, script: impl Fn(&ModelRequest) -> Reply + Send + Sync + 'static) {
        lock(&self.desk).script = Arc::new(script);
    }

    /// Behaves like this from now on.
    pub fn behaves(&self, manner: Manner) {
        lock(&self.desk).manner = manner;
    }

    /// Behaves like this for one request, after those that were told before.
    pub fn behaves_once(&self, manner: Manner) {
        lock(&self.desk).next.push_back(manner);
    }

    /// Every request that arrived, in order.
    pub fn requests(&self) -> Vec<ModelRequest> {
        lock(&self.desk).requests.clone()
    }

    /// How many answers are being sent.
    pub fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts an answer for as long as it is being sent.
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

type Shared = (Arc<Mutex<Desk>>, Arc<AtomicUsize>);

async fn serve(
    State((desk, open)): State<Shared>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    raw: Bytes,
) -> Response {
    let request = record(&method, &uri, &headers, raw);
    let (vendor, manner, script) = {
        let mut desk = lock(&desk);
        desk.requests.push(request.clone());
        let manner = desk.next.pop_front().unwrap_or_else(|| desk.manner.clone());
        (Arc::clone(&desk.vendor), manner, Arc::clone(&desk.script))
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
            send(wire, &manner, vendor.stumble("the model fell over"), open)
        }
        Wanted::Vectors { texts } => {
            let vectors: Vec<Vec<f32>> = texts.iter().map(|text| super::likeness::read(text)).collect();
            send(Wire::whole(&vendor.vectors(&vectors)), &manner, None, open)
        }
        Wanted::Ranks { query, texts } => {
            let scores: Vec<f32> = texts.iter().map(|text| likeness(query, text)).collect();
            send(Wire::whole(&vendor.ranks(&scores)), &manner, None, open)
        }
    }
}

/// How well a text answers a query, 0 to 1: the share of the query's words that it has.
#[expect(clippy::cast_precision_loss, reason = "a query has few words")]
pub fn likeness(query: &str, text: &str) -> f32 {
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
        // Without a pause the pieces would arrive as one.
        tokio::task::yield_now().await;
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        Some((piece, (pieces, open)))
    });
    let response = Response::builder().header("content-type", wire.content_type);
    response.body(Body::from_stream(body)).expect("a response")
}
