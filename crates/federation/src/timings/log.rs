//! The times of the last runs in this process, and whether they are recorded at the moment.

use super::record::{RESPONSE_WITHIN, RunRecord, SearchTiming, SpanPlace};
use super::timer::{RunTimer, SpanTimer};
use chrono::TimeDelta;
use domain::instant;
use domain::request_context::current_request;
use domain::result::ResultSet;
use domain::search::Search;
use domain::status::SearchStatus;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Most runs whose times are kept.
pub const RUNS_MAX: usize = 200;
/// Most runs that wait for their export; further ones are dropped and counted.
const EXPORT_QUEUE_MAX: usize = 1024;
/// How long runs are recorded after somebody looked at them.
const RECORDED_FOR: Duration = Duration::from_secs(10 * 60);
/// Values of `until_ms`.
const OFF: u64 = 0;
const ALWAYS: u64 = u64::MAX;

/// Records the times of searches while somebody looks at them or they are exported. Otherwise a run costs one atomic
/// load.
pub struct SearchTimings {
    created: Instant,
    /// Recording ends this many milliseconds after `created`.
    until_ms: AtomicU64,
    state: Mutex<State>,
    export: OnceLock<mpsc::Sender<Arc<RunRecord>>>,
    exported: AtomicU64,
    dropped: AtomicU64,
}

#[derive(Default)]
struct State {
    /// The oldest first.
    runs: VecDeque<Arc<RunRecord>>,
    since: Option<instant::Instant>,
}

/// The times of the last searches, and since when they are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimingsView {
    pub since: instant::Instant,
    /// When recording ends unless somebody looks again; None if it does not end, because searches are exported.
    pub until: Option<instant::Instant>,
    /// The newest first.
    pub searches: Vec<SearchTiming>,
}

/// How many searches were exported, and how many were not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExportCounts {
    pub exported: u64,
    pub dropped: u64,
}

impl Default for SearchTimings {
    fn default() -> Self {
        Self {
            created: Instant::now(),
            until_ms: AtomicU64::new(OFF),
            state: Mutex::default(),
            export: OnceLock::new(),
            exported: AtomicU64::default(),
            dropped: AtomicU64::default(),
        }
    }
}

impl SearchTimings {
    /// The last `count` runs that have ended. Looking keeps the recording on, or turns it on.
    pub fn look(&self, now: instant::Instant, count: usize) -> TimingsView {
        let was_recording = self.is_recording();
        let until_ms = self.until_ms.load(Ordering::Relaxed);
        let until = if until_ms == ALWAYS {
            None
        } else {
            let end = self.elapsed_ms().saturating_add(RECORDED_FOR.as_millis() as u64);
            self.until_ms.fetch_max(end, Ordering::Relaxed);
            Some(now + TimeDelta::from_std(RECORDED_FOR).unwrap_or_default())
        };
        let mut state = self.lock();
        let since = state.since.filter(|_| was_recording).unwrap_or(now);
        state.since = Some(since);
        let searches = state.runs.iter().rev().filter_map(|run| run.timing()).take(count).collect();
        TimingsView { since, until, searches }
    }

    /// Exports every run that ends from now on. None if they are exported already.
    pub fn export(&self, now: instant::Instant) -> Option<mpsc::Receiver<Arc<RunRecord>>> {
        let (sender, receiver) = mpsc::channel(EXPORT_QUEUE_MAX);
        self.export.set(sender).ok()?;
        self.until_ms.store(ALWAYS, Ordering::Relaxed);
        self.lock().since = Some(now);
        Some(receiver)
    }

    pub fn export_counts(&self) -> ExportCounts {
        let (exported, dropped) = (&self.exported, &self.dropped);
        ExportCounts { exported: exported.load(Ordering::Relaxed), dropped: dropped.load(Ordering::Relaxed) }
    }

