//! Pending work, in one statement for metrics.

use super::status::is_open;
use super::task_columns::is_untouched;
use crate::db::Db;
use crate::error::failure;
use crate::json::to_count;
use chrono::DateTime;
use domain::instant::{Instant, to_micros};
use domain::ports::{StoreError, WorkFigures};
use std::sync::LazyLock;

/// Each part uses an index of pending work only. Parameter: 1 now.
static TEXT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT (SELECT COUNT(*) FROM tasks WHERE {untouched}), \
         (SELECT MIN(due) FROM tasks WHERE due <= $1 AND {untouched}), \
         (SELECT MIN(date_updated) FROM searches WHERE {open}), \
         (SELECT MAX(last_taken) FROM schedules), (SELECT MIN(next_due) FROM schedules WHERE enabled)",
        untouched = is_untouched!("tasks"),
        open = is_open("status"),
    )
});

type Row = (i64, Option<Instant>, Option<Instant>, Option<i64>, Option<i64>);

pub(crate) async fn work_figures(db: &Db, now: Instant) -> Result<WorkFigures, StoreError> {
    let now = to_micros(now);
    let row: Result<Row, sqlx::Error> = match db {
        Db::Sqlite(pools) => match pools.read.acquire().await {
            Ok(mut connection) => {
                let row = sqlx::query_as(TEXT.as_str()).bind(now).fetch_one(&mut *connection).await;
                connection.keep_after(&row);
                row
            }
            Err(error) => Err(error),
        },
        Db::Postgres(pools) => sqlx::query_as(TEXT.as_str()).bind(now).fetch_one(&pools.monitor).await,
    };
    let (tasks, oldest_due, oldest_open_search, ran, due) = row.map_err(|error| match error {
        // Not counted: this is not the service's pool.
        sqlx::Error::PoolTimedOut => StoreError::unreachable("it does not answer in time").caused_by(error),
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
