//! The clock is put ahead, put back and changed to summer time: tasks, leases and signs of life are right soon after.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::bench::Bench;
use chrono::{DateTime, TimeDelta};
use domain::contracts::{Clock, NewTask, QueueName, WorkerBeat};
use std::time::Duration;

const QUEUE: QueueName = QueueName::Maintenance;
const LEASE: Duration = Duration::from_secs(15);
const MINUTE: Duration = Duration::from_secs(60);

impl Bench {
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

    /// The number of the try, if there is a task to be had.
    async fn claim(&self) -> Option<u32> {
        self.queue.claim(QUEUE, "claimer", LEASE).await.unwrap().map(|task| task.attempt)
    }

    /// A sign of life, as every worker gives it all the time.
    async fn beat(&self, worker: &str) {
        let beat = WorkerBeat {
            worker: worker.to_owned(),
            queue: QUEUE,
            concurrency: 1,
            active: 0,
            last_seen: self.clock.now(),
        };
        self.queue.beat(beat).await.unwrap();
    }

    async fn heard(&self) -> Vec<String> {
        let workers = self.queue.workers(QUEUE, MINUTE).await.unwrap();
        workers.into_iter().map(|beat| beat.worker).collect()
    }
}

#[tokio::test]
async fn a_task_that_waits_is_run_after_any_jump() {
    for days in [1, -1] {
        let bench = Bench::open().await;
        bench.push().await;
        bench.jump(days);
        bench.beat("worker").await;
        assert_eq!(bench.store.outbox_heads(9, bench.clock.now()).await.unwrap().len(), 1);
        assert_eq!(bench.claim().await, Some(1), "{days} day(s)");
        assert_eq!(bench.claim().await, None, "once");
    }
}

#[tokio::test]
async fn a_retry_that_waits_is_not_put_off_for_a_day() {
    let bench = Bench::open().await;
    bench.push().await;
    let task = bench.queue.claim(QUEUE, "claimer", LEASE).await.unwrap().unwrap();
    bench.queue.retry(&task, MINUTE, "the source was away").await.unwrap();
    bench.beat("worker").await;
    assert_eq!(bench.claim().await, None, "no jump, no hurry");
    bench.jump(-1);
    bench.beat("worker").await;
    assert_eq!(bench.claim().await, Some(2));
}

#[tokio::test]
async fn the_task_of_a_dead_worker_comes_back_one_lease_after_the_jump() {
    let bench = Bench::open().await;
    bench.push().await;
    assert_eq!(bench.claim().await, Some(1));
    bench.jump(-1);
    bench.beat("another").await;
    assert_eq!(bench.claim().await, None, "its worker may live");
    bench.clock.advance(LEASE - Duration::from_secs(1));
    assert_eq!(bench.claim().await, None);
    bench.clock.advance(Duration::from_secs(1));
    assert_eq!(bench.claim().await, Some(2));
}

#[tokio::test]
async fn a_worker_that_lives_keeps_its_task_when_the_clock_goes_back() {
    let bench = Bench::open().await;
    bench.push().await;
    let task = bench.queue.claim(QUEUE, "claimer", LEASE).await.unwrap().unwrap();
    bench.jump(-1);
    for _ in 0..10 {
        assert_eq!(bench.claim().await, None);
        bench.clock.advance(LEASE / 3);
        assert!(bench.queue.renew(&task, LEASE).await.unwrap());
    }
    bench.queue.finish(&task).await.unwrap();
    bench.clock.advance(LEASE);
    assert_eq!(bench.claim().await, None);
}

#[tokio::test]
async fn who_died_before_the_jump_is_not_taken_for_alive() {
    let bench = Bench::open().await;
    bench.beat("dead").await;
    bench.beat("alive").await;
    assert_eq!(bench.heard().await, ["alive", "dead"]);
    bench.jump(-1);
    bench.beat("alive").await;
    assert_eq!(bench.heard().await, ["alive"]);
    bench.jump(1);
    assert!(bench.heard().await.is_empty(), "silent for a day");
    bench.beat("alive").await;
    assert_eq!(bench.heard().await, ["alive"]);
}

/// The nights in which Europe and America change their clocks. Schedules count in UTC, where nothing happens.
#[tokio::test]
async fn a_change_of_summer_time_leaves_out_nothing_and_doubles_nothing() {
    for night in ["2026-03-29T00:00:00Z", "2026-10-25T00:00:00Z", "2026-03-08T06:00:00Z"] {
        let bench = Bench::open().await;
        bench.clock.set(DateTime::parse_from_rfc3339(night).unwrap().to_utc());
        let scheduler = bench.scheduler();
        scheduler.ensure("expire", 10 * MINUTE).await.unwrap();
        let mut started = Vec::new();
        for minute in 1..=180 {
            bench.clock.advance(MINUTE);
            if scheduler.look().await.unwrap() > 0 {
                started.push(minute);
            }
        }
        let every_ten: Vec<i32> = (1..=18).map(|turn| turn * 10).collect();
        assert_eq!(started, every_ten, "{night}");
    }
}

/// Back and forth again and again: every schedule runs at most once in its interval, and is never far away.
#[tokio::test]
async fn schedules_stay_within_one_interval_of_now() {
    let bench = Bench::open().await;
    let scheduler = bench.scheduler();
    scheduler.ensure("expire", MINUTE).await.unwrap();
    scheduler.ensure("subscribe", 60 * MINUTE).await.unwrap();
    for (days, expected) in [(1, 2), (-1, 0), (-1, 0), (1, 2), (1, 2), (-1, 0)] {
        bench.jump(days);
        assert_eq!(scheduler.look().await.unwrap(), expected, "{days} day(s)");
        assert_eq!(scheduler.look().await.unwrap(), 0, "once");
        for schedule in bench.store.schedules().await.unwrap() {
            let wait = (schedule.next_due - bench.clock.now()).to_std().unwrap();
            assert!(wait <= schedule.every, "{schedule:?}");
        }
    }
}
