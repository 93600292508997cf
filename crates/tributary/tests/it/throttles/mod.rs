//! Brute force and floods: guessing is throttled without revealing which users exist, and other clients are not
//! affected.

mod connection;
mod flood;
mod streams;

use crate::app_harness::{ADMIN_PASSWORD, Answer, AppHarness, items};
use crate::authorization::credentials::basic;
use crate::browser::Browser;
use domain::ports::UserStore;
use domain::settings::{Settings, Throttle, WebOrigin};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use syntax::network::Network;
use syntax::rate::Rate;
use testkit::source::{Behavior, Source};

const LIMIT: u32 = 10;

/// A rate so low that nothing is refilled during a test.
fn per_hour(count: u32) -> Throttle {
    Throttle(Some(Rate { count, per: Duration::from_secs(3600) }))
}

/// A service behind a proxy on loopback, so that a test can use any client address.
fn behind_proxy(settings: Settings) -> Settings {
    let proxy = Network::parse("127.0.0.0/8").unwrap();
    Settings { throttle_login: per_hour(LIMIT), trusted_proxies: vec![proxy], ..settings }
}

/// The ways to send a user name and a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Login,
    Basic,
    Form,
}

async fn sign_in(app: &AppHarness, way: Way, pair: (&str, &str), address: &str) -> Answer {
    timed_sign_in(app, way, pair, address).await.0
}

/// The response and its duration, without loading the page of the form.
async fn timed_sign_in(
    app: &AppHarness,
    way: Way,
    (name, password): (&str, &str),
    address: &str,
) -> (Answer, Duration) {
    let client = match way {
        Way::Basic => app.with_header(&basic(name, password)),
        Way::Login | Way::Form => app.anonymous(),
    };
    let request = match way {
        Way::Login => client
            .request(Method::POST, "/svc/login/")
            .header("Content-Type", "application/json")
            .body(json!({"username": name, "password": password}).to_string()),
        Way::Basic => client.request(Method::GET, "/svc/users/me/"),
        Way::Form => {
            let mut browser = Browser::open(&app.base);
            let csrf = crate::browser::csrf_of(&browser.get("/login/").await);
            let fields = [("csrf_token", csrf.as_str()), ("username", name), ("password", password)];
            let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
            let kind = "application/x-www-form-urlencoded";
            browser.request(Method::POST, "/login/").header("Content-Type", kind).body(body)
        }
    };
    let started = Instant::now();
    let answer = Answer::of(request.header("X-Forwarded-For", address)).await;
    (answer, started.elapsed())
}

