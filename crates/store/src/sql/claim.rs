//! Claims due tasks: one statement that selects fairly by owner and assigns them to a worker.

use super::task_columns::{AHEAD_MAX, broker, from_owner_column, is_untouched};
use crate::SqlStore;
use crate::db::{Db, on_connection, on_db, rows_affected};
use crate::row::row;
use domain::fair_share::FairShare;
use domain::ids::TaskId;
use domain::instant::{Instant, to_micros};
use domain::ports::{ClaimedTask, QueueName, StoreError, WorkerSlots};
use serde_json::Value;
use sqlx::types::Json;

/// Most attempts of one claim when others took what it selected. Rows that are held longer are not held by a worker,
/// and the next claim comes soon.
const CLAIM_ROUNDS_MAX: usize = 20;
/// Error of a task that no worker finished.
const NEVER_ENDED: &str = "it was started as often as it may be and never ended";

/// The selection of `domain::fair_share::choose` in SQL, from a few tasks of each owner: `owners` walks the index from
/// owner to owner, `free` takes the oldest tasks of each and those with an expired lease, `held` counts what this
/// worker runs. `$oldest` joins an owner with its oldest tasks, which differs by database; `$ended` is a further
/// condition on expired leases. Parameters: 1 queue, 2 worker, 3 now, 4 free slots, 5 share, 6 common slots.
macro_rules! choice {
    ($oldest:literal, $ended:expr) => {
        concat!(
            "WITH RECURSIVE owners(owner) AS (\
               SELECT MIN(one.owner) FROM tasks one WHERE one.queue = $1 AND ",
            is_untouched!("one"),
            "  UNION ALL SELECT (SELECT MIN(more.owner) FROM tasks more WHERE more.queue = $1 AND ",
            is_untouched!("more"),
            "    AND more.owner > owners.owner) FROM owners WHERE owners.owner IS NOT NULL), \
             free(id, owner, due) AS (\
               SELECT oldest.id, oldest.owner, oldest.due FROM owners ",
            $oldest,
            "  UNION ALL SELECT ended.id, ended.owner, ended.due FROM tasks ended \
               WHERE ended.queue = $1 AND ended.state = 'waiting' AND ended.due <= $3 AND ended.lease_until <= $3",
            $ended,
            "), \
             held(owner, running) AS (\
               SELECT owner, COUNT(*) FROM tasks WHERE queue = $1 AND lease_until > $3 AND worker = $2 GROUP BY owner), \
             placed AS (\
               SELECT free.id, free.owner, free.due, COALESCE(held.running, 0) \
                 + ROW_NUMBER() OVER (PARTITION BY free.owner ORDER BY free.due, free.id) AS nth \
               FROM free LEFT JOIN held ON held.owner = free.owner), \
             turns AS (SELECT id, owner, nth, ROW_NUMBER() OVER (ORDER BY nth, due, id) AS turn FROM placed), \
             chosen AS MATERIALIZED (\
               SELECT id FROM turns WHERE owner = 0 OR nth <= $5 \
                 OR turn + (SELECT COALESCE(SUM(running), 0) FROM held) <= $6 \
               ORDER BY turn LIMIT $4) "
        )
    };
}

macro_rules! choice_sqlite {
    ($ended:expr) => {
        choice!(
            "CROSS JOIN tasks oldest WHERE oldest.id IN (SELECT old.id FROM tasks old WHERE old.queue = $1 \
             AND old.owner = owners.owner AND old.state = 'waiting' AND old.lease_until IS NULL AND old.due <= $3 \
             ORDER BY old.due, old.id LIMIT $4)",
            $ended
        )
    };
}

macro_rules! choice_postgres {
    ($ended:expr) => {
        choice!(
            "CROSS JOIN LATERAL (SELECT old.id, old.owner, old.due FROM tasks old WHERE old.queue = $1 \
             AND old.owner = owners.owner AND old.state = 'waiting' AND old.lease_until IS NULL AND old.due <= $3 \
             ORDER BY old.due, old.id LIMIT $4) oldest",
            $ended
        )
    };
}

