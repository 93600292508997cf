//! The oldest waiting tasks of every owner, from which the outbox sends next.

use super::task_columns::{broker, from_owner_column, is_untouched};
use crate::db::{Db, on_connection};
use crate::row::row;
use domain::fair_share::WaitingTask;
use domain::ids::TaskId;
use domain::instant::{Instant, to_micros};
use domain::ports::{OutboxHead, QueueName, StoreError};

row! {
    struct HeadRow {
        id: i64,
        queue: String,
        owner: i64,
        due: Instant,
    }
}

/// The next owner of a queue after `owners`, by the index `tasks_by_owner`.
macro_rules! next_owner {
    ($columns:literal) => {
        concat!(
            "(SELECT ",
            $columns,
            " FROM tasks later WHERE (later.queue, later.owner) > (owners.queue, owners.owner) AND ",
            is_untouched!("later"),
            " ORDER BY later.queue, later.owner LIMIT 1)"
        )
    };
}

/// The oldest tasks of one of `owners`.
macro_rules! oldest_tasks {
    ($columns:literal) => {
        concat!(
            "(SELECT ",
            $columns,
            " FROM tasks old WHERE old.queue = owners.queue AND old.owner = owners.owner AND ",
            is_untouched!("old"),
            " AND old.due <= $1 ORDER BY old.due, old.id LIMIT $2)"
        )
    };
}

/// Walks from owner to owner of every queue, and takes the oldest tasks of each and those with an expired lease. The
/// lateral join differs by database. Parameters: 1 now, 2 tasks per owner.
macro_rules! heads {
    ($next_owner:expr, $oldest_tasks:expr) => {
        concat!(
            "WITH RECURSIVE owners(queue, owner) AS (\
               SELECT * FROM (SELECT one.queue, one.owner FROM tasks one WHERE ",
            is_untouched!("one"),
            " ORDER BY one.queue, one.owner LIMIT 1) AS first_owner \
               UNION ALL SELECT more.queue, more.owner FROM owners ",
            $next_owner,
            ") SELECT oldest.id, oldest.queue, oldest.owner, oldest.due FROM owners ",
            $oldest_tasks,
            " UNION ALL SELECT id, queue, owner, due FROM tasks \
               WHERE state = 'waiting' AND due <= $1 AND lease_until <= $1 AND worker <> '",
            broker!(),
            "'"
        )
    };
}

const HEADS_SQLITE: &str = heads!(
    concat!("CROSS JOIN tasks more WHERE more.id = ", next_owner!("later.id")),
    concat!("CROSS JOIN tasks oldest WHERE oldest.id IN ", oldest_tasks!("old.id"))
);
const HEADS_POSTGRES: &str = heads!(
    concat!("CROSS JOIN LATERAL ", next_owner!("later.queue, later.owner"), " more"),
    concat!("CROSS JOIN LATERAL ", oldest_tasks!("old.id, old.queue, old.owner, old.due"), " oldest")
);

pub(super) async fn load(db: &Db, per_owner: u32, now: Instant) -> Result<Vec<OutboxHead>, StoreError> {
    let (now, per_owner) = (to_micros(now), i64::from(per_owner));
    let rows = match db {
        Db::Sqlite(pools) => on_connection!(pools.read, connection =>
            sqlx::query_as::<_, HeadRow>(HEADS_SQLITE).bind(now).bind(per_owner).fetch_all(connection)),
        Db::Postgres(pools) => on_connection!(pools.read, connection =>
            sqlx::query_as::<_, HeadRow>(HEADS_POSTGRES).bind(now).bind(per_owner).fetch_all(connection)),
    };
    Ok(rows?.into_iter().filter_map(HeadRow::head).collect())
}

impl HeadRow {
    /// None for a queue that only another version knows.
    fn head(self) -> Option<OutboxHead> {
        let waiting =
            WaitingTask { id: TaskId(self.id), owner: from_owner_column(self.owner), due: self.due };
        Some(OutboxHead { queue: QueueName::parse(&self.queue)?, waiting })
    }
}
