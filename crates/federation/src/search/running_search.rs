//! A search that is followed to its end, with the providers that finish on the way.

use crate::error::FederationError;
use crate::progress::SearchEvent;
use crate::search::ended_runs::EndedSearch;
use crate::search::waiter::{ExpectedEnd, SearchWaiter};
use domain::ids::{ProviderId, RunNumber};
use domain::result::ResultSet;
use domain::search::Search;
use std::collections::{BTreeSet, VecDeque};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// What a search may take beyond the time of its query processors and providers, for post-processing and storing.
const GRACE: Duration = Duration::from_secs(5);

impl SearchWaiter {
    /// Waits for the end of a search that was started. Returns the unfinished search if that takes too long.
    pub async fn wait_for_end(&self, search: Search) -> Result<EndedSearch, FederationError> {
        let at_most = self.time_max(&search) + GRACE;
        self.end_within(search, at_most).await
    }

    /// Like [`Self::wait_for_end`], for a search that was expected before it started.
    pub(crate) async fn wait_for_expected(
        &self,
        search: Search,
        expected: ExpectedEnd<'_>,
    ) -> Result<EndedSearch, FederationError> {
        let at_most = self.time_max(&search) + GRACE;
        let ended = self.wait_for(expected, &search, at_most).await;
        self.or_unfinished(search, ended).await
    }

    /// Follows a search that was started, to its end or until it takes too long.
    pub fn follow_to_end(&self, search: Search) -> RunningSearch<'_> {
        let events = self.progress.subscribe(search.id);
        self.progress.follow(&search);
        let finished = self.progress.snapshot(search.id, search.run).into();
        let run = search.run;
        let end = Box::pin(self.wait_for_end(search));
        RunningSearch { run, events: Some(events), finished, reported: BTreeSet::new(), end, ended: None }
    }

    /// The search once it has ended, or its current state after `at_most`.
    pub async fn end_within(
        &self,
        search: Search,
        at_most: Duration,
    ) -> Result<EndedSearch, FederationError> {
        let ended = self.wait(&search, at_most).await;
        self.or_unfinished(search, ended).await
    }

    /// The current state of a search that did not end in time.
    async fn or_unfinished(
        &self,
        search: Search,
        ended: Result<EndedSearch, FederationError>,
    ) -> Result<EndedSearch, FederationError> {
        match ended {
            Err(FederationError::NotReady(_)) => Ok(self.store.search(search.id).await?.into()),
            ended => ended,
        }
    }
}

/// A search that is followed: first the providers as they finish, then the search itself.
pub struct RunningSearch<'f> {
    run: RunNumber,
    /// None once the channel is closed.
    events: Option<Receiver<SearchEvent>>,
    /// Providers that have finished and are not yet reported.
    finished: VecDeque<Arc<ResultSet>>,
    reported: BTreeSet<ProviderId>,
    end: Pin<Box<dyn Future<Output = Result<EndedSearch, FederationError>> + Send + 'f>>,
    ended: Option<Result<EndedSearch, FederationError>>,
}

impl RunningSearch<'_> {
    /// The results of the next provider that finishes, each provider once. None once the search has ended.
    pub async fn next_provider(&mut self) -> Option<Arc<ResultSet>> {
        loop {
            while let Some(set) = self.finished.pop_front() {
                if self.reported.insert(set.provider) {
                    return Some(set);
                }
            }
            if self.ended.is_some() {
                return None;
            }
            self.wait_for_news().await;
        }
    }

    /// The search; call it after the last provider. Unfinished if it took too long.
    pub async fn end(self) -> Result<EndedSearch, FederationError> {
        match self.ended {
            Some(ended) => ended,
            None => self.end.await,
        }
    }

    async fn wait_for_news(&mut self) {
        let event = async {
            match &mut self.events {
                Some(events) => events.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            ended = &mut self.end => {
                self.ended = Some(ended);
                // Events just before the end.
                while let Some(Ok(event)) = self.events.as_mut().map(Receiver::try_recv) {
                    self.note(event);
                }
            }
            event = event => match event {
                Ok(event) => self.note(event),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => self.events = None,
            },
        }
    }

    fn note(&mut self, event: SearchEvent) {
        if let SearchEvent::Provider { run, set } = event
            && run == self.run
        {
            self.finished.push_back(set);
        }
    }
}

/// Logs the start of a search, without its query. `way` says where it came from.
pub fn log_start(search: &Search, way: &'static str) {
    let (id, owner) = (search.id, search.owner);
    tracing::info!(
        user.id = owner.0,
        search.id = id.0,
        way,
        "{way}: search {id} of user {owner} was started"
    );
}
