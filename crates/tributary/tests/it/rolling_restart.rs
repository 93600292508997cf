//! A rolling restart under load: two web and two worker processes are restarted one after the other, and no request is
//! lost. Prints its counts.

use crate::app_harness::{Client, items};
use crate::program::{Running, program};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};
use testkit::{Signal, send_signal};
use tokio::task::{JoinSet, block_in_place};

const PASSWORD: &str = "a password for tests";
const CLIENTS: usize = 6;
/// Clients that wait for the results in one long request, so that some requests are always in flight.
const PATIENT_CLIENTS: usize = 4;
/// The minimum number of searches; more if the restarts take longer.
const SEARCHES: usize = 300;
const SEARCHES_MAX: usize = 3000;
const RESULTS: usize = 3;
/// The pause of a client between two searches.
const PAUSE: Duration = Duration::from_millis(150);
const PROBE_EVERY: Duration = Duration::from_millis(100);
const PROBE_TIME_MAX: Duration = Duration::from_secs(1);
/// Longer than the load balancer here takes to notice.
const DRAIN: Duration = Duration::from_secs(3);
const WORKER_ROLES: &str = "search,page_fetch,interactive,maintenance,corpus,health_check,beat";

/// What all processes share.
struct Nodes {
    folder: PathBuf,
    /// `None`: the SQLite file of the data folder.
    database: Option<String>,
}

impl Nodes {
    fn command(&self, roles: &str, drain: Duration) -> Command {
        let mut command = program(&self.folder, &["serve", "--port", "0", "--roles", roles]);
        command
            .env("SVC_SECRET_KEY", "the key that all processes share")
            .env("SVC_ADMIN_PASSWORD", PASSWORD)
            .env("SVC_DRAIN", drain.as_secs().to_string())
            .env("SVC_THROTTLE_SEARCH", "None") // all clients are one user
            .stderr(Stdio::null());
        if let Some(database) = &self.database {
            command.env("SVC_DATABASE_URL", database);
        }
        command
    }

    fn web(&self) -> Running {
        Running::start(self.command("web", DRAIN))
    }

    fn worker(&self) -> WorkerProcess {
        WorkerProcess(self.command(WORKER_ROLES, DRAIN).stdout(Stdio::null()).spawn().unwrap())
    }
}

/// A process without the web role. Killed when dropped.
struct WorkerProcess(Child);

impl WorkerProcess {
    /// Sends SIGTERM and waits. Returns the exit code.
    fn terminate(mut self) -> Option<i32> {
        assert!(send_signal(self.0.id(), Signal::TERM));
        self.0.wait().unwrap().code()
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _gone_already = self.0.kill();
        let _gone_already = self.0.wait();
    }
}