    pub fn count_exported(&self, runs: usize) {
        self.exported.fetch_add(runs as u64, Ordering::Relaxed);
    }

    pub fn count_dropped(&self, runs: usize) {
        self.dropped.fetch_add(runs as u64, Ordering::Relaxed);
    }

    /// The timer of a run that starts now.
    pub(crate) fn start(&self, search: &Search, now: impl FnOnce() -> instant::Instant) -> RunTimer {
        if !self.is_recording() {
            return RunTimer::default();
        }
        RunTimer::of(Arc::new(RunRecord::of(search, current_request(), now())))
    }

    /// Keeps a run whose results are about to be stored, so that its response is recorded however fast it comes.
    pub(crate) fn keep(&self, timer: &RunTimer, status: SearchStatus, sets: &[ResultSet]) {
        let Some(record) = timer.record() else { return };
        record.set_outcome(status, sets.iter().map(|set| set.retrieved).sum());
        if !self.is_recording() {
            return; // nobody looks any more, and the runs of the recording are gone
        }
        let mut state = self.lock();
        if state.runs.len() >= RUNS_MAX {
            state.runs.pop_front();
        }
        state.runs.push_back(Arc::clone(record));
    }

    /// Ends a run. It is shown only if its results were stored.
    pub(crate) fn finish(&self, timer: &RunTimer, is_stored: bool) {
        let Some(record) = timer.record() else { return };
        if !is_stored {
            self.lock().runs.retain(|run| !Arc::ptr_eq(run, record));
            return;
        }
        record.end_storing();
        if let Some(export) = self.export.get()
            && export.try_send(Arc::clone(record)).is_err()
        {
            self.count_dropped(1);
        }
    }

    /// Times the response to a request for the results, if the run has just ended in this process.
    pub(crate) fn begin_response(&self, search: &Search) -> SpanTimer {
        let record = if self.is_recording() { self.just_ended(search) } else { None };
        SpanTimer::begin(record.as_ref(), SpanPlace::Response)
    }

    fn just_ended(&self, search: &Search) -> Option<Arc<RunRecord>> {
        let found = self.lock().runs.iter().rev().find(|run| run.is_of(search)).cloned()?;
        // A request that waits may be here before the run is marked as stored.
        let is_late = found.stored_at().is_some_and(|stored| found.elapsed() > stored + RESPONSE_WITHIN);
        (!is_late).then_some(found)
    }

    fn is_recording(&self) -> bool {
        match self.until_ms.load(Ordering::Relaxed) {
            OFF => false,
            ALWAYS => true,
            until if self.elapsed_ms() < until => true,
            until => {
                let ended = self.until_ms.compare_exchange(until, OFF, Ordering::Relaxed, Ordering::Relaxed);
                if ended.is_ok() {
                    self.lock().runs.clear();
                }
                ended.is_err() // somebody looked meanwhile
            }
        }
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.created.elapsed().as_millis()).unwrap_or(u64::MAX - 1)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::tests::search;
    use crate::timings::record::StepName;

    const NOW: instant::Instant = instant::Instant::UNIX_EPOCH;

    fn run(timings: &SearchTimings, id: i64) -> bool {
        let timer = timings.start(&search(id), || search(id).date_updated);
        timer.end_step(StepName::Prepare);
        timings.keep(&timer, SearchStatus::FullResultsReady, &[]);
        timings.finish(&timer, true);
        timer.record().is_some()
    }

