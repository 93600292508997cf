//! A fake source on loopback that misbehaves on demand and records its requests.

mod behavior;
mod documents;
mod recorded;
mod wire;

pub use behavior::Behavior;
pub use recorded::Recorded;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

/// A running source. It stops, with all its connections, when it is dropped.
///
/// ```no_run
/// # async fn example() {
/// use testkit::source::{Behavior, Source};
/// let source = Source::start().await;
/// source.reply(Behavior::Sequence(vec![Behavior::status(503), Behavior::Hang]));
/// source.reply_at("/health", Behavior::text("text/plain", "fine"));
/// // … ask source.url() …
/// assert_eq!(source.requests().len(), 2);
/// # }
/// ```
pub struct Source {
    address: SocketAddr,
    state: Arc<Mutex<ServerState>>,
    _server: JoinSet<()>,
}

/// State shared by the connections.
struct ServerState {
    everywhere: Behavior,
    /// Behaviors of single paths; they take precedence.
    at_paths: Vec<(String, Behavior)>,
    requests: Vec<Recorded>,
    connections: usize,
}

impl Source {
    /// Starts on a free port of 127.0.0.1. It answers 404 until a behavior is set.
    pub async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port on loopback");
        let address = listener.local_addr().expect("a bound listener has an address");
        let state = Arc::new(Mutex::new(ServerState {
            everywhere: Behavior::status(404),
            at_paths: Vec::new(),
            requests: Vec::new(),
            connections: 0,
        }));
        let mut server = JoinSet::new();
        server.spawn(accept(listener, Arc::clone(&state)));
        Self { address, state, _server: server }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:<port>/`
    pub fn url(&self) -> Url {
        self.url_at("/")
    }

    /// The URL of a path, which may include a query.
    pub fn url_at(&self, path: &str) -> Url {
        let path = path.trim_start_matches('/');
        Url::parse(&format!("http://{}/{path}", self.address)).expect("a URL")
    }

    /// Sets the behavior of every path without its own.
    pub fn reply(&self, behavior: Behavior) {
        lock(&self.state).everywhere = behavior;
    }

    /// Sets the behavior of this path.
    pub fn reply_at(&self, path: &str, behavior: Behavior) {
        let mut state = lock(&self.state);
        state.at_paths.retain(|(known, _)| known != path);
        state.at_paths.push((path.to_owned(), behavior));
    }

    /// Removes the behavior of this path.
    pub fn reply_as_elsewhere_at(&self, path: &str) {
        lock(&self.state).at_paths.retain(|(known, _)| known != path);
    }

    /// Every complete request, in order of arrival.
    pub fn requests(&self) -> Vec<Recorded> {
        lock(&self.state).requests.clone()
    }

    /// The number of opened connections.
    pub fn connections(&self) -> usize {
        lock(&self.state).connections
    }
}

impl ServerState {
    fn behavior(&mut self, path: &str) -> Behavior {
        match self.at_paths.iter_mut().find(|(known, _)| known == path) {
            Some((_, behavior)) => behavior.take_turn(),
            None => self.everywhere.take_turn(),
        }
    }
}

fn lock(state: &Mutex<ServerState>) -> MutexGuard<'_, ServerState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, state: Arc<Mutex<ServerState>>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        lock(&state).connections += 1;
        connections.spawn(serve(stream, Arc::clone(&state)));
        while connections.try_join_next().is_some() {}
    }
}

/// Serves one connection. A client that disconnects is not an error.
async fn serve(stream: TcpStream, state: Arc<Mutex<ServerState>>) {
    let mut stream = BufReader::new(stream);
    while let Ok(Some(request)) = wire::read_request(&mut stream).await {
        let behavior = {
            let mut state = lock(&state);
            state.requests.push(request.clone());
            state.behavior(&request.path)
        };
        match wire::answer(&mut stream, behavior, &request).await {
            Ok(wire::Next::KeepOpen) => {}
            Ok(wire::Next::Close) | Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::io::Read;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// Sends one request and reads until the source closes.
    async fn ask(source: &Source, head: &str, body: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(source.address()).await.unwrap();
        let length = body.len();
        let text =
            format!("{head} HTTP/1.1\r\nHost: x\r\nX-A: b: c\r\nContent-Length: {length}\r\n\r\n{body}");
        stream.write_all(text.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        // A source that closes with unread data resets the connection; what came before counts.
        let _ = stream.read_to_end(&mut answer).await;
        answer
    }

    fn body_of(answer: &[u8]) -> &[u8] {
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        &answer[end + 4..]
    }

    #[tokio::test]
    async fn records_what_it_is_asked() {
        let source = Source::start().await;
        assert!(ask(&source, "GET /missing", "").await.starts_with(b"HTTP/1.1 404 "));
        ask(&source, "POST /a/b?q=two+words&q=x%26y&empty", "the body").await;
        let requests = source.requests();
        assert_eq!(requests.len(), 2);
        assert_eq!((requests[1].method.as_str(), requests[1].path.as_str()), ("POST", "/a/b"));
        assert_eq!(requests[1].query_value("q"), Some("two words"));
        assert_eq!(requests[1].query[1], ("q".to_owned(), "x&y".to_owned()));
        assert_eq!(requests[1].query_value("empty"), Some(""));
        assert_eq!(requests[1].header("X-A"), Some("b: c"));
        assert_eq!(&requests[1].body[..], b"the body");
        assert_eq!(source.connections(), 2);
    }

    #[tokio::test]
    async fn takes_turns_and_keeps_the_last() {
        let source = Source::start().await;
        source.reply(Behavior::Sequence(vec![
            Behavior::status(503),
            Behavior::redirect("/next", 302),
            Behavior::Json(json!({"a": 1})).delayed(Duration::from_millis(1)),
        ]));
        source.reply_at("/own", Behavior::Xml("<a/>".to_owned()));
        assert!(ask(&source, "GET /", "").await.starts_with(b"HTTP/1.1 503 "));
        assert_eq!(body_of(&ask(&source, "GET /own", "").await), b"<a/>");
        let redirect = ask(&source, "GET /", "").await;
        assert!(String::from_utf8(redirect).unwrap().contains("location: /next\r\n"));
        for _ in 0..2 {
            assert_eq!(body_of(&ask(&source, "GET /", "").await), b"{\"a\":1}");
        }
    }

    #[tokio::test]
    async fn breaks_off_as_told() {
        let source = Source::start().await;
        source.reply(Behavior::CloseAtOnce);
        assert_eq!(ask(&source, "GET /", "").await, b"");
        source.reply(Behavior::Hang);
        assert_eq!(ask(&source, "GET /", "").await, b"");
        source.reply(Behavior::HalfAnswer);
        let half = ask(&source, "GET /", "").await;
        assert!(String::from_utf8_lossy(&half).contains("content-length: 1000\r\n"));
        assert!((1..1000).contains(&body_of(&half).len()));
    }

    #[tokio::test]
    async fn sends_large_and_slow_bodies_whole() {
        let source = Source::start().await;
        source.reply(Behavior::Drip { byte_every: Duration::from_millis(1), total: 3 });
        assert_eq!(body_of(&ask(&source, "GET /", "").await), b"...");
        source.reply(Behavior::Huge { bytes: 100_000 });
        let spaces = ask(&source, "GET /", "").await.iter().filter(|byte| **byte == b' ').count();
        assert!((100_000..100_010).contains(&spaces), "{spaces}");
        source.reply(Behavior::GzipBomb { bytes: 1_000_000 });
        let bomb = ask(&source, "GET /", "").await;
        assert!(bomb.len() < 10_000, "{}", bomb.len());
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&joined_chunks(body_of(&bomb))[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, vec![0; 1_000_000]);
    }

    fn joined_chunks(mut body: &[u8]) -> Vec<u8> {
        let mut joined = Vec::new();
        while let Some(line_end) = body.windows(2).position(|two| two == b"\r\n") {
            let size = usize::from_str_radix(std::str::from_utf8(&body[..line_end]).unwrap(), 16).unwrap();
            joined.extend_from_slice(&body[line_end + 2..line_end + 2 + size]);
            body = &body[line_end + 4 + size..];
        }
        joined
    }

    #[tokio::test]
    async fn searches_its_documents() {
        let source = Source::start().await;
        source.reply(Behavior::Documents(vec![
            json!({"title": "Water mill", "year": 1850}),
            json!({"title": "Wind mill", "tags": ["water"]}),
            json!({"title": "Milling"}),
        ]));
        let cases = [
            ("/?q=mill", 2, vec!["Water mill", "Wind mill"]),
            ("/?q=WATER+mill&count=1&page=2", 2, vec!["Wind mill"]),
            ("/?q=1850", 1, vec!["Water mill"]),
            ("/?q=fire", 0, vec![]),
            ("/?q=mill&page=3", 2, vec![]),
            ("/", 3, vec!["Water mill", "Wind mill", "Milling"]),
        ];
        for (target, total, titles) in cases {
            let answer = ask(&source, &format!("GET {target}"), "").await;
            let found: Value = serde_json::from_slice(body_of(&answer)).unwrap();
            let found_titles: Vec<&str> = found["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| item["title"].as_str().unwrap())
                .collect();
            assert_eq!((found["total"].as_u64(), found_titles), (Some(total), titles), "{target}");
        }
    }

    #[tokio::test]
    async fn stops_when_dropped() {
        let source = Source::start().await;
        source.reply(Behavior::Hang);
        let address = source.address();
        let mut waiting = TcpStream::connect(address).await.unwrap();
        waiting.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        while source.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        drop(source);
        let mut rest = Vec::new();
        let closed = tokio::time::timeout(Duration::from_secs(5), waiting.read_to_end(&mut rest)).await;
        assert!(closed.is_ok(), "the connection stayed open");
        assert!(rest.is_empty());
        assert!(TcpStream::connect(address).await.is_err());
    }
}
