//! Pending work, in one statement for metrics.

use super::task_columns::is_untouched;
use crate::db::Db;
use crate::error::failure;
use crate::json::to_count;
use chrono::DateTime;
use domain::instant::{Instant, to_micros};
use domain::ports::{StoreError, WorkFigures};

/// Each part uses an index of pending work only. Parameter: 1 now.
const TEXT: &str = concat!(
    "SELECT (SELECT COUNT(*) FROM tasks WHERE ",
    is_untouched!("tasks"),
    "), (SELECT MIN(due) FROM tasks WHERE due <= $1 AND ",
    is_untouched!("tasks"),
    "), (SELECT MIN(date_updated) FROM searches \
         WHERE status NOT LIKE '%_READY' AND status NOT LIKE 'ERR_%'), \
        (SELECT MAX(last_taken) FROM schedules), (SELECT MIN(next_due) FROM schedules WHERE enabled)"
);

type Row = (i64, Option<Instant>, Option<Instant>, Option<i64>, Option<i64>);

pub(crate) async fn work_figures(db: &Db, now: Instant) -> Result<WorkFigures, StoreError> {
    let now = to_micros(now);
    let row: Result<Row, sqlx::Error> = match db {
        Db::Sqlite(pools) => sqlx::query_as(TEXT).bind(now).fetch_one(&pools.monitor).await,
        Db::Postgres(pools) => sqlx::query_as(TEXT).bind(now).fetch_one(&pools.monitor).await,
    };
    let (tasks, oldest_due, oldest_open_search, ran, due) = row.map_err(|error| match error {
        // Not counted: this is not the service's pool.
        sqlx::Error::PoolTimedOut => StoreError::Unreachable("it does not answer in time".to_owned()),
        other => failure(other),
    })?;
    Ok(WorkFigures {
        tasks: to_count(tasks),
        oldest_due,
        oldest_open_search,
        scheduler_ran: ran.and_then(DateTime::from_timestamp_micros),
        scheduler_due: due.and_then(DateTime::from_timestamp_micros),
    })
}
