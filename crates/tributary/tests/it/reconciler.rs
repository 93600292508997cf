//! Accepted work has a live task whatever happens: NATS lost its store, the task is gone, or it was given up.

use crate::app_harness::{AppHarness, Client, items};
use crate::program::{Running, program, text};
use chrono::TimeDelta;
use domain::ports::{NewTask, QueueName, ReconcileStore, SearchStore, TaskKey, TaskStore, UserStore};
use domain::ports::{OutboxStore, TaskState};
use domain::search::{Search, SearchSpec};
use domain::search_task::RUN_SEARCH;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use testkit::nats::NatsServer;
use testkit::source::{Behavior, Source};

const PASSWORD: &str = "a password for tests";
/// Everything that was accepted ends within a minute of the fault.
const RECOVERED_WITHIN: Duration = Duration::from_secs(60);
/// More than a stream is given while no worker is known.
const SEARCHES: usize = 12;

pub(crate) fn node(folder: &Path, queue: &str, roles: &str) -> Command {
    let mut command = program(folder, &["serve", "--port", "0", "--roles", roles]);
    command.env("SVC_QUEUE_URL", queue).env("SVC_ADMIN_PASSWORD", PASSWORD).stderr(Stdio::null());
    command
}

pub(crate) fn admin(web: &Running) -> Client {
    web.client(Some(crate::demo::basic("admin", PASSWORD)))
}

/// A process without the web role. Killed when dropped.
pub(crate) struct WorkerProcess(pub(crate) Child);

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _gone_already = self.0.kill();
        let _gone_already = self.0.wait();
    }
}

/// NATS is killed after it has accepted searches, and comes back without its store.
#[tokio::test(flavor = "multi_thread")]
async fn searches_end_within_a_minute_after_nats_lost_its_store() {
    let Some(mut nats) = NatsServer::prepare("searches that NATS lost") else { return };
    nats.start();
    let folder = tempfile::tempdir().unwrap();
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 3)));
    let web = Running::start(node(folder.path(), &nats.url(), "web"));
    let client = admin(&web);
    let provider =
        json!({"name": "One", "url": source.url(), "response_mappings": "FOUND=total,RESULTS=items"});
    assert_eq!(client.post("/svc/searchproviders/", &provider).await.status, 201);
    let mut accepted = Vec::new();
    for number in 0..SEARCHES {
        let created = client.post("/svc/search/", &json!({"query_string": format!("river {number}")})).await;
        assert_eq!(created.status, 201, "{created:?}");
        accepted.push(created.body["id"].as_i64().unwrap());
    }
    let (_, waiting) = wait_for_messages(&nats).await;
    nats.start_empty();
    let started = Instant::now();
    let roles = "search,maintenance,beat";
    let worker = node(folder.path(), &nats.url(), roles).stdout(Stdio::null()).spawn().unwrap();
    let _worker = WorkerProcess(worker);
    for id in &accepted {
        let status = wait_until_ended(&client, *id, started).await;
        assert_eq!(status, "FULL_RESULTS_READY", "search {id}");
    }
    eprintln!("{waiting} searches were lost with NATS; all {SEARCHES} ended after {:?}", started.elapsed());
    assert_eq!(source.requests().len(), SEARCHES, "none ran twice");
    assert_eq!(web.terminate(), Some(0));
}

