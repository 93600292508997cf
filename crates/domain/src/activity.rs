//! Figures of recent activity, for the dashboard and the activity page.

use crate::ids::ProviderId;
use chrono::{DateTime, Utc};
use serde::Serialize;

/// Searches of one day (UTC).
#[derive(Debug, Clone, PartialEq, Default, Serialize, utoipa::ToSchema)]
#[schema(as = DayOfActivity)]
pub struct DayFigures {
    #[schema(example = "2026-11-01")]
    pub day: String,
    pub searches: u64,
    /// Finished searches without results.
    pub futile: u64,
    /// 95th percentile of the duration, in seconds.
    pub p95: Option<f64>,
    /// Searches in which every source responded.
    pub full: u64,
}

/// Figures of one provider over a number of days.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderFigures {
    pub provider: ProviderId,
    /// Searches that queried it.
    pub asked: u64,
    /// It responded, with or without results.
    pub ok: u64,
    pub failed: u64,
    pub timed_out: u64,
    /// Seconds until its response.
    pub p50: Option<f64>,
    pub p95: Option<f64>,
    /// Results that it returned.
    pub retrieved: u64,
}

/// A query without results. Contains neither a user nor an exact time, because both would reveal whose search it was.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct FutileQuery {
    pub query: String,
    /// Finished searches with this query and without results.
    pub searches: u64,
    /// The day of the newest one (UTC).
    #[schema(example = "2026-11-01")]
    pub day: String,
}

/// A rating of a summary or chat reply, without the question and the user.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct RatedAnswer {
    /// `summary` or `chat`.
    #[schema(example = "summary")]
    pub kind: &'static str,
    /// 1 or -1.
    pub rating: i8,
    pub reasons: Vec<String>,
    pub comment: String,
    pub model: String,
    pub date: DateTime<Utc>,
}
