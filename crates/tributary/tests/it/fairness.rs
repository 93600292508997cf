//! Fairness between users: many searches of one user leave capacity for everybody else, and are bounded themselves.

use crate::app_harness::{AppHarness, Client, items};
use domain::secret::Secret;
use domain::settings::{Seconds, Settings, Throttle};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use testkit::source::{Behavior, Source};

/// One user may use all but one of them; one is reserved.
const SLOTS: u32 = 8;

/// Timeouts so long that a source that never responds holds its searches for the whole test.
fn with_long_timeouts(settings: Settings) -> Settings {
    Settings {
        search_concurrency: SLOTS,
        timeout: Seconds::new(600),
        search_http_read_timeout: Seconds::new(600),
        stop_grace: Seconds::new(0),
        ..settings
    }
}

/// The service, a source that responds, and one that never does.
struct Fixture {
    app: AppHarness,
    quick: i64,
    held: i64,
    source: Source,
    _answering: Source,
    /// Equal queries of one user are sent once, so every query has a number.
    queries: AtomicUsize,
}

impl Fixture {
    async fn with(change: impl FnOnce(Settings) -> Settings) -> Self {
        let app = AppHarness::with(|settings| change(with_long_timeouts(settings))).await;
        let (answering, source) = (Source::start().await, Source::start().await);
        answering.reply(Behavior::Json(items("river", 2)));
        source.reply(Behavior::Hang);
        let quick = app.provider("Quick", &answering).await;
        let held = app.provider("Held", &source).await;
        Self { app, quick, held, source, _answering: answering, queries: AtomicUsize::new(0) }
    }

    fn spec(&self, provider: i64) -> Value {
        let number = self.queries.fetch_add(1, Ordering::Relaxed);
        json!({"query_string": format!("river {number}"), "searchprovider_list": [provider]})
    }

    async fn post(&self, client: &Client, provider: i64) -> i64 {
        let answer = client.post("/svc/search/", &self.spec(provider)).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.body["id"].as_i64().unwrap()
    }