fn admin(web: &Running) -> Client {
    web.client(Some(crate::demo::basic("admin", PASSWORD)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_restart_under_load_loses_no_request() {
    match testkit::postgres::server("a rolling restart") {
        Some(server) => testkit::postgres::with_database(&server, |url| roll(Some(url))).await,
        None => roll(None).await,
    }
}

async fn roll(database: Option<String>) {
    let kind = if database.is_some() { "PostgreSQL" } else { "SQLite" };
    let folder = tempfile::tempdir().unwrap();
    let nodes = Nodes { folder: folder.path().to_owned(), database };
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", RESULTS)).delayed(Duration::from_millis(300)));
    let webs = block_in_place(|| [nodes.web(), nodes.web()]);
    let provider =
        json!({"name": "One", "url": source.url(), "response_mappings": "FOUND=total,RESULTS=items"});
    assert_eq!(admin(&webs[0]).post("/svc/searchproviders/", &provider).await.status, 201);
    let workers = [nodes.worker(), nodes.worker()];

    let load = Arc::new(Load::new(webs.each_ref().map(admin)));
    let mut clients = JoinSet::new();
    for turn in 0..CLIENTS {
        clients.spawn(post_and_read(Arc::clone(&load), turn));
    }
    for turn in 0..PATIENT_CLIENTS {
        clients.spawn(ask_and_wait(Arc::clone(&load), turn));
    }
    let mut prober = JoinSet::new();
    prober.spawn(probe_for_ever(Arc::clone(&load)));
    let started = Instant::now();
    let (webs, _workers) = restart_all(&nodes, &load, webs, workers).await;
    let restarted_after = started.elapsed();
    load.is_over.store(true, Ordering::Relaxed);
    while let Some(ended) = clients.join_next().await {
        ended.unwrap();
    }
    prober.shutdown().await;

    let accepted = load.accepted.lock().unwrap().clone();
    let lost = load.lost.lock().unwrap().clone();
    let [sent, answered, moved] =
        [&load.sent, &load.answered, &load.moved].map(|n| n.load(Ordering::Relaxed));
    eprintln!(
        "{kind}: {sent} requests sent, {answered} answered, {} lost; {moved} times a connection was refused and the \
         other address taken; 2 web and 2 worker processes restarted in {:.1} s",
        lost.len(),
        restarted_after.as_secs_f64()
    );
    assert_eq!(lost, Vec::<String>::new());
    assert_eq!(sent, answered);
    assert!(accepted.len() >= SEARCHES && sent > 2 * accepted.len(), "{} of {sent}", accepted.len());
    let clients = [admin(&webs[0]), admin(&webs[1])];
    for (number, id) in accepted.iter().enumerate() {
        assert_complete(&clients[number % 2], *id).await;
    }
    eprintln!(
        "{} searches accepted, all ready with all results; {:.1} s",
        accepted.len(),
        started.elapsed().as_secs_f64()
    );
}

async fn assert_complete(client: &Client, id: i64) {
    let search = client.ready(id).await;
    assert_eq!(search["status"], "FULL_RESULTS_READY", "{search}");
    let mixed = client.get(&format!("/svc/results/?search_id={id}&result_mixer=RelevancyMixer")).await;
    assert_eq!(mixed.body["results"].as_array().unwrap().len(), RESULTS, "search {id}: {mixed:?}");
}

/// One process after the other: SIGTERM, wait for its end, start it again.
async fn restart_all(
    nodes: &Nodes,
    load: &Load,
    webs: [Running; 2],
    workers: [WorkerProcess; 2],
) -> (Vec<Running>, Vec<WorkerProcess>) {
    let (mut new_webs, mut new_workers) = (Vec::new(), Vec::new());
    for (number, (web, worker)) in webs.into_iter().zip(workers).enumerate() {
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(block_in_place(|| web.terminate()), Some(0));
        let web = block_in_place(|| nodes.web());
        *load.backends[number].write().unwrap() = Backend { client: admin(&web), is_ready: false };
        new_webs.push(web);
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(block_in_place(|| worker.terminate()), Some(0));
        new_workers.push(nodes.worker());
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    (new_webs, new_workers)
}

/// One web process behind the load balancer.
#[derive(Clone)]
struct Backend {
    client: Client,
    is_ready: bool,
}

/// The load balancer and its counters.
struct Load {
    backends: [RwLock<Backend>; 2],
    is_over: AtomicBool,
    searches: AtomicUsize,
    sent: AtomicUsize,
    answered: AtomicUsize,
    moved: AtomicUsize,
    accepted: Mutex<Vec<i64>>,
    lost: Mutex<Vec<String>>,
}

impl Load {
    fn new(clients: [Client; 2]) -> Self {
        Self {
            backends: clients.map(|client| RwLock::new(Backend { client, is_ready: true })),
            is_over: AtomicBool::default(),
            searches: AtomicUsize::default(),
            sent: AtomicUsize::default(),
            answered: AtomicUsize::default(),
            moved: AtomicUsize::default(),
            accepted: Mutex::default(),
            lost: Mutex::default(),
        }
    }

    fn backend(&self, number: usize) -> Backend {
        self.backends[number % 2].read().unwrap().clone()
    }

    /// Sends a request to the backend whose turn it is, or to the other one if only that is ready. A second attempt is
    /// made only if the connection was refused, because then nothing was sent.
    async fn send(&self, turn: usize, (method, path): (Method, &str), body: Option<&Value>) -> Option<Value> {
        self.sent.fetch_add(1, Ordering::Relaxed);
        let mut backends = [self.backend(turn), self.backend(turn + 1)];
        backends.sort_by_key(|backend| !backend.is_ready);
        let mut failure = "both addresses refuse connections".to_owned();
        for backend in backends {
            let mut request = backend.client.request(method.clone(), path);
            if let Some(body) = body {
                request = request.header("Content-Type", "application/json").body(body.to_string());
            }
            match answer(request).await {
                Ok((status, body)) if status.is_success() => {
                    self.answered.fetch_add(1, Ordering::Relaxed);
                    return Some(body);
                }
                Ok((status, body)) => failure = format!("answered {status}: {body}"),
                Err(error) if is_refused(&error) => {
                    self.moved.fetch_add(1, Ordering::Relaxed);
                    continue;
                }
                Err(error) => failure = format!("{error:?}"),
            }
            break;
        }
        self.lost.lock().unwrap().push(format!("{method} {path}: {failure}"));
        None
    }
}

async fn answer(request: reqwest::RequestBuilder) -> reqwest::Result<(StatusCode, Value)> {
    let response = request.send().await?;
    let (status, bytes) = (response.status(), response.bytes().await?);
    Ok((status, serde_json::from_slice(&bytes).unwrap_or_default()))
}

fn is_refused(error: &reqwest::Error) -> bool {
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(error) = cause {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if kind == Some(io::ErrorKind::ConnectionRefused) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// A client that posts a search to one backend and reads it from the next, until the restarts are over.
async fn post_and_read(load: Arc<Load>, first_turn: usize) {
    let mut turn = first_turn;
    loop {
        let number = load.searches.fetch_add(1, Ordering::Relaxed);
        if number >= SEARCHES && load.is_over.load(Ordering::Relaxed) {
            return;
        }
        assert!(number < SEARCHES_MAX, "the restarts take too long");
        let spec = json!({"query_string": format!("river {number}")});
        if let Some(search) = load.send(turn, (Method::POST, "/svc/search/"), Some(&spec)).await {
            let id = search["id"].as_i64().unwrap();
            load.accepted.lock().unwrap().push(id);
            let path = format!("/svc/search/{id}/");
            if let Some(read) = load.send(turn + 1, (Method::GET, &path), None).await {
                assert_eq!(read["query_string"], spec["query_string"]);
            }
        }
        turn += 1;
        tokio::time::sleep(PAUSE).await;
    }
}

/// A client that searches and waits for the results, until the restarts are over.
async fn ask_and_wait(load: Arc<Load>, first_turn: usize) {
    let mut turn = first_turn;
    while !load.is_over.load(Ordering::Relaxed) {
        let path = format!("/svc/search/?qs=river+{first_turn}+{turn}");
        if let Some(mixed) = load.send(turn, (Method::GET, &path), None).await {
            assert_eq!(mixed["results"].as_array().unwrap().len(), RESULTS, "{mixed}");
        }
        turn += 1;
    }
}

/// Probes the readiness of both backends, as a load balancer does.
async fn probe_for_ever(load: Arc<Load>) {
    loop {
        for backend in &load.backends {
            let client = backend.read().unwrap().client.clone();
            let probe =
                client.request(Method::GET, "/svc/health/ready/").timeout(PROBE_TIME_MAX).send().await;
            backend.write().unwrap().is_ready = probe.is_ok_and(|answer| answer.status() == StatusCode::OK);
        }
        tokio::time::sleep(PROBE_EVERY).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_process_that_drains_is_not_ready_and_serves_on() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = Nodes { folder: folder.path().to_owned(), database: None };
    let web = block_in_place(|| nodes.web());
    let client = admin(&web);
    let ready = client.get("/svc/health/ready/").await;
    assert_eq!((ready.status, ready.header("connection")), (StatusCode::OK, ""));
    let started = Instant::now();
    let mut stopping = JoinSet::new();
    stopping.spawn_blocking(move || web.terminate());
    while client.get("/svc/health/ready/").await.status != StatusCode::SERVICE_UNAVAILABLE {
        assert!(started.elapsed() < DRAIN, "it is not ready any more at once");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(client.get("/svc/health/live/").await.status, 200, "it still lives");
    let created = client.post("/svc/search/", &json!({"query_string": "river"})).await;
    assert_eq!((created.status, created.header("connection")), (StatusCode::CREATED, "close"));
    assert_eq!(stopping.join_next().await.unwrap().unwrap(), Some(0));
    assert!(started.elapsed() >= DRAIN, "{:?}", started.elapsed());
    let gone = client.request(Method::GET, "/svc/health/live/").send().await;
    assert!(is_refused(&gone.unwrap_err()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_without_an_end_does_not_hold_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = Nodes { folder: folder.path().to_owned(), database: None };
    let mut command = nodes.command("web", Duration::ZERO);
    command.env("SVC_STOP_GRACE", "1");
    let web = block_in_place(|| Running::start(command));
    let client = admin(&web);
    // It never runs: there is no worker.
    let created = client.post("/svc/search/", &json!({"query_string": "river"})).await;
    let path = format!("/svc/search/{}/events/", created.body["id"]);
    let stream = client.request(Method::GET, &path).send().await.unwrap();
    assert_eq!(stream.status(), 200);
    let started = Instant::now();
    assert_eq!(block_in_place(|| web.terminate()), Some(0));
    let took = started.elapsed();
    assert!(took >= Duration::from_secs(1) && took < Duration::from_secs(20), "{took:?}");
    drop(stream);
}
