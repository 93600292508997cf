//! The steps of one run of a search, with their times.

use domain::ids::{ProviderId, RunNumber, SearchId};
use domain::instant;
use domain::result::ResultSet;
use domain::search::Search;
use domain::status::{ProviderStatus, SearchStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Most providers of one run whose times are kept. All of them count toward the steps of the run.
pub(super) const PROVIDERS_MAX: usize = 64;
/// A response counts as part of its search if it begins within this time after the results were stored.
pub(super) const RESPONSE_WITHIN: Duration = Duration::from_secs(1);
/// How long a response that began in time is waited for.
const RESPONSE_TIME_MAX: Duration = Duration::from_secs(1);

/// Part of a search. The first six follow each other without overlapping; the last three are details of `Scoring`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepName {
    /// From the request until a worker began.
    Queue,
    /// Selecting the providers and preparing the query.
    Prepare,
    /// Until the last provider has responded. Results of the others are scored meanwhile.
    Sources,
    /// Mapping, scoring and ranking of the results that were not ready when the last provider had responded.
    Scoring,
    Storing,
    /// Mixing the first page of results for a request of this process.
    Response,
    /// Writing the status and reading the pipeline, which begins with `Sources`, and reading the saved results of an
    /// update.
    Status,
    /// Waiting for a slot on the CPU.
    Slot,
    /// The post-result processors.
    PostResult,
}

impl StepName {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Prepare => "prepare",
            Self::Sources => "sources",
            Self::Scoring => "scoring",
            Self::Storing => "storing",
            Self::Response => "response",
            Self::Status => "status",
            Self::Slot => "slot",
            Self::PostResult => "post_result",
        }
    }
}

/// Begin and end, counted from the request for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan {
    pub begin: Duration,
    pub end: Duration,
}

/// A step with its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub name: StepName,
    pub span: TimeSpan,
}

/// Times of one provider of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderTiming {
    pub id: ProviderId,
    pub name: Arc<str>,
    /// None if its part of the run broke off.
    pub status: Option<ProviderStatus>,
    pub retrieved: u64,
    /// Requests and responses, including retries, later pages and parsing. None if no request was sent.
    pub fetch: Option<TimeSpan>,
    /// Mapping and scoring.
    pub processing: Option<TimeSpan>,
}

/// Times of a run that has ended. It has no query and no user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchTiming {
    pub search: SearchId,
    pub run: RunNumber,
    /// The id of the request that caused the run.
    pub request: Option<Arc<str>>,
    /// When the run was requested.
    pub requested: instant::Instant,
    pub status: SearchStatus,
    pub retrieved: u64,
    /// In order, without overlaps.
    pub steps: Vec<Step>,
    /// Details of the step `scoring`. `status` may begin before it.
    pub parts: Vec<Step>,
    /// At most 64.
    pub providers: Vec<ProviderTiming>,
    /// Number of providers, including those that are not listed.
    pub providers_total: usize,
}

impl SearchTiming {
    /// Time from the request to the end of the last step.
    pub fn total(&self) -> Duration {
        self.steps.last().map(|step| step.span.end).unwrap_or_default()
    }
}

/// What a finished time span belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpanPlace {
    Part(StepName),
    /// Of the provider at this position.
    Fetch(usize),
    Processing(usize),
    Response,
}

/// A run whose steps are recorded while it goes on.
#[derive(Debug)]
pub struct RunRecord {
    search: SearchId,
    run: RunNumber,
    request: Option<Arc<str>>,
    requested: instant::Instant,
    /// From the request to the start of the run.
    queued: Duration,
    started: Instant,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    steps: Vec<Step>,
    parts: Vec<Step>,
    providers: Vec<ProviderTiming>,
    providers_total: usize,
    last_fetch_end: Option<Duration>,
    response: Option<TimeSpan>,
    /// Status and number of results.
    outcome: Option<(SearchStatus, u64)>,
    is_stored: bool,
}

impl State {
    /// Adds the step that ends at this time and begins where the last one ended.
    fn end_step(&mut self, name: StepName, end: Duration) {
        let begin = self.steps.last().map(|step| step.span.end).unwrap_or_default();
        self.steps.push(Step { name, span: TimeSpan { begin, end: end.max(begin) } });
    }
}

impl RunRecord {
    /// The record of a run that starts now, with its time in the queue.
    pub(super) fn of(search: &Search, request: Option<Arc<str>>, now: instant::Instant) -> Self {
        // The search was last written when this run was requested.
        let requested = search.date_updated.min(now);
        let queued = (now - requested).to_std().unwrap_or_default();
        let mut state = State::default();
        state.end_step(StepName::Queue, queued);
        let (search, run) = (search.id, search.run);
        Self { search, run, request, requested, queued, started: Instant::now(), state: Mutex::new(state) }
    }