/// The response without the parts that differ between requests: ids, the CSRF field, the name, the seconds.
fn shape(answer: &Answer, name: &str) -> (u16, String) {
    let text = match &answer.body {
        Value::String(page) => page.split("csrf_token").next().unwrap().to_owned(),
        body => format!("{} {} {}", body["code"], body["detail"], body.as_object().unwrap().len()),
    };
    let text = text.replace(name, "NAME");
    (answer.status.as_u16(), text.chars().filter(|c| !c.is_ascii_digit()).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn known_and_unknown_names_are_refused_alike_and_at_no_cost() {
    let app = AppHarness::with(behind_proxy).await;
    for (number, way) in [Way::Login, Way::Basic, Way::Form].into_iter().enumerate() {
        let mut shapes = Vec::new();
        for name in ["admin", "nobody"] {
            let address = format!("198.51.100.{}", 10 * number + name.len());
            let (mut seen, mut hashed, mut refused) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..LIMIT + 5 {
                let (answer, took) = timed_sign_in(&app, way, (name, "wrong"), &address).await;
                let times = if answer.status == 429 { &mut refused } else { &mut hashed };
                times.push(took);
                seen.push(shape(&answer, name));
            }
            let statuses: Vec<u16> = seen.iter().map(|(status, _)| *status).collect();
            assert_eq!(statuses, [[401; LIMIT as usize].as_slice(), &[429; 5]].concat(), "{way:?} {name}");
            assert!(median(refused) < median(hashed), "{way:?} {name}: a refusal costs no hash");
            shapes.push(seen);
        }
        assert_eq!(shapes[0], shapes[1], "{way:?}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_right_password_waits_too_but_only_where_it_was_guessed() {
    let app = AppHarness::with(behind_proxy).await;
    let right = ("admin", ADMIN_PASSWORD);
    for _ in 0..LIMIT {
        assert_eq!(sign_in(&app, Way::Basic, ("admin", "wrong"), "203.0.113.9").await.status, 401);
    }
    for way in [Way::Basic, Way::Login, Way::Form] {
        let refused = sign_in(&app, way, right, "203.0.113.9").await;
        assert_eq!(refused.status, 429, "{way:?}: all ways count together");
        let seconds: u64 = refused.header("retry-after").parse().unwrap();
        assert!((300..=360).contains(&seconds), "{seconds}");
    }
    let refused = sign_in(&app, Way::Login, right, "203.0.113.9").await;
    assert_eq!(refused.code(), "throttled");
    assert_eq!(refused.body["retry_after"].to_string(), refused.header("retry-after"));
    assert_eq!(refused.body["request_id"], refused.header("x-request-id"));
    assert_eq!(sign_in(&app, Way::Basic, right, "203.0.113.10").await.status, 200, "the owner is elsewhere");
    app.user("ann", &[]).await;
    let ann = sign_in(&app, Way::Basic, ("ann", "password of ann"), "203.0.113.9").await;
    assert_eq!(ann.status, 200, "another name at the same address");
    assert_eq!(app.admin.get("/svc/users/me/").await.status, 200, "a token is no password");
    app.stop().await;
}

/// Guesses of invented names use up the limit of their address. A password that was right there before still is.
#[tokio::test(flavor = "multi_thread")]
async fn wrong_guesses_of_other_names_do_not_refuse_a_password_that_was_right_there() {
    let app = AppHarness::with(behind_proxy).await;
    let (office, home) = ("203.0.113.7", "203.0.113.8");
    app.user("ann", &[]).await;
    app.user("bob", &[]).await;
    let (ann, bob) = (("ann", "password of ann"), ("bob", "password of bob"));
    assert_eq!(sign_in(&app, Way::Login, ann, office).await.status, 200);
    let guesses = (0..5 * LIMIT).map(|number| {
        let app = &app;
        async move { sign_in(app, Way::Basic, (&format!("guess{number}"), "wrong"), office).await.status }
    });
    assert!(join_all(guesses).await.iter().all(|status| *status == 401));
    for way in [Way::Basic, Way::Login, Way::Form] {
        let refused = sign_in(&app, way, ("another", "wrong"), office).await;
        assert_eq!(refused.status, 429, "{way:?}: the limit of the address");
        let let_in = sign_in(&app, way, ann, office).await;
        assert!(let_in.status.is_success() || let_in.status.is_redirection(), "{way:?}: {}", let_in.status);
        // Nobody learns here which users exist, or who signed in.
        for name in ["ann", "bob", "another"] {
            let answer = sign_in(&app, way, (name, "wrong"), office).await;
            assert_eq!(shape(&answer, name), shape(&refused, "another"), "{way:?} {name}");
            let seconds: u64 = answer.header("retry-after").parse().unwrap();
            assert!(seconds <= 3600 / u64::from(5 * LIMIT), "{way:?} {name}: the wait of the address");
        }
    }
    // The documented rest, in quirks.md: a right password cannot be told from a guess where it was never right before.
    assert_eq!(sign_in(&app, Way::Basic, bob, office).await.status, 429);
    assert_eq!(sign_in(&app, Way::Basic, bob, home).await.status, 200);
    // A password that is no longer right gets no further than its check.
    let id = app.service.app().store.user_by_name("ann").await.unwrap().id;
    let changed = json!({"password": "a new password of ann"});
    assert_eq!(app.admin.patch(&format!("/svc/users/{id}/"), &changed).await.status, 200);
    assert_eq!(sign_in(&app, Way::Basic, ann, office).await.status, 401);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn success_clears_the_name() {
    let app = AppHarness::with(behind_proxy).await;
    for _ in 0..3 {
        for _ in 0..LIMIT - 1 {
            assert_eq!(sign_in(&app, Way::Login, ("admin", "wrong"), "192.0.2.1").await.status, 401);
        }
        assert_eq!(sign_in(&app, Way::Login, ("admin", ADMIN_PASSWORD), "192.0.2.1").await.status, 200);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forged_address_helps_nobody() {
    let app = AppHarness::with(|settings| Settings { throttle_login: per_hour(LIMIT), ..settings }).await;
    for number in 0..LIMIT + 3 {
        let forged = format!("192.0.2.{number}");
        let answer = sign_in(&app, Way::Login, ("admin", "wrong"), &forged).await;
        assert_eq!(answer.status, if number < LIMIT { 401 } else { 429 }, "{number}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guessed_tokens_are_refused_and_known_ones_are_not() {
    let app = AppHarness::with(behind_proxy).await;
    for number in 0..LIMIT + 5 {
        let client = app.with_header(&format!("Token trb_guess{number}"));
        let answer = client.get("/svc/users/me/").await;
        let expected = if number < LIMIT { (401, "authentication_failed") } else { (429, "throttled") };
        assert_eq!((answer.status.as_u16(), answer.code()), expected, "{number}");
        assert_eq!(answer.header("retry-after").is_empty(), number < LIMIT);
    }
    assert_eq!(app.admin.get("/svc/users/me/").await.status, 200, "same address, a token that is there");
    let stale = app.with_header("Token trb_gone");
    for path in ["/svc/health/live/", "/svc/health/ready/", "/login/", "/static/tributary.css"] {
        assert_eq!(stale.get(path).await.status, 200, "{path} is never throttled");
    }
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let request = browser.request(Method::GET, "/svc/users/me/").header("Authorization", "Token trb_gone");
    assert_eq!(browser.send(request).await.status, 200, "a throttled header does not shut out a session");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_get_no_more_guesses_and_one_password_many_times_is_no_guess() {
    let app = AppHarness::with(behind_proxy).await;
    let wrong = (0..60).map(|_| sign_in(&app, Way::Basic, ("admin", "wrong"), "192.0.2.7"));
    let answers = join_all(wrong).await;
    let count = |status: u16| answers.iter().filter(|answer| answer.status == status).count();
    // Nobody has signed in from there, so passwords are hashed one at a time.
    assert_eq!((count(401), count(429)), (LIMIT as usize, 50));
    let right = (0..60).map(|_| sign_in(&app, Way::Basic, ("admin", ADMIN_PASSWORD), "192.0.2.8"));
    assert!(join_all(right).await.iter().all(|answer| answer.status == 200));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_start_a_search_counts_and_nothing_else_does() {
    let app =
        AppHarness::with(|settings| behind_proxy(Settings { throttle_search: per_hour(3), ..settings }))
            .await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    app.provider("Rivers", &source).await;
    let (ann, otto) = (app.user("ann", &[]).await, app.user("otto", &[]).await);
    let id = ann.search(&json!({"query_string": "river"})).await["id"].as_i64().unwrap();
    let path = format!("/svc/search/{id}/");
    for edit in [json!({"retention": 1}), json!({"retention": 2}), json!({"tags": ["a"]})] {
        assert_eq!(ann.patch(&path, &edit).await.status, 200, "what runs nothing is free");
    }
    assert_eq!(ann.get("/svc/search/?qs=river").await.status, 200);
    assert_eq!(ann.patch(&path, &json!({"query_string": "bank"})).await.status, 200);
    let starts = [
        ann.post("/svc/search/", &json!({"query_string": "river"})).await,
        ann.get("/svc/search/?q=river").await,
        ann.get("/svc/search/?qs=river").await,
        ann.get(&format!("/svc/search/?rerun={id}")).await,
        ann.get(&format!("/svc/search/?update={id}")).await,
        ann.patch(&path, &json!({"query_string": "delta"})).await,
        ann.put(&path, &json!({"query_string": "delta"})).await,
    ];
    for (number, answer) in starts.iter().enumerate() {
        assert_eq!((answer.status.as_u16(), answer.code()), (429, "throttled"), "{number}: {answer:?}");
        assert_eq!(answer.body["retry_after"].to_string(), answer.header("retry-after"), "{number}");
    }
    let page = ann.get("/?q=river").await;
    assert_eq!(page.status, 429);
    assert!(!page.header("retry-after").is_empty() && page.body.as_str().unwrap().contains("Too many"));
    for free in [path.as_str(), "/svc/search/", "/svc/results/", "/"] {
        assert_eq!(ann.get(free).await.status, 200, "{free}");
    }
    assert_eq!(otto.get("/svc/search/?qs=river").await.status, 200, "another user");
    let distinct_address =
        ann.request(Method::GET, "/svc/search/?qs=river").header("X-Forwarded-For", "192.0.2.1");
    assert_eq!(Answer::of(distinct_address).await.status, 200, "another address");
    app.stop().await;
}

/// Reading is not throttled; creating a chat and sending messages is. The log names the refused user.
#[tokio::test]
async fn the_chat_is_throttled_by_user_and_address() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
    let _until_the_end = tracing::subscriber::set_default(subscriber);
    let app =
        AppHarness::with(|settings| behind_proxy(Settings { throttle_chat: per_hour(3), ..settings })).await;
    let (ann, otto) = (app.user("ann", &[]).await, app.user("otto", &[]).await);
    let chat = ann.post("/svc/chat/", &json!({"title": "Dams"})).await;
    assert_eq!(chat.status, 201, "{chat:?}");
    let path = format!("/svc/chat/{}/", chat.body["id"]);
    let messages = format!("{path}messages/");
    let said = json!({"content": "a secret question"});
    for _ in 0..2 {
        // No model is configured, and the attempt counts.
        assert_eq!(ann.post(&messages, &said).await.code(), "no_ai_provider");
    }
    for answer in [ann.post(&messages, &said).await, ann.post("/svc/chat/", &json!({})).await] {
        assert_eq!((answer.status.as_u16(), answer.code()), (429, "throttled"), "{answer:?}");
        assert_eq!(answer.body["retry_after"].to_string(), answer.header("retry-after"));
        assert!(answer.header("retry-after").parse::<u32>().unwrap() > 60, "{answer:?}");
    }
    for free in [path.as_str(), "/svc/chat/"] {
        assert_eq!(ann.get(free).await.status, 200, "{free}");
    }
    assert_eq!(ann.patch(&path, &json!({"title": "Weirs"})).await.status, 200);
    assert_eq!(otto.post("/svc/chat/", &json!({})).await.status, 201, "another user");
    let distinct_address = ann.request(Method::POST, "/svc/chat/").header("X-Forwarded-For", "192.0.2.1");
    let distinct_address = distinct_address.header("Content-Type", "application/json").body("{}");
    assert_eq!(Answer::of(distinct_address).await.status, 201, "another address");
    app.stop().await;
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(text.lines().any(|line| line.contains("Throttled: chat of user")), "{text}");
    assert!(!text.contains("a secret question"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_without_a_throttle() {
    let app = AppHarness::with(|settings| Settings { throttle_chat: Throttle(None), ..settings }).await;
    for _ in 0..20 {
        assert_eq!(app.admin.post("/svc/chat/", &json!({})).await.status, 201);
    }
    app.stop().await;
}

/// The log line of a refusal contains the word `Throttled`, and no name or password.
#[tokio::test]
async fn the_log_says_throttled() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
    let _until_the_end = tracing::subscriber::set_default(subscriber);
    let app = AppHarness::with(behind_proxy).await;
    for _ in 0..=LIMIT {
        sign_in(&app, Way::Login, ("mistyped-secret", "wrong"), "192.0.2.9").await;
    }
    app.stop().await;
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let found: Vec<&str> = text.lines().filter(|line| line.contains("Throttled")).collect();
    assert!(found.iter().any(|line| line.contains("192.0.2.9")), "the address is logged: {found:?}");
    assert!(found.iter().any(|line| line.contains("answered 429")), "the request itself: {found:?}");
    assert_eq!(found.len(), 2, "one refusal, and no word of the others: {found:?}");
    assert!(!text.contains("mistyped-secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_origins_are_let_in_by_name_only() {
    let origin = "https://app.example";
    let ask = async |app: &AppHarness, method: Method, origin: &str| {
        let request = app.admin.request(method, "/svc/users/me/").header("Origin", origin);
        Answer::of(request.header("Access-Control-Request-Method", "GET")).await
    };
    let closed = AppHarness::start().await;
    assert_eq!(ask(&closed, Method::GET, origin).await.header("access-control-allow-origin"), "");
    closed.stop().await;
    let app = AppHarness::with(|settings| Settings {
        cors_origins: vec![WebOrigin(origin.to_owned())],
        ..settings
    })
    .await;
    for (given, expected) in [(origin, origin), ("https://evil.example", ""), ("null", "")] {
        for method in [Method::GET, Method::OPTIONS] {
            let answer = ask(&app, method, given).await;
            assert_eq!(answer.status, 200);
            assert_eq!(answer.header("access-control-allow-origin"), expected, "{given}");
            assert_eq!(answer.header("access-control-allow-credentials"), "");
        }
    }
    let request = app.anonymous().request(Method::OPTIONS, "/svc/search/").header("Origin", origin);
    let preflight = Answer::of(request.header("Access-Control-Request-Method", "POST")).await;
    assert!(preflight.header("access-control-allow-headers").contains("authorization"), "{preflight:?}");
    for name in ["x-content-type-options", "x-frame-options", "referrer-policy", "permissions-policy"] {
        assert_ne!(preflight.header(name), "", "{name}: {preflight:?}");
    }
    for name in ["cross-origin-opener-policy", "cross-origin-resource-policy"] {
        assert_eq!(preflight.header(name), "same-origin", "{name}: {preflight:?}");
    }
    let refused = app.anonymous().request(Method::GET, "/svc/search/").header("Origin", origin);
    let refused = Answer::of(refused).await;
    assert_eq!((refused.status.as_u16(), refused.header("access-control-allow-origin")), (401, origin));
    app.stop().await;
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
