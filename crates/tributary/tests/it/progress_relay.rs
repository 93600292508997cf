//! Progress of a search on any node: the client listens at a web process, and the search runs in a worker process. With
//! PostgreSQL and NATS, and with PostgreSQL alone.

use crate::app_harness::{Client, items};
use crate::program::{Running, program};
use reqwest::Method;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};
use tokio::task::block_in_place;

const PASSWORD: &str = "a password for tests";
/// How long the slow source takes.
const SLOW: Duration = Duration::from_secs(8);
/// When the fast source must have been reported: long before the slow one, also on a busy machine.
const EARLY: Duration = Duration::from_secs(6);
const PATIENCE: Duration = Duration::from_secs(40);
/// More than fits into one PostgreSQL notification.
const RESULTS: usize = 60;

/// A process without the web role. Killed when dropped.
pub struct WorkerProcess(pub Child);

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _gone_already = self.0.kill();
        let _gone_already = self.0.wait();
    }
}

/// What all nodes share.
struct Nodes {
    folder: PathBuf,
    database: String,
    queue: Option<String>,
}

impl Nodes {
    fn command(&self, name: &str, roles: &str) -> Command {
        let folder = self.folder.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let mut command = program(&folder, &["serve", "--port", "0", "--roles", roles]);
        command
            .env("SVC_DATABASE_URL", &self.database)
            .env("SVC_SECRET_KEY", "the key that all nodes of the cluster share")
            .env("SVC_ADMIN_PASSWORD", PASSWORD)
            .env("SVC_TIMEOUT", "20")
            .env("SVC_SEARCH_HTTP_READ_TIMEOUT", "15")
            .stderr(Stdio::null());
        if let Some(queue) = &self.queue {
            command.env("SVC_QUEUE_URL", queue);
        }
        command
    }

    fn web(&self, name: &str) -> Running {
        block_in_place(|| Running::start(self.command(name, "web")))
    }

    fn worker(&self) -> WorkerProcess {
        WorkerProcess(self.command("worker", "search").stdout(Stdio::null()).spawn().unwrap())
    }
}

fn admin(web: &Running) -> Client {
    web.client(Some(crate::demo::basic("admin", PASSWORD)))
}

/// One event and its time since the search was posted.
#[derive(Debug)]
struct ReceivedEvent {
    name: String,
    data: Value,
    after: Duration,
}

/// All events of the stream.
async fn follow(client: &Client, id: i64, posted: Instant) -> Vec<ReceivedEvent> {
    let request = client.request(Method::GET, &format!("/svc/search/{id}/events/"));
    let mut response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let (mut text, mut told) = (String::new(), Vec::new());
    while let Some(bytes) = tokio::time::timeout(PATIENCE, response.chunk()).await.unwrap().unwrap() {
        text.push_str(std::str::from_utf8(&bytes).unwrap());
        while let Some((block, rest)) = text.split_once("\n\n") {
            told.extend(parse_event(block, posted.elapsed()));
            text = rest.to_owned();
        }
    }
    told
}

fn parse_event(block: &str, after: Duration) -> Option<ReceivedEvent> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let data = serde_json::from_str(field("data:")?).unwrap();
    Some(ReceivedEvent { name: field("event:")?.to_owned(), data, after })
}

