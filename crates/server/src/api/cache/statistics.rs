//! How much is in the cache, for administrators: counts alone, because documents are for those who have a right to them.

use crate::AppState;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody};
use axum::Json;
use axum::extract::State;
use corpus::{Backing, Counted, Decisions};
use domain::contracts::{Corpus, CorpusCounts};
use domain::corpus::{Liveness, SignalState};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The cache in figures.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CacheStatistics {
    /// The license opens it now.
    licensed: bool,
    signals: States,
    liveness: Verdicts,
    /// Pieces that can be found.
    chunks: u64,
    /// What the full texts take in the storage, packed.
    body_bytes: u64,
    /// Rights of people to documents.
    grants: u64,
    vector_store: BackingView,
    storage: BackingView,
    /// Decisions on versions.
    canonical: CanonicalFigures,
    /// What was found in sent mail.
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
    /// Documents that were found in sent mail, by status.
    events: BTreeMap<&'static str, u64>,
}

/// Documents by state.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct States {
    known: u64,
    indexed: u64,
    pinned: u64,
}

/// Documents by what their sources last said of them.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Verdicts {
    alive: u64,
    gone: u64,
    unknown: u64,
}

/// A store behind the cache.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct BackingView {
    #[schema(example = "memory")]
    kind: &'static str,
    /// It answers.
    ok: bool,
    /// A sentence for people.
    message: String,
}

/// What this process has counted since midnight UTC.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct Today {
    /// Questions to the cache as a source.
    searches: u64,
    /// Those of them to which it had something.
    hits: u64,
    /// Documents whose text came in.
    ingested: u64,
    /// Documents whose text could not be had.
    failed: u64,
    /// Groups of versions in searches among which an election chose.
    elections: u64,
    /// Those among which a pin did.
    pins: u64,
}

impl From<Backing> for BackingView {
    fn from(backing: Backing) -> Self {
        let Backing { kind, ok, message } = backing;
        Self { kind, ok, message }
    }
}

impl From<Counted> for Today {
    fn from(counted: Counted) -> Self {
        let Counted { searches, hits, ingested, failed, elections, pins, .. } = counted;
        Self { searches, hits, ingested, failed, elections, pins }
    }
}

/// The semantic cache in figures.
#[utoipa::path(get, path = "/svc/cache/statistics/", tag = "cache", responses(
    (status = 200, description = "Counts; nothing of any document.", body = CacheStatistics),
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
