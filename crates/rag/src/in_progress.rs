//! Registry of the generations in progress in this process: at most one per search, with its event log and
//! subscribers.
//!
//! A generation continues while it has subscribers, and is cancelled when the last one leaves.

use crate::error::SummaryError;
use crate::events::{Stage, SummaryEvent};
use crate::request::is_equivalent;
use domain::ids::{RunNumber, SearchId};
use domain::search::Search;
use domain::summary::{StoredSummary, SummaryRequest};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

pub(crate) type Outcome = Result<StoredSummary, SummaryError>;

#[derive(Default)]
pub(crate) struct GenerationRegistry(Mutex<HashMap<SearchId, Arc<Generation>>>);

/// A generation in progress.
pub(crate) struct Generation {
    pub search: SearchId,
    pub run: RunNumber,
    pub request: SummaryRequest,
    log: Mutex<EventLog>,
    /// Number of events so far. Every subscriber holds a receiver.
    event_count: watch::Sender<usize>,
    /// Waiting for the end alone does not keep the generation alive.
    ended: watch::Sender<bool>,
    cancel: Notify,
}

#[derive(Default)]
struct EventLog {
    events: Vec<SummaryEvent>,
    /// The start of each stage.
    stages: Vec<(Stage, Instant)>,
    outcome: Option<Outcome>,
}

/// The result of asking for a summary.
pub(crate) enum Admission {
    /// There was no generation: the caller has to run it.
    Started(GenerationGuard, Subscriber),
    /// An equivalent summary is being generated.
    Joined(Subscriber),
    /// Another summary of the same search is being generated; wait until this becomes true.
    Busy(watch::Receiver<bool>),
}

/// Receives all events from the beginning, whenever it joins.
pub(crate) struct Subscriber {
    generation: Arc<Generation>,
    event_count: watch::Receiver<usize>,
    next_index: usize,
}

/// Registration of a generation. Dropping it removes the entry and ends the generation for all subscribers.
pub(crate) struct GenerationGuard {
    registry: Arc<GenerationRegistry>,
    generation: Arc<Generation>,
}

impl GenerationRegistry {
    pub fn admit(self: &Arc<Self>, search: &Search, request: &SummaryRequest) -> Admission {
        let mut registry = self.lock();
        if let Some(generation) = registry.get(&search.id) {
            let is_outdated = generation.run != search.run;
            if !is_outdated && is_equivalent(&generation.request, request) {
                return Admission::Joined(Subscriber::of(generation));
            }
            if is_outdated {
                generation.cancel.notify_one();
            }
            return Admission::Busy(generation.ended.subscribe());
        }
        let generation = Arc::new(Generation {
            search: search.id,
            run: search.run,
            request: request.clone(),
            log: Mutex::default(),
            event_count: watch::Sender::new(0),
            ended: watch::Sender::new(false),
            cancel: Notify::new(),
        });
        registry.insert(search.id, Arc::clone(&generation));
        let subscriber = Subscriber::of(&generation);
        Admission::Started(GenerationGuard { registry: Arc::clone(self), generation }, subscriber)
    }

