//! `/svc/metrics/tasks/` in the format of the interface, and `/metrics/` in both text formats.

use crate::app_harness::{Answer, AppHarness, Client, items};
use crate::rag_fixture::RagFixture;
use domain::ports::QueueName;
use domain::settings::{Seconds, Settings};
use fakes::models::Manner;
use reqwest::Method;
use serde_json::json;
use std::collections::BTreeSet;
use std::net::TcpListener;
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};
use tributary::app::{App, FileReaders};
use tributary::service::{Role, Service};

const TASKS: &str = "/svc/metrics/tasks/";
const GENERAL: &str = "/metrics/";
const GAUGES: [&str; 5] = [
    "tasks_queue_depth",
    "tasks_queue_active_tasks",
    "tasks_queue_workers",
    "tasks_queue_total_capacity",
    "tasks_queue_busy_ratio",
];

/// The value of the line that begins with this text.
#[track_caller]
fn value(answer: &Answer, line: &str) -> f64 {
    let text = answer.body.as_str().unwrap();
    let found = text.lines().find_map(|one| one.strip_prefix(line)?.strip_prefix(' '));
    found.unwrap_or_else(|| panic!("{line} is not in {text}")).parse().unwrap()
}

#[track_caller]
fn of_queue(answer: &Answer, gauge: &str, queue: &str) -> f64 {
    value(answer, &format!("{gauge}{{queue=\"{queue}\"}}"))
}

