//! The id of a request is in every log line of the search and of the tasks that it started, also in another process.

use crate::app_harness::{Client, items};
use crate::corpus_crash::License;
use crate::program::{Running, program};
use reqwest::Method;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

const PASSWORD: &str = "a password for tests";
const ID: &str = "request-of-a-client";
/// How long documents may take to be ingested.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process without the web role. Killed when dropped.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        let _gone_already = self.0.kill();
        let _gone_already = self.0.wait();
    }
}

/// The texts of all log files.
fn texts(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder.join("data/logs")).unwrap();
    files.filter_map(|entry| fs::read_to_string(entry.unwrap().path()).ok()).collect()
}

/// All lines of all log files, as JSON.
fn lines(folder: &Path) -> Vec<Value> {
    let read = |text: String| -> Vec<Value> {
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
    };
    texts(folder).into_iter().flat_map(read).collect()
}

/// The values of a field in a line and in its spans.
fn values<'a>(line: &'a Value, field: &str) -> Vec<&'a Value> {
    let spans = line["spans"].as_array().into_iter().flatten();
    spans.chain([&line["fields"]]).filter_map(|place| place.get(field)).collect()
}

fn message(line: &Value) -> &str {
    line["fields"]["message"].as_str().unwrap_or_default()
}

/// Sends a request with an id.
async fn send(client: &Client, id: &str, method: Method, path: &str, body: &Value) -> Value {
    let request = client.request(method, path).header("X-Request-ID", id);
    let answer = request.header("Content-Type", "application/json").body(body.to_string());
    let answer = answer.send().await.unwrap();
    assert!(answer.status().is_success(), "{path}: {}", answer.status());
    serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default()
}

async fn add(client: &Client, path: &str, spec: Value) {
    let answer = client.post(path, &spec).await;
    assert_eq!(answer.status, 201, "{answer:?}");
}

fn provider(name: &str, url: &str) -> Value {
    json!({"name": name, "url": url, "query_template": "{url}?q={query_string}",
        "response_mappings": "FOUND=total,RESULTS=items", "result_mappings": "title=title,body=body,url=url"})
}

/// Sources that answer, fail and lead to a forbidden address, a re-ranker that cannot be reached, and summaries.
async fn configure(client: &Client) -> Source {
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 4)));
    source.reply_at("/broken", Behavior::status(500));
    source.reply_at("/away", Behavior::redirect("http://169.254.169.254/", 302));
    let urls =
        [source.url().to_string(), source.url_at("/broken").to_string(), source.url_at("/away").to_string()];
    for (name, url) in ["One", "Broken", "Away"].into_iter().zip(urls) {
        add(client, "/svc/searchproviders/", provider(name, &url)).await;
    }
    let ranker = json!({"name": "Ranker", "model": "cohere/any", "api_key": "k", "active": true,
        "tags": ["reranker"], "defaults": ["reranker"], "config": {"api_base": "http://127.0.0.1:1"}});
    add(client, "/svc/aiproviders/", ranker).await;
    let picker = json!({"name": "Picker", "model": "local/extractive", "active": true, "tags": ["rag"],
        "defaults": ["rag"]});
    add(client, "/svc/aiproviders/", picker).await;
    source
}

