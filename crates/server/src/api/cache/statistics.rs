//! Statistics of the cache, for administrators: only counts, because documents are visible only to users with access.

use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use corpus::{BackendHealth, CounterValues, Decisions};
use domain::corpus::{Liveness, SignalState};
use domain::ports::{Corpus, CorpusCounts};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Statistics of the cache.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CacheStatistics {
    /// The license includes the cache.
    licensed: bool,
    signals: States,
    liveness: Verdicts,
    /// Indexed chunks.
    chunks: u64,
    /// Compressed size of the full texts in the storage.
    body_bytes: u64,
    /// Access grants of users to documents.
    grants: u64,
    vector_store: BackingView,
    storage: BackingView,
    /// Decisions on versions.
    canonical: CanonicalFigures,
    /// Documents found in sent mail.
    egress: EgressFigures,
    today: Today,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct CanonicalFigures {
    /// Documents that are pinned for a query.
    pins: u64,
    /// Elections by status.
    runs: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
struct EgressFigures {
    /// Scans by status.
    scans: BTreeMap<&'static str, u64>,
    /// Documents found in sent mail, by status.
    events: BTreeMap<&'static str, u64>,
}

/// Documents by state.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct States {
    known: u64,
    indexed: u64,
    pinned: u64,
}

/// Documents by their last liveness.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Verdicts {
    alive: u64,
    gone: u64,
    unknown: u64,
}

/// A store of the cache.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct BackingView {
    #[schema(example = "memory")]
    kind: &'static str,
    /// It responds.
    ok: bool,
    /// A message for people.
    message: String,
}

/// Counts of this process since midnight UTC.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Today {
    /// Queries to the cache as a source.
    searches: u64,
    /// Queries with results.
    hits: u64,
    /// Ingested documents.
    ingested: u64,
    /// Documents whose text could not be fetched.
    failed: u64,
    /// Groups of versions in searches that were decided by an election.
    elections: u64,
    /// Groups of versions in searches that were decided by a pin.
    pins: u64,
}

impl From<BackendHealth> for BackingView {
    fn from(backing: BackendHealth) -> Self {
        let BackendHealth { kind, ok, message } = backing;
        Self { kind, ok, message }
    }
}

impl From<CounterValues> for Today {
    fn from(counted: CounterValues) -> Self {
        let CounterValues { searches, hits, ingested, failed, elections, pins, .. } = counted;
        Self { searches, hits, ingested, failed, elections, pins }
    }
}

/// Statistics of the semantic cache.
#[utoipa::path(get, path = "/svc/cache/statistics/", tag = "cache", responses(
    (status = 200, description = "Counts, without details of documents.", body = CacheStatistics),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
pub async fn read_statistics(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
) -> Result<Json<CacheStatistics>, ApiError> {
    let cache = &state.corpus;
    let (counts, decisions, vector_store, storage) =
        tokio::join!(cache.counts(), cache.decisions(), cache.vector_store(), cache.storage());
    let (counts, Decisions { runs, pins, scans, events }) = (counts?, decisions?);
    let CorpusCounts { chunks, body_bytes, grants, .. } = counts;
    let state = |wanted: SignalState| count(&counts.by_state, wanted);
    let verdict = |wanted: Liveness| count(&counts.by_liveness, wanted);
    Ok(Json(CacheStatistics {
        licensed: cache.is_open(),
        signals: States {
            known: state(SignalState::Known),
            indexed: state(SignalState::Indexed),
            pinned: state(SignalState::Pinned),
        },
        liveness: Verdicts {
            alive: verdict(Liveness::Alive),
            gone: verdict(Liveness::Gone),
            unknown: verdict(Liveness::Unknown),
        },
        chunks,
        body_bytes,
        grants,
        vector_store: vector_store.into(),
        storage: storage.into(),
        canonical: CanonicalFigures { pins, runs: runs.into_iter().collect() },
        egress: EgressFigures { scans: scans.into_iter().collect(), events: events.into_iter().collect() },
        today: cache.counted_today().into(),
    }))
}

fn count<W: PartialEq>(counts: &[(W, u64)], wanted: W) -> u64 {
    counts.iter().find(|(word, _)| *word == wanted).map_or(0, |(_, count)| *count)
}
