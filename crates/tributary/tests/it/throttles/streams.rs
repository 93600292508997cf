//! Ten thousand clients try to follow a search: as many as the limit allows may, the others are refused at once, memory
//! stays bounded, other requests take at most twice as long, and every follower receives the end of the search.
//!
//! The baseline is a second service without these clients. The two are measured in turn, and the crowded one is
//! suspended while the other is measured, so that they do not compete for the machine.

use super::connection::get;
use super::flood::{CLOCK_NOISE, PASSWORD, REQUESTS, ROUNDS, measure, percentile, signed_in_client};
use crate::demo::basic;
use crate::program::{Running, program};
use crate::progress_relay::WorkerProcess;
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::iter;
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::block_in_place;

const CLIENTS: usize = 10_000;
/// Clients that connect at the same time.
const AT_ONCE: usize = 100;
/// The limits in the settings: for one user, and for all together.
const PER_USER: usize = 600;
const IN_ALL: usize = 1000;
/// The memory that one client may cost the service, whether it follows a search or has an idle connection.
const BYTES_PER_CLIENT_MAX: u64 = 48 * 1024;
/// How long a refusal may take on a machine that is busy with ten thousand connections.
const REFUSED_WITHIN: Duration = Duration::from_secs(2);
/// Files that the test itself needs besides the connections.
const FILES_BESIDE: u64 = 200;
/// How long a resumed service may take to catch up.
const THAW: Duration = Duration::from_millis(50);
/// When every follower must have received the end: each gets its own page, from a debug build.
const ALL_NOTIFIED_WITHIN: Duration = Duration::from_secs(60);

/// A client that keeps its connection, the status it got, and how long that took.
struct Follower {
    stream: TcpStream,
    status: u16,
    has_retry_after: bool,
    took: Duration,
}

impl Follower {
    async fn connect(address: &str, request: &str) -> Self {
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
        Self { stream, status, has_retry_after: head.contains("retry-after: "), took: started.elapsed() }
    }

