//! Suite for implementations of `TaskQueue`, one function per property. Each function needs an empty queue.

use domain::ids::UserId;
use domain::instant::Instant as Time;
use domain::ports::{ClaimedTask, Clock, Heartbeat, NewTask, QueueName, SystemClock, TaskQueue, WorkerSlots};
use futures_util::future::join_all;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const QUEUE: QueueName = QueueName::Interactive;
/// Long enough that a busy machine renews it in time.
const LEASE: Duration = Duration::from_secs(2);

/// Passes every test of the suite to a macro, so that none is forgotten.
#[macro_export]
macro_rules! task_queue_behaviors {
    ($run:ident) => {
        $run! {
            a_push_wakes_who_waits, a_nudge_wakes_who_waits, tasks_come_once_and_in_order,
            queues_are_apart, a_lost_lease_brings_the_task_back, a_renewed_lease_does_not,
            a_retry_comes_later, tries_end, tries_end_when_workers_die, who_lost_a_task_is_not_heard,
            claims_at_once_are_apart, many_are_claimed_together, depth_counts_what_waits, workers_are_heard_of,
            what_is_released_is_free_at_once, a_release_is_no_try, who_lost_a_task_releases_nothing,
            one_owner_leaves_the_reserve, slots_that_come_free_go_in_turn, a_dead_worker_gives_nobody_more,
            nobody_waits_for_the_end_of_a_long_line, a_release_keeps_its_owner,
        }
    };
}

fn task(name: &str) -> NewTask {
    NewTask {
        queue: QUEUE,
        name: name.to_owned(),
        payload: json!({"name": name}),
        attempts_max: 2,
        owner: None,
    }
}

async fn claim(queue: &dyn TaskQueue) -> Option<ClaimedTask> {
    queue.claim(QUEUE, "worker", LEASE).await.expect("a claim")
}

/// Waits and claims until a task comes, like a worker. An earlier notification may end the first wait.
async fn claim_when_due(queue: &dyn TaskQueue) -> ClaimedTask {
    let started = Instant::now();
    loop {
        queue.wait(QUEUE, LONG).await;
        assert!(started.elapsed() < LONG / 2, "a wait ends when a task is due, not later");
        if let Some(task) = claim(queue).await {
            return task;
        }
    }
}

/// Far below any polling interval.
const AT_ONCE: Duration = Duration::from_millis(1500);
const LONG: Duration = Duration::from_secs(120);
/// A busy machine may be slow to wake a task, but not each time.
const ATTEMPTS_MAX: usize = 10;

/// Records how long something took, and whether that was less than a poll. If it never is, the test fails.
fn record_at_once(taken: &mut Vec<Duration>, started: Instant) -> bool {
    let last = started.elapsed();
    taken.push(last);
    assert!(last < AT_ONCE || taken.len() < ATTEMPTS_MAX, "woken after {taken:?}");
    last < AT_ONCE
}

pub async fn a_push_wakes_who_waits(queue: &dyn TaskQueue) {
    let mut taken = Vec::new();
    loop {
        let started = Instant::now();
        let push = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            queue.push(task("one")).await.expect("a task");
        };
        tokio::join!(queue.wait(QUEUE, LONG), push);
        let pushed = match claim(queue).await {
            Some(pushed) => pushed,
            None => claim_when_due(queue).await,
        };
        assert_eq!(pushed.name, "one");
        queue.finish(&pushed).await.expect("finished");
        if record_at_once(&mut taken, started) {
            return;
        }
    }
}

pub async fn a_nudge_wakes_who_waits(queue: &dyn TaskQueue) {
    let mut taken = Vec::new();
    loop {
        let started = Instant::now();
        queue.notify(QUEUE); // notified before anybody waits: it is not lost
        queue.wait(QUEUE, LONG).await;
        if record_at_once(&mut taken, started) {
            return;
        }
    }
}

