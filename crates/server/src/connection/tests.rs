//! Tests of slow and stalled clients over real connections.

use super::*;
use axum::body::Bytes;
use axum::routing::{get, post};
use futures_util::stream::unfold;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep, timeout};

const SHORT: Duration = Duration::from_millis(300);
/// Detects hangs, not slowness.
pub const LONG: Duration = Duration::from_secs(120);
/// How often a test is repeated because the machine paused.
const ATTEMPTS_MAX: usize = 10;
const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";

fn short() -> Limits {
    let unlimited = Duration::from_secs(3600);
    Limits {
        head: SHORT,
        stall: SHORT,
        body: SHORT,
        idle: unlimited,
        ping_every: unlimited,
        ..Limits::default()
    }
}

/// Counts open responses, and all that were ever opened.
#[derive(Clone, Default)]
pub struct Open {
    now: Arc<AtomicUsize>,
    ever: Arc<AtomicUsize>,
}

pub struct Held(Open);

impl Open {
    /// An endless response, in chunks of 4 kB.
    pub fn endless(&self) -> Body {
        Body::from_stream(unfold(self.hold(), async |held| {
            tokio::task::yield_now().await;
            Some((Ok::<_, Infallible>(Bytes::from_static(&[b'x'; 4096])), held))
        }))
    }

    fn hold(&self) -> Held {
        self.now.fetch_add(1, Ordering::SeqCst);
        self.ever.fetch_add(1, Ordering::SeqCst);
        Held(self.clone())
    }

    fn count(&self) -> usize {
        self.now.load(Ordering::SeqCst)
    }