pub(crate) async fn wait_for_messages(nats: &NatsServer) -> (u64, u64) {
    let started = Instant::now();
    loop {
        let (sent, waiting) = nats.messages("tributary");
        if waiting > 0 {
            return (sent, waiting);
        }
        assert!(started.elapsed() < RECOVERED_WITHIN, "no search went to NATS");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub(crate) async fn wait_until_ended(client: &Client, id: i64, since: Instant) -> String {
    loop {
        let search = client.get(&format!("/svc/search/{id}/")).await.body;
        let status = search["status"].as_str().unwrap().to_owned();
        if status.ends_with("_READY") || status.starts_with("ERR_") {
            return status;
        }
        assert!(since.elapsed() < RECOVERED_WITHIN, "search {id} is still {status}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// A service whose reconciler runs only on request, and a source.
async fn quiet_app() -> (AppHarness, Source) {
    let app = AppHarness::start().await;
    let off = app.admin.patch("/svc/schedules/reconcile_tasks/", &json!({"enabled": false})).await;
    assert_eq!(off.status, 200, "{off:?}");
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 3)));
    app.provider("One", &source).await;
    (app, source)
}

/// A search that was accepted a minute ago and whose task is gone.
async fn orphaned(app: &AppHarness) -> Search {
    let (store, clock) = (&app.service.app().store, &app.service.app().clock);
    let owner = store.user_by_name("admin").await.unwrap().id;
    // No worker takes the task before it is due.
    let due = clock.now() + TimeDelta::minutes(4);
    let search = store.create_search(SearchSpec::of_query("river"), owner, vec![], due, None).await.unwrap();
    for task in store.unfinished_tasks(Some(RUN_SEARCH), 99, clock.now()).await.unwrap() {
        if task.payload["search"] == json!(search.id) {
            store.take_out(&[TaskKey { id: task.id, date_created: task.date_created }]).await.unwrap();
        }
    }
    let accepted = clock.now() - TimeDelta::minutes(1);
    store.change_search(&search, search.spec.clone(), accepted).await.unwrap().unwrap()
}

/// A search that was accepted a minute ago, with a task without attempts.
async fn never_started(app: &AppHarness) -> Search {
    let search = orphaned(app).await;
    let task = NewTask { attempts_max: 0, ..search.run_task(None) };
    app.service.app().store.push_task(task, search.date_updated).await.unwrap();
    search
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_lost_its_task_gets_one_again() {
    let (app, source) = quiet_app().await;
    let wired = app.service.app();
    let done = app.admin.search(&json!({"query_string": "river"})).await;
    let asked = source.requests().len();
    let search = orphaned(&app).await;
    assert_eq!(wired.reconciler().reconcile().await.unwrap(), 1);
    assert_eq!(app.admin.ready(search.id.0).await["status"], "FULL_RESULTS_READY");
    assert_eq!(wired.reconciler().reconcile().await.unwrap(), 0, "nothing is left to do");
    assert_eq!(source.requests().len(), asked + 1, "{done}");
    let metrics = app.admin.get("/metrics/").await.body;
    let metrics = metrics.as_str().unwrap();
    assert!(metrics.contains("tributary_tasks_requeued_total 1"), "{metrics}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_whose_task_was_given_up_ends_with_an_error() {
    let (app, _source) = quiet_app().await;
    let wired = app.service.app();
    let search = never_started(&app).await;
    let started = Instant::now();
    loop {
        let tasks = wired.store.unfinished_tasks(Some(RUN_SEARCH), 9, wired.clock.now()).await.unwrap();
        if tasks.iter().any(|task| task.state == TaskState::Failed) {
            break;
        }
        assert!(started.elapsed() < RECOVERED_WITHIN, "{tasks:?}");
        wired.queue.notify(QueueName::Search);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(wired.reconciler().reconcile().await.unwrap(), 0, "another task would fail as well");
    assert_eq!(app.admin.ready(search.id.0).await["status"], "ERR_RUN_FAILED");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_work_is_listed_and_requeued_by_command() {
    let (app, _source) = quiet_app().await;
    let (search, other) = (orphaned(&app).await, orphaned(&app).await);
    let (id, all) = (format!("search:{}", search.id), ["tasks", "list", "--json"]);
    let listed = command(&app, &["tasks", "list"]).await;
    let line = text(&listed.stdout).lines().find(|line| line.contains(&id)).unwrap_or_default().to_owned();
    let words: Vec<&str> = line.split_whitespace().take(4).collect();
    assert_eq!(words, [id.as_str(), "run_search", "admin", "lost"], "{listed:?}");
    let json: Value = serde_json::from_slice(&command(&app, &all).await.stdout).unwrap();
    assert!(json[0]["age_seconds"].as_i64().unwrap() >= 60, "{json}");

    let requeued = command(&app, &["tasks", "requeue", &id]).await;
    assert_eq!(requeued.status.code(), Some(0), "{requeued:?}");
    assert_eq!(app.admin.ready(search.id.0).await["status"], "FULL_RESULTS_READY");
    let requeued = command(&app, &["tasks", "requeue", "--all"]).await;
    assert_eq!(requeued.status.code(), Some(0), "{requeued:?}");
    assert_eq!(app.admin.ready(other.id.0).await["status"], "FULL_RESULTS_READY");
    let idle = command(&app, &["tasks", "requeue", "--all"]).await;
    assert!(text(&idle.stdout).contains("No failed or lost work."), "{idle:?}");
    for (wrong, said) in [(id.as_str(), "is not lost"), ("999999", "task 999999 has not failed")] {
        let refused = command(&app, &["tasks", "requeue", wrong]).await;
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert!(text(&refused.stderr).contains(said), "{refused:?}");
    }
    assert_eq!(command(&app, &["tasks", "requeue"]).await.status.code(), Some(2), "what?");
    app.stop().await;
}

/// Runs a command on the records of a running service.
async fn command(app: &AppHarness, arguments: &[&str]) -> Output {
    let mut command = program(app.folder(), arguments);
    command.env("SVC_DATA_DIR", app.folder());
    let database = &app.service.app().settings.database_url;
    if !database.is_empty() {
        command.env("SVC_DATABASE_URL", database.expose());
    }
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}