    pub(super) fn is_of(&self, search: &Search) -> bool {
        (self.search, self.run) == (search.id, search.run)
    }

    /// Time since the run was requested.
    pub(super) fn elapsed(&self) -> Duration {
        self.queued + self.started.elapsed()
    }

    pub(super) fn end_step(&self, name: StepName) {
        let now = self.elapsed();
        self.lock().end_step(name, now);
    }

    /// Ends the step `sources` when the last provider responded, so that the rest counts as scoring.
    pub(super) fn end_sources(&self) {
        let now = self.elapsed();
        let mut state = self.lock();
        let end = state.last_fetch_end.unwrap_or(now);
        state.end_step(StepName::Sources, end);
    }

    /// Adds a provider and returns its position.
    pub(super) fn add_provider(&self, id: ProviderId, name: &str) -> usize {
        let mut state = self.lock();
        let position = state.providers_total;
        state.providers_total += 1;
        if position < PROVIDERS_MAX {
            let (name, status) = (name.into(), None);
            let timing = ProviderTiming { id, name, status, retrieved: 0, fetch: None, processing: None };
            state.providers.push(timing);
        }
        position
    }

    pub(super) fn provider_ended(&self, position: usize, set: &ResultSet) {
        let now = self.elapsed();
        let mut state = self.lock();
        // It may have waited for something else than a response, such as a token.
        if !set.status.has_responded() {
            state.last_fetch_end = state.last_fetch_end.max(Some(now));
        }
        if let Some(provider) = state.providers.get_mut(position) {
            (provider.status, provider.retrieved) = (Some(set.status), set.retrieved);
        }
    }

    pub(super) fn add_span(&self, place: SpanPlace, span: TimeSpan) {
        let mut state = self.lock();
        match place {
            SpanPlace::Part(name) => state.parts.push(Step { name, span }),
            SpanPlace::Fetch(position) => {
                state.last_fetch_end = state.last_fetch_end.max(Some(span.end));
                if let Some(provider) = state.providers.get_mut(position) {
                    provider.fetch = Some(span);
                }
            }
            SpanPlace::Processing(position) => {
                if let Some(provider) = state.providers.get_mut(position) {
                    provider.processing = Some(span);
                }
            }
            // The first response counts; others are for requests that came later.
            SpanPlace::Response => {
                state.response.get_or_insert(span);
            }
        }
    }

    pub(super) fn set_outcome(&self, status: SearchStatus, retrieved: u64) {
        self.lock().outcome = Some((status, retrieved));
    }

    /// Ends the step `storing`, and with it the run.
    pub(super) fn end_storing(&self) {
        let now = self.elapsed();
        let mut state = self.lock();
        state.end_step(StepName::Storing, now);
        state.is_stored = true;
    }

    /// When the results were stored; None before.
    pub(super) fn stored_at(&self) -> Option<Duration> {
        let state = self.lock();
        state.steps.last().filter(|_| state.is_stored).map(|step| step.span.end)
    }

    /// Whether the run has ended and its response is recorded or comes too late.
    pub fn is_settled(&self) -> bool {
        let now = self.elapsed();
        let is_over = |stored: Duration| now >= stored + RESPONSE_WITHIN + RESPONSE_TIME_MAX;
        self.stored_at().is_some_and(|stored| is_over(stored) || self.lock().response.is_some())
    }