/// Assigns the selected tasks, or marks them as failed if their attempts are used up. Parameters from 7: proof, end of
/// the lease, error.
macro_rules! take {
    ($chosen:literal) => {
        concat!(
            "UPDATE tasks SET state = CASE WHEN attempts < attempts_max THEN 'waiting' ELSE 'failed' END, \
             last_error = CASE WHEN attempts < attempts_max THEN last_error ELSE COALESCE(last_error, $9) END, \
             lease = CASE WHEN attempts < attempts_max THEN $7 END, \
             lease_until = CASE WHEN attempts < attempts_max THEN $8 END, \
             worker = CASE WHEN attempts < attempts_max THEN $2 END, \
             attempts = CASE WHEN attempts < attempts_max THEN attempts + 1 ELSE attempts END \
             WHERE id IN (SELECT id FROM ",
            $chosen,
            ") RETURNING id, name, payload, state, attempts, attempts_max, due, owner"
        )
    };
}

/// Tasks that no broker holds. Only an expired lease may have been the broker's.
macro_rules! is_unsent {
    () => {
        concat!(" AND worker <> '", broker!(), "'")
    };
}

/// SQLite has one writer and no row locks.
macro_rules! claim_sqlite {
    ($ended:expr) => {
        concat!(choice_sqlite!($ended), take!("chosen"))
    };
}

/// PostgreSQL has many writers: rows that another one has taken since the selection are skipped.
macro_rules! claim_postgres {
    ($ended:expr) => {
        concat!(
            choice_postgres!($ended),
            ", locked AS MATERIALIZED (SELECT id FROM tasks WHERE id IN (SELECT id FROM chosen) AND state = 'waiting' \
             AND (lease_until IS NULL OR (lease_until <= $3",
            $ended,
            ")) FOR UPDATE SKIP LOCKED) ",
            take!("locked")
        )
    };
}

/// The statements of a claim.
struct Texts {
    sqlite: &'static str,
    postgres: &'static str,
    /// Counts the selectable tasks.
    chosen_postgres: &'static str,
}

const ALL: Texts = Texts {
    sqlite: claim_sqlite!(""),
    postgres: claim_postgres!(""),
    chosen_postgres: concat!(choice_postgres!(""), "SELECT COUNT(*) FROM chosen"),
};
const UNSENT: Texts = Texts {
    sqlite: claim_sqlite!(is_unsent!()),
    postgres: claim_postgres!(is_unsent!()),
    chosen_postgres: concat!(choice_postgres!(is_unsent!()), "SELECT COUNT(*) FROM chosen"),
};

row! {
    struct TaskRow {
        id: i64,
        name: String,
        payload: Json<Value>,
        state: String,
        attempts: i64,
        attempts_max: i64,
        due: Instant,
        owner: i64,
    }
}

/// Proves that a worker holds a task.
pub(super) fn new_proof() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Which tasks may be claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claimable {
    /// Including tasks of a broker whose lease has expired.
    All,
    /// Only tasks that no broker was given.
    Unsent,
}

impl Claimable {
    fn texts(self) -> &'static Texts {
        match self {
            Self::All => &ALL,
            Self::Unsent => &UNSENT,
        }
    }
}

pub(super) struct Claim<'a> {
    pub(super) claimable: Claimable,
    pub(super) queue: QueueName,
    pub(super) slots: WorkerSlots,
    pub(super) worker: &'a str,
    /// One proof for all: a task is held by its id and the proof together.
    pub(super) proof: String,
    pub(super) until: Instant,
    pub(super) now: Instant,
}

/// Binds the parameters of the selection.
macro_rules! bind_choice {
    ($query:expr, $claim:expr, $share:expr) => {
        $query
            .bind($claim.queue.as_str())
            .bind($claim.worker)
            .bind($claim.now)
            .bind(i64::from($claim.slots.free))
            .bind(i64::from($share.share))
            .bind(i64::from($share.common()))
    };
}

