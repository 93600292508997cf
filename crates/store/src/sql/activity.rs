//! Activity statistics of the last days, and ratings of AI summaries.

use super::status::{is_final, is_full};
use crate::SqlStore;
use crate::db::{Db, on_db, rows_affected};
use crate::json::{JsonText, plain, to_column, to_count};
use async_trait::async_trait;
use domain::activity::{DayFigures, FutileQuery, ProviderFigures, RatedAnswer};
use domain::chat::{MessageContent, Rating};
use domain::ids::{ProviderId, SearchId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{ActivityStore, StoreError};
use domain::search::SearchSpec;
use sqlx::types::Json;
use std::sync::LazyLock;

/// Most recent searches that a statistic is computed from.
const SEARCHES_READ_MAX: i64 = 50_000;
/// Most recent result sets that a statistic is computed from.
const SETS_READ_MAX: i64 = 50_000;
/// Most providers that are listed.
const PROVIDERS_MAX: i64 = 200;

/// Condition: no provider returned results for the search.
const NOTHING_RETRIEVED: &str =
    "NOT EXISTS (SELECT 1 FROM result_sets r WHERE r.search_id = s.id AND r.retrieved > 0)";

/// The day of a time in UTC.
macro_rules! day {
    (sqlite) => {
        "substr(date_created, 1, 10)"
    };
    (postgres) => {
        "to_char(date_created AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
    };
}

/// The status of a result set; `partial` is stored as `ok` with an error. PostgreSQL cannot extract a value from JSON
/// that contains a NUL elsewhere; the name, which precedes the status, cannot contain unescaped quotes.
macro_rules! set_status {
    (sqlite) => {
        "CASE WHEN json_extract(r.detail, '$.status') = 'ok' AND json_extract(r.detail, '$.error.code') IS NOT NULL \
         THEN 'partial' ELSE json_extract(r.detail, '$.status') END"
    };
    (postgres) => {
        "CASE WHEN CAST(r.detail AS TEXT) LIKE '%\"status\":\"ok\",\"error\":{%' THEN 'partial' \
         ELSE substring(CAST(r.detail AS TEXT) from '\"status\":\"([a-z_]+)\"') END"
    };
}

/// Statistics per day. Search times are ranked per day; the first at or above the 95th percentile is reported.
fn days(day: &str) -> String {
    format!(
        "WITH recent AS (SELECT s.id, s.status, s.time_s, s.date_created, CASE WHEN {ended} THEN 1 ELSE 0 END AS ended \
         FROM searches s WHERE s.date_created >= $1 ORDER BY s.date_created DESC LIMIT $2), \
         told AS (SELECT {day} AS day, s.status, s.time_s, s.ended, CASE WHEN s.ended = 1 AND {nothing} \
         THEN 1 ELSE 0 END AS futile FROM recent s), \
         ranked AS (SELECT told.*, ROW_NUMBER() OVER (PARTITION BY day, ended ORDER BY time_s) AS place, \
         COUNT(*) OVER (PARTITION BY day, ended) AS total FROM told) \
         SELECT day, COUNT(*), SUM(futile), SUM(CASE WHEN {full} THEN 1 ELSE 0 END), \
         MIN(CASE WHEN ended = 1 AND place * 100 >= total * 95 THEN time_s END) \
         FROM ranked GROUP BY day ORDER BY day",
        ended = is_final("s.status"),
        nothing = NOTHING_RETRIEVED,
        full = is_full("status"),
    )
}

static DAYS_ON_SQLITE: LazyLock<String> = LazyLock::new(|| days(day!(sqlite)));
static DAYS_ON_POSTGRES: LazyLock<String> = LazyLock::new(|| days(day!(postgres)));

macro_rules! own_days {
    ($db:ident) => {
        concat!(
            "SELECT day, COUNT(*) FROM (SELECT ",
            day!($db),
            " AS day FROM searches WHERE owner = $1 AND date_created >= $2 ORDER BY date_created DESC LIMIT $3) AS own \
             GROUP BY day ORDER BY day"
        )
    };
}

/// Providers with their statuses; response times are ranked as above.
macro_rules! providers {
    ($db:ident) => {
        concat!(
            "WITH recent AS (SELECT r.provider_id, r.time_s, r.retrieved, ",
            set_status!($db),
            " AS status FROM searches s JOIN result_sets r ON r.search_id = s.id WHERE s.date_created >= $1 \
             ORDER BY s.date_created DESC LIMIT $2), \
             told AS (SELECT recent.*, CASE WHEN status IN ('ok', 'no_results') THEN 1 ELSE 0 END AS answered \
             FROM recent WHERE status NOT IN ('suspended', 'not_connected')), \
             ranked AS (SELECT told.*, ROW_NUMBER() OVER (PARTITION BY provider_id, answered ORDER BY time_s) AS place, \
             COUNT(*) OVER (PARTITION BY provider_id, answered) AS total FROM told) \
             SELECT provider_id, COUNT(*), SUM(answered), SUM(CASE WHEN status IN ('error', 'partial') THEN 1 ELSE 0 END), \
             SUM(CASE WHEN status = 'timeout' THEN 1 ELSE 0 END), \
             MIN(CASE WHEN answered = 1 AND place * 100 >= total * 50 THEN time_s END), \
             MIN(CASE WHEN answered = 1 AND place * 100 >= total * 95 THEN time_s END), \
             CAST(SUM(retrieved) AS BIGINT) \
             FROM ranked GROUP BY provider_id ORDER BY COUNT(*) DESC, provider_id LIMIT $3"
        )
    };
}

type DayRow = (String, i64, i64, i64, Option<f64>);
type ProviderRow = (i64, i64, i64, i64, i64, Option<f64>, Option<f64>, i64);
type FutileRow = (Json<SearchSpec>, Instant);
type SummaryRow = (Json<Rating>, String, Instant);
type MessageRow = (Json<Rating>, Json<MessageContent>, Instant);

#[async_trait]
impl ActivityStore for SqlStore {
    async fn search_count(&self, since: Option<Instant>) -> Result<u64, StoreError> {
        let count: i64 = match since {
            None => on_db!(self.db, read, db =>
                sqlx::query_scalar("SELECT COUNT(*) FROM searches").fetch_one(db))?,
            Some(since) => on_db!(self.db, read, db =>
                sqlx::query_scalar("SELECT COUNT(*) FROM searches WHERE date_created >= $1")
                    .bind(to_micros(since)).fetch_one(db))?,
        };
        Ok(to_count(count))
    }

    async fn search_days(&self, since: Instant) -> Result<Vec<DayFigures>, StoreError> {
        let text = self.dialect(&DAYS_ON_SQLITE, &DAYS_ON_POSTGRES);
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, DayRow>(text)
            .bind(to_micros(since)).bind(SEARCHES_READ_MAX).fetch_all(db))?;
        let day = |(day, searches, futile, full, p95): DayRow| DayFigures {
            day,
            searches: to_count(searches),
            futile: to_count(futile),
            p95,
            full: to_count(full),
        };
        Ok(rows.into_iter().map(day).collect())
    }

    async fn own_days(&self, owner: UserId, since: Instant) -> Result<Vec<(String, u64)>, StoreError> {
        let text = self.dialect(own_days!(sqlite), own_days!(postgres));
        let rows: Vec<(String, i64)> = on_db!(self.db, read, db => sqlx::query_as(text)
            .bind(owner.0).bind(to_micros(since)).bind(SEARCHES_READ_MAX).fetch_all(db))?;
        Ok(rows.into_iter().map(|(day, count)| (day, to_count(count))).collect())
    }

    async fn provider_figures(&self, since: Instant) -> Result<Vec<ProviderFigures>, StoreError> {
        let text = self.dialect(providers!(sqlite), providers!(postgres));
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, ProviderRow>(text)
            .bind(to_micros(since)).bind(SETS_READ_MAX).bind(PROVIDERS_MAX).fetch_all(db))?;
        let figures =
            |(id, asked, ok, failed, timed_out, p50, p95, retrieved): ProviderRow| ProviderFigures {
                provider: ProviderId(id),
                asked: to_count(asked),
                ok: to_count(ok),
                failed: to_count(failed),
                timed_out: to_count(timed_out),
                p50,
                p95,
                retrieved: to_count(retrieved),
            };
        Ok(rows.into_iter().map(figures).collect())
    }

    async fn futile_queries(&self, since: Instant, limit: u64) -> Result<Vec<FutileQuery>, StoreError> {
        static TEXT: LazyLock<String> = LazyLock::new(|| {
            format!(
                "SELECT s.draft, s.date_created FROM \
                 (SELECT * FROM searches WHERE date_created >= $1 ORDER BY date_created DESC, id DESC LIMIT $2) AS s \
                 WHERE {} AND {NOTHING_RETRIEVED} ORDER BY s.date_created DESC, s.id DESC LIMIT $3",
                is_final("s.status")
            )
        });
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, FutileRow>(TEXT.as_str())
            .bind(to_micros(since)).bind(SEARCHES_READ_MAX).bind(to_column(limit)).fetch_all(db))?;
        let mut queries: Vec<FutileQuery> = Vec::new();
        for (spec, date) in rows {
            match queries.iter_mut().find(|known| known.query == spec.0.query_string) {
                Some(known) => known.searches += 1,
                None => queries.push(FutileQuery {
                    query: spec.0.query_string,
                    searches: 1,
                    day: date.date_naive().to_string(),
                }),
            }
        }
        Ok(queries)
    }

    async fn rate_answer(
        &self,
        search: SearchId,
        model: &str,
        rating: Rating,
        now: Instant,
    ) -> Result<(), StoreError> {
        const TEXT: &str = "INSERT INTO answer_ratings (search_id, model, rated, rating) \
             SELECT id, $2, $3, $4 FROM searches WHERE id = $1 ON CONFLICT (search_id) DO UPDATE SET \
             model = excluded.model, rated = excluded.rated, rating = excluded.rating";
        let text = JsonText::of(&rating)?;
        let rows = on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(search.0).bind(plain(model)).bind(to_micros(now)).bind(text.clone()).execute(db)))?;
        if rows == 0 { Err(StoreError::NotFound) } else { Ok(()) }
    }

    async fn answer_rating(&self, search: SearchId, since: Instant) -> Result<Option<Rating>, StoreError> {
        const TEXT: &str = "SELECT rating FROM answer_ratings WHERE search_id = $1 AND rated >= $2";
        let row = on_db!(self.db, read, db => sqlx::query_as::<_, (Json<Rating>,)>(TEXT)
            .bind(search.0).bind(to_micros(since)).fetch_optional(db))?;
        Ok(row.map(|(rating,)| rating.0))
    }

    async fn rated_answers(&self, since: Instant, limit: u64) -> Result<Vec<RatedAnswer>, StoreError> {
        let mut rated = self.rated_summaries(since, limit).await?;
        rated.extend(self.rated_messages(since, limit).await?);
        rated.sort_by_key(|one| std::cmp::Reverse(one.date));
        rated.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(rated)
    }
}

