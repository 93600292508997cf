//! Activity of the last days: volume, providers used, searches without results, ratings of summaries.

use crate::auth::{Admin, Caller};
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiQuery;
use crate::state::AppState;
use crate::storage::storage_forecast;
use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Days, NaiveDate, Utc};
use domain::activity::{DayFigures, FutileQuery, ProviderFigures, RatedAnswer};
use domain::ids::ProviderId;
use domain::ports::StoreError;
use domain::storage_forecast::StorageForecast;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

const DAYS_DEFAULT: u32 = 30;
pub const DAYS_MAX: u32 = 90;
/// Days of the caller's own activity.
const OWN_DAYS: u32 = 14;
/// Most searches without results whose queries are listed.
const FUTILE_MAX: u64 = 100;
/// Most ratings listed.
const RATINGS_MAX: u64 = 100;

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct Period {
    /// Number of days including today, 1 to 90; 30 by default.
    days: Option<u32>,
}

/// Activity of the last days.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Activity {
    totals: Totals,
    /// Every day of the period, the oldest first, in UTC.
    days: Vec<DayFigures>,
    /// The most queried is first.
    providers: Vec<ProviderActivity>,
    /// True if `futile` is filled: `SVC_ACTIVITY_SHOWS_QUERIES`.
    shows_queries: bool,
    /// Queries of the last 100 searches without results, without user names, newest first. Empty unless
    /// `SVC_ACTIVITY_SHOWS_QUERIES` is True.
    futile: Vec<FutileQuery>,
    /// Ratings of summaries and answers, newest first; at most 100.
    ratings: Vec<RatedAnswer>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Totals {
    /// Stored searches.
    searches: u64,
    providers_active: u64,
    /// Results returned by providers in these days.
    results: u64,
    /// The product's version.
    version: &'static str,
    /// Default retention of a search: `SVC_DEFAULT_RETENTION`.
    default_retention: u8,
    /// Forecast of the database's disk usage.
    storage: StorageForecast,
}

/// Activity of a provider.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct ProviderActivity {
    provider_id: ProviderId,
    /// Its present name; `#` and its id if it was deleted.
    name: String,
    asked: u64,
    ok: u64,
    failed: u64,
    timed_out: u64,
    /// Median time of its responses, in seconds.
    p50: Option<f64>,
    p95: Option<f64>,
    retrieved: u64,
}

/// The caller's own searches.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct OwnActivity {
    /// 14 days, the oldest first, in UTC.
    days: Vec<OwnDay>,
}

#[derive(Debug, PartialEq, Serialize, utoipa::ToSchema)]
struct OwnDay {
    #[schema(example = "2026-11-01")]
    day: String,
    searches: u64,
}

/// Activity of the last days. If there are very many searches, the newest 50,000 are counted.
#[utoipa::path(get, path = "/svc/activity/", tag = "service", params(Period), responses(
    (status = 200, description = "Statistics and lists.", body = Activity),
    (status = 400, description = "Invalid parameter.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
pub async fn read_activity(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    ApiQuery(period): ApiQuery<Period>,
) -> Result<Json<Activity>, ApiError> {
    let days = period.days.unwrap_or(DAYS_DEFAULT);
    if !(1..=DAYS_MAX).contains(&days) {
        return Err(ApiError::invalid_field("days", format!("Use 1 to {DAYS_MAX}.")));
    }
    let (today, store) = (state.clock.now().date_naive(), &state.store);
    let since = begin_of(first_day(today, days));
    let (counted, figures, futile, ratings, searches, known, storage) = tokio::try_join!(
        store.search_days(since),
        store.provider_figures(since),
        futile_queries(&state, since),
        store.rated_answers(since, RATINGS_MAX),
        store.search_count(None),
        store.providers(),
        storage_forecast(&**store),
    )?;
    let names: BTreeMap<ProviderId, &str> =
        known.iter().map(|provider| (provider.id, provider.spec.name.as_str())).collect();
    Ok(Json(Activity {
        totals: Totals {
            searches,
            providers_active: known.iter().filter(|provider| provider.spec.active).count() as u64,
            results: figures.iter().map(|one| one.retrieved).sum(),
            version: domain::VERSION,
            default_retention: state.settings.default_retention.number(),
            storage,
        },
        days: every_day(today, days, counted),
        providers: figures.into_iter().map(|one| ProviderActivity::of(one, &names)).collect(),
        shows_queries: state.settings.activity_shows_queries,
        futile,
        ratings,
    }))
}

/// Searches are private: without the setting nobody reads the queries of others.
async fn futile_queries(state: &AppState, since: DateTime<Utc>) -> Result<Vec<FutileQuery>, StoreError> {
    if state.settings.activity_shows_queries {
        state.store.futile_queries(since, FUTILE_MAX).await
    } else {
        Ok(Vec::new())
    }
}

/// How often you searched in the last 14 days.
#[utoipa::path(get, path = "/svc/activity/mine/", tag = "service",
    responses((status = 200, description = "Days.", body = OwnActivity)))]