pub async fn tasks_come_once_and_in_order(queue: &dyn TaskQueue) {
    for name in ["one", "two", "three"] {
        queue.push(task(name)).await.expect("a task");
    }
    let mut names = Vec::new();
    while let Some(task) = claim(queue).await {
        assert_eq!((task.queue, task.attempt, task.attempts_max), (QUEUE, 1, 2));
        assert_eq!(task.payload, json!({"name": task.name}));
        queue.finish(&task).await.expect("finished");
        names.push(task.name);
    }
    assert_eq!(names, ["one", "two", "three"]);
    tokio::time::sleep(LEASE * 2).await;
    assert_eq!(claim(queue).await, None, "what is finished does not come again");
}

pub async fn queues_are_apart(queue: &dyn TaskQueue) {
    queue.push(NewTask { queue: QueueName::Corpus, ..task("elsewhere") }).await.expect("a task");
    assert_eq!(claim(queue).await, None);
    assert_eq!(queue.depth(QueueName::Corpus).await.expect("a depth"), 1);
    assert_eq!(queue.depth(QUEUE).await.expect("a depth"), 0);
}

pub async fn a_lost_lease_brings_the_task_back(queue: &dyn TaskQueue) {
    queue.push(task("one")).await.expect("a task");
    let first = claim(queue).await.expect("the task");
    assert_eq!(claim(queue).await, None, "it is held");
    let second = claim_when_due(queue).await;
    assert_eq!((second.id, second.attempt), (first.id, 2));
    assert!(!queue.renew(&first, LEASE).await.expect("an answer"), "the first worker has lost it");
    queue.finish(&first).await.expect("ignored");
    assert!(queue.renew(&second, LEASE).await.expect("an answer"), "what the loser says changes nothing");
}

pub async fn a_renewed_lease_does_not(queue: &dyn TaskQueue) {
    queue.push(task("one")).await.expect("a task");
    let held = claim(queue).await.expect("the task");
    for _ in 0..3 {
        tokio::time::sleep(LEASE / 2).await;
        assert!(queue.renew(&held, LONG).await.expect("an answer"));
        assert_eq!(claim(queue).await, None);
    }
}

pub async fn a_retry_comes_later(queue: &dyn TaskQueue) {
    queue.push(task("one")).await.expect("a task");
    let first = claim(queue).await.expect("the task");
    queue.retry(&first, LEASE, "try again").await.expect("queued");
    assert_eq!(claim(queue).await, None, "not yet");
    assert_eq!(claim_when_due(queue).await.attempt, 2);
}

pub async fn what_is_released_is_free_at_once(queue: &dyn TaskQueue) {
    let mut taken = Vec::new();
    loop {
        let started = Instant::now();
        queue.push(task("one")).await.expect("a task");
        let held = queue.claim(QUEUE, "worker", LONG).await.expect("a claim").expect("the task");
        queue.release(&held).await.expect("released");
        assert!(!queue.renew(&held, LONG).await.expect("an answer"), "it is held no longer");
        let again = claim_when_due(queue).await;
        assert_eq!((again.id, again.name.as_str(), &again.payload), (held.id, "one", &held.payload));
        queue.finish(&again).await.expect("finished");
        if record_at_once(&mut taken, started) {
            return;
        }
    }
}

pub async fn a_release_is_no_try(queue: &dyn TaskQueue) {
    queue.push(task("one")).await.expect("a task");
    for _ in 0..5 {
        let held = claim_when_due(queue).await;
        assert_eq!((held.attempt, held.attempts_max), (1, 2), "more releases than tries");
        queue.release(&held).await.expect("released");
    }
    let failed = claim_when_due(queue).await;
    queue.retry(&failed, Duration::ZERO, "it failed").await.expect("queued");
    let last = claim_when_due(queue).await;
    assert_eq!(last.attempt, 2);
    queue.release(&last).await.expect("released");
    let last = claim_when_due(queue).await;
    assert_eq!(last.attempt, 2, "the last try is not lost");
    queue.retry(&last, Duration::ZERO, "it failed").await.expect("given up");
    assert_eq!(claim(queue).await, None);
    assert_eq!(queue.depth(QUEUE).await.expect("a depth"), 0);
}

