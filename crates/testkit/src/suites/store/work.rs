//! Waiting work, as the metrics report it.

use super::fixture::{at, finished, new_search, person, set};
use super::tasks::{claim, push};
use domain::ports::{Store, WorkFigures};
use std::time::Duration;

async fn figures(store: &dyn Store, seconds: i64) -> WorkFigures {
    store.work_figures(at(seconds)).await.expect("figures")
}

pub async fn is_none_at_first(store: &dyn Store) {
    assert_eq!(figures(store, 0).await, WorkFigures::default());
}

pub async fn tasks_wait_until_they_are_claimed(store: &dyn Store) {
    for (name, due) in [("first", 10), ("second", 20), ("later", 90)] {
        push(store, name, due).await;
    }
    let waiting = figures(store, 30).await;
    assert_eq!((waiting.tasks, waiting.oldest_due), (3, Some(at(10))));
    assert_eq!(figures(store, 5).await.oldest_due, None, "nothing is due yet");
    claim(store, 30).await.expect("a task");
    let waiting = figures(store, 30).await;
    assert_eq!((waiting.tasks, waiting.oldest_due), (2, Some(at(20))));
}

pub async fn searches_are_open_until_they_are_final(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let first = new_search(store, owner, "first", 3).await;
    new_search(store, owner, "second", 5).await;
    assert_eq!(figures(store, 9).await.oldest_open_search, Some(at(3)));
    store.finish_run(finished(&first, vec![set(first.id, 1, &["a"])])).await.expect("saved");
    assert_eq!(figures(store, 9).await.oldest_open_search, Some(at(5)));
}

pub async fn schedules_wait_for_the_scheduler(store: &dyn Store) {
    store.ensure_schedule("minute", Duration::from_secs(60), at(0)).await.expect("a schedule");
    store.ensure_schedule("hour", Duration::from_secs(3600), at(0)).await.expect("a schedule");
    let waiting = figures(store, 100).await;
    assert_eq!((waiting.scheduler_ran, waiting.scheduler_due), (None, Some(at(60))));
    store.take_due(at(100)).await.expect("taken");
    let waiting = figures(store, 100).await;
    assert_eq!((waiting.scheduler_ran, waiting.scheduler_due), (Some(at(100)), Some(at(160))));
    store.change_schedule("minute", Duration::from_secs(60), false, at(100)).await.expect("changed");
    assert_eq!(
        figures(store, 100).await.scheduler_due,
        Some(at(3600)),
        "one that is not in use is never due"
    );
}
