//! Memory usage of foreign JSON, measured with a counting allocator: never more than ten bytes for each byte read,
//! however short the values are. A program has one allocator, so this is a test binary of its own.

#![expect(clippy::expect_used, reason = "a test that cannot set up the service should stop there")]

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use domain::bounded_json::{ANSWER_VALUES_MAX, MEMORY_FREE, parse_answer};
use domain::ports::{TokenStore, UserStore};
use domain::settings::Settings;
use domain::user::TokenSpec;
use peak_alloc::PeakAlloc;
use std::sync::{Mutex, PoisonError};
use tower::ServiceExt;
use tributary::app::{App, FileReaders};
use tributary::service::ensure_admin;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;
/// One measurement at a time.
static TURN: Mutex<()> = Mutex::new(());

const MB: usize = 1024 * 1024;
const BYTES_PER_BYTE_MAX: usize = 10;
/// What federation reserves for a value.
const BYTES_PER_VALUE: usize = 320;

/// Values that take the most memory for the shortest text.
const UNITS: [&str; 6] = ["[0]", r#"{"a":{}}"#, "0", "[]", r#""""#, r#"[{"a":[0]}]"#];

/// An object of many fields, and many objects of one field within each other: 131 values.
fn wide_and_deep() -> String {
    let wide = r#"{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0}"#;
    format!("[{wide},{}0{}]", r#"{"a":"#.repeat(120), "}".repeat(120))
}

fn list_of(unit: &str, count: usize) -> String {
    format!("[{}{unit}]", format!("{unit},").repeat(count - 1))
}

/// Peak of bytes in use, beyond those before.
fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let done = work();
    (done, ALLOCATOR.peak_usage().saturating_sub(before))
}

#[test]
fn an_answer_takes_ten_times_its_bytes_at_most() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for unit in UNITS {
        let text = list_of(unit, 9_600_000 / (unit.len() + 1));
        let (parsed, peak) = peak_of(|| parse_answer(text.as_bytes()).is_ok());
        assert!(!parsed, "{unit}: too many values");
        assert!(peak <= BYTES_PER_BYTE_MAX * text.len(), "{unit}: {peak} for {}", text.len());
    }
    let words = format!("[\"{}\"]", "word ".repeat(2 * MB));
    let (parsed, peak) = peak_of(|| parse_answer(words.as_bytes()).is_ok());
    assert!(parsed && peak <= 3 * words.len(), "{peak} for {}", words.len());
}

/// One response takes at most what is reserved for it.
#[test]
fn an_answer_takes_no_more_than_is_reserved_for_its_values() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let nested = wide_and_deep();
    let units = [("[0]", 2), (r#"{"a":{}}"#, 2), ("0", 1), ("[]", 1), (r#"[{"a":[0]}]"#, 4), (&nested, 131)];
    for (unit, values) in units {
        let text = list_of(unit, (ANSWER_VALUES_MAX - 1) / values);
        let (_, peak) = peak_of(|| parse_answer(text.as_bytes()).map(drop).is_ok());
        assert!(peak <= BYTES_PER_VALUE * ANSWER_VALUES_MAX, "{unit}: {peak}");
        // The size of a value is known within a quarter.
        let most = MEMORY_FREE.max(BYTES_PER_BYTE_MAX * text.len());
        assert!(peak <= most + most / 4, "{unit}: {peak} for {} bytes", text.len());
        eprintln!("measured: {unit} {} times: {peak} bytes for {}", ANSWER_VALUES_MAX / values, text.len());
    }
}

/// The service without its listener: the buffers of a connection would be measured too.
struct TestedRouter {
    router: Router,
    token: String,
}

impl TestedRouter {
    async fn build(settings: Settings) -> Self {
        let app = App::build(settings, FileReaders::Threads).await.expect("a service");
        ensure_admin(&app).await.expect("an administrator");
        let admin = app.store.user_by_name("admin").await.expect("an administrator");
        let made = server::token::make();
        let now = app.clock.now();
        let token = app.store.create_token(admin.id, TokenSpec::default(), made.hash, made.prefix, now);
        token.await.expect("a token");
        Self { router: server::router(app.state), token: format!("Token {}", made.token.expose()) }
    }
}

async fn status_of(service: &TestedRouter, (method, path): (&str, &str), body: Vec<u8>) -> u16 {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "search.example:8000")
        .header("authorization", &service.token)
        .header("content-type", "application/json")
        .body(Body::from(body))
        .expect("a request");
    service.router.clone().oneshot(request).await.expect("a response").status().as_u16()
}

#[test]
fn a_body_takes_ten_times_its_bytes_at_most() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings {
        data_dir: folder.path().display().to_string(),
        request_body_max_mb: 50,
        ..Settings::default()
    };
    let service = runtime.block_on(async {
        let service = TestedRouter::build(settings).await;
        // Initializes everything that is created once.
        let status = status_of(&service, ("POST", "/svc/search/"), b"{}".to_vec()).await;
        assert_eq!(status, 400, "a search needs a query");
        service
    });
    let calls =
        [("POST", "/svc/search/"), ("PATCH", "/svc/searchproviders/1/"), ("POST", "/svc/searchproviders/")];
    for unit in UNITS {
        let text = format!(r#"{{"unknown":{}}}"#, list_of(unit, 4_000_000 / (unit.len() + 1)));
        for call in calls {
            let body = text.clone().into_bytes();
            let (status, peak) = peak_of(|| runtime.block_on(status_of(&service, call, body)));
            assert_eq!(status, 413, "{call:?} {unit}");
            assert!(peak <= MB, "{call:?} {unit}: {peak}");
        }
        // Within the limit of values, with a long unused text beside them.
        let few = list_of(unit, 2_000);
        let text = format!(r#"{{"unknown":{few},"text":"{}"}}"#, "x\\n".repeat(400_000));
        for call in calls {
            let body = text.clone().into_bytes();
            let (status, peak) = peak_of(|| runtime.block_on(status_of(&service, call, body)));
            assert!((400..500).contains(&status), "{call:?} {unit}: {status}");
            assert!(peak <= BYTES_PER_BYTE_MAX * text.len(), "{call:?} {unit}: {peak} for {}", text.len());
        }
    }
}