    /// Reads until the last event.
    async fn read_until_end(&mut self) {
        let (mut text, mut buffer) = (String::new(), [0; 4096]);
        while !text.contains("event: done") {
            let count = self.stream.read(&mut buffer).await.unwrap();
            assert!(count > 0, "ended without `done`: {text}");
            text.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
    }
}

fn command(folder: &Path, role: &str) -> Command {
    let mut command = program(folder, &["serve", "--port", "0", "--roles", role]);
    command
        .env("SVC_ADMIN_PASSWORD", PASSWORD)
        .env("SVC_EVENT_STREAMS_PER_USER", PER_USER.to_string())
        .env("SVC_EVENT_STREAMS_MAX", IN_ALL.to_string())
        .env("SVC_STOP_GRACE", "1")
        .stderr(Stdio::null());
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_event_streams_are_bounded_and_others_do_not_notice() {
    raise_file_limit();
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    // No worker runs the searches, so their streams stay open.
    let [calm, crowded] =
        folders.each_ref().map(|folder| block_in_place(|| Running::start(command(folder.path(), "web"))));
    let admin = crowded.client(Some(basic("admin", PASSWORD)));
    let otto = json!({"username": "otto", "password": PASSWORD});
    assert_eq!(admin.post("/svc/users/", &otto).await.status, 201);
    let before = memory(crowded.pid());

    let mut followers = Vec::new();
    let mut requests = Vec::new();
    let address = crowded.base.strip_prefix("http://").unwrap();
    for name in ["admin", "otto"] {
        let own = crowded.client(Some(basic(name, PASSWORD)));
        let created = own.post("/svc/search/", &json!({"query_string": "river"})).await;
        let path = format!("/svc/search/{}/events/", created.body["id"]);
        let request = get(&path, &basic(name, PASSWORD), "192.0.2.1");
        let asked =
            iter(0..CLIENTS / 2).map(|_| Follower::connect(address, &request)).buffer_unordered(AT_ONCE);
        followers.extend(asked.collect::<Vec<_>>().await);
        requests.push(request);
    }
    assert_bounds(&followers, memory(crowded.pid()).saturating_sub(before));

    let (peace, war) = block_in_place(|| take_turns(&calm, &crowded));
    let connected = open_files(crowded.pid());
    let ratio = war.as_secs_f64() / peace.as_secs_f64();
    eprintln!(
        "p99 of {} requests: {peace:?} in peace, {war:?} with {connected} clients ({ratio:.2} times)",
        ROUNDS * REQUESTS
    );
    assert!(connected >= CLIENTS, "only {connected} are still there");
    assert!(war <= 2 * peace.max(CLOCK_NOISE), "{peace:?} {war:?}");

    let started = Instant::now();
    let worker = command(folders[1].path(), "search").stdout(Stdio::null()).spawn().unwrap();
    let _worker = WorkerProcess(worker);
    let following = followers.iter_mut().filter(|one| one.status == 200);
    let all = join_all(following.map(Follower::read_until_end));
    assert_eq!(
        tokio::time::timeout(ALL_NOTIFIED_WITHIN, all).await.expect("every follower is notified").len(),
        IN_ALL
    );
    eprintln!("all were told of the end {:?} after a worker was started", started.elapsed());
    drop(followers);
    for request in &requests {
        let back = Follower::connect(address, request).await;
        assert_eq!(back.status, 200, "places of those who left are free again");
    }
}

/// As many clients as the settings allow follow, the others were refused at once, and none costs much memory.
fn assert_bounds(followers: &[Follower], bytes: u64) {
    let count = |status: u16| followers.iter().filter(|one| one.status == status).count();
    assert_eq!(
        [count(200), count(429), count(503)],
        [IN_ALL, CLIENTS / 2 - PER_USER, CLIENTS / 2 - IN_ALL + PER_USER]
    );
    let refused = || followers.iter().filter(|one| one.status != 200);
    assert!(refused().all(|one| one.has_retry_after));
    let slowest = refused().map(|one| one.took).max().unwrap();
    let each = bytes / CLIENTS as u64;
    eprintln!(
        "{CLIENTS} clients: {IN_ALL} follow, the others were refused within {slowest:?}; {} MB more memory, {each} \
         bytes for each",
        bytes >> 20
    );
    assert!(slowest < REFUSED_WITHIN, "{slowest:?}");
    assert!(each <= BYTES_PER_CLIENT_MAX, "{each}");
}

/// The 99th percentiles of other requests at both services, which are measured first in alternation.
fn take_turns(calm: &Running, crowded: &Running) -> (Duration, Duration) {
    let (mut calm_line, calm_request) = signed_in_client(&calm.base);
    let (mut crowded_line, crowded_request) = signed_in_client(&crowded.base);
    let crowd = Pid::from_raw(crowded.pid().cast_signed()).unwrap();
    let (mut quiet, mut busy) = (Vec::new(), Vec::new());
    for turn in (0..ROUNDS).flat_map(|round| [round, round + 1]) {
        if turn % 2 == 0 {
            kill_process(crowd, Signal::STOP).unwrap();
            quiet.extend(measure(&mut calm_line, &calm_request));
            kill_process(crowd, Signal::CONT).unwrap();
        } else {
            std::thread::sleep(THAW);
            busy.extend(measure(&mut crowded_line, &crowded_request));
        }
    }
    (percentile(quiet), percentile(busy))
}

fn raise_file_limit() {
    let files = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: files.maximum, maximum: files.maximum }).unwrap();
    let needed = CLIENTS as u64 + FILES_BESIDE;
    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    assert!(allowed >= needed, "this test needs {needed} open files, and the system allows {allowed}");
}

/// The number of open files of a process, including connections.
fn open_files(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

/// The memory of a process in bytes.
fn memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() * 1024
}
