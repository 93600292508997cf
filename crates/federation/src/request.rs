//! Asking for a search: a new one, an edited one, the same again.

use crate::{Federation, FederationError, tasks};
use domain::contracts::QueueName;
use domain::ids::{SearchId, UserId};
use domain::message;
use domain::search::{RESULTS_REQUESTED_MAX, Search, SearchSpec};
use domain::user::Principal;
use std::collections::BTreeSet;
use tokio::sync::{Mutex, MutexGuard};

/// How often an edit is made again because its run or another process has written the search meanwhile.
const EDITS_MAX: u32 = 50;
/// Locks for the edits; searches share them.
const LOCKS: usize = 64;

/// Lets the edits of one search in this process wait for each other, each in its turn. The store refuses what is
/// older than the search, so this is no matter of safety: it keeps the slow from being overtaken again and again.
pub(crate) struct EditTurns([Mutex<()>; LOCKS]);

impl Default for EditTurns {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(())))
    }
}

impl EditTurns {
    async fn turn(&self, id: SearchId) -> MutexGuard<'_, ()> {
        let lock = usize::try_from(id.0.unsigned_abs()).unwrap_or_default() % LOCKS;
        self.0[lock].lock().await
    }
}

impl Federation {
    /// Checks the spec, stores the search with the task that runs it, and wakes a worker.
    pub async fn create(&self, owner: UserId, spec: SearchSpec) -> Result<Search, FederationError> {
        let (spec, remarks) = self.checked(owner, spec).await?;
        let _admitted = self.admit_new(owner).await?;
        let now = self.context.clock.now();
        let mut messages = vec![message::banner()];
        messages.extend(remarks);
        let search = self.store.create_search(spec, owner, messages, now, tasks::run_search).await?;
        self.queue.nudge(QueueName::Search);
        Ok(search)
    }

    /// Stores an edit: `edit` makes the new spec out of the stored search, again if somebody else was quicker.
    /// When it changes what runs, the results are discarded and the search runs again.
    pub async fn change<E: From<FederationError>>(
        &self,
        id: SearchId,
        edit: impl Fn(&Search) -> Result<SearchSpec, E>,
    ) -> Result<Search, E> {
        let _turn = self.edits.turn(id).await;
        for _ in 0..EDITS_MAX {
            let seen = self.store.search(id).await.map_err(FederationError::from)?;
            let spec = edit(&seen)?;
            if let Some(changed) = self.store_edit(&seen, spec).await? {
                return Ok(changed);
            }
        }
        Err(FederationError::Contended.into())
    }

    /// Discards the results and starts again.
    pub async fn rerun(&self, id: SearchId) -> Result<Search, FederationError> {
        let _turn = self.edits.turn(id).await;
        for _ in 0..EDITS_MAX {
            let seen = self.store.search(id).await?;
            let note = self.stamped(message::rerun_requested());
            if let Some(again) = self.restart(&seen, seen.spec.clone(), vec![note]).await? {
                return Ok(again);
            }
        }
        Err(FederationError::Contended)
    }

    /// None when the search was written since it was read.
    async fn store_edit(&self, seen: &Search, spec: SearchSpec) -> Result<Option<Search>, FederationError> {
        let (spec, remarks) = self.checked(seen.owner, spec).await?;
        match spec.runs_like(&seen.spec) {
            true => Ok(self.store.change_search(seen, spec, self.context.clock.now()).await?),
            false => self.restart(seen, spec, remarks).await,
        }
    }

    async fn restart(
        &self,
        seen: &Search,
        spec: SearchSpec,
        remarks: Vec<String>,
    ) -> Result<Option<Search>, FederationError> {
        let _admitted = self.admit_again(seen.owner).await?;
        let now = self.context.clock.now();
        let mut messages = vec![message::banner()];
        messages.extend(remarks);
        let search = self.store.restart_search(seen, spec, messages, now, tasks::run_search).await?;
        self.queue.nudge(QueueName::Search);
        Ok(search)
    }

    pub(crate) async fn checked(
        &self,
        owner: UserId,
        mut spec: SearchSpec,
    ) -> Result<(SearchSpec, Vec<String>), FederationError> {
        let names_transforms = [&spec.pre_query_processors, &spec.query_processors]
            .into_iter()
            .flatten()
            .any(|name| self.plugins.query_processor(name).is_none());
        // The transforms are read only when something may be one: a plain search costs nothing more.
        let transforms = match names_transforms {
            true => self.transforms_for(&Principal::of(&self.store.user(owner).await?)).await?,
            false => BTreeSet::new(),
        };
        let errors = self.plugins.check_search(&spec, &transforms);
        if !errors.is_empty() {
            return Err(FederationError::Invalid(errors));
        }
        let default_retention = self.context.settings.default_retention.number();
        spec.retention = Some(spec.retention.unwrap_or(default_retention));
        let mut remarks = Vec::new();
        if spec.results_requested > RESULTS_REQUESTED_MAX {
            remarks.push(self.stamped(&message::clamped(
                "results_requested",
                spec.results_requested,
                RESULTS_REQUESTED_MAX,
            )));
            spec.results_requested = RESULTS_REQUESTED_MAX;
        }
        Ok((spec, remarks))
    }
}
