//! Store: all records, one small trait per record.

use super::{
    ActivityStore, AiProviderStore, AnswerStore, AuditStore, AuthenticatorStore, BrandingStore, BroughtStore,
    CanonicalStore, ChatStore, ClaimedTask, ConnectionStore, EgressStore, IdempotencyStore, IdentityStore,
    NewTask, OutboxStore, PreferenceStore, PromptStore, QueueName, ReconcileStore, SearchRunStore,
    SignalStore, SourceBudgetStore, StorageStore, VersionStore, WorkerBeat, WorkerSlots,
};
use crate::ids::{GroupId, PipelineId, ProviderId, ResultId, SearchId, TaskId, TokenId, TransformId, UserId};
use crate::instant::Instant;
use crate::pipeline_record::{Pipeline, PipelineSpec};
use crate::provider::{ProviderSpec, SearchProvider};
use crate::query_transform::{QueryTransform, TransformSpec};
use crate::result::{GuardedResult, ResultItem, ResultSet, SavedResult};
use crate::search::{Search, SearchFilter, SearchSpec};
use crate::search_run::RunFindings;
use crate::status::SearchStatus;
use crate::user::{ApiToken, Group, GroupSpec, TokenSpec, User, UserSpec};
use async_trait::async_trait;
use std::time::Duration;

/// What the memory could not do. `NotFound` is an answer; the others are failures.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("there is no such record")]
    NotFound,
    /// A unique value is taken; holds the field.
    #[error("this {0} is already taken")]
    Taken(&'static str),
    /// Holds what was named and does not exist.
    #[error("there is no {0}")]
    UnknownReference(String),
    /// Nobody would be left who may administer.
    #[error("there must be an administrator")]
    LastAdministrator,
    /// The user has as many tokens as one may have; holds that number.
    #[error("a user may have {0} tokens")]
    TooManyTokens(u64),
    /// The record does not have the version that the edit was made for; nothing was changed.
    #[error("the record was changed meanwhile")]
    Stale,
    #[error("the database is not reachable: {0}")]
    Unreachable(String),
    /// It answers and can be read, but what was to be written has no place. Nothing of it was kept.
    #[error("the database cannot write: {0}")]
    Full(String),
    #[error("the database failed: {0}")]
    Failed(String),
}

impl StoreError {
    /// Nobody asked for anything wrong: the same may work when the database is there again or has space.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Full(_))
    }
}

/// A part of a list, in the list's order. `total` counts the whole list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub total: u64,
}

/// What a run of a search leaves behind, written as one.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedRun {
    pub search: SearchId,
    pub run: i64,
    pub status: SearchStatus,
    pub query_string_processed: String,
    /// Added after the messages that are there.
    pub messages: Vec<String>,
    pub time_s: f64,
    /// Replaces the sets of the same providers. Items with `swirl_id` 0 get ids.
    pub sets: Vec<ResultSet>,
    /// What this run alone found; None when no source was asked.
    pub found: Option<RunFindings>,
    pub now: Instant,
}

/// Makes the task that runs a search. A name of its own, so that it keeps its lifetime inside async traits.
pub type TaskOf = for<'a> fn(&'a Search) -> NewTask;

