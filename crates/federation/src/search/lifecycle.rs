//! Creates, edits, reruns and updates searches.

use crate::error::FederationError;
use crate::federation_store::FederationStore;
use crate::notice_now::notice_now;
use crate::search::admission::AdmissionControl;
use crate::search::edit_locks::EditLocks;
use crate::search::starting_runs::{NewSearch, StartingRuns};
use crate::search::transform_loader::TransformLoader;
use domain::ids::{SearchId, UserId};
use domain::notice::{Notice, NoticeKind};
use domain::pipeline::SYSTEM_DEFAULT;
use domain::ports::{PluginContext, PluginRegistry, QueueName, SearchRecords, StoreError, TaskQueue};
use domain::request_context::current_request;
use domain::search::{RESULTS_REQUESTED_MAX, Search, SearchSpec};
use domain::settings::Settings;
use domain::user::Principal;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::time::Instant;

/// How often an edit is retried because a run or another process has written the search meanwhile.
const EDITS_MAX: u32 = 50;

/// Stores what users request of their searches, each with the task that runs it.
pub struct SearchLifecycle {
    pub(crate) store: Arc<dyn FederationStore>,
    pub(crate) queue: Arc<dyn TaskQueue>,
    pub(crate) plugins: PluginRegistry,
    pub(crate) context: PluginContext,
    pub(crate) settings: Arc<Settings>,
    pub(crate) transforms: Arc<TransformLoader>,
    pub(crate) admission: AdmissionControl,
    pub(crate) edits: EditLocks,
    pub(crate) starting_runs: Arc<StartingRuns>,
}

/// When the client is told the id of a new search. An id that was told is kept, whatever crashes: one that is told at
/// the end was stored durably with the status that the run sets meanwhile.
#[derive(Debug, Clone, Copy)]
enum Told {
    AtOnce,
    AtItsEnd,
}

impl SearchLifecycle {
    /// Validates the spec, stores the search with its task, and starts it.
    pub async fn create(&self, owner: UserId, spec: SearchSpec) -> Result<Search, FederationError> {
        let (search, ()) = self.create_for(Told::AtOnce, owner, spec, |_| ()).await?;
        Ok(search)
    }

    /// Like [`Self::create`], for a client that is told of the search when it has ended. `expect` is called with the
    /// stored search before it starts.
    pub(crate) async fn create_expected<T>(
        &self,
        owner: UserId,
        spec: SearchSpec,
        expect: impl FnOnce(&Search) -> T,
    ) -> Result<(Search, T), FederationError> {
        self.create_for(Told::AtItsEnd, owner, spec, expect).await
    }

    async fn create_for<T>(
        &self,
        told: Told,
        owner: UserId,
        spec: SearchSpec,
        expect: impl FnOnce(&Search) -> T,
    ) -> Result<(Search, T), FederationError> {
        let (spec, remarks) = self.validated(owner, spec).await?;
        let admission = self.admission.request_new(owner);
        // If a worker of this process has a free slot, the search starts there and need not be claimed.
        let mut slot = self.queue.reserve(QueueName::Search, Some(owner));
        let read_at = Instant::now();
        let records = if slot.is_some() { self.read_records(owner).await? } else { None };
        let counted = records.as_ref().and_then(|records| records.search_counts);
        if counted.is_some_and(|counted| !self.admission.has_space(&admission, counted)) {
            slot = None; // removing old searches takes long, and another search can use it
        }
        self.admission.check_new(&admission, counted).await?;
        let now = self.context.clock.now();
        let mut notices = vec![Notice::banner()];
        notices.extend(remarks);
        let request = current_request();
        let Some(slot) = slot else {
            let search = self.store.create_search(spec, owner, notices, now, request.as_deref()).await?;
            let expected = expect(&search);
            self.queue.notify(QueueName::Search);
            return Ok((search, expected));
        };
        let search = Search::created(SearchId(0), owner, spec, notices, now);
        let started = match told {
            Told::AtOnce => self.store.start_search(search, request.as_deref(), slot.lease()).await?,
            Told::AtItsEnd => {
                self.store.start_awaited_search(search, request.as_deref(), slot.lease()).await?
            }
        };
        let expected = expect(&started.search);
        self.starting_runs.put(NewSearch { search: started.search.clone(), records, read_at });
        slot.start(started.task);
        Ok((started.search, expected))
    }

