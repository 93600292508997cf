//! The door to answers: the stored one, one that is being made, or one that is made now.

use crate::board::{Board, Entered, Follower, Outcome, Pinned};
use crate::chat::Chats;
use crate::error::AnswerError;
use crate::events::{AnswerEvent, Stage};
use crate::wish::{is_answer_to, settled};
use domain::answer::{AnswerFault, AnswerWish, StoredAnswer};
use domain::contracts::{AnswerEnd, ModelUse, Observer, PluginContext, ReadPages, Store};
use domain::ids::SearchId;
use domain::search::Search;
use federation::Federation;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

/// What answers are given.
#[derive(Clone)]
pub struct AnswersParts {
    pub store: Arc<dyn Store>,
    pub federation: Arc<Federation>,
    pub context: PluginContext,
    pub pages: Arc<dyn ReadPages>,
    pub observer: Arc<dyn Observer>,
}

/// Makes the AI summaries of searches, one at a time for each search.
pub struct Answers {
    desk: Arc<Desk>,
    chats: Arc<Chats>,
    /// What is made here; it ends when this is dropped.
    running: Mutex<JoinSet<()>>,
}

/// What the steps of an answer work with.
pub(crate) struct Desk {
    pub store: Arc<dyn Store>,
    pub federation: Arc<Federation>,
    pub context: PluginContext,
    pub pages: Arc<dyn ReadPages>,
    pub observer: Arc<dyn Observer>,
    pub board: Arc<Board>,
    /// `SVC_INTERACTIVE_CONCURRENCY` answers are made at once in this process.
    pub places: Semaphore,
}

enum Seat {
    Stored(Box<StoredAnswer>),
    /// With whether the run was begun for this seat.
    Following(Follower, bool),
}

impl Answers {
    pub fn new(parts: AnswersParts) -> Self {
        let chats = Arc::new(Chats::new(parts.clone()));
        let AnswersParts { store, federation, context, pages, observer } = parts;
        let places = Semaphore::new(context.settings.interactive_concurrency.max(1) as usize);
        let board = Arc::default();
        let desk = Arc::new(Desk { store, federation, context, pages, observer, board, places });
        Self { desk, chats, running: Mutex::default() }
    }

    pub fn chats(&self) -> &Arc<Chats> {
        &self.chats
    }

    /// The answer to a wish: the stored one, one that is being made, or one that is made now.
    pub async fn answer(
        &self,
        search: &Search,
        wish: &AnswerWish,
        time_max: Duration,
    ) -> Result<StoredAnswer, AnswerError> {
        let deadline = Instant::now() + time_max;
        let too_late = |_| AnswerError::too_late(time_max);
        loop {
            let seat = timeout_at(deadline, self.seat(search, wish, (time_max, deadline)));
            let (follower, is_own) = match seat.await.map_err(too_late)?? {
                Seat::Stored(answer) => return Ok(*answer),
                Seat::Following(follower, is_own) => (follower, is_own),
            };
            match timeout_at(deadline, follower.outcome()).await.map_err(too_late)? {
                // Who began it had less time than we have.
                Err(AnswerError::Fault { fault: AnswerFault::RagTimeout, .. }) if !is_own => {}
                outcome => return outcome,
            }
        }
    }

    /// The same, told while it is made; ends with Done or Failed.
    pub fn follow(
        self: &Arc<Self>,
        search: &Search,
        wish: &AnswerWish,
        time_max: Duration,
    ) -> BoxStream<'static, AnswerEvent> {
        let deadline = Instant::now() + time_max;
        let (this, search, wish) = (Arc::clone(self), search.clone(), wish.clone());
        let seated = async move {
            let seat = this.seat(&search, &wish, (time_max, deadline));
            let seat =
                timeout_at(deadline, seat).await.unwrap_or_else(|_| Err(AnswerError::too_late(time_max)));
            match seat {
                Ok(Seat::Stored(answer)) => told_again(*answer),
                Ok(Seat::Following(follower, _)) => heard(follower, (time_max, deadline)),
                Err(error) => stream::iter([error.event()]).boxed(),
            }
        };
        stream::once(seated).flatten().boxed()
    }

    /// Ends what is being made for a search. True when something was.
    pub async fn cancel(&self, search: SearchId) -> Result<bool, AnswerError> {
        let was_here = self.desk.board.cancel(search);
        let was_anywhere = self.desk.store.cancel_answer(search).await?;
        Ok(was_here || was_anywhere)
    }

    /// Where to get the answer from. Another answer of the same search is waited for.
    async fn seat(
        &self,
        search: &Search,
        wish: &AnswerWish,
        time: (Duration, Instant),
    ) -> Result<Seat, AnswerError> {
        check_ready(search)?;
        let wish = settled(wish);
        loop {
            if let Some(stored) = self.desk.federation.saved_answer(search).await?
                && is_answer_to(&stored, search, &wish)
            {
                return Ok(Seat::Stored(Box::new(stored)));
            }
            match self.desk.board.enter(search, &wish) {
                Entered::Joined(follower) => return Ok(Seat::Following(follower, false)),
                Entered::Begun(pinned, follower) => {
                    self.begin(search, pinned, time);
                    return Ok(Seat::Following(follower, true));
                }
                Entered::Busy(mut ended) => {
                    let _is_over = ended.wait_for(|ended| *ended).await.is_ok();
                }
            }
        }
    }

    /// The run belongs to nobody who asked: it goes on when the first of them leaves and others still listen.
    fn begin(&self, search: &Search, pinned: Pinned, time: (Duration, Instant)) {
        // The line finds its file by the field `queue`.
        let span = tracing::info_span!("answer", queue = "interactive", search.id = search.id.0);
        let run = Arc::clone(&self.desk).run(search.clone(), pinned, time).instrument(span);
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while running.try_join_next().is_some() {}
        running.spawn(run);
    }
}