pub async fn who_lost_a_task_releases_nothing(queue: &dyn TaskQueue) {
    queue.push(task("one")).await.expect("a task");
    let first = claim(queue).await.expect("the task");
    let second = claim_when_due(queue).await;
    assert!(queue.renew(&second, LEASE).await.expect("an answer"));
    queue.release(&first).await.expect("ignored");
    assert_eq!(claim(queue).await, None, "the second worker holds it");
    assert!(queue.renew(&second, LEASE).await.expect("an answer"));
}

pub async fn tries_end(queue: &dyn TaskQueue) {
    queue.push(task("one")).await.expect("a task");
    for attempt in 1..=2 {
        let held = claim(queue).await.expect("the task");
        assert_eq!(held.attempt, attempt);
        queue.retry(&held, Duration::ZERO, "it failed").await.expect("noted");
    }
    assert_eq!(claim(queue).await, None, "two tries were allowed");
    assert_eq!(queue.depth(QUEUE).await.expect("a depth"), 0);
}

pub async fn tries_end_when_workers_die(queue: &dyn TaskQueue) {
    queue.push(task("one")).await.expect("a task");
    for attempt in 1..=2 {
        assert_eq!(claim_when_due(queue).await.attempt, attempt); // and its worker is silent
    }
    tokio::time::sleep(LEASE * 2).await;
    assert_eq!(claim(queue).await, None, "two tries were allowed");
    assert_eq!(queue.depth(QUEUE).await.expect("a depth"), 0);
}

pub async fn who_lost_a_task_is_not_heard(queue: &dyn TaskQueue) {
    queue.push(task("one")).await.expect("a task");
    let first = claim(queue).await.expect("the task");
    let second = claim_when_due(queue).await;
    assert!(queue.renew(&second, LEASE).await.expect("an answer"));
    queue.retry(&first, Duration::ZERO, "too late").await.expect("ignored");
    assert_eq!(claim(queue).await, None, "the second worker holds it");
    assert!(queue.renew(&second, LEASE).await.expect("an answer"));
    queue.finish(&second).await.expect("finished");
    assert!(!queue.renew(&second, LEASE).await.expect("an answer"), "what is finished is held by nobody");
    tokio::time::sleep(LEASE * 2).await;
    assert_eq!(claim(queue).await, None, "what is finished does not come again");
}

pub async fn claims_at_once_are_apart(queue: &dyn TaskQueue) {
    const TASKS: usize = 20;
    for number in 0..TASKS {
        queue.push(task(&format!("task {number}"))).await.expect("a task");
    }
    let claims = (0..TASKS + 10).map(|_| queue.claim(QUEUE, "worker", LONG));
    let claimed: Vec<ClaimedTask> =
        join_all(claims).await.into_iter().filter_map(|claim| claim.expect("a claim")).collect();
    let ids: BTreeSet<_> = claimed.iter().map(|task| task.id).collect();
    let leases: BTreeSet<_> = claimed.iter().map(|task| task.lease.as_str()).collect();
    assert_eq!((claimed.len(), ids.len(), leases.len()), (TASKS, TASKS, TASKS));
    join_all(claimed.iter().map(|task| queue.finish(task))).await;
    assert_eq!(queue.depth(QUEUE).await.expect("a depth"), 0);
}