fn assert_progress(told: &[ReceivedEvent], node: &str) {
    let line = |told: &ReceivedEvent| format!("{} after {:.1} s", told.name, told.after.as_secs_f64());
    let lines: Vec<String> = told.iter().map(line).collect();
    let providers: Vec<&ReceivedEvent> = told.iter().filter(|told| told.name == "provider").collect();
    let names: Vec<&Value> = providers.iter().map(|told| &told.data["provider"]).collect();
    assert_eq!(names, ["Quick", "Slow"], "{node}: each once, in the order of their ends: {lines:?}");
    assert!(providers[0].after < EARLY, "{node}: {lines:?}");
    assert_eq!(providers[0].data["retrieved"], RESULTS, "{node}");
    assert!(providers[1].after >= SLOW, "{node}: {lines:?}");
    let pages: Vec<&ReceivedEvent> = told.iter().filter(|told| told.name == "results").collect();
    let total = |page: &ReceivedEvent| page.data["info"]["results"]["retrieved_total"].as_u64().unwrap();
    assert!(pages[0].after < EARLY, "{node}: {lines:?}");
    assert_eq!(total(pages[0]), RESULTS as u64, "{node}: the quick source alone");
    let url = pages[0].data["results"][0]["url"].as_str().unwrap();
    assert!(url.starts_with("https://river.example/"), "{node}: {url}");
    let [.., last, done] = told else { panic!("{node}: {lines:?}") };
    assert_eq!((last.name.as_str(), total(last)), ("results", 2 * RESULTS as u64), "{node}: {lines:?}");
    assert_eq!((done.name.as_str(), &done.data["status"]), ("done", &json!("FULL_RESULTS_READY")), "{node}");
    eprintln!("{node}: {lines:?}");
}

async fn watch_from_two_nodes(database: String, queue: Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let nodes = Nodes { folder: folder.path().to_owned(), database, queue };
    let (quick, slow) = (Source::start().await, Source::start().await);
    quick.reply(Behavior::Json(items("river", RESULTS)));
    slow.reply(Behavior::Json(items("bank of the river", RESULTS)).delayed(SLOW));
    let webs = [nodes.web("web-1"), nodes.web("web-2")];
    let clients = webs.each_ref().map(admin);
    for (name, source) in [("Quick", &quick), ("Slow", &slow)] {
        let provider = json!({"name": name, "url": source.url(), "results_per_query": RESULTS,
            "response_mappings": "FOUND=total,RESULTS=items",
            "result_mappings": "title=title,body=body,url=url,date_published=date,author=author"});
        assert_eq!(clients[0].post("/svc/searchproviders/", &provider).await.status, 201);
    }
    let _worker = nodes.worker();
    // The worker is running when a first search has begun. Its query differs, because equal requests would be merged.
    let of_both = |words: &str| json!({"query_string": words, "searchprovider_list": ["Quick", "Slow"]});
    let first = clients[0].post("/svc/search/", &of_both("meadow")).await;
    let first = first.body["id"].as_i64().unwrap();
    let started = Instant::now();
    while clients[0].get(&format!("/svc/search/{first}/")).await.body["status"] != "FEDERATING" {
        assert!(started.elapsed() < Duration::from_secs(60), "no worker has begun");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let posted = Instant::now();
    let created = clients[0].post("/svc/search/", &of_both("river")).await;
    let id = created.body["id"].as_i64().unwrap();
    let late = async {
        // The fast source has ended before this client connects.
        tokio::time::sleep(Duration::from_secs(2)).await;
        follow(&clients[1], id, posted).await
    };
    let (early, late) = tokio::join!(follow(&clients[0], id, posted), late);
    assert_progress(&early, "the node that took the search");
    assert_progress(&late, "another node, two seconds later");
    let foreign = json!({"username": "otto", "password": "password of otto"});
    assert_eq!(clients[0].post("/svc/users/", &foreign).await.status, 201);
    let otto = webs[1].client(Some(crate::demo::basic("otto", "password of otto")));
    assert_eq!(otto.get(&format!("/svc/search/{id}/events/")).await.status, 404, "not his search");
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_reaches_every_node_by_nats() {
    let suite = "progress on any node";
    let (Some(server), Some(queue)) = (testkit::postgres::server(suite), testkit::nats::queue(suite)) else {
        return;
    };
    testkit::postgres::with_database(&server, |database| watch_from_two_nodes(database, Some(queue))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_reaches_every_node_by_postgresql_alone() {
    let Some(server) = testkit::postgres::server("progress on any node") else { return };
    testkit::postgres::with_database(&server, |database| watch_from_two_nodes(database, None)).await;
}
