//! What people did with the service lately, in figures: for the dashboard and the page of activity.

use crate::ids::{ProviderId, SearchId};
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

/// A search that ended and retrieved nothing.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct FutileSearch {
    pub search_id: SearchId,
    pub query: String,
    /// User name of the owner.
    pub owner: String,
    pub status: String,
    pub date: DateTime<Utc>,
}

/// What somebody thinks of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct RatedAnswer {
    /// `summary` or `chat`.
    #[schema(example = "summary")]
    pub kind: &'static str,
    /// 1 or -1.
    pub rating: i8,
    pub reasons: Vec<String>,
    pub comment: String,
    pub query: String,
    pub model: String,
    /// User name.
    pub user: String,
    pub date: DateTime<Utc>,
}