    /// Returns whether there was a generation.
    pub fn cancel(&self, search: SearchId) -> bool {
        let registry = self.lock();
        let generation = registry.get(&search);
        generation.inspect(|generation| generation.cancel.notify_one()).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SearchId, Arc<Generation>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generation {
    pub fn emit(&self, event: SummaryEvent) {
        let mut log = self.lock();
        if let SummaryEvent::Stage { stage, .. } = event
            && log.stages.last().is_none_or(|(last, _)| *last != stage)
        {
            log.stages.push((stage, Instant::now()));
        }
        log.events.push(event);
        self.event_count.send_replace(log.events.len());
    }

    /// The stages so far with their durations; the last one ends now.
    pub fn stages(&self) -> Vec<(Stage, Duration)> {
        let log = self.lock();
        let started = log.stages.iter();
        let ends = started.clone().skip(1).map(|(_, next)| *next).chain([Instant::now()]);
        started.zip(ends).map(|((stage, started), end)| (*stage, end - *started)).collect()
    }

    /// Resolves when the generation is cancelled.
    pub async fn cancelled(&self) {
        self.cancel.notified().await;
    }

    fn end(&self, outcome: Outcome) {
        let mut log = self.lock();
        if log.outcome.is_some() {
            return;
        }
        log.events.push(match &outcome {
            Ok(answer) => SummaryEvent::Done(Box::new(answer.clone())),
            Err(error) => error.event(),
        });
        log.outcome = Some(outcome);
        self.event_count.send_replace(log.events.len());
        self.ended.send_replace(true);
    }

    fn lock(&self) -> MutexGuard<'_, EventLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GenerationGuard {
    pub fn generation(&self) -> &Arc<Generation> {
        &self.generation
    }

    /// Resolves when there are no subscribers left. None can join afterwards.
    pub async fn abandoned(&self) {
        loop {
            self.generation.event_count.closed().await;
            let mut registry = self.registry.lock();
            // A subscriber may have joined before the registry was locked.
            if self.generation.event_count.receiver_count() == 0 {
                self.remove(&mut registry);
                return;
            }
        }
    }

    pub fn end(self, outcome: Outcome) {
        self.remove(&mut self.registry.lock());
        self.generation.end(outcome);
    }

    fn remove(&self, registry: &mut HashMap<SearchId, Arc<Generation>>) {
        if registry.get(&self.generation.search).is_some_and(|there| Arc::ptr_eq(there, &self.generation)) {
            registry.remove(&self.generation.search);
        }
    }
}

impl Drop for GenerationGuard {
    fn drop(&mut self) {
        self.remove(&mut self.registry.lock());
        self.generation.end(Err(SummaryError::cancelled()));
    }
}

impl Subscriber {
    fn of(generation: &Arc<Generation>) -> Self {
        Self {
            generation: Arc::clone(generation),
            event_count: generation.event_count.subscribe(),
            next_index: 0,
        }
    }

    /// The next event; None after the last one.
    pub async fn next(&mut self) -> Option<SummaryEvent> {
        let next_index = self.next_index;
        if self.generation.lock().outcome.is_some() && next_index >= *self.event_count.borrow() {
            return None;
        }
        // Releases the borrow before the log is locked, to avoid a deadlock.
        let has_event = self.event_count.wait_for(|count| *count > next_index).await.is_ok();
        if !has_event {
            return None;
        }
        let event = self.generation.lock().events.get(next_index).cloned();
        self.next_index += 1;
        event
    }

    pub async fn outcome(self) -> Outcome {
        let mut ended = self.generation.ended.subscribe();
        let _is_over = ended.wait_for(|ended| *ended).await.is_ok();
        let log = self.generation.lock();
        log.outcome.clone().unwrap_or_else(|| Err(SummaryError::cancelled()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary_item::tests::{search, stored};
    use futures_util::FutureExt;

    fn request(instructions: &str) -> SummaryRequest {
        SummaryRequest { instructions: instructions.to_owned(), ..SummaryRequest::default() }
    }

    fn started(admission: Admission) -> (GenerationGuard, Subscriber) {
        match admission {
            Admission::Started(guard, subscriber) => (guard, subscriber),
            Admission::Joined(_) | Admission::Busy(_) => panic!("somebody makes one already"),
        }
    }

    fn joined(admission: Admission) -> Subscriber {
        match admission {
            Admission::Joined(subscriber) => subscriber,
            Admission::Started(..) | Admission::Busy(_) => panic!("not the same answer"),
        }
    }

    #[tokio::test]
    async fn who_comes_late_hears_all_of_it() {
        let registry = Arc::new(GenerationRegistry::default());
        let (guard, mut first) = started(registry.admit(&search(), &request("")));
        guard.generation().emit(SummaryEvent::stage(Stage::Choosing));
        assert!(matches!(first.next().await, Some(SummaryEvent::Stage { stage: Stage::Choosing, .. })));
        assert!(first.next().now_or_never().is_none(), "there is no more yet");
        let mut late = joined(registry.admit(&search(), &request("")));
        guard.generation().emit(SummaryEvent::Delta("A river.".to_owned()));
        guard.end(Ok(stored()));
        assert!(matches!(late.next().await, Some(SummaryEvent::Stage { .. })));
        for subscriber in [&mut first, &mut late] {
            assert!(matches!(subscriber.next().await, Some(SummaryEvent::Delta(_))));
            assert!(matches!(subscriber.next().await, Some(SummaryEvent::Done(_))));
            assert!(subscriber.next().await.is_none());
        }
        assert_eq!(late.outcome().await, Ok(stored()));
        assert!(
            matches!(registry.admit(&search(), &request("")), Admission::Started(..)),
            "the place is free"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn each_stage_has_its_time() {
        let registry = Arc::new(GenerationRegistry::default());
        let (guard, _follower) = started(registry.admit(&search(), &request("")));
        assert!(guard.generation().stages().is_empty());
        let emitted = [(Stage::Choosing, 1), (Stage::Reading, 2), (Stage::Reading, 3), (Stage::Writing, 4)];
        for (stage, seconds) in emitted {
            guard.generation().emit(SummaryEvent::stage(stage));
            tokio::time::advance(Duration::from_secs(seconds)).await;
        }
        let expected = [(Stage::Choosing, 1), (Stage::Reading, 5), (Stage::Writing, 4)];
        let expected = expected.map(|(stage, seconds)| (stage, Duration::from_secs(seconds)));
        assert_eq!(guard.generation().stages(), expected);
    }

    #[tokio::test]
    async fn another_request_waits_and_keeps_nothing_running() {
        let registry = Arc::new(GenerationRegistry::default());
        let (guard, subscriber) = started(registry.admit(&search(), &request("short")));
        let Admission::Busy(mut ended) = registry.admit(&search(), &request("long")) else {
            panic!("not busy")
        };
        assert!(!*ended.borrow_and_update());
        let second = joined(registry.admit(&search(), &request("short")));
        drop(subscriber);
        assert!(guard.abandoned().now_or_never().is_none(), "one still follows");
        drop(second);
        guard.abandoned().await;
        assert!(matches!(registry.admit(&search(), &request("long")), Admission::Started(..)));
        drop(guard);
        assert!(ended.wait_for(|ended| *ended).await.is_ok());
    }

    #[tokio::test]
    async fn an_older_run_is_ended_and_a_lost_one_leaves_nobody_waiting() {
        let registry = Arc::new(GenerationRegistry::default());
        let (guard, subscriber) = started(registry.admit(&search(), &request("")));
        let again = Search { run: RunNumber(2), ..search() };
        assert!(matches!(registry.admit(&again, &request("")), Admission::Busy(_)));
        assert!(guard.generation().cancelled().now_or_never().is_some());
        drop(guard);
        assert_eq!(subscriber.outcome().await, Err(SummaryError::cancelled()));
        assert!(!registry.cancel(search().id), "nothing is made any more");
    }
}