impl SqlStore {
    fn dialect(&self, sqlite: &'static str, postgres: &'static str) -> &'static str {
        match self.db {
            Db::Sqlite(_) => sqlite,
            Db::Postgres(_) => postgres,
        }
    }

    async fn rated_summaries(&self, since: Instant, limit: u64) -> Result<Vec<RatedAnswer>, StoreError> {
        const TEXT: &str = "SELECT rating, model, rated FROM answer_ratings \
             WHERE rated >= $1 ORDER BY rated DESC LIMIT $2";
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, SummaryRow>(TEXT)
            .bind(to_micros(since)).bind(to_column(limit)).fetch_all(db))?;
        let told = |(rating, model, date): SummaryRow| RatedAnswer {
            kind: "summary",
            rating: rating.0.rating,
            reasons: rating.0.reasons,
            comment: rating.0.comment,
            model,
            date,
        };
        Ok(rows.into_iter().map(told).collect())
    }

    /// A message counts at the time when it was written.
    async fn rated_messages(&self, since: Instant, limit: u64) -> Result<Vec<RatedAnswer>, StoreError> {
        const TEXT: &str = "SELECT rating, body, created FROM chat_messages \
             WHERE rating IS NOT NULL AND created >= $1 ORDER BY created DESC LIMIT $2";
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, MessageRow>(TEXT)
            .bind(to_micros(since)).bind(to_column(limit)).fetch_all(db))?;
        let told = |(rating, body, date): MessageRow| RatedAnswer {
            kind: "chat",
            rating: rating.0.rating,
            reasons: rating.0.reasons,
            comment: rating.0.comment,
            model: body.0.ai_model,
            date,
        };
        Ok(rows.into_iter().map(told).collect())
    }
}
