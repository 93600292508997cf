//! Clock jumps and daylight saving time: tasks, leases and heartbeats recover.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::fixture::Fixture;
use chrono::{DateTime, TimeDelta};
use domain::ports::{Clock, Heartbeat, NewTask, OutboxStore, QueueName, ScheduleStore};
use std::time::Duration;

const QUEUE: QueueName = QueueName::Maintenance;
const LEASE: Duration = Duration::from_secs(15);
const MINUTE: Duration = Duration::from_secs(60);

impl Fixture {
    fn jump(&self, days: i64) {
        self.clock.set(self.clock.now() + TimeDelta::days(days));
    }

    async fn push(&self) {
        let task = NewTask {
            queue: QUEUE,
            name: "work".into(),
            payload: Default::default(),
            attempts_max: 5,
            owner: None,
        };
        self.queue.push(task).await.unwrap();
    }

    /// The attempt of the claimed task, if there is one.
    async fn claim(&self) -> Option<u32> {
        self.queue.claim(QUEUE, "claimer", LEASE).await.unwrap().map(|task| task.attempt)
    }

    /// A heartbeat of a worker.
    async fn heartbeat(&self, worker: &str) {
        let heartbeat = Heartbeat {
            worker: worker.to_owned(),
            queue: QUEUE,
            concurrency: 1,
            active: 0,
            last_seen: self.clock.now(),
        };
        self.queue.record_heartbeat(heartbeat).await.unwrap();
    }

    async fn live_workers(&self) -> Vec<String> {
        let workers = self.queue.workers(QUEUE, MINUTE).await.unwrap();
        workers.into_iter().map(|heartbeat| heartbeat.worker).collect()
    }
}

#[tokio::test]
async fn a_task_that_waits_is_run_after_any_jump() {
    for days in [1, -1] {
        let fixture = Fixture::open().await;
        fixture.push().await;
        fixture.jump(days);
        fixture.heartbeat("worker").await;
        assert_eq!(fixture.store.outbox_heads(9, fixture.clock.now()).await.unwrap().len(), 1);
        assert_eq!(fixture.claim().await, Some(1), "{days} day(s)");
        assert_eq!(fixture.claim().await, None, "once");
    }
}

#[tokio::test]
async fn a_retry_that_waits_is_not_put_off_for_a_day() {
    let fixture = Fixture::open().await;
    fixture.push().await;
    let task = fixture.queue.claim(QUEUE, "claimer", LEASE).await.unwrap().unwrap();
    fixture.queue.retry(&task, MINUTE, "the source was away").await.unwrap();
    fixture.heartbeat("worker").await;
    assert_eq!(fixture.claim().await, None, "no jump, no hurry");
    fixture.jump(-1);
    fixture.heartbeat("worker").await;
    assert_eq!(fixture.claim().await, Some(2));
}

#[tokio::test]
async fn the_task_of_a_dead_worker_comes_back_one_lease_after_the_jump() {
    let fixture = Fixture::open().await;
    fixture.push().await;
    assert_eq!(fixture.claim().await, Some(1));
    fixture.jump(-1);
    fixture.heartbeat("another").await;
    assert_eq!(fixture.claim().await, None, "its worker may live");
    fixture.clock.advance(LEASE - Duration::from_secs(1));
    assert_eq!(fixture.claim().await, None);
    fixture.clock.advance(Duration::from_secs(1));
    assert_eq!(fixture.claim().await, Some(2));
}

#[tokio::test]
async fn a_worker_that_lives_keeps_its_task_when_the_clock_goes_back() {
    let fixture = Fixture::open().await;
    fixture.push().await;
    let task = fixture.queue.claim(QUEUE, "claimer", LEASE).await.unwrap().unwrap();
    fixture.jump(-1);
    for _ in 0..10 {
        assert_eq!(fixture.claim().await, None);
        fixture.clock.advance(LEASE / 3);
        assert!(fixture.queue.renew(&task, LEASE).await.unwrap());
    }
    fixture.queue.finish(&task).await.unwrap();
    fixture.clock.advance(LEASE);
    assert_eq!(fixture.claim().await, None);
}

#[tokio::test]
async fn a_worker_that_died_before_the_jump_is_not_alive() {
    let fixture = Fixture::open().await;
    fixture.heartbeat("dead").await;
    fixture.heartbeat("alive").await;
    assert_eq!(fixture.live_workers().await, ["alive", "dead"]);
    fixture.jump(-1);
    fixture.heartbeat("alive").await;
    assert_eq!(fixture.live_workers().await, ["alive"]);
    fixture.jump(1);
    assert!(fixture.live_workers().await.is_empty(), "silent for a day");
    fixture.heartbeat("alive").await;
    assert_eq!(fixture.live_workers().await, ["alive"]);
}

/// The nights in which Europe and America change their clocks. Schedules use UTC, which does not change.
#[tokio::test]
async fn a_change_of_summer_time_leaves_out_nothing_and_doubles_nothing() {
    for night in ["2026-03-29T00:00:00Z", "2026-10-25T00:00:00Z", "2026-03-08T06:00:00Z"] {
        let fixture = Fixture::open().await;
        fixture.clock.set(DateTime::parse_from_rfc3339(night).unwrap().to_utc());
        let scheduler = fixture.scheduler();
        scheduler.ensure("expire", 10 * MINUTE).await.unwrap();
        let mut started = Vec::new();
        for minute in 1..=180 {
            fixture.clock.advance(MINUTE);
            if scheduler.start_due_tasks().await.unwrap() > 0 {
                started.push(minute);
            }
        }
        let every_ten: Vec<i32> = (1..=18).map(|turn| turn * 10).collect();
        assert_eq!(started, every_ten, "{night}");
    }
}

/// Jumps back and forth: every schedule runs at most once in its interval, and the next run is never far away.
#[tokio::test]
async fn schedules_stay_within_one_interval_of_now() {
    let fixture = Fixture::open().await;
    let scheduler = fixture.scheduler();
    scheduler.ensure("expire", MINUTE).await.unwrap();
    scheduler.ensure("subscribe", 60 * MINUTE).await.unwrap();
    for (days, expected) in [(1, 2), (-1, 0), (-1, 0), (1, 2), (1, 2), (-1, 0)] {
        fixture.jump(days);
        assert_eq!(scheduler.start_due_tasks().await.unwrap(), expected, "{days} day(s)");
        assert_eq!(scheduler.start_due_tasks().await.unwrap(), 0, "once");
        for schedule in fixture.store.schedules().await.unwrap() {
            let wait = (schedule.next_due - fixture.clock.now()).to_std().unwrap();
            assert!(wait <= schedule.every, "{schedule:?}");
        }
    }
}
