//! A candidate of an election.

use chrono::{DateTime, Utc};
use domain::corpus::{Factors, Reason};
use domain::ids::SignalId;

/// A version in an election. Its numbers have at most six decimal digits.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub signal_id: SignalId,
    pub relevance: f64,
    pub is_gone: bool,
    pub dated: Option<DateTime<Utc>>,
    pub factors: Factors,
    /// The reasons for the factors.
    pub reasons: Vec<Reason>,
}
