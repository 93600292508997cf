//! The path of a search, readable top to bottom.

use crate::conclude::Ended;
use crate::{Federation, FederationError};
use domain::contracts::{RunningSlot, StoreError};
use domain::ids::{ProviderId, SearchId};
use domain::message;
use domain::search::Sort;
use domain::search_run::RunFindings;
use domain::status::SearchStatus;
use std::time::Duration;
use tokio::time::Instant;

impl Federation {
    /// Runs one run of a search. Idempotent: a run that is over, or no longer the newest, is left alone.
    /// `is_update` comes with the task, because the status says it only until federation begins. The `slot` is given up
    /// while others are asked: models about the query, then the sources.
    pub async fn run(
        &self,
        id: SearchId,
        run: i64,
        is_update: bool,
        slot: &dyn RunningSlot,
    ) -> Result<(), FederationError> {
        let started = Instant::now();
        let search = match self.store.search(id).await {
            Err(StoreError::NotFound) => return Ok(()),
            other => other?,
        };
        if search.run != run || search.status.is_final() {
            return Ok(());
        }
        let mut messages = Vec::new();
        let providers = self.select(&search, &mut messages).await?;
        if providers.is_empty() {
            messages.push(self.stamped(message::no_providers()));
            return self.conclude_without(&search, SearchStatus::ErrNoSearchproviders, messages).await;
        }
        if search.spec.sort == Sort::Date && !is_update {
            messages.push(self.stamped(message::date_sort_requested()));
        }
        let transforms = self.run_transforms(&search, &providers).await?;
        slot.release(); // a model may be asked before the sources
        let query = self.pre_query(&search, &transforms, &mut messages).await;
        // The sources have all of their time, however long the query took to prepare.
        let deadline = Instant::now() + self.context.settings.timeout.0;
        // Held to the end of the run, as its results are.
        let memory = self.memory.for_run();
        let (noted, mut sets) = tokio::join!(
            self.note(id, run, SearchStatus::Federating), // written while the sources travel
            self.federate(&search, providers, (&query, &transforms), (&memory, deadline)),
        );
        if !noted? {
            return Ok(()); // deleted or started again meanwhile
        }
        slot.acquire().await;
        // FULL only when every provider that was asked delivered.
        let all_delivered = sets.iter().all(|set| set.status.has_delivered());
        let status = SearchStatus::ready(is_update, all_delivered);
        let mut found = RunFindings::of(&sets);
        if is_update {
            let asked: Vec<ProviderId> = sets.iter().map(|set| set.provider).collect();
            sets = self.with_saved(&search, sets).await?;
            // The list keeps what sources gave that were not asked this time.
            let others = sets.iter().filter(|set| !asked.contains(&set.provider));
            found.unanswered.extend(others.map(|set| set.provider_name.clone()));
        }
        self.post_result(&search, &mut sets, &mut messages, true).await;
        let took = started.elapsed();
        let (found, best) = (Some(found), self.best_for_cache(&sets));
        self.conclude(&search, Ended { status, query, sets, found, messages, took }).await?;
        drop(memory);
        slot.release();
        // After the end, because nobody waits for it.
        self.context.corpus.promote(search.owner, &search.spec.tags, &best).await;
        Ok(())
    }

    /// A line for `messages` with the time in brackets.
    pub(crate) fn stamped(&self, line: &str) -> String {
        message::at(self.context.clock.now(), line)
    }

    async fn note(&self, id: SearchId, run: i64, status: SearchStatus) -> Result<bool, FederationError> {
        let noted = self.store.change_status(id, run, status, self.context.clock.now()).await?;
        if noted {
            self.events.status_changed(id, status);
        }
        // A redelivered task finds the status already there; only a run that is over stops here.
        let search = match noted {
            true => return Ok(true),
            false => self.store.search(id).await,
        };
        match search {
            Ok(search) => Ok(search.run == run && !search.status.is_final()),
            Err(StoreError::NotFound) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// What is left of the time until `deadline`.
pub(crate) fn time_left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}
