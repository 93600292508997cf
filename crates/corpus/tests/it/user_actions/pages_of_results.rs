//! Liveness checks for a page of results: which documents are checked, when, and the effect on the page.

use super::fixture::{Fixture, Kept, Says};
use corpus::CheckLiveness;
use domain::corpus::{CacheStatus, Liveness};
use domain::ids::{SignalId, UserId};
use domain::ports::{Clock, Corpus, NewTask, QueueName, TaskHandler, WorkerSlots};
use domain::settings::{Seconds, Settings};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

const HOUR: Duration = Duration::from_secs(3600);

fn url(number: usize) -> String {
    format!("https://a.example/{number}")
}

struct Page {
    fixture: Fixture,
    ann: UserId,
    ids: Vec<SignalId>,
}

impl Page {
    async fn open(count: usize, settings: Settings) -> Self {
        let fixture = Fixture::open(settings).await;
        let ann = fixture.person("ann").await;
        let from = Some(fixture.provider(ann, "Rivers", "microsoft").await);
        let mut ids = Vec::new();
        for number in 0..count {
            let (url, text) = (url(number), format!("text {number}"));
            let kept = Kept { by: ann, from, url: &url, text: &text, version: "", is_supplied: false };
            ids.push(fixture.keep(kept).await);
            fixture.sources.say(&url, Says::Status(200));
        }
        Self { fixture, ann, ids }
    }

    /// The statuses of a page, after due checks.
    async fn shown(&self) -> BTreeMap<SignalId, CacheStatus> {
        let mut marks = self.fixture.cache.cache_statuses(self.ann, None, &self.ids).await.unwrap();
        self.fixture.cache.recheck(self.ann, &mut marks).await;
        marks
    }

    async fn run_tasks(&self) -> usize {
        let handler = CheckLiveness(Arc::clone(&self.fixture.cache));
        let lease = Duration::from_secs(60);
        let tasks = self
            .fixture
            .queue
            .claim_many(QueueName::Corpus, WorkerSlots::any(100), "test", lease)
            .await
            .unwrap();
        for task in &tasks {
            assert_eq!(task.name, handler.name());
            handler.run(task).await.unwrap();
            self.fixture.queue.finish(task).await.unwrap();
        }
        tasks.len()
    }
}

#[tokio::test]
async fn what_is_due_is_checked_in_the_background() {
    let page = Page::open(3, Settings::default()).await;
    page.shown().await;
    assert_eq!(page.run_tasks().await, 0, "all was verified a moment ago");

    page.fixture.clock.advance(HOUR * 2);
    page.fixture.sources.say(&url(1), Says::Status(404));
    let marks = page.shown().await;
    assert!(marks.values().all(|mark| mark.stale && mark.liveness == Liveness::Alive), "{marks:?}");
    assert_eq!(page.fixture.sources.asked(), [], "the page does not wait");
    // The same page again before a worker ran: nothing is queued twice.
    page.shown().await;
    assert_eq!(page.run_tasks().await, 2);
    assert_eq!(page.fixture.sources.asked().len(), 3);
    let marks = page.shown().await;
    let liveness: Vec<_> = page.ids.iter().map(|id| (marks[id].liveness, marks[id].stale)).collect();
    assert_eq!(
        liveness,
        [(Liveness::Alive, false), (Liveness::Gone, true), (Liveness::Alive, false)],
        "gone, and still shown"
    );
    assert_eq!(page.run_tasks().await, 0, "it was asked lately, whatever came of it");
}

#[tokio::test]
async fn a_source_that_is_down_is_not_asked_at_every_page() {
    let page = Page::open(1, Settings::default()).await;
    page.fixture.sources.say(&url(0), Says::Unavailable);
    page.fixture.clock.advance(HOUR * 2);
    for tasks in [1, 0, 0] {
        page.shown().await;
        assert_eq!(page.run_tasks().await, tasks);
    }
    page.fixture.clock.advance(HOUR * 2);
    page.shown().await;
    assert_eq!(page.run_tasks().await, 1);
}

#[tokio::test]
async fn at_once_within_limits() {
    let settings = Settings {
        cache_liveness_sync: true,
        cache_liveness_sync_max: 2,
        cache_liveness_sync_timeout: Seconds(Duration::from_millis(200)),
        ..Settings::default()
    };
    let page = Page::open(3, settings).await;
    page.fixture.clock.advance(HOUR * 2);
    page.fixture.sources.say(&url(0), Says::Silence);
    page.fixture.sources.say(&url(1), Says::Status(410));
    let started = Instant::now();
    let marks = page.shown().await;
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let liveness: Vec<_> = page.ids.iter().map(|id| marks[id].liveness).collect();
    assert_eq!(liveness, [Liveness::Unknown, Liveness::Gone, Liveness::Alive]);
    assert_eq!(page.fixture.sources.asked().len(), 2, "the third is beyond the limit");
    assert!(marks[&page.ids[2]].stale);
    assert_eq!(page.run_tasks().await, 1, "and is checked later");
    assert_eq!(page.fixture.sources.asked().len(), 1);
}

#[tokio::test]
async fn who_is_refused_does_not_see_the_document_on_this_page_already() {
    let settings = Settings { cache_liveness_sync: true, ..Settings::default() };
    let page = Page::open(2, settings).await;
    page.fixture.clock.advance(HOUR * 2);
    page.fixture.sources.say(&url(0), Says::Status(403));
    let marks = page.shown().await;
    assert_eq!(marks.keys().copied().collect::<Vec<_>>(), [page.ids[1]]);
    assert!(!marks[&page.ids[1]].stale);
}

#[tokio::test]
async fn a_full_queue_is_left_alone() {
    let page = Page::open(1, Settings::default()).await;
    page.fixture.clock.advance(HOUR * 2);
    let other = || NewTask {
        queue: QueueName::Corpus,
        name: "other".to_owned(),
        payload: serde_json::Value::Null,
        attempts_max: 1,
        owner: None,
    };
    for _ in 0..500 {
        page.fixture.queue.push(other()).await.unwrap();
    }
    page.shown().await;
    assert_eq!(page.fixture.queue.depth(QueueName::Corpus).await.unwrap(), 500);
}

#[tokio::test]
async fn without_a_license_nothing_is_asked() {
    let fixture =
        Fixture::with_license(Settings { cache_liveness_sync: true, ..Settings::default() }, false).await;
    let ann = fixture.person("ann").await;
    let kept = Kept { by: ann, from: None, url: &url(0), text: "text", version: "", is_supplied: false };
    let id = fixture.keep(kept).await;
    fixture.clock.advance(HOUR * 2);
    let signal = fixture.signal(id).await;
    let mut marks = BTreeMap::from([(id, CacheStatus::of(&signal, fixture.clock.now(), HOUR))]);
    fixture.cache.recheck(ann, &mut marks).await;
    assert_eq!((fixture.sources.asked(), fixture.waiting().await), (vec![], vec![]));
}
