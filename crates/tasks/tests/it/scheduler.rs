//! The scheduler: due tasks are started once, by one process, even if the clock jumps.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::fixture::Fixture;
use chrono::TimeDelta;
use domain::ports::{Clock, QueueName, ScheduleStore};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

const DAY: Duration = Duration::from_secs(86_400);

impl Fixture {
    /// The names of the waiting tasks, which are then finished.
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
    let fixture = Fixture::open().await;
    let (one, two) = (fixture.scheduler(), fixture.scheduler());
    for scheduler in [&one, &two] {
        scheduler.ensure("expire", Duration::from_secs(60)).await.unwrap();
        scheduler.ensure("subscribe", Duration::from_secs(150)).await.unwrap();
    }
    let mut seen = Vec::new();
    for _ in 0..5 {
        for seconds in [59, 1] {
            fixture.clock.advance(Duration::from_secs(seconds));
            let (a, b) = tokio::join!(one.start_due_tasks(), two.start_due_tasks());
            seen.push((a.unwrap() + b.unwrap(), fixture.started().await.join(" ")));
        }
    }
    let quiet = || (0, String::new());
    let expire = || (1, "expire".to_owned());
    let both = || (1, "subscribe".to_owned());
    // Second 150 is between two turns; each schedule continues from when it was taken.
    let expected =
        [quiet(), expire(), quiet(), expire(), both(), expire(), quiet(), expire(), quiet(), expire()];
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn a_clock_that_jumps_starts_it_once() {
    let fixture = Fixture::open().await;
    let scheduler = fixture.scheduler();
    let minute = Duration::from_secs(60);
    scheduler.ensure("expire", minute).await.unwrap();
    // A day ahead: once, not 1440 times.
    fixture.clock.advance(DAY);
    for expected in [1, 0, 0] {
        assert_eq!(scheduler.start_due_tasks().await.unwrap(), expected);
    }
    // A day back: it neither runs again at once nor sleeps for a day.
    fixture.clock.set(fixture.clock.now() - TimeDelta::days(1));
    for expected in [0, 0, 1, 0, 1] {
        assert_eq!(scheduler.start_due_tasks().await.unwrap(), expected);
        fixture.clock.advance(minute / 2);
    }
}

#[tokio::test]
async fn a_stored_schedule_stays_as_it_is() {
    let fixture = Fixture::open().await;
    let scheduler = fixture.scheduler();
    scheduler.ensure("expire", Duration::from_secs(60)).await.unwrap();
    fixture.clock.advance(Duration::from_secs(30));
    scheduler.ensure("expire", Duration::from_secs(3600)).await.unwrap();
    scheduler.ensure("often", Duration::ZERO).await.unwrap();
    let every: Vec<(String, u64)> = fixture
        .store
        .schedules()
        .await
        .unwrap()
        .into_iter()
        .map(|schedule| (schedule.name, schedule.every.as_secs()))
        .collect();
    assert_eq!(every, [("expire".to_owned(), 60), ("often".to_owned(), 1)]);
    fixture.clock.advance(Duration::from_secs(30));
    scheduler.start_due_tasks().await.unwrap();
    assert_eq!(fixture.started().await, ["expire", "often"], "a restart does not put it off");
}

#[tokio::test]
async fn without_a_worker_tasks_do_not_pile_up() {
    let fixture = Fixture::open().await;
    let scheduler = fixture.scheduler();
    scheduler.ensure("expire", Duration::from_secs(60)).await.unwrap();
    for _ in 0..105 {
        fixture.clock.advance(Duration::from_secs(60));
        scheduler.start_due_tasks().await.unwrap();
    }
    assert_eq!(fixture.queue.depth(QueueName::Maintenance).await.unwrap(), 100);
}

#[tokio::test]
async fn it_serves_until_it_is_stopped() {
    let fixture = Fixture::open().await;
    let scheduler = fixture.scheduler();
    scheduler.ensure("expire", Duration::from_secs(60)).await.unwrap();
    fixture.clock.advance(DAY);
    let (stop, stopped) = watch::channel(false);
    let mut running = JoinSet::new();
    running.spawn(scheduler.serve(stopped));
    let started = std::time::Instant::now();
    while fixture.queue.depth(QueueName::Maintenance).await.unwrap() == 0 {
        assert!(started.elapsed() < Duration::from_secs(20), "nothing was started");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stop.send(true).unwrap();
    assert!(running.join_next().await.unwrap().is_ok());
    assert_eq!(fixture.started().await, ["expire"]);
}