/// A process with the web role and one with these other roles, both with these settings.
fn start(here: &Path, roles: &str, settings: &[(&str, &str)]) -> (Running, Worker) {
    let command = |roles: &str| {
        let mut command = program(here, &["serve", "--port", "0", "--roles", roles]);
        command
            .env("SVC_ADMIN_PASSWORD", PASSWORD)
            .env("SVC_LOG_FORMAT", "json")
            .env("SVC_LOG_LEVEL", "trace");
        command.env("SVC_TIMEOUT", "5").envs(settings.iter().copied()).stderr(Stdio::null());
        command
    };
    let web = Running::start(command("web"));
    (web, Worker(command(roles).stdout(Stdio::null()).spawn().unwrap()))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_of_a_search_has_the_id_of_its_request() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let (web, _worker) = start(here, "search,interactive", &[]);
    let client = web.client(Some(crate::demo::basic("admin", PASSWORD)));
    let _source = configure(&client).await;
    let spec = json!({"query_string": "river level", "post_result_processors":
        ["CosineRelevancyPostResultProcessor", "RerankPostResultProcessor"]});
    let search = send(&client, ID, Method::POST, "/svc/search/", &spec).await;
    let id = search["id"].as_i64().unwrap();
    client.ready(id).await;
    // The stream mixes the results while its response is sent, outside of the handler.
    send(&client, "listener", Method::GET, &format!("/svc/search/{id}/events/"), &Value::Null).await;
    let summary = json!({"search_id": id, "rag_timeout": 20});
    send(&client, "reader", Method::POST, "/svc/rag-search/", &summary).await;
    tokio::time::sleep(Duration::from_millis(500)).await;

    let of_search = |line: &&Value| {
        values(line, "search.id").contains(&&json!(id))
            || values(line, "task.name").contains(&&json!("run_search"))
    };
    let all = lines(here);
    let known = [ID, "listener", "reader"];
    let has_id =
        |line: &Value| values(line, "request.id").iter().any(|value| known.iter().any(|id| *value == id));
    let ids = |line: &Value| values(line, "request.id").len();
    let mut count = 0;
    for line in
        all.iter().filter(of_search).filter(|line| line["spans"][0]["name"] != "request" || has_id(line))
    {
        assert!(has_id(line), "no request id: {line}");
        assert_eq!(ids(line), 1, "said twice: {line}");
        count += 1;
    }
    assert!(count > 10, "too few lines to prove anything: {count}");
    // What the run did, in every process and thread, is among these lines.
    for wanted in [
        "search_post",
        "One returned 4 of 4 results",
        "Broken failed",
        "RerankPostResultProcessor failed and was skipped",
        "task started",
        "task run_search ended",
        "of user 1 ended",
        "has no summary",
    ] {
        let line = all.iter().find(|line| message(line).contains(wanted));
        let line = line.unwrap_or_else(|| {
            panic!("no line '{wanted}' among {:#?}", all.iter().map(message).collect::<Vec<_>>())
        });
        assert!(has_id(line), "no request id: {line}");
    }
    // Nothing that a search may say lacks the id: these lines belong to nobody.
    let modules =
        ["federation", "processors", "outbound", "rag", "ai", "connectors", "relevancy", "page_fetch"];
    for line in all.iter().filter(|line| ids(line) == 0) {
        let target = line["target"].as_str().unwrap_or_default();
        let is_of_search = modules.iter().any(|name| target.split("::").next() == Some(name));
        assert!(!is_of_search, "no request id: {line}");
    }
}

/// A source with one result, whose page is cached with the results of a search.
async fn source_with_page(client: &Client) -> Source {
    let source = Source::start().await;
    let line = "<p>The gauge at the river mill stood higher than in any year before the flood.</p>".repeat(8);
    let page = format!("<html><body><main><h1>River level</h1>{line}</main></body></html>");
    source.reply_at("/page", Behavior::text("text/html", page));
    let item = json!({"title": "River level", "body": "The river level.", "url": source.url_at("/page")});
    source.reply(Behavior::Json(json!({"total": 1, "items": [item]})));
    let mut spec = provider("Mills", source.url().as_str());
    spec["page_fetch_config_json"] = json!({"cache": "true"});
    add(client, "/svc/searchproviders/", spec).await;
    source
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_of_an_ingest_has_the_id_of_the_request_that_caused_it() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let License { license, public_key } = License::issue();
    let settings = [
        ("SVC_LICENSE", license.as_str()),
        ("SVC_LICENSE_PUBLIC_KEY", public_key.as_str()),
        ("SVC_EAGER_FEDERATED_PROMOTE_ENABLED", "true"),
    ];
    let (web, _worker) = start(here, "search,corpus", &settings);
    let client = web.client(Some(crate::demo::basic("admin", PASSWORD)));
    let _source = source_with_page(&client).await;
    // The search runs in a worker, and its best result is ingested by a task of its own.
    let search =
        send(&client, ID, Method::POST, "/svc/search/", &json!({"query_string": "river level"})).await;
    client.ready(search["id"].as_i64().unwrap()).await;
    let text = "The sensor at the weir reports the level of the river every minute. ".repeat(40);
    let document = json!({"url": "https://weir.example/levels", "title": "Levels", "body": text});
    send(&client, "ingester", Method::POST, "/svc/ingest/", &document).await;

    let started = Instant::now();
    let ended =
        || texts(here).iter().map(|text| text.matches("task ingest_document ended").count()).sum::<usize>();
    while ended() < 2 {
        assert!(started.elapsed() < PATIENCE, "{} documents were ingested: {:#?}", ended(), lines(here));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let of_ingest = |line: &Value| values(line, "task.name").contains(&&json!("ingest_document"));
    let ingested: Vec<Value> = lines(here).into_iter().filter(of_ingest).collect();
    for line in &ingested {
        let ids = values(line, "request.id");
        assert!(ids == [&json!(ID)] || ids == [&json!("ingester")], "{line}");
    }
    for id in [ID, "ingester"] {
        assert!(ingested.iter().any(|line| values(line, "request.id") == [&json!(id)]), "no task of {id}");
    }
}
