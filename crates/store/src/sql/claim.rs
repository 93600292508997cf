//! The claim: one statement that chooses due tasks in turn by owner and takes them for a worker.

use super::outbox::broker;
use crate::db::Db;
use crate::error::failure;
use crate::sql::tasks::TaskRow;
use domain::contracts::{QueueName, StoreError, WorkerSlots};
use domain::fair_share::FairShare;
use domain::instant::{Instant, to_micros};

/// Why a task is given up that no worker brought to an end.
const NEVER_ENDED: &str = "it was started as often as it may be and never ended";

/// Tasks that nobody ever held, as in the index `tasks_by_owner`.
macro_rules! is_untouched {
    ($table:literal) => {
        concat!($table, ".state = 'waiting' AND ", $table, ".lease_until IS NULL")
    };
}
pub(super) use is_untouched;

/// The choice of `domain::fair_share::choose` in SQL, made from a few entries of each owner:
/// `owners` goes from owner to owner by the index, `free` takes the oldest tasks of each and what a lease left behind,
/// `held` counts what this worker runs. `$oldest` joins an owner with its oldest tasks, which the databases write
/// differently, `$ended` says more about what a lease left behind. Parameters: 1 queue, 2 worker, 3 now, 4 free slots,
/// 5 share, 6 common slots.
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

/// Takes what was chosen, or marks it given up when its tries are used. Parameters from 7: proof, end of the lease,
/// why it was given up.
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

/// What no broker has. Only a lease that ended may have been the broker's.
macro_rules! is_unsent {
    () => {
        concat!(" AND worker <> '", broker!(), "'")
    };
}

/// SQLite has one writer and knows no row locks.
macro_rules! claim_sqlite {
    ($ended:expr) => {
        concat!(choice_sqlite!($ended), take!("chosen"))
    };
}

/// PostgreSQL has many writers: a row that another one takes, or has taken since the choice was made, is passed over.
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
    /// How many tasks the choice finds.
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

/// Which tasks a claim may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claimable {
    /// Also those that a broker was given, when their time is over.
    All,
    /// Those that no broker was given.
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

/// Binds the parameters of the choice.
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
        (queue, slots, worker): (QueueName, WorkerSlots, &'a str),
        until: Instant,
        now: Instant,
    ) -> Self {
        let proof = format!("{:032x}", rand::random::<u128>());
        Self { claimable, queue, slots, worker, proof, until, now: to_micros(now) }
    }

    pub(super) async fn take(&self, db: &Db) -> Result<Vec<TaskRow>, StoreError> {
        let share = FairShare::of(self.slots.total);
        macro_rules! take {
            ($text:expr, $pool:expr) => {
                bind_choice!(sqlx::query_as::<_, TaskRow>($text), self, share)
                    .bind(self.proof.as_str())
                    .bind(self.until)
                    .bind(NEVER_ENDED)
                    .fetch_all($pool)
                    .await
            };
        }
        match db {
            Db::Sqlite(pools) => take!(self.claimable.texts().sqlite, &pools.write),
            Db::Postgres(pools) => take!(self.claimable.texts().postgres, &pools.write),
        }
        .map_err(failure)
    }

    /// After a claim that took nothing: whether there is something to take all the same, because other claims took
    /// what this one had chosen. With one writer that does not happen.
    pub(super) async fn was_overtaken(&self, db: &Db) -> Result<bool, StoreError> {
        let Db::Postgres(pools) = db else { return Ok(false) };
        let share = FairShare::of(self.slots.total);
        let chosen: i64 =
            bind_choice!(sqlx::query_scalar(self.claimable.texts().chosen_postgres), self, share)
                .fetch_one(&pools.read)
                .await
                .map_err(failure)?;
        Ok(chosen > 0)
    }
}
