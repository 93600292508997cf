//! Sizes of the cache and health of its backends: counts only, no documents.

use crate::SemanticCache;
use crate::counters::CounterValues;
use crate::ingest::embedding;
use domain::corpus::{EventStatus, RunStatus, ScanStatus, VectorBackend};
use domain::ports::{CanonicalCounts, CorpusCounts, EgressCounts, StoreError, VectorError, VectorState};
use license::LicenseReport;
use relevancy::embedder::{DIMENSIONS, MODEL_NAME};
use std::time::Duration;
use tokio::time::timeout;

/// How long a backend may take to respond.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(2);

/// Health of a backend of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackendHealth {
    /// As named in the settings.
    pub kind: &'static str,
    pub ok: bool,
    /// For administrators.
    pub message: String,
}

/// Counts of elections, pins, scans and events. Every status is listed, also with a count of 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decisions {
    pub runs: Vec<(&'static str, u64)>,
    pub pins: u64,
    pub scans: Vec<(&'static str, u64)>,
    pub events: Vec<(&'static str, u64)>,
}

impl SemanticCache {
    pub async fn decisions(&self) -> Result<Decisions, StoreError> {
        let CanonicalCounts { runs, pins } = self.parts.store.canonical_counts().await?;
        let EgressCounts { scans, events } = self.parts.store.egress_counts().await?;
        Ok(Decisions {
            runs: counts_by_status(RunStatus::ALL, &runs, RunStatus::as_str),
            pins,
            scans: counts_by_status(ScanStatus::ALL, &scans, ScanStatus::as_str),
            events: counts_by_status(EventStatus::ALL, &events, EventStatus::as_str),
        })
    }

    pub async fn counts(&self) -> Result<CorpusCounts, StoreError> {
        self.parts.store.corpus_counts().await
    }

    /// Counts since the start of this process.
    pub fn counted(&self) -> CounterValues {
        self.counters.all()
    }

    /// Counts since midnight UTC.
    pub fn counted_today(&self) -> CounterValues {
        self.counters.today(self.parts.clock.now().date_naive())
    }

    /// The current license.
    pub fn license(&self) -> LicenseReport {
        self.parts.license.report()
    }

    /// Whether the cache is searched by words as well as by meaning.
    pub async fn searches_words(&self) -> Result<bool, StoreError> {
        crate::word_search::is_on(&self.parts).await
    }

    /// Health of the vector store.
    pub async fn vector_store(&self) -> BackendHealth {
        let settings = &self.parts.settings;
        let kind = match settings.vector_backend {
            VectorBackend::PgVector => VectorBackend::PgVector.as_str(),
            VectorBackend::Qdrant => settings.qdrant_mode.as_str(),
        };
        let (ok, message) = match timeout(ANSWER_TIME_MAX, self.usable_vectors()).await {
            Ok(Ok(state)) => (true, contents(&state)),
            Ok(Err(error)) => (false, sentence(&error.to_string())),
            Err(_) => (false, "It does not respond.".to_owned()),
        };
        BackendHealth { kind, ok, message }
    }

    /// The state of the vector store, or why searches of it fail. The dimension of an external model is known only by
    /// asking it, which a health check does not do.
    async fn usable_vectors(&self) -> Result<VectorState, VectorError> {
        let state = self.parts.vectors.state().await?;
        if self.parts.settings.corpus_hybrid && !state.is_hybrid {
            return Err(VectorError::MissingSparse);
        }
        let is_built_in = embedding::model(&self.parts).await.is_ok_and(|model| model == MODEL_NAME);
        match state.dimension.filter(|there| is_built_in && *there != DIMENSIONS) {
            Some(there) => Err(VectorError::Dimension { there, ours: DIMENSIONS }),
            None => Ok(state),
        }
    }

    /// Health of the body storage.
    pub async fn storage(&self) -> BackendHealth {
        let kind = self.parts.settings.storage_backend.as_str();
        let (ok, message) = match timeout(ANSWER_TIME_MAX, self.parts.bodies.check()).await {
            Ok(Ok(())) => (true, "It responds.".to_owned()),
            Ok(Err(error)) => (false, sentence(&error.to_string())),
            Err(_) => (false, "It does not respond.".to_owned()),
        };
        BackendHealth { kind, ok, message }
    }
}

fn counts_by_status<S: Copy + PartialEq>(
    all: &[S],
    counts: &[(S, u64)],
    name: fn(S) -> &'static str,
) -> Vec<(&'static str, u64)> {
    let count =
        |wanted: S| counts.iter().find(|(status, _)| *status == wanted).map_or(0, |(_, count)| *count);
    all.iter().map(|status| (name(*status), count(*status))).collect()
}

/// What a usable vector store holds.
fn contents(state: &VectorState) -> String {
    match (state.chunks, state.is_hybrid) {
        (0, _) => "No passages are stored yet.".to_owned(),
        (count, true) => format!("Passages stored: {count}. They are found by meaning and by words."),
        (count, false) => format!("Passages stored: {count}. They are found by meaning only."),
    }
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_listed() {
        let counts = counts_by_status(EventStatus::ALL, &[(EventStatus::Dismissed, 3)], EventStatus::as_str);
        assert_eq!(counts, [("candidate", 0), ("confirmed", 0), ("dismissed", 3)]);
    }

    #[test]
    fn contents_are_told_in_plain_words() {
        let told =
            |chunks, is_hybrid| contents(&VectorState { dimension: Some(DIMENSIONS), chunks, is_hybrid });
        assert_eq!(told(0, true), "No passages are stored yet.");
        assert_eq!(told(12, true), "Passages stored: 12. They are found by meaning and by words.");
        assert_eq!(told(1, false), "Passages stored: 1. They are found by meaning only.");
    }

    #[test]
    fn reasons_become_sentences() {
        for (text, expected) in [("the store is off", "The store is off."), ("Off.", "Off."), ("", ".")] {
            assert_eq!(sentence(text), expected);
        }
    }
}