pub async fn read_own_activity(
    caller: Caller,
    State(state): State<Arc<AppState>>,
) -> Result<Json<OwnActivity>, ApiError> {
    let today = state.clock.now().date_naive();
    let first = first_day(today, OWN_DAYS);
    let counted: BTreeMap<String, u64> =
        state.store.own_days(caller.principal.user, begin_of(first)).await?.into_iter().collect();
    let day = |day: NaiveDate| {
        let day = day.to_string();
        OwnDay { searches: counted.get(&day).copied().unwrap_or_default(), day }
    };
    Ok(Json(OwnActivity { days: first.iter_days().take_while(|one| *one <= today).map(day).collect() }))
}

impl ProviderActivity {
    fn of(one: ProviderFigures, names: &BTreeMap<ProviderId, &str>) -> Self {
        let name = names.get(&one.provider).map(|name| (*name).to_owned());
        Self {
            provider_id: one.provider,
            name: name.unwrap_or_else(|| format!("#{}", one.provider)),
            asked: one.asked,
            ok: one.ok,
            failed: one.failed,
            timed_out: one.timed_out,
            p50: one.p50,
            p95: one.p95,
            retrieved: one.retrieved,
        }
    }
}

/// The first of this many days, including today.
fn first_day(today: NaiveDate, days: u32) -> NaiveDate {
    today.checked_sub_days(Days::new(u64::from(days.saturating_sub(1)))).unwrap_or(today)
}

pub fn begin_of(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(chrono::NaiveTime::MIN).and_utc()
}

/// Adds the days without a search.
fn every_day(today: NaiveDate, days: u32, counted: Vec<DayFigures>) -> Vec<DayFigures> {
    let mut counted: BTreeMap<String, DayFigures> =
        counted.into_iter().map(|day| (day.day.clone(), day)).collect();
    let figures = |day: NaiveDate| {
        let day = day.to_string();
        counted.remove(&day).unwrap_or(DayFigures { day, ..DayFigures::default() })
    };
    first_day(today, days).iter_days().take_while(|one| *one <= today).map(figures).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_without_searches_are_included() {
        let today: NaiveDate = "2026-03-02".parse().expect("a day");
        let busy = DayFigures { day: "2026-03-01".to_owned(), searches: 3, ..DayFigures::default() };
        let old = DayFigures { day: "2026-01-01".to_owned(), ..DayFigures::default() };
        let days = every_day(today, 4, vec![old, busy]);
        let counts: Vec<(&str, u64)> = days.iter().map(|day| (day.day.as_str(), day.searches)).collect();
        assert_eq!(counts, [("2026-02-27", 0), ("2026-02-28", 0), ("2026-03-01", 3), ("2026-03-02", 0)]);
        assert_eq!(every_day(today, 1, Vec::new()).len(), 1);
        assert_eq!(every_day(today, DAYS_MAX, Vec::new()).len(), DAYS_MAX as usize);
        assert_eq!(begin_of(today).to_rfc3339(), "2026-03-02T00:00:00+00:00");
    }
}