    /// Waits until the hanging source holds this many requests.
    async fn until_held(&self, count: usize) {
        let started = std::time::Instant::now();
        while self.source.requests().len() < count {
            let held = self.source.requests().len();
            assert!(started.elapsed() < Duration::from_secs(60), "{held} of {count} requests have come");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

async fn others_are_served(change: impl FnOnce(Settings) -> Settings) {
    let it = Fixture::with(change).await;
    let (ann, bob) = (it.app.user("ann", &[]).await, it.app.user("bob", &[]).await);
    for _ in 0..5 * SLOTS {
        it.post(&ann, it.held).await;
    }
    it.until_held(SLOTS as usize - 1).await;
    for _ in 0..3 {
        let answer = bob.get(&format!("/svc/search/?qs=river&providers={}", it.quick)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.body["results"].as_array().map(Vec::len), Some(2), "{answer:?}");
    }
    assert_eq!(it.source.requests().len(), SLOTS as usize - 1, "ann has all slots but the reserve");
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_users_slow_searches_do_not_keep_others_waiting() {
    others_are_served(|settings| settings).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_users_slow_searches_do_not_keep_others_waiting_on_nats() {
    let Some(url) = testkit::nats::queue("fairness between users") else { return };
    others_are_served(|settings| Settings { queue_url: Secret::new(url), ..settings }).await;
}

/// Far more searches wait for a source than may run at once: each has been sent, and another search is served.
async fn assert_waiting_holds_no_slots(change: impl FnOnce(Settings) -> Settings) {
    const WAITING: usize = 40;
    let slots = |settings| Settings { search_concurrency: 64, searches_running_max: 2, ..settings };
    let it = Fixture::with(|settings| change(slots(settings))).await;
    let (ann, bob) = (it.app.user("ann", &[]).await, it.app.user("bob", &[]).await);
    for _ in 0..WAITING {
        it.post(&ann, it.held).await;
    }
    it.until_held(WAITING).await;
    let answer = bob.get(&format!("/svc/search/?qs=river&providers={}", it.quick)).await;
    assert_eq!(answer.body["results"].as_array().map(Vec::len), Some(2), "{answer:?}");
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_that_wait_for_their_sources_hold_no_slots() {
    assert_waiting_holds_no_slots(|settings| settings).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_that_wait_for_their_sources_hold_no_slots_on_nats() {
    let Some(url) = testkit::nats::queue("slots of waiting searches") else { return };
    assert_waiting_holds_no_slots(|settings| Settings { queue_url: Secret::new(url), ..settings }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_takes_no_more_searches_of_anybody() {
    const QUEUED: u32 = 3;
    let it = Fixture::with(|settings| Settings { searches_queued_max: QUEUED, ..settings }).await;
    let (ann, bob) = (it.app.user("ann", &[]).await, it.app.user("bob", &[]).await);
    for number in 0..SLOTS - 1 {
        it.post(&ann, it.held).await;
        it.until_held(number as usize + 1).await;
    }
    for _ in 0..QUEUED {
        it.post(&ann, it.held).await;
    }
    for client in [&ann, &bob] {
        let refused = client.post("/svc/search/", &it.spec(it.held)).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (503, "unavailable"), "{refused:?}");
        assert!(!refused.header("retry-after").is_empty(), "{refused:?}");
        let detail = refused.body["detail"].as_str().unwrap();
        assert!(detail.starts_with("3 searches of all users are waiting to start"), "{detail}");
    }
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_searches_of_one_user_are_bounded() {
    const WAITING: u32 = 3;
    let it = Fixture::with(|settings| Settings { searches_waiting_max: WAITING, ..settings }).await;
    let (ann, bob) = (it.app.user("ann", &[]).await, it.app.user("bob", &[]).await);
    let done = it.post(&ann, it.quick).await;
    ann.ready(done).await;
    let running = SLOTS - 1;
    for number in 0..running {
        it.post(&ann, it.held).await;
        it.until_held(number as usize + 1).await;
    }
    for _ in 0..WAITING {
        it.post(&ann, it.held).await;
    }
    let mut refusals = vec![("POST", ann.post("/svc/search/", &it.spec(it.held)).await)];
    let edit = json!({"query_string": "lake"});
    refusals.push(("PATCH", ann.patch(&format!("/svc/search/{done}/"), &edit).await));
    for query in
        ["q=river".to_owned(), "qs=river".to_owned(), format!("rerun={done}"), format!("update={done}")]
    {
        refusals.push(("GET", ann.get(&format!("/svc/search/?{query}")).await));
    }
    for (way, refused) in refusals {
        assert_eq!((refused.status.as_u16(), refused.code()), (429, "throttled"), "{way} {refused:?}");
        assert_eq!(refused.header("retry-after"), "10", "{refused:?}");
        assert_eq!(refused.body["retry_after"], 10);
        let detail = refused.body["detail"].as_str().unwrap();
        assert!(detail.starts_with("3 of your searches are waiting to start; wait until"), "{detail}");
    }
    let left_alone = ann.get(&format!("/svc/search/{done}/")).await;
    assert_eq!(left_alone.body["query_string"], "river 0", "what was refused changed nothing");
    let others = bob.get(&format!("/svc/search/?qs=river&providers={}", it.quick)).await;
    assert_eq!(others.status, 200, "{others:?}");
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn posts_at_the_same_moment_do_not_pass_the_bound_together() {
    let it = Fixture::with(|settings| Settings { searches_waiting_max: 5, ..settings }).await;
    let ann = it.app.user("ann", &[]).await;
    let specs: Vec<Value> = (0..40).map(|_| it.spec(it.held)).collect();
    let answers = join_all(specs.iter().map(|spec| ann.post("/svc/search/", spec))).await;
    let accepted = answers.iter().filter(|answer| answer.status == 201).count();
    assert!(answers.iter().all(|answer| [201, 429].contains(&answer.status.as_u16())));
    assert!(accepted <= 5 + SLOTS as usize, "{accepted} were accepted");
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_kept_for_one_user_are_bounded() {
    let it = Fixture::with(|settings| Settings { searches_kept_max: 2, ..settings }).await;
    let (ann, bob) = (it.app.user("ann", &[]).await, it.app.user("bob", &[]).await);
    let first = it.post(&ann, it.quick).await;
    ann.ready(first).await;
    let second = it.post(&ann, it.quick).await;
    ann.ready(second).await;
    let third = it.post(&ann, it.quick).await;
    ann.ready(third).await;
    assert_eq!(ann.get(&format!("/svc/search/{first}/")).await.status, 404, "the oldest made space");
    for kept in [second, third] {
        let saved = ann.patch(&format!("/svc/search/{kept}/"), &json!({"tags": ["saved"]})).await;
        assert_eq!(saved.status, 200, "{saved:?}");
    }
    for refused in
        [ann.post("/svc/search/", &it.spec(it.quick)).await, ann.get("/svc/search/?qs=river").await]
    {
        assert_eq!((refused.status.as_u16(), refused.code()), (409, "conflict"), "{refused:?}");
        let detail = refused.body["detail"].as_str().unwrap();
        assert!(
            detail.starts_with("You have 2 searches") && detail.contains("delete saved searches"),
            "{detail}"
        );
    }
    let again = ann.get(&format!("/svc/search/?rerun={second}")).await;
    assert_eq!(again.status, 302, "a search that is there may run again: {again:?}");
    assert_eq!(ann.delete(&format!("/svc/search/{third}/")).await.status, 204);
    it.post(&ann, it.quick).await;
    it.post(&bob, it.quick).await;
    it.app.stop().await;
}

/// A person at work and a client at a normal pace never reach the limit.
#[tokio::test(flavor = "multi_thread")]
async fn the_throttle_of_searches_is_on_and_generous() {
    assert_eq!(Settings::default().throttle_search, Throttle::per_minute(600));
    let it = Fixture::with(|settings| settings).await;
    let ann = it.app.user("ann", &[]).await;
    for _ in 0..60 {
        it.post(&ann, it.quick).await;
    }
    it.app.stop().await;
}