pub async fn many_are_claimed_together(queue: &dyn TaskQueue) {
    for number in 0..5 {
        queue.push(task(&format!("task {number}"))).await.expect("a task");
    }
    let claim = |free| queue.claim_many(QUEUE, WorkerSlots::any(free), "worker", LONG);
    let first = claim(3).await.expect("a claim");
    let rest = claim(10).await.expect("a claim");
    assert!(claim(10).await.expect("a claim").is_empty());
    let names = |tasks: &[ClaimedTask]| tasks.iter().map(|task| task.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&first), ["task 0", "task 1", "task 2"]);
    assert_eq!(names(&rest), ["task 3", "task 4"], "less than asked for is no reason to wait");
    // Each is held separately.
    queue.finish(&first[0]).await.expect("finished");
    assert!(!queue.renew(&first[0], LONG).await.expect("an answer"));
    queue.retry(&first[1], Duration::ZERO, "try again").await.expect("queued");
    let again = claim_when_due(queue).await;
    assert_eq!((again.name.as_str(), again.attempt), ("task 1", 2));
    for task in first[2..].iter().chain(&rest) {
        assert!(queue.renew(task, LONG).await.expect("an answer"), "{} is held", task.name);
    }
}

pub async fn depth_counts_what_waits(queue: &dyn TaskQueue) {
    for name in ["one", "two", "three"] {
        queue.push(task(name)).await.expect("a task");
    }
    assert_eq!(queue.depth(QUEUE).await.expect("a depth"), 3);
    let held = queue.claim(QUEUE, "worker", LONG).await.expect("a claim").expect("a task");
    assert_eq!(queue.depth(QUEUE).await.expect("a depth"), 2, "what runs does not wait");
    queue.finish(&held).await.expect("finished");
    assert_eq!(queue.depth(QUEUE).await.expect("a depth"), 2);
}

pub async fn workers_are_heard_of(queue: &dyn TaskQueue) {
    let heartbeat = |worker: &str, last_seen: Time| Heartbeat {
        worker: worker.to_owned(),
        queue: QUEUE,
        concurrency: 4,
        active: 1,
        last_seen,
    };
    let now = SystemClock.now();
    queue.record_heartbeat(heartbeat("here", now)).await.expect("noted");
    queue.record_heartbeat(heartbeat("gone", now - chrono::TimeDelta::minutes(5))).await.expect("noted");
    let heard = queue.workers(QUEUE, Duration::from_secs(60)).await.expect("workers");
    let names: Vec<&str> = heard.iter().map(|heartbeat| heartbeat.worker.as_str()).collect();
    assert_eq!(names, ["here"]);
    assert_eq!((heard[0].concurrency, heard[0].active), (4, 1));
}

const ANN: UserId = UserId(1);
const BOB: UserId = UserId(2);
/// The slots of the only worker: one owner's share is one, and one is in reserve.
const SLOTS: u32 = 8;

/// A worker that holds what it claimed.
struct Slots<'a> {
    queue: &'a dyn TaskQueue,
    held: Vec<ClaimedTask>,
}

impl<'a> Slots<'a> {
    /// Sends a heartbeat, because a broker delivers as many tasks as there are slots.
    async fn begin(queue: &'a dyn TaskQueue) -> Self {
        let heartbeat = Heartbeat {
            worker: "worker".to_owned(),
            queue: QUEUE,
            concurrency: SLOTS,
            active: 0,
            last_seen: SystemClock.now(),
        };
        queue.record_heartbeat(heartbeat).await.expect("noted");
        Self { queue, held: Vec::new() }
    }

    async fn push(&self, owner: UserId, count: usize) {
        for number in 0..count {
            let task = NewTask { owner: Some(owner), ..task(&format!("{owner}-{number}")) };
            self.queue.push(task).await.expect("a task");
        }
    }

    /// Claims what is available now, and returns the owners.
    async fn claim(&mut self, lease: Duration) -> Vec<UserId> {
        let free = SLOTS - u32::try_from(self.held.len()).expect("a small number");
        if free == 0 {
            return Vec::new();
        }
        let slots = WorkerSlots { free, total: SLOTS };
        let claimed = self.queue.claim_many(QUEUE, slots, "worker", lease).await.expect("a claim");
        let owners = claimed.iter().filter_map(|task| task.owner).collect();
        self.held.extend(claimed);
        owners
    }