impl Desk {
    async fn run(self: Arc<Self>, search: Search, pinned: Pinned, (time_max, deadline): (Duration, Instant)) {
        let (begun, writer) = (Instant::now(), format!("{:016x}", rand::random::<u64>()));
        let making = Arc::clone(pinned.making());
        let mut work = Box::pin(timeout_at(deadline, self.make(&search, &making, (&writer, deadline))));
        let outcome: Outcome = tokio::select! {
            made = &mut work => made.unwrap_or_else(|_| Err(AnswerError::too_late(time_max))),
            () = making.cancelled() => Err(AnswerError::cancelled()),
            () = pinned.abandoned() => Err(AnswerError::cancelled()),
        };
        // This ends the fetches and the request to the model.
        drop(work);
        if outcome.is_err()
            && let Err(error) = self.store.end_answer(search.id, &writer).await
        {
            tracing::warn!(search.id = search.id.0, %error, "the right to answer could not be given back: {error}");
        }
        log(&search, &outcome, begun.elapsed());
        self.count(&making.stages(), &outcome, begun.elapsed());
        pinned.end(outcome);
    }

    fn count(&self, stages: &[(Stage, Duration)], outcome: &Outcome, took: Duration) {
        // Another process may have written it, and counts it there.
        let is_ours = stages.iter().any(|(stage, _)| *stage == Stage::Writing);
        let details = outcome.as_ref().ok().and_then(|answer| answer.row.additional_content.as_ref());
        let model = details.filter(|details| is_ours && !details.extractive).map(|details| ModelUse {
            provider: &details.ai_provider,
            model: &details.ai_model,
            tokens_in: details.tokens_in,
            tokens_out: details.tokens_out,
        });
        let fault = outcome.as_ref().err().map(AnswerError::fault);
        let stages: Vec<(&str, Duration)> =
            stages.iter().map(|(stage, took)| (stage.as_str(), *took)).collect();
        self.observer.answer_ended(&AnswerEnd { fault, took, stages: &stages, model });
    }
}

/// A search that ended without results has nothing to answer from, and will not have it later.
fn check_ready(search: &Search) -> Result<(), AnswerError> {
    match search.status {
        status if status.is_ready() => Ok(()),
        status if status.is_error() => Err(AnswerError::of(
            AnswerFault::NoRelevantResults,
            format!("The search ended without results ({}).", status.as_str()),
        )),
        status => Err(AnswerError::NotReady(status)),
    }
}

/// A stored answer in the events of one that is made.
fn told_again(answer: StoredAnswer) -> BoxStream<'static, AnswerEvent> {
    let sources = answer.row.additional_content.as_ref().map(|details| details.sources.clone());
    let sources = sources.unwrap_or_default();
    let mut events: Vec<AnswerEvent> = sources.iter().cloned().map(AnswerEvent::Source).collect();
    events.push(AnswerEvent::Delta(answer.row.body.clone()));
    events.push(AnswerEvent::Citations(sources));
    events.push(AnswerEvent::Done(Box::new(answer)));
    stream::iter(events).boxed()
}

/// What a follower hears, until its own time is over.
fn heard(follower: Follower, (time_max, deadline): (Duration, Instant)) -> BoxStream<'static, AnswerEvent> {
    let next = move |follower: Option<Follower>| async move {
        let mut follower = follower?;
        match timeout_at(deadline, follower.next()).await {
            Ok(event) => event.map(|event| (event, Some(follower))),
            Err(_) => Some((AnswerError::too_late(time_max).event(), None)),
        }
    };
    stream::unfold(Some(follower), next).boxed()
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
                "search {id} was answered from {sources} sources in {duration_ms} ms"
            );
        }
        Err(AnswerError::Fault { fault, message }) => tracing::info!(
            search.id = id.0,
            duration_ms,
            code = fault.code(),
            "search {id} has no answer ({}): {message}",
            fault.code()
        ),
        Err(error) => tracing::warn!(search.id = id.0, %error, "search {id} could not be answered: {error}"),
    }
}