impl<'a> Claim<'a> {
    pub(super) fn new(
        claimable: Claimable,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &'a str,
        until: Instant,
        now: Instant,
    ) -> Self {
        Self { claimable, queue, slots, worker, proof: new_proof(), until, now: to_micros(now) }
    }

    async fn take(&self, db: &Db) -> Result<Vec<TaskRow>, StoreError> {
        let share = FairShare::of(self.slots.total);
        macro_rules! take {
            ($text:expr, $connection:expr) => {
                bind_choice!(sqlx::query_as::<_, TaskRow>($text), self, share)
                    .bind(self.proof.as_str())
                    .bind(self.until)
                    .bind(NEVER_ENDED)
                    .fetch_all($connection)
            };
        }
        match db {
            Db::Sqlite(pools) => on_connection!(pools.write, connection =>
                take!(self.claimable.texts().sqlite, connection)),
            Db::Postgres(pools) => on_connection!(pools.write, connection =>
                take!(self.claimable.texts().postgres, connection)),
        }
    }

    /// After an empty claim: whether tasks are left because other claims took the selected ones. Does not happen with
    /// one writer.
    async fn was_overtaken(&self, db: &Db) -> Result<bool, StoreError> {
        let Db::Postgres(pools) = db else { return Ok(false) };
        let share = FairShare::of(self.slots.total);
        let text = self.claimable.texts().chosen_postgres;
        let chosen: i64 = on_connection!(pools.read, connection =>
            bind_choice!(sqlx::query_scalar(text), self, share).fetch_one(connection))?;
        Ok(chosen > 0)
    }
}

impl SqlStore {
    /// Claims the fairly selected tasks, in order.
    pub(super) async fn claim(&self, claim: Claim<'_>) -> Result<Vec<ClaimedTask>, StoreError> {
        for _ in 0..CLAIM_ROUNDS_MAX {
            let mut rows = claim.take(&self.db).await?;
            if rows.is_empty() && !claim.was_overtaken(&self.db).await? {
                break;
            }
            // Each round takes a task, marks all it found as failed, which are then not found again, or was overtaken
            // by other claims.
            rows.retain(|row| row.state == "waiting");
            if !rows.is_empty() {
                rows.sort_by_key(|row| (row.due, row.id)); // databases return updated rows in any order
                return Ok(rows
                    .into_iter()
                    .map(|row| row.claimed(claim.queue, claim.proof.clone()))
                    .collect());
            }
        }
        self.bring_back_leases(claim.queue, claim.until).await?;
        Ok(Vec::new())
    }

    /// A lease from before the clock was set back ends one lease from now: its worker may be alive and renew it.
    pub(super) async fn bring_back_leases(&self, queue: QueueName, until: Instant) -> Result<(), StoreError> {
        const FAR: &str = "SELECT COUNT(*) FROM tasks WHERE queue = $1 AND lease_until > $2";
        const TEXT: &str = "UPDATE tasks SET lease_until = $3 WHERE queue = $1 AND lease_until > $2";
        let (queue, far) = (queue.as_str(), until + AHEAD_MAX);
        // Read first: idle workers come here often, and SQLite has one writer.
        let count: i64 =
            on_db!(self.db, read, db => sqlx::query_scalar(FAR).bind(queue).bind(far).fetch_one(db))?;
        if count > 0 {
            on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
                .bind(queue).bind(far).bind(until).execute(db)))?;
        }
        Ok(())
    }
}

impl TaskRow {
    fn claimed(self, queue: QueueName, lease: String) -> ClaimedTask {
        ClaimedTask {
            id: TaskId(self.id),
            queue,
            name: self.name,
            payload: self.payload.0,
            attempt: u32::try_from(self.attempts).unwrap_or(u32::MAX),
            attempts_max: u32::try_from(self.attempts_max).unwrap_or(u32::MAX),
            owner: from_owner_column(self.owner),
            lease,
        }
    }
}
