//! Reconciles records, vectors and texts. The records are authoritative: missing data is restored from them, and
//! surplus data is removed only on request. At start nothing is removed: an empty folder is more likely an unmounted
//! disk than a thousand lost documents.

use super::error::MaintenanceError;
use super::iterate::DocumentBatches;
use crate::ingest::sync_vectors;
use crate::{CacheParts, SemanticCache, retention};
use domain::ids::SignalId;
use domain::ports::{BodyError, BodyKey, StoreError, VectorError};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

/// Documents, keys and changes per batch.
const BATCH: usize = 500;
/// Most differences of one kind that are listed.
const NAMED_MAX: usize = 10;
/// Differences are checked again after this time: a document may be in transit.
pub(super) const SETTLE: Duration = Duration::from_secs(1);
/// Key of the last change up to which the vectors are known to match the records.
const FOLLOWED: &str = "vectors_follow_change";

/// What to do about differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// Only report them.
    Nothing,
    /// Restore missing or outdated vectors from the records; remove nothing.
    Vectors,
    /// Also remove vectors, texts and references without a counterpart.
    All,
}

/// Comparison of records, vectors and texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReconcileReport {
    /// Documents, and those with a text.
    pub documents: u64,
    pub indexed: u64,
    /// Chunks that the documents should have, and those in the records.
    pub pieces: u64,
    pub pieces_recorded: u64,
    /// Chunks in the vector store; None: it is disabled.
    pub vectors: Option<u64>,
    /// Documents whose text is stored, and stored texts; equal texts are stored once.
    pub with_body: u64,
    pub bodies: u64,
    /// Documents with missing vectors.
    pub vectors_missing: Difference,
    /// Documents with vectors but without a text.
    pub vectors_surplus: Difference,
    /// Documents whose text is not stored.
    pub bodies_missing: Difference,
    /// Texts without a document.
    pub bodies_surplus: Difference,
    /// All differences were repaired.
    pub is_repaired: bool,
    /// Documents whose vectors were rewritten because the record changed since the last time.
    pub followed: u64,
}

/// A count, and the first names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    pub count: u64,
    pub named: Vec<String>,
}

impl ReconcileReport {
    /// What [`Repair::All`] would remove: vectors, references to texts, texts.
    pub fn removals(&self) -> [&Difference; 3] {
        [&self.vectors_surplus, &self.bodies_missing, &self.bodies_surplus]
    }

    pub fn is_whole(&self) -> bool {
        self.pieces == self.pieces_recorded
            && [&self.vectors_missing, &self.vectors_surplus, &self.bodies_missing, &self.bodies_surplus]
                .iter()
                .all(|difference| difference.count == 0)
    }
}

impl Difference {
    fn add(&mut self, name: impl ToString) {
        self.count += 1;
        if self.named.len() < NAMED_MAX {
            self.named.push(name.to_string());
        }
    }
}

/// Differences of the first comparison.
#[derive(Default)]
struct Suspects {
    /// With the number of chunks in the vector store.
    vectors: BTreeMap<SignalId, u32>,
    bodies_of: BTreeSet<SignalId>,
    bodies: BTreeSet<BodyKey>,
}

impl SemanticCache {
    /// Compares everything, and repairs according to `repair`. Safe while the service runs.
    pub async fn reconcile(&self, repair: Repair) -> Result<ReconcileReport, MaintenanceError> {
        let parts = &self.parts;
        let newest = parts.store.corpus_sequence().await?;
        let mut report = ReconcileReport { is_repaired: repair == Repair::All, ..ReconcileReport::default() };
        let suspects = compare(parts, &mut report).await?;
        if !(suspects.vectors.is_empty() && suspects.bodies_of.is_empty() && suspects.bodies.is_empty()) {
            tokio::time::sleep(SETTLE).await;
        }
        for (id, before) in &suspects.vectors {
            check_vectors(parts, *id, *before, repair, &mut report).await?;
        }
        if repair == Repair::All {
            parts.bodies.adopt().await?;
        }
        for id in &suspects.bodies_of {
            check_body(parts, *id, repair, &mut report).await?;
        }
        // A text is stored before its document: during an ingest it may belong to one.
        if !suspects.bodies.is_empty() && retention::is_idle(parts).await {
            for key in &suspects.bodies {
                if !parts.store.has_body(key).await? {
                    report.bodies_surplus.add(key.as_str());
                    if repair == Repair::All {
                        retention::forget(parts, [key.clone()]).await;
                    }
                }
            }
        }
        if repair != Repair::Nothing && report.vectors.is_some() {
            report.followed = follow(parts, newest, &suspects.vectors).await?;
        }
        Ok(report)
    }
}

/// The counts, and all differences.
async fn compare(parts: &CacheParts, report: &mut ReconcileReport) -> Result<Suspects, MaintenanceError> {
    let mut held = held(parts).await?;
    let bodies = bodies(parts).await?;
    let mut needed: HashSet<BodyKey> = HashSet::new();
    let mut suspects = Suspects::default();
    report.vectors = held.as_ref().map(|held| held.values().copied().map(u64::from).sum());
    report.bodies = bodies.len() as u64;
    let mut batches = DocumentBatches::over(&*parts.store);
    loop {
        let some = batches.next().await?;
        if some.is_empty() {
            break;
        }
        for signal in some {
            report.documents += 1;
            report.indexed += u64::from(signal.chunk_count > 0);
            report.pieces += u64::from(signal.chunk_count);
            let id = signal.signal_id;
            if let Some(held) = &mut held {
                let pieces = held.remove(&id).unwrap_or_default();
                if pieces != signal.chunk_count {
                    suspects.vectors.insert(id, pieces);
                }
            }
            if let Some(key) = signal.body_key {
                report.with_body += 1;
                if !bodies.contains(&key) {
                    suspects.bodies_of.insert(id);
                }
                needed.insert(key);
            }
        }
    }
    suspects.vectors.extend(held.into_iter().flatten());
    suspects.bodies.extend(bodies.difference(&needed).cloned());
    report.pieces_recorded = parts.store.corpus_counts().await?.chunks;
    Ok(suspects)
}

