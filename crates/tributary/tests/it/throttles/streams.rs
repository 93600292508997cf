//! Ten thousand clients want to follow a search: as many as the limit says may, the others are told so at once, the
//! memory stays within bounds, and others are served.

use super::line::{Line, get};
use crate::demo::basic;
use crate::program::{Running, program};
use futures_util::StreamExt;
use futures_util::stream::iter;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::block_in_place;

const CLIENTS: usize = 10_000;
/// Clients that connect at the same time.
const AT_ONCE: usize = 100;
/// What the settings allow: the first user may have some, and all together the rest.
const PER_USER: usize = 600;
const IN_ALL: usize = 1000;
/// What one client may cost the service, whether it follows a search or waits with an idle connection.
const BYTES_PER_CLIENT_MAX: u64 = 48 * 1024;
/// How long a refusal may take, on a machine that is busy with ten thousand connections.
const REFUSED_WITHIN: Duration = Duration::from_secs(2);
/// Files that the test itself needs beside the connections.
const FILES_BESIDE: u64 = 200;
const PASSWORD: &str = "a password for tests";

/// A client that keeps its connection, the status it got, and how long that took.
struct Follower {
    _stream: TcpStream,
    status: u16,
    has_retry_after: bool,
    took: Duration,
}

async fn follow(address: &str, request: &str) -> Follower {
    let started = Instant::now();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let (mut head, mut buffer) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        let count = stream.read(&mut buffer).await.unwrap();
        assert!(count > 0, "dropped without an answer");
        head.extend_from_slice(&buffer[..count]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let status = head.split_whitespace().nth(1).unwrap().parse().unwrap();
    Follower {
        _stream: stream,
        status,
        has_retry_after: head.contains("retry-after: "),
        took: started.elapsed(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_event_streams_are_bounded_and_others_are_served() {
    raise_file_limit();
    let folder = tempfile::tempdir().unwrap();
    // No worker runs the searches, so their streams stay open.
    let mut command = program(folder.path(), &["serve", "--port", "0", "--roles", "web"]);
    command
        .env("SVC_ADMIN_PASSWORD", PASSWORD)
        .env("SVC_EVENT_STREAMS_PER_USER", PER_USER.to_string())
        .env("SVC_EVENT_STREAMS_MAX", IN_ALL.to_string())
        .env("SVC_STOP_GRACE", "1")
        .stderr(Stdio::null());
    let web = block_in_place(|| Running::start(command));
    let admin = web.client(Some(basic("admin", PASSWORD)));
    let otto = json!({"username": "otto", "password": PASSWORD});
    assert_eq!(admin.post("/svc/users/", &otto).await.status, 201);
    let quiet = served(&web.base);
    let before = memory(web.pid());

    let mut followers = Vec::new();
    for name in ["admin", "otto"] {
        let own = web.client(Some(basic(name, PASSWORD)));
        let created = own.post("/svc/search/", &json!({"query_string": "river"})).await;
        let path = format!("/svc/search/{}/events/", created.body["id"]);
        let request = get(&path, &basic(name, PASSWORD), "192.0.2.1");
        let address = web.base.strip_prefix("http://").unwrap();
        let asked = iter(0..CLIENTS / 2).map(|_| follow(address, &request)).buffer_unordered(AT_ONCE);
        followers.extend(asked.collect::<Vec<_>>().await);
    }
    let count = |status: u16| followers.iter().filter(|one| one.status == status).count();
    assert_eq!(
        [count(200), count(429), count(503)],
        [IN_ALL, CLIENTS / 2 - PER_USER, CLIENTS / 2 - IN_ALL + PER_USER]
    );
    let refused = || followers.iter().filter(|one| one.status != 200);
    assert!(refused().all(|one| one.has_retry_after));
    let slowest = refused().map(|one| one.took).max().unwrap();
    assert!(slowest < REFUSED_WITHIN, "{slowest:?}");

    let busy = served(&web.base);
    let after = memory(web.pid());
    let each = after.saturating_sub(before) / CLIENTS as u64;
    eprintln!(
        "{CLIENTS} clients: {IN_ALL} follow, the others were refused within {slowest:?}; memory {} MB before, {} MB \
         with them, {each} bytes for each; slowest of 200 requests of others {quiet:?} before, {busy:?} with them",
        before >> 20,
        after >> 20
    );
    assert!(each <= BYTES_PER_CLIENT_MAX, "{each}");
    drop(followers);
    let path = "/svc/search/?page=1";
    assert_eq!(admin.get(path).await.status, 200);
}

/// Others' requests on a connection of their own; the slowest of two hundred.
fn served(base: &str) -> Duration {
    block_in_place(|| {
        let mut line = Line::open(base);
        let request = get("/svc/users/me/", &basic("admin", PASSWORD), "192.0.2.1");
        let mut times: Vec<Duration> = (0..200)
            .map(|_| {
                let started = Instant::now();
                assert_eq!(line.ask(&request).0, 200);
                started.elapsed()
            })
            .collect();
        times.sort();
        times[198]
    })
}

fn raise_file_limit() {
    let files = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: files.maximum, maximum: files.maximum }).unwrap();
    let needed = CLIENTS as u64 + FILES_BESIDE;
    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    assert!(allowed >= needed, "this test needs {needed} open files, and the system allows {allowed}");
}

/// Bytes of memory that a process uses.
fn memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() * 1024
}