async fn until(client: &Client, path: &str, is_there: impl Fn(&Answer) -> bool) -> Answer {
    let started = Instant::now();
    loop {
        let answer = client.get(path).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        if is_there(&answer) {
            return answer;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{answer:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gauges_of_the_interface() {
    let app = AppHarness::with(|settings| Settings { search_concurrency: 4, ..settings }).await;
    let all_work = |answer: &Answer| of_queue(answer, "tasks_queue_workers", "totals") == 6.0;
    let idle = until(&app.admin, TASKS, all_work).await;
    assert_eq!(idle.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    let queues = QueueName::ALL.map(QueueName::as_str);
    for gauge in GAUGES {
        let lines =
            idle.body.as_str().unwrap().lines().filter(|line| line.starts_with(&format!("{gauge}{{")));
        assert_eq!(lines.count(), 7, "{gauge}");
        for queue in queues {
            let workers = of_queue(&idle, "tasks_queue_workers", queue);
            assert_eq!(workers, 1.0, "{queue}");
        }
    }
    let capacity: f64 = queues.iter().map(|queue| of_queue(&idle, "tasks_queue_total_capacity", queue)).sum();
    assert_eq!(of_queue(&idle, "tasks_queue_total_capacity", "totals"), capacity);
    assert_eq!(of_queue(&idle, "tasks_queue_total_capacity", "search"), 4.0);
    assert_eq!(value(&idle, "tasks_metrics_collection_error"), 0.0);

    // Six searches for four slots: one user leaves a slot free for others.
    let source = Source::start().await;
    source.reply(Behavior::Hang);
    app.provider("Slow", &source).await;
    let ann = app.user("ann", &[]).await;
    for person in [&app.admin, &app.admin, &app.admin, &app.admin, &app.admin, &ann] {
        assert_eq!(person.post("/svc/search/", &json!({"query_string": "reed"})).await.status, 201);
    }
    // The database counts waiting tasks a moment before this process counts running ones.
    let full = |answer: &Answer| {
        let depth = of_queue(answer, "tasks_queue_depth", "search");
        (of_queue(answer, "tasks_queue_active_tasks", "search"), depth) == (4.0, 2.0)
    };
    let busy = until(&app.admin, TASKS, full).await;
    assert_eq!(of_queue(&busy, "tasks_queue_depth", "search"), 2.0);
    assert_eq!(of_queue(&busy, "tasks_queue_depth", "totals"), 2.0);
    assert_eq!(of_queue(&busy, "tasks_queue_waiting_users", "search"), 1.0);
    assert_eq!(of_queue(&busy, "tasks_queue_waiting_most", "search"), 2.0);
    assert_eq!(of_queue(&busy, "tasks_queue_busy_ratio", "search"), 1.0);
    assert_eq!(of_queue(&busy, "tasks_queue_busy_ratio", "corpus"), 0.0);
    assert_eq!(of_queue(&busy, "tasks_queue_busy_ratio", "totals"), 4.0 / capacity);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_need_permission() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    for (path, expected) in [(TASKS, 200), (GENERAL, 403)] {
        assert_eq!(app.anonymous().get(path).await.status, 401, "{path}");
        assert_eq!(app.admin.get(path).await.status, 200, "{path}");
        assert_eq!(ann.get(path).await.status, expected, "{path} names private providers, or it does not");
    }
    app.stop().await;
    let app = AppHarness::with(|settings| Settings { metrics_open: true, ..settings }).await;
    for path in [TASKS, "/api/svc/metrics/tasks", GENERAL, "/metrics"] {
        assert_eq!(app.anonymous().get(path).await.status, 200, "{path}");
    }
    assert_eq!(app.anonymous().get("/svc/health/tasks/").await.status, 401, "the other setting");

    app.service.app().store.close().await;
    let failed = app.anonymous().get(TASKS).await;
    assert_eq!(failed.status, 200);
    assert_eq!(value(&failed, "tasks_metrics_collection_error"), 1.0);
    let text = failed.body.as_str().unwrap();
    assert!(text.lines().all(|line| line.starts_with('#') || line.starts_with("tasks_metrics")), "{text}");
    let failed = app.anonymous().get(GENERAL).await;
    assert_eq!(value(&failed, "tributary_metrics_collection_error"), 1.0);
    assert!(!failed.body.as_str().unwrap().contains("tributary_queue_depth{"));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn process_metrics_count_what_happened() {
    let app = AppHarness::start().await;
    let (good, bad, dead) = (Source::start().await, Source::start().await, Source::start().await);
    good.reply(Behavior::Json(items("river", 2)));
    bad.reply(Behavior::status(500));
    app.provider("Good \"one\"", &good).await;
    app.provider("Bad", &bad).await;
    let late = json!({"config": {"swirl": {"connector_use": {"timeout": 0.2}}}});
    dead.reply(Behavior::Hang);
    app.provider_with("Late", &dead, late).await;
    let person = app.user("hildegard", &[]).await;
    for _ in 0..6 {
        let search = person.search(&json!({"query_string": "zanzibar canary"})).await;
        assert_eq!(search["status"], "PARTIAL_RESULTS_READY", "{search}");
    }
    app.admin.get("/svc/nowhere/zanzibar/").await;
    app.admin.get("/svc/search/999999/").await;

    let answer = app.admin.get(GENERAL).await;
    assert_eq!(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    let text = answer.body.as_str().unwrap();
    assert!(text.contains("# TYPE tributary_searches_total counter\n") && !text.contains("# EOF"), "{text}");
    check_openmetrics(&app.admin).await;
    for (line, expected) in [
        ("tributary_searches_total{status=\"PARTIAL_RESULTS_READY\"}", 6.0),
        ("tributary_search_duration_seconds_count", 6.0),
        ("tributary_federation_duration_seconds_count", 6.0),
        ("tributary_provider_requests_total{provider=\"Good \\\"one\\\"\"}", 6.0),
        ("tributary_provider_requests_total{provider=\"Bad\"}", 6.0),
        ("tributary_provider_duration_seconds_count{provider=\"Good \\\"one\\\"\"}", 6.0),
        // Five failures open the circuit breaker: the sixth search skips the provider, so it has no duration.
        ("tributary_provider_errors_total{provider=\"Bad\",kind=\"unavailable\"}", 5.0),
        ("tributary_provider_errors_total{provider=\"Bad\",kind=\"suspended\"}", 1.0),
        ("tributary_provider_errors_total{provider=\"Late\",kind=\"timeout\"}", 5.0),
        ("tributary_provider_duration_seconds_count{provider=\"Bad\"}", 5.0),
        ("tributary_provider_breaker_state{provider=\"Bad\",state=\"open\"}", 1.0),
        ("tributary_provider_breaker_state{provider=\"Bad\",state=\"closed\"}", 0.0),
        ("tributary_provider_breaker_state{provider=\"Good \\\"one\\\"\",state=\"closed\"}", 1.0),
        ("tributary_http_requests_total{method=\"GET\",route=\"unmatched\",status=\"404\"}", 1.0),
        ("tributary_http_requests_total{method=\"POST\",route=\"/svc/search/\",status=\"201\"}", 6.0),
        ("tributary_http_requests_total{method=\"GET\",route=\"/svc/search/{id}/\",status=\"404\"}", 1.0),
        ("tributary_http_request_duration_seconds_count{method=\"POST\",route=\"/svc/search/\"}", 6.0),
        ("tributary_queue_depth{queue=\"search\"}", 0.0),
        ("tributary_queue_active_tasks{queue=\"corpus\"}", 0.0),
        ("tributary_metrics_collection_error", 0.0),
        ("tributary_database_up", 1.0),
        ("tributary_database_pool_timeouts_total", 0.0),
        ("tributary_outbox_oldest_seconds", 0.0),
        ("tributary_oldest_open_search_seconds", 0.0),
        ("tributary_scheduler_overdue_seconds", 0.0),
        (concat!("tributary_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"}"), 1.0),
    ] {
        assert_eq!(value(&answer, line), expected, "{line}");
    }
    assert!(value(&answer, "process_resident_memory_bytes") > 1_000_000.0);
    assert!(value(&answer, "process_cpu_seconds_total") > 0.0);
    assert!(value(&answer, "process_open_fds") > 3.0 && value(&answer, "process_max_fds") > 3.0);
    assert!(value(&answer, "process_start_time_seconds") > 1_700_000_000.0);
    let pool = text.lines().find(|line| line.starts_with("tributary_database_pool_size{pool=")).unwrap();
    assert!(!pool.ends_with(" 0"), "{pool}");
    for secret in ["zanzibar", "canary", "hildegard", "admin", "password of", "Token ", "127.0.0.1"] {
        assert!(!text.contains(secret), "{secret} is in {text}");
    }
    app.stop().await;
}

async fn check_openmetrics(client: &Client) {
    let accept = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";
    let answer = Answer::of(client.request(Method::GET, GENERAL).header("accept", accept)).await;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    assert_eq!(answer.header("content-type"), kind);
    let text = answer.body.as_str().unwrap();
    assert!(text.contains("# TYPE tributary_searches counter\n") && text.ends_with("\n# EOF\n"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_sign_ins_are_counted_by_reason() {
    let app = AppHarness::with(|settings| Settings {
        throttle_login: domain::settings::Throttle::per_minute(2),
        ..settings
    })
    .await;
    let wrong = json!({"username": "admin", "password": "guessed"});
    for expected in [401, 401, 429] {
        assert_eq!(app.anonymous().post("/svc/login/", &wrong).await.status, expected);
    }
    assert_eq!(app.with_header("Token trb_guessed").get("/svc/search/").await.status, 401);
    let answer = app.admin.get(GENERAL).await;
    for (reason, expected) in [("password", 2.0), ("token", 1.0), ("throttled", 1.0), ("bearer", 0.0)] {
        let line = format!("tributary_sign_in_failures_total{{reason=\"{reason}\"}}");
        assert_eq!(value(&answer, &line), expected, "{reason}");
    }
    app.stop().await;
}

/// A process without the web role serves metrics at its own port, and nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_process_serves_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = Settings {
        host: "127.0.0.1".to_owned(),
        port: 0,
        data_dir: folder.path().display().to_string(),
        metrics_open: true,
        timeout: Seconds::new(5),
        ..Settings::default()
    };
    let web = App::build(settings.clone(), FileReaders::Threads).await.unwrap();
    let web = Service::start(web, &BTreeSet::from([Role::Web])).await.unwrap();
    let worker = App::build(Settings { monitor_port: free, ..settings }, FileReaders::Threads).await.unwrap();
    let worker = Service::start(worker, &BTreeSet::from([Role::Queue(QueueName::Search)])).await.unwrap();
    assert_eq!(worker.address.unwrap().port(), free);
    let client = |service: &Service| Client::new(&format!("http://{}", service.address.unwrap()), None);
    let (at_web, at_worker) = (client(&web), client(&worker));

    let heard = |answer: &Answer| of_queue(answer, "tasks_queue_workers", "search") == 1.0;
    // Both see the worker; only its own process serves the queue and counts it in its totals.
    for (client, totals) in [(&at_web, 0.0), (&at_worker, 1.0)] {
        let answer = until(client, TASKS, heard).await;
        assert_eq!(of_queue(&answer, "tasks_queue_workers", "totals"), totals);
        assert_eq!(of_queue(&answer, "tasks_queue_workers", "corpus"), 0.0);
    }
    assert_eq!(at_worker.get(GENERAL).await.status, 200);
    assert_eq!(at_worker.get("/svc/health/ready/").await.status, 200);
    for (path, status) in [("/svc/search/", 401), ("/svc/health/tasks/", 401), ("/login/", 404)] {
        assert_eq!(at_worker.get(path).await.status, status, "{path}");
    }
    worker.stop().await;
    web.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn summaries_their_stages_and_their_tokens_are_counted() {
    let it = RagFixture::start().await;
    let id = it.search().await;
    assert_eq!(it.rag_search(&json!({"search_id": id})).await.status, 200);
    let one = it.app.admin.get(GENERAL).await;
    let ended = |outcome: &str| format!("tributary_answers_total{{outcome=\"{outcome}\"}}");
    assert_eq!(value(&one, &ended("answered")), 1.0);
    assert_eq!(value(&one, "tributary_answer_duration_seconds_count"), 1.0);
    for stage in ["choosing", "reading", "writing", "checking"] {
        let count = format!("tributary_answer_stage_duration_seconds_count{{stage=\"{stage}\"}}");
        assert_eq!(value(&one, &count), 1.0);
    }
    let text = one.body.as_str().unwrap();
    for direction in ["in", "out"] {
        let of_model = r#"tributary_answer_tokens_total{ai_provider="Company model",model="gpt-4o"#;
        let line = text.lines().find(|line| line.starts_with(of_model) && line.contains(direction)).unwrap();
        assert!(line.rsplit(' ').next().unwrap().parse::<u64>().unwrap() > 0, "{line}");
    }
    // The same request is served from the store; another one fails.
    assert_eq!(it.rag_search(&json!({"search_id": id})).await.status, 200);
    it.model.behaves(Manner::Garbage);
    let _none = it.rag_search(&json!({"search_id": it.search().await})).await;
    let more = it.app.admin.get(GENERAL).await;
    let counts = ["answered", "ai_provider_error"].map(|outcome| value(&more, &ended(outcome)));
    assert_eq!(counts, [1.0, 1.0]);
    it.app.stop().await;
}
