//! `/svc/health/…`: `live` and `ready` return only a status; `tasks` sends a ping through the queue.

use crate::app_harness::{AppHarness, Client};
use domain::ports::{NewTask, QueueName};
use domain::secret::Secret;
use domain::settings::Settings;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use testkit::nats::NatsServer;
use tributary::app::{App, FileReaders};
use tributary::service::{Role, Service};

const TASKS: &str = "/svc/health/tasks/";

#[tokio::test(flavor = "multi_thread")]
async fn both_are_open_and_short() {
    let app = AppHarness::start().await;
    for path in ["/svc/health/live/", "/svc/health/ready/", "/api/svc/health/live", "/api/svc/health/ready"] {
        let answer = app.anonymous().get(path).await;
        assert_eq!((answer.status.as_u16(), &answer.body), (200, &json!({"status": "ok"})), "{path}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_database_the_service_lives_but_is_not_ready() {
    let app = AppHarness::with(|settings| Settings { health_open: true, ..settings }).await;
    app.service.app().store.close().await;
    let live = app.anonymous().get("/svc/health/live/").await;
    assert_eq!(live.status, 200);
    let ready = app.anonymous().get("/svc/health/ready/").await;
    assert_eq!((ready.status.as_u16(), ready.code()), (503, "unavailable"), "{ready:?}");
    assert!(!ready.header("retry-after").is_empty());
    let text = ready.body.to_string().to_lowercase();
    for word in ["sql", "pool", "database", "closed", "/tmp"] {
        assert!(!text.contains(word), "it tells of its inside: {text}");
    }
    let tasks = app.anonymous().get(TASKS).await;
    let expected = json!({"status": "error", "message": "The task queue does not answer."});
    assert_eq!((tasks.status.as_u16(), &tasks.body), (500, &expected));
    let other = app.admin.get("/svc/search/").await;
    assert_eq!((other.status.as_u16(), other.code()), (503, "unavailable"), "{other:?}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_hangs_takes_no_process_out_of_the_balancer() {
    let Some(mut nats) = NatsServer::prepare("readiness beside a broker that hangs") else { return };
    nats.start();
    let queue_url = Secret::new(nats.url());
    let app = AppHarness::with(|settings| Settings { queue_url, ..settings }).await;
    assert_eq!(app.anonymous().get("/svc/health/ready/").await.status, 200);
    nats.pause();
    for _ in 0..3 {
        let ready = app.anonymous().get("/svc/health/ready/").await;
        assert_eq!(ready.status, 200, "searches wait in the database, results are read: {ready:?}");
    }
    nats.resume();
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_answers_the_ping() {
    let app = AppHarness::start().await;
    let started = Instant::now();
    for path in [TASKS, "/api/svc/health/tasks"] {
        let answer = app.admin.get(path).await;
        let expected = json!({"status": "ok", "message": "A worker answered the ping."});
        assert_eq!((answer.status.as_u16(), &answer.body), (200, &expected), "{path}");
        assert_eq!(answer.header("content-type"), "application/json");
    }
    // Concurrent probes share one ping, and leave nothing behind.
    let many = futures_util::future::join_all((0..40).map(|_| app.admin.get(TASKS))).await;
    assert!(many.iter().all(|answer| answer.status == 200), "{many:?}");
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    let queue = &app.service.app().queue;
    assert_eq!(queue.depth(QueueName::HealthCheck).await.unwrap(), 0);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_are_needed_unless_the_settings_say_otherwise() {
    let app = AppHarness::start().await;
    assert_eq!(app.anonymous().get(TASKS).await.status, 401);
    app.stop().await;
    let app = AppHarness::with(|settings| Settings { health_open: true, ..settings }).await;
    for path in [TASKS, "/api/svc/health/tasks"] {
        assert_eq!(app.anonymous().get(path).await.status, 200, "{path}");
    }
    assert_eq!(app.anonymous().get("/svc/metrics/tasks/").await.status, 401, "the other setting");
    assert_eq!(app.anonymous().get("/svc/search/").await.status, 401);
    app.stop().await;
}

/// The web role in one process and the worker in another: they share only the database.
#[tokio::test(flavor = "multi_thread")]
async fn the_worker_may_be_in_another_process_or_absent() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        port: 0,
        data_dir: folder.path().display().to_string(),
        health_open: true,
        ..Settings::default()
    };
    let wired = App::build(settings.clone(), FileReaders::Threads).await.unwrap();
    let web = Service::start(wired, &BTreeSet::from([Role::Web])).await.unwrap();
    let client = Client::new(&format!("http://{}", web.address.unwrap()), None);

    let started = Instant::now();
    let alone = client.get(TASKS).await;
    let expected = json!({"status": "error", "message": "No worker answered the ping within 5 s."});
    assert_eq!((alone.status.as_u16(), &alone.body), (500, &expected));
    let waited = started.elapsed();
    assert!(waited >= Duration::from_secs(5) && waited < Duration::from_secs(30), "{waited:?}");

    // Without a worker, probes do not pile up: the limit is reached, and the response comes at once.
    let queue = &web.app().queue;
    while queue.depth(QueueName::HealthCheck).await.unwrap() < 8 {
        let task = NewTask {
            queue: QueueName::HealthCheck,
            name: "ping".to_owned(),
            payload: json!({"ping": "old"}),
            attempts_max: 1,
            owner: None,
        };
        queue.push(task).await.unwrap();
    }
    let full = client.get(TASKS).await;
    let expected = json!({"status": "error", "message": "Earlier pings still wait for a worker."});
    assert_eq!((full.status.as_u16(), &full.body), (500, &expected));
    assert_eq!(queue.depth(QueueName::HealthCheck).await.unwrap(), 8);

    let wired = App::build(settings, FileReaders::Threads).await.unwrap();
    let worker = Service::start(wired, &BTreeSet::from([Role::Queue(QueueName::HealthCheck)])).await.unwrap();
    assert_eq!(worker.address, None);
    while queue.depth(QueueName::HealthCheck).await.unwrap() > 0 {
        assert!(started.elapsed() < Duration::from_secs(30), "the worker does nothing");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let answered = client.get(TASKS).await;
    assert_eq!((answered.status.as_u16(), &answered.body["status"]), (200, &json!("ok")), "{answered:?}");
    worker.stop().await;
    web.stop().await;
}
