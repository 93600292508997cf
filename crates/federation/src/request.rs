//! Asking for a search: a new one, an edited one, the same again.

use crate::{Federation, FederationError, tasks};
use domain::contracts::QueueName;
use domain::ids::UserId;
use domain::message;
use domain::search::{RESULTS_REQUESTED_MAX, Search, SearchDraft};

impl Federation {
    /// Checks the draft, stores the search with the task that runs it, and wakes a worker.
    pub async fn create(&self, owner: UserId, draft: SearchDraft) -> Result<Search, FederationError> {
        let (draft, remarks) = self.checked(draft)?;
        let now = self.toolbox.clock.now();
        let mut messages = vec![message::banner()];
        messages.extend(remarks);
        let search = self.store.create_search(draft, owner, messages, now, tasks::run_search).await?;
        self.queue.nudge(QueueName::Search);
        Ok(search)
    }

    /// Stores an edit. When it changes what runs, the results are discarded and the search runs again.
    pub async fn change(&self, search: &Search, draft: SearchDraft) -> Result<Search, FederationError> {
        let (draft, remarks) = self.checked(draft)?;
        if draft.runs_like(&search.draft) {
            return Ok(self.store.change_search(search.id, draft, self.toolbox.clock.now()).await?);
        }
        self.restart(search, draft, remarks).await
    }

    /// Discards the results and starts again.
    pub async fn rerun(&self, search: &Search) -> Result<Search, FederationError> {
        let now = self.toolbox.clock.now();
        let note = message::at(now, message::rerun_requested());
        self.restart(search, search.draft.clone(), vec![note]).await
    }

    async fn restart(
        &self,
        search: &Search,
        draft: SearchDraft,
        remarks: Vec<String>,
    ) -> Result<Search, FederationError> {
        let now = self.toolbox.clock.now();
        let mut messages = vec![message::banner()];
        messages.extend(remarks);
        let search = self.store.restart_search(search.id, draft, messages, now, tasks::run_search).await?;
        self.queue.nudge(QueueName::Search);
        Ok(search)
    }

    fn checked(&self, mut draft: SearchDraft) -> Result<(SearchDraft, Vec<String>), FederationError> {
        let errors = self.catalogues.check_search(&draft);
        if !errors.is_empty() {
            return Err(FederationError::Invalid(errors));
        }
        let mut remarks = Vec::new();
        if draft.results_requested > RESULTS_REQUESTED_MAX {
            remarks.push(message::clamped(
                "results_requested",
                draft.results_requested,
                RESULTS_REQUESTED_MAX,
            ));
            draft.results_requested = RESULTS_REQUESTED_MAX;
        }
        Ok((draft, remarks))
    }
}