    fn ids(view: &TimingsView) -> Vec<i64> {
        view.searches.iter().map(|timing| timing.search.0).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn runs_are_recorded_only_while_somebody_looks() {
        let timings = SearchTimings::default();
        let no_clock = || -> instant::Instant { panic!("the clock is read") };
        assert!(timings.start(&search(1), no_clock).record().is_none(), "nobody has looked");
        let first = timings.look(NOW, 9);
        assert_eq!((first.since, ids(&first).len()), (NOW, 0));
        assert!(run(&timings, 2));
        tokio::time::advance(RECORDED_FOR - Duration::from_secs(1)).await;
        let later = NOW + TimeDelta::seconds(599);
        let again = timings.look(later, 9);
        assert_eq!((again.since, ids(&again)), (NOW, vec![2]));
        assert_eq!(again.until, Some(later + TimeDelta::seconds(600)), "it was prolonged");
        tokio::time::advance(RECORDED_FOR - Duration::from_secs(1)).await;
        assert!(run(&timings, 3));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!run(&timings, 4), "nobody looks any more");
        assert_eq!(timings.until_ms.load(Ordering::Relaxed), OFF, "the next run does not read the clock");
        let much_later = NOW + TimeDelta::days(1);
        let view = timings.look(much_later, 9);
        assert_eq!((view.since, ids(&view)), (much_later, vec![]), "those of the earlier recording are gone");
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_that_ends_after_its_recording_is_not_kept() {
        let timings = SearchTimings::default();
        timings.look(NOW, 1);
        let timer = timings.start(&search(1), || NOW);
        tokio::time::advance(RECORDED_FOR).await;
        assert!(!run(&timings, 2), "nobody looks any more");
        timings.keep(&timer, SearchStatus::FullResultsReady, &[]);
        timings.finish(&timer, true);
        assert!(ids(&timings.look(NOW, 9)).is_empty(), "the next recording begins without it");
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_whose_results_were_not_stored_is_removed() {
        let timings = SearchTimings::default();
        let mut exported = timings.export(NOW).unwrap();
        run(&timings, 1);
        let timer = timings.start(&search(2), || NOW);
        timings.keep(&timer, SearchStatus::FullResultsReady, &[]);
        assert_eq!(timings.lock().runs.len(), 2);
        timings.finish(&timer, false);
        assert_eq!(timings.lock().runs.len(), 1);
        assert_eq!(ids(&timings.look(NOW, 9)), [1]);
        assert!(
            exported.try_recv().is_ok() && exported.try_recv().is_err(),
            "only the first one is exported"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_bounded_number_of_runs_is_kept() {
        let timings = SearchTimings::default();
        timings.look(NOW, 1);
        let count = RUNS_MAX as i64 + 1;
        (1..=count).for_each(|id| assert!(run(&timings, id)));
        let all = ids(&timings.look(NOW, usize::MAX));
        assert_eq!((all.len(), all[0], all[RUNS_MAX - 1]), (RUNS_MAX, count, 2), "the newest first");
        assert_eq!(ids(&timings.look(NOW, 2)), [count, count - 1]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_export_queue_drops_runs_and_counts_them() {
        let timings = SearchTimings::default();
        let mut exported = timings.export(NOW).unwrap();
        assert!(timings.export(NOW).is_none(), "once");
        assert_eq!(timings.look(NOW, 1).until, None, "it does not end");
        let count = EXPORT_QUEUE_MAX as i64 + 3;
        (1..=count).for_each(|id| assert!(run(&timings, id)));
        assert_eq!(timings.export_counts(), ExportCounts { exported: 0, dropped: 3 });
        assert_eq!(exported.recv().await.unwrap().timing().unwrap().search.0, 1);
        assert!(run(&timings, 1));
        assert_eq!(timings.export_counts().dropped, 3, "there is space again");
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_counts_if_it_comes_soon() {
        let timings = SearchTimings::default();
        drop(timings.begin_response(&search(1)));
        timings.look(NOW, 1);
        for (id, wait, is_part) in [(1, RESPONSE_WITHIN, true), (2, RESPONSE_WITHIN * 2, false)] {
            run(&timings, id);
            tokio::time::advance(wait).await;
            drop(timings.begin_response(&search(id)));
            let last = timings.look(NOW, 1).searches[0].steps.last().map(|step| step.name);
            assert_eq!(last == Some(StepName::Response), is_part, "{id}");
        }
    }
}
