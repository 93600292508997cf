//! Runs a search; each step is one call. Start reading here.

use crate::error::FederationError;
use crate::notice_now::notice_now;
use crate::search::fan_out::ProviderInput;
use crate::search::finish::{RunOutcome, RunResults};
use crate::search::merge::merge;
use crate::search::runner::SearchRunner;
use crate::search::selector::Selection;
use crate::search::starting_runs::NewSearch;
use crate::timings::StepName;
use domain::ids::{ProviderId, RunNumber, SearchId};
use domain::notice::NoticeKind;
use domain::ports::{RunStage, RunningSlot, StoreError};
use domain::result::ResultSet;
use domain::search::{Search, Sort};
use domain::status::{Delivery, RunKind, SearchStatus};
use tokio::time::Instant;

/// Whether all sources delivered their results.
fn delivery(sets: &[ResultSet]) -> Delivery {
    if sets.iter().all(|set| set.status.has_delivered()) { Delivery::Full } else { Delivery::Partial }
}

impl SearchRunner {
    /// Executes one run of a search. Idempotent: a run that is finished or no longer the newest is skipped. `kind`
    /// comes with the task, because the status reports it only until federation begins. The `slot` is released while
    /// models and providers are awaited.
    pub async fn run(
        &self,
        id: SearchId,
        run: RunNumber,
        kind: RunKind,
        slot: &dyn RunningSlot,
    ) -> Result<(), FederationError> {
        let started = Instant::now();
        let (search, records) = match self.starting_runs.take(id, run) {
            Some(NewSearch { search, records, .. }) => (search, records),
            None => match self.store.search(id).await {
                Err(StoreError::NotFound) => return Ok(()),
                other => (other?, None),
            },
        };
        if search.run != run || search.status.is_final() {
            return Ok(());
        }
        self.ended_runs.begin(id);
        let timer = &self.timings.start(&search, || self.context.clock.now());
        let mut notices = Vec::new();
        let Selection { providers, owner, preferences, pipeline } =
            self.selector.select(&search, records, &mut notices).await?;
        if providers.is_empty() {
            notices.push(notice_now(&self.context, NoticeKind::NoProviders));
            return self.finish_without_run(&search, SearchStatus::ErrNoSearchproviders, notices).await;
        }
        if search.spec.sort == Sort::Date && kind == RunKind::New {
            notices.push(notice_now(&self.context, NoticeKind::DateSortRequested));
        }
        let transforms = self.transforms.run_transforms(&search, &owner, &providers).await?;
        slot.release(); // a processor may call a model
        let query = self.pre_query(&search, &transforms, &mut notices).await;
        let choice = self.source_chooser.choose(&search, &query, &providers, &mut notices).await;
        // The providers get all of their time, however long preparing the query took.
        let deadline = Instant::now() + self.settings.timeout.0;
        // Held until the end of the run, like its results.
        let memory = self.provider_runs.memory.for_run();
        let later = &choice.later;
        let input =
            ProviderInput { query: &query, later, transforms: &transforms, memory: &memory, deadline, timer };
        timer.end_step(StepName::Prepare);
        let pipeline = self.post_processor.choose_pipeline(&search, pipeline, &mut notices);
        // Written while the providers are queried.
        let status = self.set_status(id, run, SearchStatus::Federating);
        let (is_current, (mut sets, mut found)) =
            tokio::join!(timer.time_part(StepName::Status, status), self.fan_out(&search, providers, input));
        if !is_current? {
            return Ok(()); // deleted or restarted meanwhile
        }
        timer.end_sources();
        timer.time_part(StepName::Slot, slot.acquire()).await;
        let status = SearchStatus::ready(kind, delivery(&sets));
        if kind == RunKind::Update {
            let queried: Vec<ProviderId> = sets.iter().map(|set| set.provider).collect();
            sets = timer.time_part(StepName::Status, self.merge_with_saved(&search, sets)).await?;
            // The list keeps the results of providers that were not queried this time.
            let others = sets.iter().filter(|set| !queried.contains(&set.provider));
            found.unanswered.extend(others.map(|set| set.provider_name.clone()));
        }
        let post_result =
            self.post_processor.process(&search, pipeline, &mut sets, &mut notices, RunStage::Ending);
        timer.time_part(StepName::PostResult, post_result).await;
        timer.end_step(StepName::Scoring);
        self.timings.keep(timer, status, &sets);
        let took = started.elapsed();
        let best = self.best_for_cache(&sets);
        let past = choice.into_past_search(&sets);
        let results = Some(RunResults { found, preferences });
        let outcome = RunOutcome { status, query, sets, results, notices, took };
        let finished = self.finish(&search, outcome).await;
        self.timings.finish(timer, finished.is_ok());
        finished?;
        drop(memory);
        slot.release();
        // After the end of the run, because nobody waits for it.
        self.context.corpus.promote(search.owner, &search.spec.tags, &best).await;
        self.source_chooser.remember(search.owner, past).await;
        Ok(())
    }

    /// The saved results merged with those of an update. They are read here, after the providers have responded, so
    /// that little can change in between.
    async fn merge_with_saved(
        &self,
        search: &Search,
        fresh: Vec<ResultSet>,
    ) -> Result<Vec<ResultSet>, FederationError> {
        let saved = self.store.result_sets(search.id).await?;
        Ok(merge(saved, fresh, |kind| notice_now(&self.context, kind)))
    }

    async fn set_status(
        &self,
        id: SearchId,
        run: RunNumber,
        status: SearchStatus,
    ) -> Result<bool, FederationError> {
        let is_current = self.store.change_status(id, run, status, self.context.clock.now()).await?;
        if is_current {
            self.progress.status_changed(id, status);
            return Ok(true);
        }
        // A redelivered task finds the status already set; only a finished run stops here.
        match self.store.search(id).await {
            Ok(search) => Ok(search.run == run && !search.status.is_final()),
            Err(StoreError::NotFound) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