#[async_trait]
pub trait SearchStore: Send + Sync {
    /// Stores the search and the task that will run it, in one transaction: `NEW_SEARCH`, run 1.
    /// The task's payload is made from the new search by `task`.
    async fn create_search(
        &self,
        spec: SearchSpec,
        owner: UserId,
        messages: Vec<String>,
        now: Instant,
        task: TaskOf,
    ) -> Result<Search, StoreError>;
    async fn search(&self, id: SearchId) -> Result<Search, StoreError>;
    /// How these searches stand: id, run and status. Those that are gone are left out.
    async fn search_states(&self, ids: &[SearchId])
    -> Result<Vec<(SearchId, i64, SearchStatus)>, StoreError>;
    /// The searches that the filter keeps, newest created first.
    async fn find_searches(
        &self,
        filter: &SearchFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<Search>, StoreError>;
    /// The owner's searches (everybody's when None), newest created first.
    async fn searches(
        &self,
        owner: Option<UserId>,
        offset: u64,
        limit: u64,
    ) -> Result<Page<Search>, StoreError> {
        self.find_searches(&SearchFilter { owner, ..SearchFilter::default() }, offset, limit).await
    }
    /// How many searches the owner has; counting ends at `at_most`.
    async fn count_searches(&self, owner: UserId, at_most: u64) -> Result<u64, StoreError>;
    /// Replaces the writable fields and nothing else. None, and nothing is changed, when the search was written
    /// since it was read as `seen`: its `date_updated` tells.
    async fn change_search(
        &self,
        seen: &Search,
        spec: SearchSpec,
        now: Instant,
    ) -> Result<Option<Search>, StoreError>;
    /// Starts again from nothing: results discarded, `NEW_SEARCH`, run + 1, the messages replaced by `messages`,
    /// and the task that will run it stored, in one transaction. None as in `change_search`.
    async fn restart_search(
        &self,
        seen: &Search,
        spec: SearchSpec,
        messages: Vec<String>,
        now: Instant,
        task: TaskOf,
    ) -> Result<Option<Search>, StoreError>;
    /// Runs again and keeps what is there: `UPDATE_SEARCH`, sort `date`, run + 1, `message` added, and the task
    /// that will run it stored, in one transaction.
    async fn update_search(
        &self,
        id: SearchId,
        message: String,
        now: Instant,
        task: TaskOf,
    ) -> Result<Search, StoreError>;
    /// Searches whose retention has run out at `now`, counted from their last change; oldest first.
    async fn expired_searches(&self, now: Instant, limit: u64) -> Result<Vec<SearchId>, StoreError>;
    /// Searches of a user that may be removed to make space for new ones, oldest first: they are over, and neither
    /// saved nor subscribed.
    async fn removable_searches(&self, owner: UserId, limit: u64) -> Result<Vec<SearchId>, StoreError>;
    /// Subscribed searches with an id above `after`, by id.
    async fn subscribed_searches(&self, after: SearchId, limit: u64) -> Result<Vec<Search>, StoreError>;
    /// Switches the subscription off and adds `message`; nothing else changes, and nothing runs.
    async fn end_subscription(&self, id: SearchId, message: String, now: Instant) -> Result<(), StoreError>;
    /// Notes progress of a run. False when that run is no longer the newest, or is over.
    async fn change_status(
        &self,
        id: SearchId,
        run: i64,
        to: SearchStatus,
        now: Instant,
    ) -> Result<bool, StoreError>;
    /// Writes what the run found, as one: all of it or nothing. Returns the stored sets with their ids,
    /// or None when that run is no longer the newest, or is over, or the search is gone. The run is kept in short.
    async fn finish_run(&self, finished: FinishedRun) -> Result<Option<Vec<ResultSet>>, StoreError>;
    /// Deletes the search and its results at once. Its version for `if_version` is `Search::version`.
    async fn delete_search(&self, id: SearchId) -> Result<(), StoreError>;
}

#[async_trait]
pub trait ResultStore: Send + Sync {
    /// All sets of a search, in the order of provider ids.
    async fn result_sets(&self, search: SearchId) -> Result<Vec<ResultSet>, StoreError>;
    async fn result(&self, id: ResultId) -> Result<SavedResult, StoreError>;
    /// Results of the owner's searches (everybody's when None), newest first.
    async fn results(
        &self,
        owner: Option<UserId>,
        offset: u64,
        limit: u64,
    ) -> Result<Page<SavedResult>, StoreError>;
    /// Those of the owner's results that are shown only while a document may be seen, in the order of that list, out of at
    /// most `sets_max` of the newest sets. Sets of the providers `but` have none and are passed over.
    async fn guarded_results(
        &self,
        owner: UserId,
        but: &[ProviderId],
        sets_max: u64,
    ) -> Result<Vec<GuardedResult>, StoreError>;
    /// A result of the owner's searches that this provider gave with exactly this address and that nobody edited, the
    /// newest one, out of at most `sets_max` of the newest sets.
    async fn unedited_result(
        &self,
        owner: UserId,
        provider: ProviderId,
        url: &str,
        sets_max: u64,
    ) -> Result<Option<SavedResult>, StoreError>;
    /// Replaces one result; its id and its provenance stay. The result that is returned is what will be read.
    async fn replace_result(
        &self,
        id: ResultId,
        item: ResultItem,
        now: Instant,
    ) -> Result<SavedResult, StoreError>;
    /// Deletes one result; its search stays.
    async fn delete_result(&self, id: ResultId) -> Result<(), StoreError>;
    /// Takes the mark `new` from all results of a search; how many had it.
    async fn mark_all_read(&self, search: SearchId, now: Instant) -> Result<u64, StoreError>;
    /// How many results of these searches have the mark `new`; those without any are left out.
    async fn count_new(&self, searches: &[SearchId]) -> Result<Vec<(SearchId, u64)>, StoreError>;
}

#[async_trait]
pub trait ProviderStore: Send + Sync {
    /// Stores the specs, all or none. `spec.credentials` is sealed. A taken name is `Taken("name")`.
    async fn create_providers(
        &self,
        specs: Vec<ProviderSpec>,
        owner: UserId,
        now: Instant,
    ) -> Result<Vec<SearchProvider>, StoreError>;
    async fn provider(&self, id: ProviderId) -> Result<SearchProvider, StoreError>;
    /// All providers by id. Callers filter by `Principal::may_see`.
    async fn providers(&self) -> Result<Vec<SearchProvider>, StoreError>;
    /// Replaces the provider. Empty `spec.credentials` keeps the stored secret.
    async fn replace_provider(
        &self,
        id: ProviderId,
        spec: ProviderSpec,
        now: Instant,
    ) -> Result<SearchProvider, StoreError>;
    /// Deletes the provider; saved results keep its name. Its cached documents stay with those who hold a grant.
    async fn delete_provider(&self, id: ProviderId) -> Result<(), StoreError>;
}

#[async_trait]
pub trait UserStore: Send + Sync {
    /// `password_hash` is made by the caller; groups must exist (`UnknownReference` otherwise).
    async fn create_user(
        &self,
        spec: UserSpec,
        password_hash: String,
        now: Instant,
    ) -> Result<User, StoreError>;
    async fn user(&self, id: UserId) -> Result<User, StoreError>;
    async fn user_by_name(&self, username: &str) -> Result<User, StoreError>;
    /// The stored password hash; None when there is no such user.
    async fn password_hash(&self, username: &str) -> Result<Option<String>, StoreError>;
    async fn users(&self, offset: u64, limit: u64) -> Result<Page<User>, StoreError>;
    /// Replaces the user. `password_hash` None keeps the stored one.
    /// A new password ends the user's sessions and the tokens of sign-ins. The last administrator stays one (`LastAdministrator`).
    async fn replace_user(
        &self,
        id: UserId,
        spec: UserSpec,
        password_hash: Option<String>,
        now: Instant,
    ) -> Result<User, StoreError>;
    /// Deletes the user with searches, results, tokens, sessions, private providers, private transforms, and cached
    /// documents that nobody else may see.
    /// The last administrator stays (`LastAdministrator`).
    async fn delete_user(&self, id: UserId) -> Result<(), StoreError>;

