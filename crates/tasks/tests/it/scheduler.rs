//! The Scheduler: what is due is started once, whoever looks and however the clock jumps.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::bench::Bench;
use chrono::TimeDelta;
use domain::contracts::{Clock, QueueName};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

const DAY: Duration = Duration::from_secs(86_400);

impl Bench {
    /// The names of the tasks that wait, which are then done.
    async fn started(&self) -> Vec<String> {
        let mut names = Vec::new();
        let lease = Duration::from_secs(60);
        while let Some(task) = self.queue.claim(QueueName::Maintenance, "test", lease).await.unwrap() {
            self.queue.finish(&task).await.unwrap();
            names.push(task.name);
        }
        names.sort();
        names
    }
}

#[tokio::test]
async fn what_is_due_is_started_once_by_one_of_all() {
    let bench = Bench::open().await;
    let (one, two) = (bench.scheduler(), bench.scheduler());
    for scheduler in [&one, &two] {
        scheduler.ensure("expire", Duration::from_secs(60)).await.unwrap();
        scheduler.ensure("subscribe", Duration::from_secs(150)).await.unwrap();
    }
    let mut seen = Vec::new();
    for _ in 0..5 {
        for seconds in [59, 1] {
            bench.clock.advance(Duration::from_secs(seconds));
            let (a, b) = tokio::join!(one.look(), two.look());
            seen.push((a.unwrap() + b.unwrap(), bench.started().await.join(" ")));
        }
    }
    let quiet = || (0, String::new());
    let expire = || (1, "expire".to_owned());
    let both = || (1, "subscribe".to_owned());
    // The 150th second lies between two turns; each schedule counts on from when it was taken.
    let expected =
        [quiet(), expire(), quiet(), expire(), both(), expire(), quiet(), expire(), quiet(), expire()];
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn a_clock_that_jumps_starts_it_once() {
    let bench = Bench::open().await;
    let scheduler = bench.scheduler();
    let minute = Duration::from_secs(60);
    scheduler.ensure("expire", minute).await.unwrap();
    // A day ahead: once, not 1440 times.
    bench.clock.advance(DAY);
    for expected in [1, 0, 0] {
        assert_eq!(scheduler.look().await.unwrap(), expected);
    }
    // A day back: it does not run at once again, nor does it sleep for a day.
    bench.clock.set(bench.clock.now() - TimeDelta::days(1));
    for expected in [0, 0, 1, 0, 1] {
        assert_eq!(scheduler.look().await.unwrap(), expected);
        bench.clock.advance(minute / 2);
    }
}

#[tokio::test]
async fn a_stored_schedule_stays_as_it_is() {
    let bench = Bench::open().await;
    let scheduler = bench.scheduler();
    scheduler.ensure("expire", Duration::from_secs(60)).await.unwrap();
    bench.clock.advance(Duration::from_secs(30));
    scheduler.ensure("expire", Duration::from_secs(3600)).await.unwrap();
    scheduler.ensure("often", Duration::ZERO).await.unwrap();
    let every: Vec<(String, u64)> = bench
        .store
        .schedules()
        .await
        .unwrap()
        .into_iter()
        .map(|schedule| (schedule.name, schedule.every.as_secs()))
        .collect();
    assert_eq!(every, [("expire".to_owned(), 60), ("often".to_owned(), 1)]);
    bench.clock.advance(Duration::from_secs(30));
    scheduler.look().await.unwrap();
    assert_eq!(bench.started().await, ["expire", "often"], "a restart does not put it off");
}

#[tokio::test]
async fn without_a_worker_tasks_do_not_pile_up() {
    let bench = Bench::open().await;
    let scheduler = bench.scheduler();
    scheduler.ensure("expire", Duration::from_secs(60)).await.unwrap();
    for _ in 0..105 {
        bench.clock.advance(Duration::from_secs(60));
        scheduler.look().await.unwrap();
    }
    assert_eq!(bench.queue.depth(QueueName::Maintenance).await.unwrap(), 100);
}

#[tokio::test]
async fn it_serves_until_it_is_stopped() {
    let bench = Bench::open().await;
    let scheduler = bench.scheduler();
    scheduler.ensure("expire", Duration::from_secs(60)).await.unwrap();
    bench.clock.advance(DAY);
    let (stop, stopped) = watch::channel(false);
    let mut running = JoinSet::new();
    running.spawn(scheduler.serve(stopped));
    let started = std::time::Instant::now();
    while bench.queue.depth(QueueName::Maintenance).await.unwrap() == 0 {
        assert!(started.elapsed() < Duration::from_secs(20), "nothing was started");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stop.send(true).unwrap();
    assert!(running.join_next().await.unwrap().is_ok());
    assert_eq!(bench.started().await, ["expire"]);
}
