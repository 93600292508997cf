//! Entry point of summaries: returns the stored one, joins one in progress, or starts a new one.

use crate::better_order::BetterOrders;
use crate::chat::Chats;
use crate::context::{RagContext, RagDeps};
use crate::error::SummaryError;
use crate::events::{Stage, SummaryEvent};
use crate::in_progress::{Admission, GenerationGuard, Outcome, Subscriber};
use crate::request::{normalized, serves_request};
use domain::ids::SearchId;
use domain::ports::{ModelUse, SummaryEnd, chain};
use domain::request_context::{current_request, within_request_if_any};
use domain::search::Search;
use domain::summary::{StoredSummary, SummaryFault, SummaryRequest};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

/// The AI summaries of searches; each search has at most one generation in progress.
pub struct Summaries {
    rag: Arc<RagContext>,
    chats: Arc<Chats>,
    better_orders: Option<BetterOrders>,
    /// Generations of this process; they are aborted when this is dropped.
    running: Mutex<JoinSet<()>>,
}

/// Where a summary comes from.
enum AnswerHandle {
    Stored(Box<StoredSummary>),
    Subscribed {
        subscriber: Subscriber,
        /// The generation was started for this handle.
        is_own: bool,
    },
}

/// How long a caller waits for a summary.
#[derive(Clone, Copy)]
struct TimeLimit {
    time_max: Duration,
    deadline: Instant,
}

impl TimeLimit {
    fn from_now(time_max: Duration) -> Self {
        Self { time_max, deadline: Instant::now() + time_max }
    }
}

impl Summaries {
    pub fn new(deps: RagDeps) -> Self {
        let (chats, better_orders) = (Arc::new(Chats::new(deps.clone())), BetterOrders::new(&deps));
        Self { rag: Arc::new(RagContext::new(deps)), chats, better_orders, running: Mutex::default() }
    }

    pub fn chats(&self) -> &Arc<Chats> {
        &self.chats
    }

    /// Better orders of lists; `None` if the second reader is off.
    pub fn better_orders(&self) -> Option<&BetterOrders> {
        self.better_orders.as_ref()
    }

    /// The summary for a request: the stored one, one in progress, or a new one.
    pub async fn answer(
        &self,
        search: &Search,
        request: &SummaryRequest,
        time_max: Duration,
    ) -> Result<StoredSummary, SummaryError> {
        let limit = TimeLimit::from_now(time_max);
        let too_late = |_| SummaryError::too_late(time_max);
        loop {
            let handle = timeout_at(limit.deadline, self.handle(search, request, limit));
            let (subscriber, is_own) = match handle.await.map_err(too_late)?? {
                AnswerHandle::Stored(answer) => return Ok(*answer),
                AnswerHandle::Subscribed { subscriber, is_own } => (subscriber, is_own),
            };
            match timeout_at(limit.deadline, subscriber.outcome()).await.map_err(too_late)? {
                // The caller that started it had less time than this one.
                Err(SummaryError::Fault { fault: SummaryFault::RagTimeout, .. }) if !is_own => {}
                outcome => return outcome,
            }
        }
    }

    /// The events of a summary while it is generated; the last one is `Done` or `Failed`.
    pub fn follow(
        self: &Arc<Self>,
        search: &Search,
        request: &SummaryRequest,
        time_max: Duration,
    ) -> BoxStream<'static, SummaryEvent> {
        let limit = TimeLimit::from_now(time_max);
        let (this, search, request) = (Arc::clone(self), search.clone(), request.clone());
        let events = async move {
            let handle = this.handle(&search, &request, limit);
            let handle = timeout_at(limit.deadline, handle).await;
            let handle = handle.unwrap_or_else(|_| Err(SummaryError::too_late(time_max)));
            match handle {
                Ok(AnswerHandle::Stored(answer)) => replay(*answer),
                Ok(AnswerHandle::Subscribed { subscriber, .. }) => subscription(subscriber, limit),
                Err(error) => stream::iter([error.event()]).boxed(),
            }
        };
        stream::once(events).flatten().boxed()
    }

    /// Cancels the generation for a search. Returns whether there was one.
    pub async fn cancel(&self, search: SearchId) -> Result<bool, SummaryError> {
        let was_here = self.rag.in_progress.cancel(search);
        let was_anywhere = self.rag.store.cancel_summary(search).await?;
        Ok(was_here || was_anywhere)
    }

    /// Finds or starts the summary. Waits while another summary of the same search is generated.
    async fn handle(
        &self,
        search: &Search,
        request: &SummaryRequest,
        limit: TimeLimit,
    ) -> Result<AnswerHandle, SummaryError> {
        check_ready(search)?;
        let request = normalized(request);
        loop {
            if let Some(stored) = self.rag.federation.reader.saved_summary(search).await?
                && serves_request(&stored, search, &request)
            {
                return Ok(AnswerHandle::Stored(Box::new(stored)));
            }
            match self.rag.in_progress.admit(search, &request) {
                Admission::Joined(subscriber) => {
                    return Ok(AnswerHandle::Subscribed { subscriber, is_own: false });
                }
                Admission::Started(guard, subscriber) => {
                    self.start(search, guard, limit);
                    return Ok(AnswerHandle::Subscribed { subscriber, is_own: true });
                }
                Admission::Busy(mut ended) => {
                    let _is_over = ended.wait_for(|ended| *ended).await.is_ok();
                }
            }
        }
    }

    /// Starts the generation as a task of its own, so that it continues while any subscriber is left.
    fn start(&self, search: &Search, guard: GenerationGuard, limit: TimeLimit) {
        // The field `queue` selects the log file.
        let span = tracing::info_span!("answer", queue = "interactive", search.id = search.id.0);
        let run = Arc::clone(&self.rag).run(search.clone(), guard, limit);
        let run = within_request_if_any(current_request(), run).instrument(span);
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while running.try_join_next().is_some() {}
        running.spawn(run);
    }
}

