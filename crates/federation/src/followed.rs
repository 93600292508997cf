//! A search that is followed in this process: what is known of it here, once for all who follow.

use crate::SearchEvent;
use crate::wishes::ASK_EVERY;
use domain::ids::ProviderId;
use domain::result::ResultSet;
use domain::search::Search;
use domain::status::SearchStatus;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How often the row is read where nothing else tells: the search runs in another process, and there is no relay.
/// Also when it is read first, because what was told before the first wish arrived is lost.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often it is read where this process or the relay tells: what they tell may be lost.
const LOOK_RARELY: Duration = Duration::from_secs(12);

#[derive(Debug)]
pub(crate) struct Followed {
    /// Run and status that all followers know; None when one of them may not.
    known: Option<(i64, SearchStatus)>,
    /// The newest run that was heard of, and its providers that have ended.
    run: i64,
    heard: Vec<Arc<ResultSet>>,
    pub(crate) ask_at: Instant,
    pub(crate) look_at: Instant,
}

impl Followed {
    pub(crate) fn new(search: &Search, now: Instant) -> Self {
        Self {
            known: Some((search.run, search.status)),
            run: search.run,
            heard: Vec::new(),
            ask_at: now + ASK_EVERY,
            look_at: now + LOOK_EVERY,
        }
    }

    /// Something is told to all followers.
    pub(crate) fn hear(&mut self, event: &SearchEvent) {
        match event {
            SearchEvent::Provider(run, set) => {
                self.go_on_to(*run);
                if *run == self.run && self.heard.iter().all(|one| one.provider != set.provider) {
                    self.heard.push(Arc::clone(set));
                }
            }
            SearchEvent::Status(status) => {
                self.known = self.known.map(|(run, _)| (run, *status));
            }
            SearchEvent::Changed => {}
        }
    }

    pub(crate) fn heard(&self, run: i64) -> &[Arc<ResultSet>] {
        if run == self.run { &self.heard } else { &[] }
    }

    /// What to ask other processes for: the run, and the providers that nobody needs to tell again.
    pub(crate) fn ask(&mut self, now: Instant) -> (i64, Vec<ProviderId>) {
        self.ask_at = now + ASK_EVERY;
        (self.run, self.heard.iter().map(|set| set.provider).collect())
    }

    pub(crate) fn doubt(&mut self) {
        self.known = None;
        self.look_at = self.look_at.min(Instant::now() + LOOK_EVERY);
    }

    /// The row was read; None when there is none. True when the followers must be told.
    pub(crate) fn see(&mut self, state: Option<(i64, SearchStatus)>, is_told: bool, now: Instant) -> bool {
        let is_news = state.is_none() || state != self.known;
        self.known = state;
        self.look_at = now + if is_told { LOOK_RARELY } else { LOOK_EVERY };
        if let Some((run, _)) = state {
            self.go_on_to(run);
        }
        is_news
    }

    fn go_on_to(&mut self, run: i64) {
        if run > self.run {
            self.run = run;
            self.heard.clear();
        }
    }
}