    pub async fn becomes(&self, count: usize) {
        let started = Instant::now();
        while self.count() != count {
            assert!(started.elapsed() < LONG, "{} are open and not {count}", self.count());
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until this many were opened, whether they are still open or not.
    pub async fn reached(&self, count: usize) {
        let started = Instant::now();
        while self.ever.load(Ordering::SeqCst) < count {
            assert!(started.elapsed() < LONG, "{:?} of {count} were opened", self.ever);
            sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A server with limits: `/` is short, `/endless` has no end, `/silent` sends nothing, `/read` reads a body, `/refuse`
/// does not.
struct TestServer {
    address: SocketAddr,
    open: Open,
    _running: JoinSet<()>,
}

impl TestServer {
    async fn start(limits: Limits) -> Self {
        Self::start_with(limits, AddressLimit::new(0, Vec::new())).await
    }

    async fn start_with(limits: Limits, by_address: Arc<AddressLimit>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let (address, open) = (listener.local_addr().unwrap(), Open::default());
        let (endless, silent) = (open.clone(), open.clone());
        let endless = async move || endless.endless();
        let silent = async move || {
            Body::from_stream(unfold(silent.hold(), async |_held| {
                std::future::pending::<Option<(Result<Bytes, Infallible>, Held)>>().await
            }))
        };
        let router = Router::new()
            .route("/", get(async || "hello"))
            .route("/large", get(async || vec![b'x'; 1 << 20]))
            .route("/endless", get(endless))
            .route("/silent", get(silent))
            .route("/refuse", post(async || hyper::StatusCode::PAYLOAD_TOO_LARGE))
            .route("/read", post(async |body: Bytes| body.len().to_string()));
        let mut running = JoinSet::new();
        running.spawn(serve_within(limits, by_address, None, listener, router, std::future::pending()));
        Self { address, open, _running: running }
    }

    async fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut client = TcpStream::connect(self.address).await.unwrap();
        client.write_all(bytes).await.unwrap();
        client
    }
}

/// A client that has already sent a long body still receives the reason for its refusal.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_body_does_not_take_the_answer_away() {
    let server = TestServer::start(Limits::default()).await;
    for _ in 0..20 {
        let head = "POST /refuse HTTP/1.1\r\nhost: a\r\ncontent-length: 3000000\r\n\r\n";
        let mut client = server.send(head.as_bytes()).await;
        let (mut reader, mut writer) = client.split();
        let mut said = Vec::new();
        let body = vec![b'x'; 3_000_000];
        let (sent, read) = tokio::join!(writer.write_all(&body), reader.read_to_end(&mut said));
        assert!(sent.is_ok() && read.is_ok(), "{sent:?} {read:?}");
        assert!(said.starts_with(b"HTTP/1.1 413"), "{}", String::from_utf8_lossy(&said));
    }
}

/// Reads until the server closes or resets the connection.
async fn to_the_end(client: &mut TcpStream) -> String {
    let mut said = Vec::new();
    let mut buffer = [0; 4096];
    let reading = async {
        while let Ok(count @ 1..) = client.read(&mut buffer).await {
            said.extend_from_slice(&buffer[..count]);
        }
    };
    timeout(LONG, reading).await.expect("the connection is closed");
    String::from_utf8_lossy(&said).into_owned()
}

async fn once(client: &mut TcpStream) -> String {
    let mut buffer = [0; 4096];
    let count = timeout(LONG, client.read(&mut buffer)).await.unwrap().unwrap();
    String::from_utf8_lossy(&buffer[..count]).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn who_sends_no_whole_head_is_dropped() {
    let server = TestServer::start(short()).await;
    let started = Instant::now();
    let halves: [&[u8]; 5] = [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nhost: a\r\nx-a: b",
        b"PRI * HTTP/2.0\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ];
    for half in halves {
        let mut client = server.send(half).await;
        let said = to_the_end(&mut client).await;
        assert!(!said.contains("200"), "{said}");
    }
    assert!(started.elapsed() >= 5 * SHORT, "each had its time");
    let started = Instant::now();
    let mut client = server.send(b"GET / HTTP/1.1\r\n").await;
    while client.write_all(b"x-a: b\r\n").await.is_ok() {
        assert!(started.elapsed() < LONG, "a line now and then buys no time");
        sleep(SHORT / 6).await;
    }
    assert!(started.elapsed() >= SHORT);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_waits_longer_for_the_next_request_than_for_its_end() {
    unless_the_machine_stood_still(async || {
        let server = TestServer::start(Limits { idle: 6 * SHORT, ..short() }).await;
        let mut client = server.send(GET).await;
        assert!(once(&mut client).await.ends_with("hello"));
        let paused = Instant::now();
        sleep(3 * SHORT).await;
        let started = Instant::now();
        if client.write_all(GET).await.is_err() || paused.elapsed() >= 5 * SHORT {
            return Err(StoodStill);
        }
        assert!(once(&mut client).await.ends_with("hello"), "it may pause longer than a head may take");
        assert_eq!(to_the_end(&mut client).await, "");
        assert!(started.elapsed() >= 5 * SHORT, "{:?}", started.elapsed());
        Ok(())
    })
    .await;
    let server = TestServer::start(Limits { idle: 2 * LONG, ..short() }).await;
    let mut client = server.send(GET).await;
    assert!(once(&mut client).await.ends_with("hello"));
    let started = Instant::now();
    client.write_all(&GET[..9]).await.unwrap();
    assert_eq!(to_the_end(&mut client).await, "");
    assert!(started.elapsed() < LONG, "half a second head: {:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_comes_in_time_or_not_at_all() {
    let server = TestServer::start(short()).await;
    let head = b"POST /read HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n";
    let mut whole = server.send(&[head, b"12345".as_slice()].concat()).await;
    assert!(once(&mut whole).await.ends_with('5'));
    let started = Instant::now();
    let mut half = server.send(&[head, b"12".as_slice()].concat()).await;
    assert!(once(&mut half).await.starts_with("HTTP/1.1 400"));
    assert!(started.elapsed() >= SHORT / 2);
    assert_eq!(to_the_end(&mut half).await, "", "what is left of it would be taken for a head");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_is_dropped_and_who_reads_is_not() {
    unless_the_machine_stood_still(async || {
        let server = TestServer::start(short()).await;
        let ask = b"GET /endless HTTP/1.1\r\nhost: a\r\n\r\n";
        let (stalled, mut reading) = (server.send(ask).await, Reader::new(server.send(ask).await));
        reading.until(async || server.open.reached(2).await).await?;
        reading.until(async || sleep(5 * SHORT).await).await?;
        reading.until(async || server.open.becomes(1).await).await?;
        reading.until(async || sleep(SHORT).await).await?;
        drop((stalled, reading));
        server.open.becomes(0).await;
        Ok(())
    })
    .await;
}

/// The test itself was too slow to prove anything.
struct StoodStill;

async fn unless_the_machine_stood_still(test: impl AsyncFn() -> Result<(), StoodStill>) {
    for _ in 0..ATTEMPTS_MAX {
        if test().await.is_ok() {
            return;
        }
    }
    panic!("the machine stood still in each of {ATTEMPTS_MAX} attempts");
}

/// A client that reads continuously.
struct Reader {
    client: TcpStream,
    last_read: Instant,
}

impl Reader {
    fn new(client: TcpStream) -> Self {
        Self { client, last_read: Instant::now() }
    }

    /// Reads until the other future has completed.
    async fn until(&mut self, other: impl AsyncFnOnce()) -> Result<(), StoodStill> {
        let mut other = pin!(other());
        let mut buffer = vec![0; 65_536];
        loop {
            tokio::select! {
                () = &mut other => return Ok(()),
                read = timeout(LONG, self.client.read(&mut buffer)) => {
                    let waited = std::mem::replace(&mut self.last_read, Instant::now()).elapsed();
                    match read.expect("it goes on") {
                        Ok(1..) => {}
                        _ if waited >= SHORT / 2 => return Err(StoodStill),
                        ended => panic!("a reader is served as long as it reads: {ended:?} after {waited:?}"),
                    }
                }
            }
        }
    }
}

/// After a pause of the machine, a request and the end of its time arrive together.
#[tokio::test]
async fn a_request_that_has_arrived_is_not_too_slow() {
    let server = TestServer::start(short()).await;
    for _ in 0..10 {
        let mut client = server.send(b"").await;
        assert!(timeout(SHORT / 6, client.read_u8()).await.is_err(), "the server waits for a request");
        client.write_all(GET).await.unwrap();
        // The server runs on this thread too.
        std::thread::sleep(2 * SHORT);
        assert!(once(&mut client).await.ends_with("hello"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_over_the_limit_is_rejected_at_once() {
    let server = TestServer::start(Limits { connections: 2, ..Limits::default() }).await;
    let mut clients = [server.send(GET).await, server.send(GET).await];
    for client in &mut clients {
        assert!(once(client).await.ends_with("hello"));
    }
    let mut third = server.send(GET).await;
    let said = to_the_end(&mut third).await;
    assert!(said.starts_with("HTTP/1.1 503 ") && said.contains("retry-after: 5\r\n"), "{said}");
    assert_is_protected(&said);
    drop(clients);
    let started = Instant::now();
    while !to_the_end_or_hello(&server).await {
        assert!(started.elapsed() < LONG, "places are free again");
    }
}

/// It has the security headers of every response.
fn assert_is_protected(said: &str) {
    for line in ["x-content-type-options: nosniff", "x-frame-options: DENY", "referrer-policy: same-origin"] {
        assert!(said.contains(line), "{line}: {said}");
    }
    for name in ["cross-origin-opener-policy: ", "cross-origin-resource-policy: ", "permissions-policy: "] {
        assert!(said.contains(name), "{name}: {said}");
    }
}

async fn to_the_end_or_hello(server: &TestServer) -> bool {
    let mut client = server.send(GET).await;
    once(&mut client).await.ends_with("hello")
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_cannot_take_all_places() {
    let server = TestServer::start_with(Limits::default(), AddressLimit::new(2, Vec::new())).await;
    let mut clients = [server.send(GET).await, server.send(GET).await];
    for client in &mut clients {
        assert!(once(client).await.ends_with("hello"));
    }
    let said = to_the_end(&mut server.send(GET).await).await;
    assert!(said.starts_with("HTTP/1.1 429 ") && said.contains("retry-after: 5\r\n"), "{said}");
    assert_is_protected(&said);
    drop(clients);
    let started = Instant::now();
    while !to_the_end_or_hello(&server).await {
        assert!(started.elapsed() < LONG, "places are free again");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_brings_as_many_as_it_likes() {
    let settings = Settings::default();
    let server = TestServer::start_with(Limits::default(), AddressLimit::new(1, proxies(&settings))).await;
    let mut clients = Vec::new();
    for _ in 0..5 {
        clients.push(server.send(GET).await);
    }
    for client in &mut clients {
        assert!(once(client).await.ends_with("hello"), "this machine may run a proxy");
    }
    let proxy = Network::parse("192.0.2.0/24").expect("a network");
    let settings = Settings { trusted_proxies: vec![proxy], ..settings };
    let limit = AddressLimit::new(1, proxies(&settings));
    let of_proxy: Vec<_> = (0..5).map(|_| limit.admit([192, 0, 2, 7].into())).collect();
    assert!(of_proxy.iter().all(Result::is_ok));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_has_an_end() {
    let server = TestServer::start(Limits::default()).await;
    let head = |bytes: usize| format!("GET / HTTP/1.1\r\nhost: a\r\nx-a: {}\r\n\r\n", "b".repeat(bytes));
    let mut long = server.send(head(HEAD_BYTES_MAX / 2).as_bytes()).await;
    assert!(once(&mut long).await.starts_with("HTTP/1.1 200"));
    let mut longer = server.send(head(HEAD_BYTES_MAX).as_bytes()).await;
    assert!(to_the_end(&mut longer).await.starts_with("HTTP/1.1 431"));
}

#[test]
#[cfg(unix)]
fn the_limit_of_open_files_leaves_space() {
    let all = files_for_connections();
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    assert_eq!(files.current, files.maximum, "as many as this process may have");
    let files = files.current.map_or(usize::MAX, |files| usize::try_from(files).unwrap());
    assert!(all >= files / 2 && (all < files || files == usize::MAX), "{all} of {files}");
}

/// Hand-written HTTP/2 frames: no client library can be made to behave so badly.
mod http2 {
    use super::*;

    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const SETTINGS: u8 = 4;
    const HEADERS: u8 = 1;
    const WINDOW_UPDATE: u8 = 8;
    const MAX_CONCURRENT_STREAMS: u16 = 3;
    const INITIAL_WINDOW_SIZE: u16 = 4;
    const WINDOW_MAX: u32 = (1 << 31) - 1;

    fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
    }

    fn setting(name: u16, value: u32) -> Vec<u8> {
        [name.to_be_bytes().as_slice(), &value.to_be_bytes()].concat()
    }

    /// `GET path` with the whole head in one frame.
    fn ask(stream: u32, path: &str) -> Vec<u8> {
        let mut head = vec![0x82, 0x86, 0x41, 1, b'a', 0x44, u8::try_from(path.len()).unwrap()];
        head.extend_from_slice(path.as_bytes());
        frame(HEADERS, 0x5, stream, &head)
    }

    /// A client whose streams have this window.
    fn hello(window: u32) -> Vec<u8> {
        let settings = frame(SETTINGS, 0, 0, &setting(INITIAL_WINDOW_SIZE, window));
        let whole = (WINDOW_MAX - 65_535).to_be_bytes();
        [PREFACE, &settings, &frame(WINDOW_UPDATE, 0, 0, &whole)].concat()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_that_makes_no_space_is_dropped() {
        unless_the_machine_stood_still(async || {
            let server = TestServer::start(short()).await;
            let streams: Vec<u8> = (0..20).flat_map(|number| ask(2 * number + 1, "/endless")).collect();
            let reading = server.send(&[hello(WINDOW_MAX), ask(1, "/endless")].concat()).await;
            let mut reading = Reader::new(reading);
            reading.until(async || server.open.reached(1).await).await?;
            for (round, window) in [0, 1, 20_000].into_iter().enumerate() {
                let mut stalled = server.send(&[hello(window), streams.clone()].concat()).await;
                reading.until(async || server.open.reached(1 + 20 * (round + 1)).await).await?;
                // It reads everything that is sent, so the connection itself is never full.
                let stalled = async || assert!(!to_the_end(&mut stalled).await.is_empty());
                reading.until(stalled).await?;
                reading.until(async || server.open.becomes(1).await).await?;
            }
            reading.until(async || sleep(2 * SHORT).await).await
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_answer_larger_than_the_window_is_not_waited_for() {
        let server = TestServer::start(short()).await;
        for window in [0, 1, 100_000] {
            let started = Instant::now();
            let mut client = server.send(&[hello(window), ask(1, "/large")].concat()).await;
            to_the_end(&mut client).await;
            assert!(started.elapsed() >= SHORT / 2, "{window}: {:?}", started.elapsed());
        }
        let mut idle = server.send(&[hello(2), ask(1, "/")].concat()).await;
        assert!(timeout(3 * SHORT, to_the_end(&mut idle)).await.is_err(), "three bytes are the last piece");
        let server = TestServer::start(Limits { idle: 2 * SHORT, ..short() }).await;
        let mut idle = server.send(&[hello(2), ask(1, "/")].concat()).await;
        to_the_end(&mut idle).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_that_ignores_pings_is_dropped() {
        let server = TestServer::start(Limits { ping_every: SHORT, pong: SHORT, ..short() }).await;
        let started = Instant::now();
        let mut silent = server.send(&[hello(WINDOW_MAX), ask(1, "/silent")].concat()).await;
        server.open.reached(1).await;
        to_the_end(&mut silent).await;
        assert!(started.elapsed() >= SHORT, "{:?}", started.elapsed());
        server.open.becomes(0).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn concurrent_streams_are_limited() {
        let server = TestServer::start(Limits { stall: LONG, ..short() }).await;
        let streams: Vec<u8> =
            (0..STREAMS_MAX + 50).flat_map(|number| ask(2 * number + 1, "/silent")).collect();
        let mut client = server.send(&[hello(WINDOW_MAX), streams].concat()).await;
        let mut buffer = [0; 64];
        client.read_exact(&mut buffer).await.unwrap();
        let stated = setting(MAX_CONCURRENT_STREAMS, STREAMS_MAX);
        assert!(buffer.windows(stated.len()).any(|bytes| bytes == stated), "it says so: {buffer:?}");
        server.open.becomes(STREAMS_MAX as usize).await;
        sleep(SHORT).await;
        assert_eq!(server.open.count(), STREAMS_MAX as usize);
    }
}
