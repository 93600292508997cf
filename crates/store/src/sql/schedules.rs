//! Schedules: recurring work, taken by one process each time.

use crate::SqlStore;
use crate::db::{Db, on_connection, on_db, on_tx, rows_affected};
use crate::json::{plain, to_count};
use crate::row::row;
use async_trait::async_trait;
use chrono::DateTime;
use domain::audit::{AuditEvent, Kind};
use domain::instant::Instant;
use domain::ports::{EditableRecord, Schedule, ScheduleEdits, ScheduleStore, StoreError};
use serde_json::{Value, json};
use std::time::Duration;

/// Longest interval: ten years. A longer one is stored as this.
const EVERY_MAX: Duration = Duration::from_secs(10 * 366 * 24 * 60 * 60);

/// One statement takes what is due, and resets times further ahead than one interval, which are left from before the
/// clock was set back. A value is tested before it is set, so `was_due` distinguishes the two.
macro_rules! take {
    ($of_these:literal) => {
        concat!(
            "UPDATE schedules SET next_due = $1 + every, was_due = (next_due <= $1), \
             last_taken = CASE WHEN next_due <= $1 THEN $1 ELSE last_taken END WHERE ",
            $of_these,
            " RETURNING name, every, next_due, was_due, last_taken, enabled"
        )
    };
}

row! {
    struct ScheduleRow {
        name: String,
        every: i64,
        next_due: i64,
        was_due: bool,
        last_taken: Option<i64>,
        enabled: bool,
    }
}

impl TryFrom<ScheduleRow> for Schedule {
    type Error = StoreError;

    fn try_from(row: ScheduleRow) -> Result<Self, StoreError> {
        let time = |micros| {
            DateTime::from_timestamp_micros(micros)
                .ok_or_else(|| StoreError::failed("a schedule has no readable time"))
        };
        Ok(Self {
            name: row.name,
            every: Duration::from_micros(to_count(row.every)),
            next_due: time(row.next_due)?,
            last_taken: row.last_taken.map(time).transpose()?,
            enabled: row.enabled,
        })
    }
}

#[async_trait]
impl ScheduleStore for SqlStore {
    async fn ensure_schedule(&self, name: &str, every: Duration, now: Instant) -> Result<(), StoreError> {
        const TEXT: &str = "INSERT INTO schedules (name, every, next_due, was_due) VALUES ($1, $2, $3, FALSE) \
             ON CONFLICT (name) DO NOTHING";
        let every = micros(every);
        on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(plain(name)).bind(every).bind(now.timestamp_micros() + every).execute(db)))?;
        Ok(())
    }

    async fn schedules(&self) -> Result<Vec<Schedule>, StoreError> {
        const TEXT: &str = "SELECT name, every, next_due, was_due, last_taken, enabled FROM schedules";
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, ScheduleRow>(TEXT).fetch_all(db))?;
        by_name(rows)
    }

    async fn take_due(&self, now: Instant) -> Result<Vec<Schedule>, StoreError> {
        const SQLITE: &str = take!("enabled AND (next_due <= $1 OR next_due > $1 + every)");
        // Rows that another process is taking are skipped.
        const POSTGRES: &str = take!(
            "name = ANY (ARRAY (SELECT name FROM schedules WHERE enabled AND (next_due <= $1 OR next_due > $1 + every) \
             ORDER BY name FOR UPDATE SKIP LOCKED))"
        );
        let now = now.timestamp_micros();
        let mut rows: Vec<ScheduleRow> = match &self.db {
            Db::Sqlite(pools) => on_connection!(pools.write, connection =>
                sqlx::query_as(SQLITE).bind(now).fetch_all(connection)),
            Db::Postgres(pools) => on_connection!(pools.write, connection =>
                sqlx::query_as(POSTGRES).bind(now).fetch_all(connection)),
        }?;
        rows.retain(|row| row.was_due);
        by_name(rows)
    }
}

#[async_trait]
impl ScheduleEdits for SqlStore {
    async fn change_schedule(
        &self,
        name: &str,
        every: Duration,
        enabled: bool,
        now: Instant,
    ) -> Result<Schedule, StoreError> {
        const TEXT: &str = "UPDATE schedules SET every = $2, next_due = $3, enabled = $4 WHERE name = $1 \
             RETURNING name, every, next_due, was_due, last_taken, enabled";
        let every = micros(every);
        const BEFORE: &str = "SELECT every, enabled FROM schedules WHERE name = $1";
        let mut tx = self.begin_change().await?;
        self.lock_version(&mut tx, EditableRecord::Schedule(plain(name))).await?;
        let before: (i64, bool) =
            on_tx!(&mut tx, db => sqlx::query_as(BEFORE).bind(plain(name)).fetch_one(db))?;
        let row = on_tx!(&mut tx, db => sqlx::query_as::<_, ScheduleRow>(TEXT)
            .bind(plain(name)).bind(every).bind(now.timestamp_micros() + every).bind(enabled).fetch_one(db))?;
        let (from, to) = (fields(before.0, before.1), fields(row.every, row.enabled));
        let event = AuditEvent::edit(Kind::Schedule, None, &row.name, Some(&from), Some(&to));
        let after = row.try_into()?;
        self.commit_change(tx, vec![event]).await?;
        Ok(after)
    }
}

fn fields(every: i64, enabled: bool) -> Value {
    json!({"every_seconds": Duration::from_micros(to_count(every)).as_secs(), "enabled": enabled})
}

fn micros(every: Duration) -> i64 {
    i64::try_from(every.min(EVERY_MAX).as_micros()).unwrap_or(i64::MAX)
}

/// Sorted here, because the databases use different collations.
fn by_name(rows: Vec<ScheduleRow>) -> Result<Vec<Schedule>, StoreError> {
    let mut schedules = rows.into_iter().map(Schedule::try_from).collect::<Result<Vec<_>, _>>()?;
    schedules.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(schedules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_fit_their_column() {
        let cases = [
            (Duration::ZERO, 0),
            (Duration::from_secs(3600), 3_600_000_000),
            (Duration::from_nanos(1_999), 1),
            (EVERY_MAX, 316_224_000_000_000),
            (EVERY_MAX + Duration::from_micros(1), 316_224_000_000_000),
            (Duration::MAX, 316_224_000_000_000),
        ];
        for (every, expected) in cases {
            assert_eq!(micros(every), expected, "{every:?}");
        }
    }
}