    /// What the admission and the run need, read at once. None if a record cannot be read: then each of them reads what
    /// it needs and reports the error.
    async fn read_records(&self, owner: UserId) -> Result<Option<SearchRecords>, FederationError> {
        let count_up_to = Some(self.admission.stored_max());
        match self.store.search_records(owner, count_up_to, SYSTEM_DEFAULT).await {
            Ok(records) => Ok(Some(records)),
            Err(error @ StoreError::Unreachable { .. }) => Err(error.into()), // it would be waited for again
            Err(_) => Ok(None),
        }
    }

    /// Stores an edit: `edit` derives the new spec from the stored search, again after a concurrent change. If it
    /// changes what runs, the results are discarded and the search runs again.
    pub async fn change<E: From<FederationError>>(
        &self,
        id: SearchId,
        edit: impl Fn(&Search) -> Result<SearchSpec, E>,
    ) -> Result<Search, E> {
        let _lock = self.edits.lock(id).await;
        for _ in 0..EDITS_MAX {
            let current = self.store.search(id).await.map_err(FederationError::from)?;
            let spec = edit(&current)?;
            if let Some(changed) = self.store_edit(&current, spec).await? {
                return Ok(changed);
            }
        }
        Err(FederationError::Contended.into())
    }

    /// Discards the results and runs the search again.
    pub async fn rerun(&self, id: SearchId) -> Result<Search, FederationError> {
        let _lock = self.edits.lock(id).await;
        for _ in 0..EDITS_MAX {
            let current = self.store.search(id).await?;
            let note = notice_now(&self.context, NoticeKind::RerunRequested);
            if let Some(again) = self.restart(&current, current.spec.clone(), vec![note]).await? {
                return Ok(again);
            }
        }
        Err(FederationError::Contended)
    }

    /// Runs the search again and keeps its results. A search that is running is returned as it is: its results will be
    /// as fresh.
    pub async fn update(&self, search: &Search) -> Result<Search, FederationError> {
        if !search.status.is_final() {
            return Ok(search.clone());
        }
        let _permit = self.admission.admit_again(search.owner).await?;
        self.update_unlimited(search).await
    }

    /// An update started by the service. There are no more of them than subscribed searches.
    pub(crate) async fn update_unlimited(&self, search: &Search) -> Result<Search, FederationError> {
        let now = self.context.clock.now();
        let note = Notice::new(now, NoticeKind::UpdateRequested);
        let search = self.store.update_search(search.id, note, now, current_request().as_deref()).await?;
        self.queue.notify(QueueName::Search);
        Ok(search)
    }

    /// None if the search was written since it was read.
    async fn store_edit(
        &self,
        current: &Search,
        spec: SearchSpec,
    ) -> Result<Option<Search>, FederationError> {
        let (spec, remarks) = self.validated(current.owner, spec).await?;
        if spec.runs_like(&current.spec) {
            Ok(self.store.change_search(current, spec, self.context.clock.now()).await?)
        } else {
            self.restart(current, spec, remarks).await
        }
    }

    async fn restart(
        &self,
        current: &Search,
        spec: SearchSpec,
        remarks: Vec<Notice>,
    ) -> Result<Option<Search>, FederationError> {
        let _permit = self.admission.admit_again(current.owner).await?;
        let now = self.context.clock.now();
        let mut notices = vec![Notice::banner()];
        notices.extend(remarks);
        let search =
            self.store.restart_search(current, spec, notices, now, current_request().as_deref()).await?;
        self.queue.notify(QueueName::Search);
        Ok(search)
    }

    pub(crate) async fn validated(
        &self,
        owner: UserId,
        mut spec: SearchSpec,
    ) -> Result<(SearchSpec, Vec<Notice>), FederationError> {
        let names_transforms = [&spec.pre_query_processors, &spec.query_processors]
            .into_iter()
            .flatten()
            .any(|name| self.plugins.query_processor(name).is_none());
        // Transforms are loaded only if a name may be one.
        let transforms = if names_transforms {
            self.transforms.transforms_for(&Principal::of(&self.store.user(owner).await?)).await?
        } else {
            BTreeSet::new()
        };
        let errors = self.plugins.check_search(&spec, &transforms);
        if !errors.is_empty() {
            return Err(FederationError::Invalid(errors));
        }
        let default_retention = self.settings.default_retention.number();
        spec.retention = Some(spec.retention.unwrap_or(default_retention));
        let mut notices = Vec::new();
        if spec.results_requested > RESULTS_REQUESTED_MAX {
            let clamped = NoticeKind::Clamped {
                field: "results_requested".to_owned(),
                given: spec.results_requested,
                limit: RESULTS_REQUESTED_MAX,
            };
            notices.push(notice_now(&self.context, clamped));
            spec.results_requested = RESULTS_REQUESTED_MAX;
        }
        Ok((spec, notices))
    }
}
