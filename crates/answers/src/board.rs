//! The board: one answer at a time for each search of this process, who makes it, and who follows it.
//!
//! A run goes on as long as somebody follows it, and ends with its last follower.

use crate::error::AnswerError;
use crate::events::{AnswerEvent, Stage};
use crate::wish::serves;
use domain::answer::{AnswerWish, StoredAnswer};
use domain::ids::SearchId;
use domain::search::Search;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

pub(crate) type Outcome = Result<StoredAnswer, AnswerError>;

#[derive(Default)]
pub(crate) struct Board(Mutex<HashMap<SearchId, Arc<Making>>>);

/// One answer that is being made.
pub(crate) struct Making {
    pub search: SearchId,
    pub run: i64,
    pub wish: AnswerWish,
    story: Mutex<Story>,
    /// How many events there are. Every follower holds a receiver.
    told: watch::Sender<usize>,
    /// Those who only wait for the end do not keep it going.
    ended: watch::Sender<bool>,
    cancel: Notify,
}

#[derive(Default)]
struct Story {
    events: Vec<AnswerEvent>,
    /// When each stage began.
    stages: Vec<(Stage, Instant)>,
    outcome: Option<Outcome>,
}

/// How somebody who wants an answer was received.
pub(crate) enum Entered {
    /// Nobody makes one: whoever gets this has to.
    Begun(Pinned, Follower),
    /// The same answer is being made.
    Joined(Follower),
    /// Another answer of the same search is being made; wait until this turns true.
    Busy(watch::Receiver<bool>),
}

/// Hears everything from the beginning, however late it came.
pub(crate) struct Follower {
    making: Arc<Making>,
    told: watch::Receiver<usize>,
    heard: usize,
}

/// An answer on the board. It is taken down when this is dropped, however the run ends, and nobody waits in vain.
pub(crate) struct Pinned {
    board: Arc<Board>,
    making: Arc<Making>,
}

impl Board {
    pub fn enter(self: &Arc<Self>, search: &Search, wish: &AnswerWish) -> Entered {
        let mut board = self.lock();
        if let Some(making) = board.get(&search.id) {
            let is_outdated = making.run != search.run;
            if !is_outdated && serves(&making.wish, wish) {
                return Entered::Joined(Follower::of(making));
            }
            if is_outdated {
                making.cancel.notify_one();
            }
            return Entered::Busy(making.ended.subscribe());
        }
        let making = Arc::new(Making {
            search: search.id,
            run: search.run,
            wish: wish.clone(),
            story: Mutex::default(),
            told: watch::Sender::new(0),
            ended: watch::Sender::new(false),
            cancel: Notify::new(),
        });
        board.insert(search.id, Arc::clone(&making));
        let follower = Follower::of(&making);
        Entered::Begun(Pinned { board: Arc::clone(self), making }, follower)
    }