    async fn create_group(&self, spec: GroupSpec, now: Instant) -> Result<Group, StoreError>;
    async fn group(&self, id: GroupId) -> Result<Group, StoreError>;
    async fn groups(&self, offset: u64, limit: u64) -> Result<Page<Group>, StoreError>;
    async fn replace_group(&self, id: GroupId, spec: GroupSpec) -> Result<Group, StoreError>;
    async fn delete_group(&self, id: GroupId) -> Result<(), StoreError>;
}

#[async_trait]
pub trait TokenStore: Send + Sync {
    /// Only the hash is kept, and a prefix to recognise the token by. Removes the user's expired tokens. Whoever has
    /// [`TOKENS_PER_USER_MAX`](crate::user::TOKENS_PER_USER_MAX) gets `TooManyTokens`; a sign-in replaces the oldest
    /// token of a sign-in instead, if there is one.
    async fn create_token(
        &self,
        user: UserId,
        spec: TokenSpec,
        hash: String,
        prefix: String,
        now: Instant,
    ) -> Result<ApiToken, StoreError>;
    /// The owner of a token that is there and has not expired; notes the use.
    async fn user_by_token(&self, hash: &str, now: Instant) -> Result<Option<User>, StoreError>;
    async fn token(&self, id: TokenId) -> Result<(UserId, ApiToken), StoreError>;
    /// A user's tokens (everybody's when None), newest first.
    async fn tokens(
        &self,
        user: Option<UserId>,
        offset: u64,
        limit: u64,
    ) -> Result<Page<ApiToken>, StoreError>;
    /// Revokes it.
    async fn delete_token(&self, id: TokenId) -> Result<(), StoreError>;
    /// Revokes all tokens of a user; how many there were.
    async fn delete_tokens(&self, user: UserId) -> Result<u64, StoreError>;
}

/// A browser's session: only the hash of its key is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    pub key_hash: String,
    pub user: UserId,
    pub csrf: String,
    pub expires: Instant,
    pub now: Instant,
}

