//! How much is in the cache, and whether the stores behind it answer: counts alone, never a document.

use crate::SemanticCache;
use crate::tally::Counted;
use domain::contracts::{CorpusCounts, EgressCounts, StoreError};
use domain::corpus::{EventStatus, RunStatus, ScanStatus, VectorBackend};
use domain::license::LicenseReport;
use std::time::Duration;
use tokio::time::timeout;

/// How long a store may take to say that it is there.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(2);

/// A store behind the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backing {
    /// As the settings name it.
    pub kind: &'static str,
    pub ok: bool,
    /// A sentence for administrators.
    pub message: String,
}

/// Decisions on versions, and what is known of mail that went outside. Each status is told, those of which there is none too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decisions {
    pub runs: Vec<(&'static str, u64)>,
    pub pins: u64,
    pub scans: Vec<(&'static str, u64)>,
    pub events: Vec<(&'static str, u64)>,
}

impl SemanticCache {
    pub async fn decisions(&self) -> Result<Decisions, StoreError> {
        let (runs, pins) = self.parts.store.canonical_counts().await?;
        let EgressCounts { scans, events } = self.parts.store.egress_counts().await?;
        Ok(Decisions {
            runs: told(RunStatus::ALL, &runs, RunStatus::as_str),
            pins,
            scans: told(ScanStatus::ALL, &scans, ScanStatus::as_str),
            events: told(EventStatus::ALL, &events, EventStatus::as_str),
        })
    }

    pub async fn counts(&self) -> Result<CorpusCounts, StoreError> {
        self.parts.store.corpus_counts().await
    }

    /// What this process has counted since it started.
    pub fn counted(&self) -> Counted {
        self.tally.all()
    }

    /// The same since midnight UTC.
    pub fn counted_today(&self) -> Counted {
        self.tally.today(self.parts.clock.now().date_naive())
    }

    /// What the license says now.
    pub fn license(&self) -> LicenseReport {
        self.parts.license.report()
    }

    /// Whether the store of vectors answers.
    pub async fn vector_store(&self) -> Backing {
        let settings = &self.parts.settings;
        let kind = match settings.vector_backend {
            VectorBackend::PgVector => VectorBackend::PgVector.as_str(),
            VectorBackend::Qdrant => settings.qdrant_mode.as_str(),
        };
        let (ok, message) = match timeout(ANSWER_TIME_MAX, self.parts.vectors.state()).await {
            Ok(Ok(state)) => {
                let words = if state.is_hybrid { "with" } else { "without" };
                let dimension = state.dimension.map(|of| format!(" of {of} dimensions")).unwrap_or_default();
                (true, format!("It holds {} vectors{dimension}, {words} words.", state.chunks))
            }
            Ok(Err(error)) => (false, sentence(&error.to_string())),
            Err(_) => (false, "It does not answer.".to_owned()),
        };
        Backing { kind, ok, message }
    }

    /// Whether the storage of texts answers.
    pub async fn storage(&self) -> Backing {
        let kind = self.parts.settings.storage_backend.as_str();
        let (ok, message) = match timeout(ANSWER_TIME_MAX, self.parts.bodies.keys(None, 1)).await {
            Ok(Ok(_)) => (true, "It answers.".to_owned()),
            Ok(Err(error)) => (false, sentence(&error.to_string())),
            Err(_) => (false, "It does not answer.".to_owned()),
        };
        Backing { kind, ok, message }
    }
}

fn told<S: Copy + PartialEq>(
    all: &[S],
    counts: &[(S, u64)],
    word: fn(S) -> &'static str,
) -> Vec<(&'static str, u64)> {
    let count =
        |wanted: S| counts.iter().find(|(status, _)| *status == wanted).map_or(0, |(_, count)| *count);
    all.iter().map(|status| (word(*status), count(*status))).collect()
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_told() {
        let counts = told(EventStatus::ALL, &[(EventStatus::Dismissed, 3)], EventStatus::as_str);
        assert_eq!(counts, [("candidate", 0), ("confirmed", 0), ("dismissed", 3)]);
    }

    #[test]
    fn reasons_become_sentences() {
        for (text, expected) in [("the store is off", "The store is off."), ("Off.", "Off."), ("", ".")] {
            assert_eq!(sentence(text), expected);
        }
    }
}
