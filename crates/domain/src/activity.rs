//! What people did with the service lately, in figures: for the dashboard and the page of activity.

use crate::ids::ProviderId;
use chrono::{DateTime, Utc};
use serde::Serialize;

/// The searches of one day, in UTC.
#[derive(Debug, Clone, PartialEq, Default, Serialize, utoipa::ToSchema)]
#[schema(as = DayOfActivity)]
pub struct DayFigures {
    #[schema(example = "2026-11-01")]
    pub day: String,
    pub searches: u64,
    /// Searches that ended and retrieved nothing.
    pub futile: u64,
    /// 95 of 100 searches took no longer, in seconds.
    pub p95: Option<f64>,
    /// Searches to which every source answered.
    pub full: u64,
}

/// What one provider did in a number of days.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderFigures {
    pub provider: ProviderId,
    /// Searches in which it was asked.
    pub asked: u64,
    /// It answered, with results or without.
    pub ok: u64,
    pub failed: u64,
    pub timed_out: u64,
    /// Seconds of its answers.
    pub p50: Option<f64>,
    pub p95: Option<f64>,
    /// Results that it gave.
    pub retrieved: u64,
}

/// A query that retrieved nothing. Neither a person nor an exact time: both would tell whose search it was.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct FutileQuery {
    pub query: String,
    /// Searches with this query that ended and retrieved nothing.
    pub searches: u64,
    /// The newest of them, in UTC.
    #[schema(example = "2026-11-01")]
    pub day: String,
}

/// A rating of an answer. What was asked, and by whom, is not part of it.
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