#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Also removes sessions that have expired.
    async fn create_session(&self, session: NewSession) -> Result<(), StoreError>;
    /// The user and the CSRF text of a session that has not expired.
    async fn session(&self, key_hash: &str, now: Instant) -> Result<Option<(User, String)>, StoreError>;
    async fn delete_session(&self, key_hash: &str) -> Result<(), StoreError>;
}

#[async_trait]
pub trait QueryTransformStore: Send + Sync {
    /// Name and type are unique together (`Taken("name")`).
    async fn create_transform(
        &self,
        spec: TransformSpec,
        owner: UserId,
        now: Instant,
    ) -> Result<QueryTransform, StoreError>;
    async fn transform(&self, id: TransformId) -> Result<QueryTransform, StoreError>;
    /// All transforms by id. Callers filter by `Principal::may_use`.
    async fn transforms(&self) -> Result<Vec<QueryTransform>, StoreError>;
    async fn replace_transform(
        &self,
        id: TransformId,
        spec: TransformSpec,
        now: Instant,
    ) -> Result<QueryTransform, StoreError>;
    async fn delete_transform(&self, id: TransformId) -> Result<(), StoreError>;
}

#[async_trait]
pub trait PipelineStore: Send + Sync {
    /// Stores the pipeline if there is none of that name; an existing one is left as it is.
    async fn ensure_pipeline(&self, name: &str, processors: &[&str], now: Instant) -> Result<(), StoreError>;
    /// All pipelines by id.
    async fn pipelines(&self) -> Result<Vec<Pipeline>, StoreError>;
    async fn pipeline(&self, id: PipelineId) -> Result<Pipeline, StoreError>;
    async fn pipeline_by_name(&self, name: &str) -> Result<Pipeline, StoreError>;
    async fn replace_pipeline(
        &self,
        id: PipelineId,
        spec: PipelineSpec,
        now: Instant,
    ) -> Result<Pipeline, StoreError>;
}

/// Work that comes again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pub name: String,
    pub every: Duration,
    pub next_due: Instant,
    /// When it was taken the last time.
    pub last_taken: Option<Instant>,
    /// One that is not in use is never due.
    pub enabled: bool,
}

impl Schedule {
    /// There is something for `take_due` to do: its time has come, or it lies further ahead than one interval,
    /// because the clock was put back.
    pub fn is_due(&self, now: Instant) -> bool {
        let wait = (self.next_due - now).to_std().unwrap_or_default();
        self.enabled && (wait.is_zero() || wait > self.every)
    }
}

#[async_trait]
pub trait ScheduleStore: Send + Sync {
    /// Stores the schedule if there is none of that name, due at `now + every`; an existing one is left as it is.
    async fn ensure_schedule(&self, name: &str, every: Duration, now: Instant) -> Result<(), StoreError>;
    /// All schedules by name.
    async fn schedules(&self) -> Result<Vec<Schedule>, StoreError>;
    /// Changes the schedule of that name; it is due at `now + every`.
    async fn change_schedule(
        &self,
        name: &str,
        every: Duration,
        enabled: bool,
        now: Instant,
    ) -> Result<Schedule, StoreError>;
    /// Takes every schedule that is due: of all processes that ask, one gets it. It is due again one interval
    /// after `now`, so that it fires once however long nobody looked or however the clock jumped.
    async fn take_due(&self, now: Instant) -> Result<Vec<Schedule>, StoreError>;
}

/// How the waiting tasks of a queue are spread over users.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WaitingOwners {
    /// Users who have a waiting task.
    pub owners: u64,
    /// Waiting tasks of the user who has the most.
    pub most: u64,
}