    /// True when something was being made.
    pub fn cancel(&self, search: SearchId) -> bool {
        let board = self.lock();
        let making = board.get(&search);
        making.inspect(|making| making.cancel.notify_one()).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SearchId, Arc<Making>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Making {
    pub fn tell(&self, event: AnswerEvent) {
        let mut story = self.lock();
        if let AnswerEvent::Stage { stage, .. } = event
            && story.stages.last().is_none_or(|(last, _)| *last != stage)
        {
            story.stages.push((stage, Instant::now()));
        }
        story.events.push(event);
        self.told.send_replace(story.events.len());
    }

    /// Each stage so far and how long it took; the last one ends now.
    pub fn stages(&self) -> Vec<(Stage, Duration)> {
        let story = self.lock();
        let begun = story.stages.iter();
        let ends = begun.clone().skip(1).map(|(_, next)| *next).chain([Instant::now()]);
        begun.zip(ends).map(|((stage, begun), end)| (*stage, end - *begun)).collect()
    }

    /// Ends when somebody does not want it any more.
    pub async fn cancelled(&self) {
        self.cancel.notified().await;
    }

    fn end(&self, outcome: Outcome) {
        let mut story = self.lock();
        if story.outcome.is_some() {
            return;
        }
        story.events.push(match &outcome {
            Ok(answer) => AnswerEvent::Done(Box::new(answer.clone())),
            Err(error) => error.event(),
        });
        story.outcome = Some(outcome);
        self.told.send_replace(story.events.len());
        self.ended.send_replace(true);
    }

    fn lock(&self) -> MutexGuard<'_, Story> {
        self.story.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pinned {
    pub fn making(&self) -> &Arc<Making> {
        &self.making
    }

    /// Ends when nobody follows any more. Nobody can join afterwards.
    pub async fn abandoned(&self) {
        loop {
            self.making.told.closed().await;
            let mut board = self.board.lock();
            // Somebody may have joined before the board was locked.
            if self.making.told.receiver_count() == 0 {
                self.take_down(&mut board);
                return;
            }
        }
    }

    pub fn end(self, outcome: Outcome) {
        self.take_down(&mut self.board.lock());
        self.making.end(outcome);
    }

    fn take_down(&self, board: &mut HashMap<SearchId, Arc<Making>>) {
        if board.get(&self.making.search).is_some_and(|there| Arc::ptr_eq(there, &self.making)) {
            board.remove(&self.making.search);
        }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        self.take_down(&mut self.board.lock());
        self.making.end(Err(AnswerError::cancelled()));
    }
}

impl Follower {
    fn of(making: &Arc<Making>) -> Self {
        Self { making: Arc::clone(making), told: making.told.subscribe(), heard: 0 }
    }

    /// The next event; None after the last one.
    pub async fn next(&mut self) -> Option<AnswerEvent> {
        let heard = self.heard;
        if self.making.lock().outcome.is_some() && heard >= *self.told.borrow() {
            return None;
        }
        // What is borrowed here is given back before the story is locked, else both could wait for each other.
        let is_told = self.told.wait_for(|count| *count > heard).await.is_ok();
        if !is_told {
            return None;
        }
        let event = self.making.lock().events.get(heard).cloned();
        self.heard += 1;
        event
    }

    pub async fn outcome(self) -> Outcome {
        let mut ended = self.making.ended.subscribe();
        let _is_over = ended.wait_for(|ended| *ended).await.is_ok();
        let story = self.making.lock();
        story.outcome.clone().unwrap_or_else(|| Err(AnswerError::cancelled()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::{search, stored};
    use futures_util::FutureExt;

    fn wish(instructions: &str) -> AnswerWish {
        AnswerWish { instructions: instructions.to_owned(), ..AnswerWish::default() }
    }

    fn begun(entered: Entered) -> (Pinned, Follower) {
        match entered {
            Entered::Begun(pinned, follower) => (pinned, follower),
            Entered::Joined(_) | Entered::Busy(_) => panic!("somebody makes one already"),
        }
    }

    fn joined(entered: Entered) -> Follower {
        match entered {
            Entered::Joined(follower) => follower,
            Entered::Begun(..) | Entered::Busy(_) => panic!("not the same answer"),
        }
    }

    #[tokio::test]
    async fn who_comes_late_hears_all_of_it() {
        let board = Arc::new(Board::default());
        let (pinned, mut first) = begun(board.enter(&search(), &wish("")));
        pinned.making().tell(AnswerEvent::stage(Stage::Choosing));
        assert!(matches!(first.next().await, Some(AnswerEvent::Stage { stage: Stage::Choosing, .. })));
        assert!(first.next().now_or_never().is_none(), "there is no more yet");
        let mut late = joined(board.enter(&search(), &wish("")));
        pinned.making().tell(AnswerEvent::Delta("A river.".to_owned()));
        pinned.end(Ok(stored()));
        assert!(matches!(late.next().await, Some(AnswerEvent::Stage { .. })));
        for follower in [&mut first, &mut late] {
            assert!(matches!(follower.next().await, Some(AnswerEvent::Delta(_))));
            assert!(matches!(follower.next().await, Some(AnswerEvent::Done(_))));
            assert!(follower.next().await.is_none());
        }
        assert_eq!(late.outcome().await, Ok(stored()));
        assert!(matches!(board.enter(&search(), &wish("")), Entered::Begun(..)), "the place is free");
    }

    #[tokio::test(start_paused = true)]
    async fn each_stage_has_its_time() {
        let board = Arc::new(Board::default());
        let (pinned, _follower) = begun(board.enter(&search(), &wish("")));
        assert!(pinned.making().stages().is_empty());
        let told = [(Stage::Choosing, 1), (Stage::Reading, 2), (Stage::Reading, 3), (Stage::Writing, 4)];
        for (stage, seconds) in told {
            pinned.making().tell(AnswerEvent::stage(stage));
            tokio::time::advance(Duration::from_secs(seconds)).await;
        }
        let expected = [(Stage::Choosing, 1), (Stage::Reading, 5), (Stage::Writing, 4)];
        let expected = expected.map(|(stage, seconds)| (stage, Duration::from_secs(seconds)));
        assert_eq!(pinned.making().stages(), expected);
    }

    #[tokio::test]
    async fn another_wish_waits_and_keeps_nothing_going() {
        let board = Arc::new(Board::default());
        let (pinned, follower) = begun(board.enter(&search(), &wish("short")));
        let Entered::Busy(mut ended) = board.enter(&search(), &wish("long")) else { panic!("not busy") };
        assert!(!*ended.borrow_and_update());
        let second = joined(board.enter(&search(), &wish("short")));
        drop(follower);
        assert!(pinned.abandoned().now_or_never().is_none(), "one still follows");
        drop(second);
        pinned.abandoned().await;
        assert!(matches!(board.enter(&search(), &wish("long")), Entered::Begun(..)));
        drop(pinned);
        assert!(ended.wait_for(|ended| *ended).await.is_ok());
    }

    #[tokio::test]
    async fn an_older_run_is_ended_and_a_lost_one_leaves_nobody_waiting() {
        let board = Arc::new(Board::default());
        let (pinned, follower) = begun(board.enter(&search(), &wish("")));
        let again = Search { run: 2, ..search() };
        assert!(matches!(board.enter(&again, &wish("")), Entered::Busy(_)));
        assert!(pinned.making().cancelled().now_or_never().is_some());
        drop(pinned);
        assert_eq!(follower.outcome().await, Err(AnswerError::cancelled()));
        assert!(!board.cancel(search().id), "nothing is made any more");
    }
}