/// Chunks of each document in the vector store; None: it is disabled.
async fn held(parts: &CacheParts) -> Result<Option<BTreeMap<SignalId, u32>>, VectorError> {
    let (mut all, mut after) = (BTreeMap::new(), None);
    loop {
        let some = match parts.vectors.chunk_counts(after, BATCH).await {
            Err(VectorError::Disabled) => return Ok(None),
            other => other?,
        };
        let Some((last, _)) = some.last() else { return Ok(Some(all)) };
        after = Some(*last);
        all.extend(some);
    }
}

async fn bodies(parts: &CacheParts) -> Result<HashSet<BodyKey>, BodyError> {
    let (mut all, mut after): (HashSet<BodyKey>, Option<BodyKey>) = (HashSet::new(), None);
    loop {
        let some = parts.bodies.keys(after.as_ref(), BATCH).await?;
        let Some(last) = some.last() else { return Ok(all) };
        after = Some(last.clone());
        all.extend(some);
    }
}

/// Checks the vectors of one document again, given the number at the first comparison: it may just have been written.
async fn check_vectors(
    parts: &CacheParts,
    id: SignalId,
    before: u32,
    repair: Repair,
    report: &mut ReconcileReport,
) -> Result<(), MaintenanceError> {
    let pieces = match parts.store.signal(id).await {
        Ok(signal) => signal.chunk_count,
        Err(StoreError::NotFound) => 0,
        Err(error) => return Err(error.into()),
    };
    let next = parts.vectors.chunk_counts(Some(SignalId(id.0 - 1)), 1).await?;
    let held = next.first().filter(|(there, _)| *there == id).map_or(0, |(_, pieces)| *pieces);
    if let Some(vectors) = &mut report.vectors {
        *vectors = (*vectors + u64::from(held)).saturating_sub(u64::from(before));
    }
    if held == pieces {
        return Ok(());
    }
    let difference = match pieces {
        0 => &mut report.vectors_surplus,
        _ => &mut report.vectors_missing,
    };
    difference.add(id);
    let is_put_right = match repair {
        Repair::Nothing => false,
        Repair::Vectors => pieces > 0,
        Repair::All => true,
    };
    if is_put_right {
        sync_vectors(parts, id).await?;
    }
    Ok(())
}

/// Checks the text of one document again. A lost text is marked as expired: the document is still found, and its text
/// is fetched when somebody retrieves it again.
async fn check_body(
    parts: &CacheParts,
    id: SignalId,
    repair: Repair,
    report: &mut ReconcileReport,
) -> Result<(), MaintenanceError> {
    let key = match parts.store.signal(id).await {
        Ok(signal) => signal.body_key,
        Err(StoreError::NotFound) => None,
        Err(error) => return Err(error.into()),
    };
    let Some(key) = key else { return Ok(()) };
    match parts.bodies.get(&key).await {
        Ok(Some(_)) => return Ok(()),
        Ok(None) | Err(BodyError::Damaged) => report.bodies_missing.add(id),
        Err(error) => return Err(error.into()),
    }
    if repair == Repair::All {
        match parts.store.drop_body(id).await {
            Ok(_) | Err(StoreError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Rewrites the vectors of all documents that changed since the last time: a crash between record and vectors may have
/// left the right number of vectors, but of another text, or an outdated access list.
async fn follow(
    parts: &CacheParts,
    newest: i64,
    done: &BTreeMap<SignalId, u32>,
) -> Result<u64, MaintenanceError> {
    let since = parts.store.corpus_value(FOLLOWED).await?.and_then(|text| text.parse().ok()).unwrap_or(0);
    let changed = match changed_since(parts, since, newest).await? {
        Some(changed) => changed,
        None => everything(parts).await?,
    };
    let mut followed = 0;
    for id in changed.iter().filter(|id| !done.contains_key(id)) {
        sync_vectors(parts, *id).await?;
        followed += 1;
    }
    if since != newest {
        parts.store.set_corpus_value(FOLLOWED, &newest.to_string()).await?;
    }
    Ok(followed)
}

/// None if the changes are no longer known.
async fn changed_since(
    parts: &CacheParts,
    since: i64,
    newest: i64,
) -> Result<Option<BTreeSet<SignalId>>, StoreError> {
    let (mut all, mut after) = (BTreeSet::new(), since);
    while after < newest {
        let Some(some) = parts.store.corpus_changes(after, BATCH as u64).await? else { return Ok(None) };
        let Some(last) = some.last() else { break };
        after = last.sequence;
        all.extend(some.into_iter().map(|change| change.signal_id));
    }
    Ok(Some(all))
}

async fn everything(parts: &CacheParts) -> Result<BTreeSet<SignalId>, StoreError> {
    let (mut all, mut batches) = (BTreeSet::new(), DocumentBatches::over(&*parts.store));
    loop {
        let some = batches.next().await?;
        if some.is_empty() {
            return Ok(all);
        }
        let with_text = some.into_iter().filter(|signal| signal.chunk_count > 0);
        all.extend(with_text.map(|signal| signal.signal_id));
    }
}