    /// Claims until it holds this many.
    async fn fill(&mut self, count: usize, lease: Duration) {
        while self.held.len() < count {
            if self.claim(lease).await.is_empty() {
                self.queue.wait(QUEUE, Duration::from_millis(50)).await;
            }
        }
    }

    async fn finish_one(&mut self, owner: UserId) {
        let at = self.held.iter().position(|task| task.owner == Some(owner)).expect("one of this owner");
        let task = self.held.remove(at);
        self.queue.finish(&task).await.expect("finished");
    }

    fn count(&self, owner: UserId) -> usize {
        self.held.iter().filter(|task| task.owner == Some(owner)).count()
    }
}

pub async fn one_owner_leaves_the_reserve(queue: &dyn TaskQueue) {
    let mut slots = Slots::begin(queue).await;
    slots.push(ANN, 20).await;
    slots.fill(7, LONG).await;
    assert_eq!(slots.claim(LONG).await, [], "one slot stays free");
    assert_eq!(queue.depth(QUEUE).await.expect("a depth"), 13);
    slots.push(BOB, 3).await;
    slots.fill(8, LONG).await;
    assert_eq!((slots.count(ANN), slots.count(BOB)), (7, 1));
}

pub async fn slots_that_come_free_go_in_turn(queue: &dyn TaskQueue) {
    let mut slots = Slots::begin(queue).await;
    slots.push(ANN, 20).await;
    slots.fill(7, LONG).await;
    slots.push(BOB, 6).await;
    slots.fill(8, LONG).await;
    slots.finish_one(ANN).await;
    assert_eq!(slots.claim(LONG).await, [], "the reserve is free again first");
    for (ann, bob) in [(5, 2), (4, 3), (4, 3)] {
        slots.finish_one(ANN).await;
        slots.fill(7, LONG).await;
        assert_eq!((slots.count(ANN), slots.count(BOB)), (ann, bob), "who has fewer, then the oldest");
    }
}

pub async fn a_dead_worker_gives_nobody_more(queue: &dyn TaskQueue) {
    let mut slots = Slots::begin(queue).await;
    slots.push(ANN, 20).await;
    slots.fill(7, LEASE).await;
    slots.held.clear(); // and they are silent
    tokio::time::sleep(LEASE * 2).await;
    slots.fill(7, LONG).await;
    assert_eq!(slots.claim(LONG).await, [], "the reserve stays free");
    slots.push(BOB, 1).await;
    slots.fill(8, LONG).await;
    assert_eq!(slots.count(BOB), 1);
}

pub async fn nobody_waits_for_the_end_of_a_long_line(queue: &dyn TaskQueue) {
    const OTHERS: usize = 9;
    let mut slots = Slots::begin(queue).await;
    slots.push(ANN, 40).await;
    for number in 0..OTHERS {
        slots.push(UserId(10 + number as i64), 1).await;
    }
    let mut order = Vec::new();
    while order.len() < 40 + OTHERS {
        let before = slots.held.len();
        if slots.claim(LONG).await.is_empty() {
            queue.wait(QUEUE, Duration::from_millis(20)).await;
        }
        order.extend(slots.held[before..].iter().filter_map(|task| task.owner));
        if !slots.held.is_empty() {
            let ended = slots.held.remove(0);
            queue.finish(&ended).await.expect("finished");
        }
    }
    let last = order.iter().rposition(|owner| *owner != ANN).expect("others");
    assert!(last < 35, "the others come long before the end of ann's tasks: {order:?}");
    assert_eq!(order.iter().filter(|owner| **owner == ANN).count(), 40);
}

pub async fn a_release_keeps_its_owner(queue: &dyn TaskQueue) {
    let mut slots = Slots::begin(queue).await;
    slots.push(ANN, 1).await;
    slots.fill(1, LONG).await;
    let held = slots.held.remove(0);
    queue.release(&held).await.expect("released");
    slots.fill(1, LONG).await;
    assert_eq!((slots.held[0].id, slots.held[0].owner, slots.held[0].attempt), (held.id, Some(ANN), 1));
}
