//! Request budgets shared by all processes: one row per limited provider, changed by one statement.

use crate::SqlStore;
use crate::db::{Db, first_row, on_db};
use async_trait::async_trait;
use domain::ids::ProviderId;
use domain::ports::{RateLimitStore, StoreError};
use domain::rate_limit::{AHEAD_MAX, BudgetRequest, BudgetTurn};
use std::time::Duration;

/// The wait for a turn taken now. A full budget, or one further ahead than possible, counts from now. Parameters: 1
/// provider, 2 cost, 3 period, 4 longest wait, 5 how far ahead a budget can be used; all in microseconds.
macro_rules! from {
    ($now:literal) => {
        concat!(
            "CASE WHEN source_budgets.full_at > ",
            $now,
            " AND source_budgets.full_at <= ",
            $now,
            " + $5 \
             THEN source_budgets.full_at ELSE ",
            $now,
            " END"
        )
    };
}

/// If the turn comes too late, nothing changes and no row is returned.
macro_rules! take {
    ($now:literal) => {
        concat!(
            "INSERT INTO source_budgets (provider_id, full_at) VALUES ($1, ",
            $now,
            " + $2) \
             ON CONFLICT (provider_id) DO UPDATE SET full_at = ",
            from!($now),
            " + $2 \
             WHERE ",
            from!($now),
            " + $2 - ",
            $now,
            " - $3 <= $4 RETURNING full_at - ",
            $now,
            " - $3"
        )
    };
}

macro_rules! wait {
    ($now:literal) => {
        concat!("SELECT ", from!($now), " + $2 - ", $now, " - $3 FROM source_budgets WHERE provider_id = $1")
    };
}

/// The statements of one database, whose clock is constant within a statement.
macro_rules! statements {
    ($now:literal) => {
        (take!($now), wait!($now))
    };
}

const SQLITE: (&str, &str) = statements!("CAST(unixepoch('subsec') * 1000000 AS INTEGER)");
const POSTGRES: (&str, &str) =
    statements!("CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS BIGINT)");

#[async_trait]
impl RateLimitStore for SqlStore {
    async fn take_turn(
        &self,
        provider: ProviderId,
        request: BudgetRequest,
    ) -> Result<BudgetTurn, StoreError> {
        let (take, wait) = match &self.db {
            Db::Sqlite(_) => SQLITE,
            Db::Postgres(_) => POSTGRES,
        };
        if let Some(wait) = self.wait(take, provider, request).await? {
            return Ok(BudgetTurn::In(wait));
        }
        let wait = self.wait(wait, provider, request).await?;
        Ok(BudgetTurn::TooLate(wait.unwrap_or(request.wait_max)))
    }
}

impl SqlStore {
    async fn wait(
        &self,
        statement: &'static str,
        provider: ProviderId,
        request: BudgetRequest,
    ) -> Result<Option<Duration>, StoreError> {
        let period = request.rate.per;
        let [cost, per, wait_max, ahead_max] =
            [request.cost(), period, request.wait_max, period + AHEAD_MAX.max(request.wait_max)].map(micros);
        let wait = on_db!(self.db, write, db => first_row(sqlx::query_scalar::<_, i64>(statement)
            .bind(provider.0)
            .bind(cost)
            .bind(per)
            .bind(wait_max)
            .bind(ahead_max)
            .fetch_all(db)))?;
        Ok(wait.map(|wait| Duration::from_micros(u64::try_from(wait).unwrap_or(0))))
    }
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX / 4)
}