    /// The times, once the run has ended.
    pub fn timing(&self) -> Option<SearchTiming> {
        let state = self.lock();
        let (status, retrieved) = state.outcome.filter(|_| state.is_stored)?;
        let mut steps = state.steps.clone();
        if let (Some(response), Some(storing)) = (state.response, steps.last_mut()) {
            // A request that waits is handed the results a moment before the run itself goes on.
            let begin = response.begin.max(storing.span.begin);
            storing.span.end = storing.span.end.min(begin);
            let span = TimeSpan { begin, end: response.end.max(begin) };
            steps.push(Step { name: StepName::Response, span });
        }
        Some(SearchTiming {
            search: self.search,
            run: self.run,
            request: self.request.clone(),
            requested: self.requested,
            status,
            retrieved,
            steps,
            parts: state.parts.clone(),
            providers: state.providers.clone(),
            providers_total: state.providers_total,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::tests::search;
    use chrono::TimeDelta;
    use testkit::builders::result_set;

    const MS: Duration = Duration::from_millis(1);

    fn span(begin: u32, end: u32) -> TimeSpan {
        TimeSpan { begin: MS * begin, end: MS * end }
    }

    fn shown(steps: &[Step]) -> Vec<(&'static str, TimeSpan)> {
        steps.iter().map(|step| (step.name.as_str(), step.span)).collect()
    }

    /// A run that was requested 5 ms ago.
    fn record() -> RunRecord {
        let search = search(1);
        RunRecord::of(&search, None, search.date_updated + TimeDelta::milliseconds(5))
    }

    #[tokio::test(start_paused = true)]
    async fn steps_follow_each_other_from_the_request_to_the_response() {
        let record = record();
        tokio::time::advance(MS * 2).await;
        record.end_step(StepName::Prepare);
        let fast = record.add_provider(ProviderId(1), "fast");
        let slow = record.add_provider(ProviderId(2), "slow");
        record.add_span(SpanPlace::Fetch(slow), span(8, 30));
        record.add_span(SpanPlace::Fetch(fast), span(8, 10));
        record.add_span(SpanPlace::Processing(fast), span(10, 12));
        tokio::time::advance(MS * 33).await;
        record.end_sources();
        tokio::time::advance(MS * 2).await;
        record.end_step(StepName::Scoring);
        record.set_outcome(SearchStatus::FullResultsReady, 7);
        assert_eq!(record.timing(), None, "it has not ended");
        tokio::time::advance(MS * 3).await;
        record.end_storing();
        assert_eq!(record.stored_at(), Some(MS * 45));
        let timing = record.timing().unwrap();
        assert_eq!((timing.total(), timing.retrieved, timing.providers_total), (MS * 45, 7, 2));
        assert_eq!(
            shown(&timing.steps),
            [
                ("queue", span(0, 5)),
                ("prepare", span(5, 7)),
                ("sources", span(7, 30)),
                ("scoring", span(30, 42)),
                ("storing", span(42, 45)),
            ]
        );
        assert_eq!(timing.providers[0].processing, Some(span(10, 12)));
        record.add_span(SpanPlace::Response, span(44, 50));
        record.add_span(SpanPlace::Response, span(60, 70));
        let steps = record.timing().unwrap().steps;
        assert_eq!(shown(&steps[4..]), [("storing", span(42, 44)), ("response", span(44, 50))]);
    }

    /// The steps and the provider of a run with one provider that sent no request and ended after 40 ms.
    async fn ended_without_request(status: ProviderStatus) -> (Vec<Step>, ProviderTiming) {
        let record = record();
        let position = record.add_provider(ProviderId(1), "one");
        tokio::time::advance(MS * 40).await;
        record.provider_ended(position, &ResultSet { status, ..result_set(1).build() });
        tokio::time::advance(MS * 2).await;
        // Another one, which was faster.
        record.add_span(SpanPlace::Fetch(PROVIDERS_MAX), span(5, 6));
        record.end_sources();
        record.set_outcome(SearchStatus::PartialResultsReady, 0);
        record.end_storing();
        let mut timing = record.timing().unwrap();
        (timing.steps, timing.providers.remove(0))
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_that_failed_before_its_request_counts_as_a_source() {
        let (steps, provider) = ended_without_request(ProviderStatus::Timeout).await;
        assert_eq!((provider.fetch, provider.status), (None, Some(ProviderStatus::Timeout)));
        assert_eq!(shown(&steps[1..2]), [("sources", span(5, 45))]);
        let (steps, _) = ended_without_request(ProviderStatus::Ok).await;
        assert_eq!(shown(&steps[1..2]), [("sources", span(5, 6))], "the results were being scored");
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_is_settled_once_its_response_can_no_longer_be_recorded() {
        let (with_response, without) = (record(), record());
        with_response.add_span(SpanPlace::Response, span(5, 6));
        assert!(!with_response.is_settled(), "its results are being stored");
        with_response.end_storing();
        without.end_storing();
        assert!(with_response.is_settled() && !without.is_settled());
        tokio::time::advance(RESPONSE_WITHIN).await;
        assert!(!without.is_settled(), "a response may have begun");
        tokio::time::advance(RESPONSE_TIME_MAX).await;
        assert!(without.is_settled());
    }

    #[tokio::test(start_paused = true)]
    async fn a_bounded_number_of_providers_is_listed() {
        let record = record();
        for id in 0..=PROVIDERS_MAX {
            let position = record.add_provider(ProviderId(id as i64), "one");
            record.add_span(SpanPlace::Fetch(position), span(5, 6 + id as u32));
            record.add_span(SpanPlace::Processing(position), span(5, 6));
        }
        tokio::time::advance(MS * 900).await;
        record.end_sources();
        record.set_outcome(SearchStatus::FullResultsReady, 0);
        record.end_storing();
        let timing = record.timing().unwrap();
        assert_eq!((timing.providers.len(), timing.providers_total), (PROVIDERS_MAX, PROVIDERS_MAX + 1));
        let last_fetch = MS * (6 + PROVIDERS_MAX as u32);
        assert_eq!(timing.steps[1].span.end, last_fetch, "all of them count");
    }

    #[test]
    fn a_clock_that_was_turned_back_makes_no_time_in_the_queue() {
        let search = search(1);
        let record = RunRecord::of(&search, None, search.date_updated - TimeDelta::seconds(9));
        assert_eq!(record.queued, Duration::ZERO);
    }
}
