//! Schedules: due periodically, claimed by one process at a time, correct again after the clock jumped.

use super::fixture::at;
use chrono::TimeDelta;
use domain::ports::{Schedule, Store, StoreError};
use futures_util::future::join_all;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

fn schedule(name: &str, every: Duration, next_due: i64) -> Schedule {
    Schedule { name: name.to_owned(), every, next_due: at(next_due), last_taken: None, enabled: true }
}

/// Right after it was claimed: due again one interval later.
fn taken(name: &str, every: Duration, next_due: i64) -> Schedule {
    Schedule { last_taken: Some(at(next_due) - every), ..schedule(name, every, next_due) }
}

async fn take(store: &dyn Store, seconds: i64) -> Vec<Schedule> {
    store.take_due(at(seconds)).await.expect("an answer")
}

pub async fn are_stored_once(store: &dyn Store) {
    assert_eq!(store.schedules().await.unwrap(), []);
    assert_eq!(take(store, 0).await, []);
    store.ensure_schedule("b", MINUTE, at(0)).await.unwrap();
    store.ensure_schedule("a", HOUR, at(10)).await.unwrap();
    store.ensure_schedule("b", HOUR, at(20)).await.unwrap();
    let listed = store.schedules().await.unwrap();
    assert_eq!(listed, [schedule("a", HOUR, 3610), schedule("b", MINUTE, 60)]);
    // An interval of microseconds is kept, one beyond the maximum time is cut.
    store.ensure_schedule("odd", Duration::from_micros(1_500_001), at(0)).await.unwrap();
    store.ensure_schedule("never", Duration::MAX, at(0)).await.unwrap();
    let listed = store.schedules().await.unwrap();
    assert_eq!(listed[3].next_due, at(1) + TimeDelta::microseconds(500_001));
    assert!(listed[2].next_due > at(0) + TimeDelta::days(3650), "{listed:?}");
}

pub async fn are_taken_when_due(store: &dyn Store) {
    store.ensure_schedule("minute", MINUTE, at(0)).await.unwrap();
    store.ensure_schedule("hour", HOUR, at(0)).await.unwrap();
    let early = store.take_due(at(60) - TimeDelta::microseconds(1)).await.unwrap();
    assert_eq!(early, []);
    assert_eq!(take(store, 60).await, [taken("minute", MINUTE, 120)]);
    assert_eq!(take(store, 60).await, []);
    assert_eq!(take(store, 119).await, []);
    assert_eq!(take(store, 121).await, [taken("minute", MINUTE, 181)]);
    assert_eq!(store.schedules().await.unwrap()[1], taken("minute", MINUTE, 181));
    // Both at once, by name.
    let both = [taken("hour", HOUR, 7200), taken("minute", MINUTE, 3660)];
    assert_eq!(take(store, 3600).await, both);
}

/// A day of missed runs is made up for once.
pub async fn fire_once_after_a_pause(store: &dyn Store) {
    store.ensure_schedule("minute", MINUTE, at(0)).await.unwrap();
    assert_eq!(take(store, 86_400).await, [taken("minute", MINUTE, 86_460)]);
    assert_eq!(take(store, 86_400).await, []);
    assert_eq!(take(store, 86_459).await, []);
}

/// A schedule that was due far ahead does not wait until the clock has caught up.
pub async fn come_back_when_the_clock_does(store: &dyn Store) {
    store.ensure_schedule("minute", MINUTE, at(86_400)).await.unwrap();
    store.ensure_schedule("hour", HOUR, at(86_400)).await.unwrap();
    assert_eq!(take(store, 0).await, [], "it is brought back, and not due");
    assert_eq!(
        store.schedules().await.unwrap(),
        [schedule("hour", HOUR, 3600), schedule("minute", MINUTE, 60)]
    );
    assert_eq!(take(store, 60).await, [taken("minute", MINUTE, 120)]);
    // Reset after it was claimed, and claimed again after that.
    assert_eq!(take(store, -600).await, []);
    let brought_back = Schedule { last_taken: Some(at(60)), ..schedule("minute", MINUTE, -540) };
    assert_eq!(store.schedules().await.unwrap()[1], brought_back);
    assert_eq!(take(store, -540).await, [taken("minute", MINUTE, -480)]);
}

/// Of fifty concurrent claims, one gets each schedule.
pub async fn are_taken_by_one(store: &dyn Store) {
    for number in 0..10 {
        store.ensure_schedule(&format!("schedule {number}"), MINUTE, at(0)).await.unwrap();
    }
    for seconds in [60, 120, 180] {
        let asked = join_all((0..50).map(|_| take(store, seconds))).await;
        let mut names: Vec<String> = asked.into_iter().flatten().map(|schedule| schedule.name).collect();
        names.sort();
        let expected: Vec<String> = (0..10).map(|number| format!("schedule {number}")).collect();
        assert_eq!(names, expected, "at {seconds}");
    }
}

/// A changed schedule counts from the change; a disabled one is never claimed.
pub async fn are_changed(store: &dyn Store) {
    store.ensure_schedule("minute", MINUTE, at(0)).await.unwrap();
    store.ensure_schedule("hour", HOUR, at(0)).await.unwrap();
    let changed = store.change_schedule("hour", MINUTE, true, at(100)).await.unwrap();
    assert_eq!(changed, schedule("hour", MINUTE, 160));
    let off = store.change_schedule("minute", MINUTE, false, at(100)).await.unwrap();
    assert_eq!(off, Schedule { enabled: false, ..schedule("minute", MINUTE, 160) });
    assert!(!off.is_due(at(160)) && !off.is_due(at(-10_000)));
    assert_eq!(store.schedules().await.unwrap(), [changed, off]);
    assert_eq!(take(store, 160).await, [taken("hour", MINUTE, 220)]);
    // A restart keeps the change.
    store.ensure_schedule("hour", HOUR, at(200)).await.unwrap();
    let on = store.change_schedule("minute", HOUR, true, at(200)).await.unwrap();
    assert_eq!(store.schedules().await.unwrap(), [taken("hour", MINUTE, 220), on]);
    let unknown = store.change_schedule("nothing", HOUR, true, at(200)).await;
    assert!(matches!(unknown, Err(StoreError::NotFound)), "{unknown:?}");
}