/// The records behind the task queue; `tasks` adds waking and waiting.
#[async_trait]
pub trait TaskStore: Send + Sync {
    async fn push_task(&self, task: NewTask, now: Instant) -> Result<TaskId, StoreError>;
    /// Due tasks that nobody holds, no more than `slots` has free, now held by `worker` until `now + lease`. Owners take
    /// turns within their share of the worker's slots, as [`crate::fair_share::choose`] says. A task whose tries are
    /// used up is marked given up and passed over.
    async fn claim_tasks(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
        now: Instant,
    ) -> Result<Vec<ClaimedTask>, StoreError>;
    /// The first of them.
    async fn claim_task(
        &self,
        queue: QueueName,
        worker: &str,
        lease: Duration,
        now: Instant,
    ) -> Result<Option<ClaimedTask>, StoreError> {
        Ok(self.claim_tasks(queue, WorkerSlots::any(1), worker, lease, now).await?.pop())
    }
    /// False when the lease was lost.
    async fn renew_task(&self, task: &ClaimedTask, lease: Duration, now: Instant)
    -> Result<bool, StoreError>;
    async fn finish_task(&self, task: &ClaimedTask) -> Result<(), StoreError>;
    /// Forgets tasks that used their tries before `before`.
    async fn forget_failed_tasks(&self, before: Instant) -> Result<(), StoreError>;
    async fn retry_task(&self, task: &ClaimedTask, due: Instant, reason: &str) -> Result<(), StoreError>;
    /// Undoes the claim: it is free, and this try is not counted.
    async fn release_task(&self, task: &ClaimedTask) -> Result<(), StoreError>;
    /// Whether a task is due that nobody holds. After a claim that found nothing, it waits for its owner's turn.
    async fn has_due_task(&self, queue: QueueName, now: Instant) -> Result<bool, StoreError>;
    /// When, after `now`, the next task becomes due or its lease ends, if there is one.
    async fn next_due(&self, queue: QueueName, now: Instant) -> Result<Option<Instant>, StoreError>;
    /// Tasks of this owner that wait in the queue, due or not, without those that run.
    async fn waiting_tasks_of(&self, queue: QueueName, owner: UserId) -> Result<u64, StoreError>;
    /// The same for all owners together, without their names.
    async fn waiting_owners(&self, queue: QueueName) -> Result<WaitingOwners, StoreError>;
    async fn task_depth(&self, queue: QueueName, now: Instant) -> Result<u64, StoreError>;
    /// Frees every task: for the only process on its data, at start, after a crash.
    async fn release_all_tasks(&self) -> Result<u64, StoreError>;
    async fn beat(&self, beat: WorkerBeat) -> Result<(), StoreError>;
    async fn workers(&self, queue: QueueName, since: Instant) -> Result<Vec<WorkerBeat>, StoreError>;
    /// A worker has run this ping. Answers that nobody came for are forgotten after a minute.
    async fn answer_ping(&self, ping: &str, now: Instant) -> Result<(), StoreError>;
    /// Whether this ping was answered; it is told once.
    async fn take_ping_answer(&self, ping: &str) -> Result<bool, StoreError>;
}

/// How the connections to the database are used at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUse {
    /// What the connections are for.
    pub pool: &'static str,
    /// Most connections that there may be.
    pub max: u32,
    /// Connections that there are.
    pub size: u32,
    pub in_use: u32,
}

/// Work that waits, and how the scheduler keeps up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkFigures {
    /// Tasks that wait in the database, due or not, without those that run.
    pub tasks: u64,
    /// When the oldest task that is due, and that nobody holds, became due.
    pub oldest_due: Option<Instant>,
    /// When something last happened to the search that has waited the longest for its end.
    pub oldest_open_search: Option<Instant>,
    /// When the scheduler last started something.
    pub scheduler_ran: Option<Instant>,
    /// When the next schedule is due. In the past: the scheduler has not taken it.
    pub scheduler_due: Option<Instant>,
}

/// All of it by one name.
#[async_trait]
pub trait Store:
    SearchStore
    + ResultStore
    + ProviderStore
    + QueryTransformStore
    + PipelineStore
    + ScheduleStore
    + UserStore
    + TokenStore
    + SessionStore
    + TaskStore
    + OutboxStore
    + ReconcileStore
    + AuditStore
    + AuthenticatorStore
    + ConnectionStore
    + IdentityStore
    + AiProviderStore
    + PromptStore
    + BroughtStore
    + AnswerStore
    + ChatStore
    + ActivityStore
    + BrandingStore
    + PreferenceStore
    + SearchRunStore
    + SignalStore
    + CanonicalStore
    + EgressStore
    + VersionStore
    + IdempotencyStore
    + SourceBudgetStore
    + StorageStore
{
    /// Answers when the database does.
    async fn ping(&self) -> Result<(), StoreError>;
    /// How its connections are used.
    fn pools(&self) -> Vec<PoolUse>;
    /// How often no connection could be had in time, since this process started.
    fn pool_timeouts(&self) -> u64;
    /// Work that waits. It is read by a connection of its own, so it fails only when the database itself does not answer,
    /// and not when all connections of the pool are in use.
    async fn work_figures(&self, now: Instant) -> Result<WorkFigures, StoreError>;
}