impl RagContext {
    async fn run(self: Arc<Self>, search: Search, guard: GenerationGuard, limit: TimeLimit) {
        let (started, lease_holder) = (Instant::now(), format!("{:016x}", rand::random::<u64>()));
        let generation = Arc::clone(guard.generation());
        let generating = self.generate(&search, &generation, &lease_holder, limit.deadline);
        let mut work = Box::pin(timeout_at(limit.deadline, generating));
        let outcome: Outcome = tokio::select! {
            result = &mut work => result.unwrap_or_else(|_| Err(SummaryError::too_late(limit.time_max))),
            () = generation.cancelled() => Err(SummaryError::cancelled()),
            () = guard.abandoned() => Err(SummaryError::cancelled()),
        };
        // Cancels the fetches and the request to the model.
        drop(work);
        if outcome.is_err()
            && let Err(error) = self.store.end_summary(search.id, &lease_holder).await
        {
            tracing::warn!(
                search.id = search.id.0,
                %error,
                "the lease of the summary could not be released: {}",
                chain(&error)
            );
        }
        log(&search, &outcome, started.elapsed());
        self.count(&generation.stages(), &outcome, started.elapsed());
        guard.end(outcome);
    }

    fn count(&self, stages: &[(Stage, Duration)], outcome: &Outcome, took: Duration) {
        // If another process generated it, that process counts it.
        let is_ours = stages.iter().any(|(stage, _)| *stage == Stage::Writing);
        let details = outcome.as_ref().ok().and_then(|answer| answer.row.additional_content.as_ref());
        let model = details.filter(|details| is_ours && !details.extractive).map(|details| ModelUse {
            provider: &details.ai_provider,
            model: &details.ai_model,
            tokens_in: details.tokens_in,
            tokens_out: details.tokens_out,
        });
        let fault = outcome.as_ref().err().map(SummaryError::fault);
        let stages: Vec<(&str, Duration)> =
            stages.iter().map(|(stage, took)| (stage.as_str(), *took)).collect();
        self.observer.summary_ended(&SummaryEnd { fault, took, stages: &stages, model });
    }
}

/// A search that ended without results will never have a summary.
fn check_ready(search: &Search) -> Result<(), SummaryError> {
    match search.status {
        status if status.is_ready() => Ok(()),
        status if status.is_error() => Err(SummaryError::of(
            SummaryFault::NoRelevantResults,
            format!("The search ended without results ({}).", status.as_str()),
        )),
        status => Err(SummaryError::NotReady(status)),
    }
}

/// A stored summary as the events of its generation.
fn replay(answer: StoredSummary) -> BoxStream<'static, SummaryEvent> {
    let sources = answer.row.additional_content.as_ref().map(|details| details.sources.clone());
    let sources = sources.unwrap_or_default();
    let mut events: Vec<SummaryEvent> = sources.iter().cloned().map(SummaryEvent::Source).collect();
    events.push(SummaryEvent::Delta(answer.row.body.clone()));
    events.push(SummaryEvent::Citations(sources));
    events.push(SummaryEvent::Done(Box::new(answer)));
    stream::iter(events).boxed()
}

/// The events of a subscriber until its deadline.
fn subscription(subscriber: Subscriber, limit: TimeLimit) -> BoxStream<'static, SummaryEvent> {
    let next = move |subscriber: Option<Subscriber>| async move {
        let mut subscriber = subscriber?;
        match timeout_at(limit.deadline, subscriber.next()).await {
            Ok(event) => event.map(|event| (event, Some(subscriber))),
            Err(_) => Some((SummaryError::too_late(limit.time_max).event(), None)),
        }
    };
    stream::unfold(Some(subscriber), next).boxed()
}

fn log(search: &Search, outcome: &Outcome, took: Duration) {
    let (id, duration_ms) = (search.id, u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    match outcome {
        Ok(answer) => {
            let sources = answer.row.rag_query_items.len();
            tracing::info!(
                search.id = id.0,
                duration_ms,
                sources,
                "search {id} was summarized from {sources} sources in {duration_ms} ms"
            );
        }
        Err(SummaryError::Fault { fault, message }) => tracing::info!(
            search.id = id.0,
            duration_ms,
            code = fault.code(),
            "search {id} has no summary ({}): {message}",
            fault.code()
        ),
        Err(error) => {
            tracing::warn!(search.id = id.0, %error, "search {id} could not be summarized: {}", chain(&error))
        }
    }
}
