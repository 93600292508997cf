//! Records, vectors and texts are compared. The records are right: what the others lack is brought, and what they have too
//! much goes when somebody says so. A process that starts removes nothing: an empty folder of texts is more likely a disk
//! that is not mounted than a thousand lost documents.

use super::UpkeepError;
use super::walk::Walk;
use crate::ingest::put_vectors;
use crate::{CacheParts, SemanticCache, retention};
use domain::contracts::{BodyError, BodyKey, StoreError, VectorError};
use domain::ids::SignalId;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

/// Documents, keys and changes that are read at once.
const BATCH: usize = 500;
/// Most of one kind that are named.
const NAMED_MAX: usize = 10;
/// What does not agree is looked at again after this: a document may be on its way in or out.
pub(super) const SETTLE: Duration = Duration::from_secs(1);
/// The value that holds up to which change the vectors were known to follow the records.
const FOLLOWED: &str = "vectors_follow_change";

/// What is done about what does not agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// Differences are reported only.
    Nothing,
    /// Vectors that are missing or old are made again from the records; nothing is removed.
    Vectors,
    /// The same, and vectors, texts and references that have no counterpart are removed.
    All,
}

/// How far records, vectors and texts agree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Documents, and those of them whose text is here.
    pub documents: u64,
    pub indexed: u64,
    /// Pieces that the documents should have, and those that are among the records.
    pub pieces: u64,
    pub pieces_recorded: u64,
    /// Pieces that the vector store holds; None: it is switched off.
    pub vectors: Option<u64>,
    /// Documents whose text is in the storage of texts, and how many texts are there: equal ones are kept once.
    pub with_body: u64,
    pub bodies: u64,
    /// Documents whose vectors are missing, in part or wholly.
    pub vectors_missing: Difference,
    /// Documents of which the vector store holds something although there is no such text.
    pub vectors_surplus: Difference,
    /// Documents whose text is not in the storage.
    pub bodies_missing: Difference,
    /// Texts that no document has.
    pub bodies_surplus: Difference,
    /// What did not agree was put right, all of it.
    pub is_repaired: bool,
    /// Documents whose vectors were written again because the record had changed since the last time.
    pub followed: u64,
}

/// How many, and the first of them by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    pub count: u64,
    pub named: Vec<String>,
}

impl Agreement {
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

/// What did not agree at the first look.
#[derive(Default)]
struct Suspects {
    /// With the number of pieces that the vector store held.
    vectors: BTreeMap<SignalId, u32>,
    bodies_of: BTreeSet<SignalId>,
    bodies: BTreeSet<BodyKey>,
}

impl SemanticCache {
    /// Compares all, and puts right what `repair` says. Fine beside a service that runs.
    pub async fn agree(&self, repair: Repair) -> Result<Agreement, UpkeepError> {
        let parts = &self.parts;
        let newest = parts.store.corpus_sequence().await?;
        let mut agreement = Agreement { is_repaired: repair == Repair::All, ..Agreement::default() };
        let suspects = compare(parts, &mut agreement).await?;
        if !(suspects.vectors.is_empty() && suspects.bodies_of.is_empty() && suspects.bodies.is_empty()) {
            tokio::time::sleep(SETTLE).await;
        }
        for (id, before) in &suspects.vectors {
            look_at_vectors(parts, (*id, *before), repair, &mut agreement).await?;
        }
        if repair == Repair::All {
            parts.bodies.adopt().await?;
        }
        for id in &suspects.bodies_of {
            look_for_body(parts, *id, repair, &mut agreement).await?;
        }
        // A text lies in the storage before its document is written: while some are on their way, it may be theirs.
        if !suspects.bodies.is_empty() && retention::is_quiet(parts).await {
            for key in &suspects.bodies {
                if !parts.store.has_body(key).await? {
                    agreement.bodies_surplus.add(key.as_str());
                    if repair == Repair::All {
                        retention::forget(parts, [key.clone()]).await;
                    }
                }
            }
        }
        if repair != Repair::Nothing && agreement.vectors.is_some() {
            agreement.followed = follow(parts, newest, &suspects.vectors).await?;
        }
        Ok(agreement)
    }
}

/// The figures, and all that does not agree.
async fn compare(parts: &CacheParts, agreement: &mut Agreement) -> Result<Suspects, UpkeepError> {
    let mut held = held(parts).await?;
    let bodies = bodies(parts).await?;
    let mut needed: HashSet<BodyKey> = HashSet::new();
    let mut suspects = Suspects::default();
    agreement.vectors = held.as_ref().map(|held| held.values().copied().map(u64::from).sum());
    agreement.bodies = bodies.len() as u64;
    let mut walk = Walk::over(&*parts.store);
    loop {
        let some = walk.next().await?;
        if some.is_empty() {
            break;
        }
        for signal in some {
            agreement.documents += 1;
            agreement.indexed += u64::from(signal.chunk_count > 0);
            agreement.pieces += u64::from(signal.chunk_count);
            let id = signal.signal_id;
            if let Some(held) = &mut held {
                let pieces = held.remove(&id).unwrap_or_default();
                if pieces != signal.chunk_count {
                    suspects.vectors.insert(id, pieces);
                }
            }
            if let Some(key) = signal.body_key {
                agreement.with_body += 1;
                if !bodies.contains(&key) {
                    suspects.bodies_of.insert(id);
                }
                needed.insert(key);
            }
        }
    }
    suspects.vectors.extend(held.into_iter().flatten());
    suspects.bodies.extend(bodies.difference(&needed).cloned());
    agreement.pieces_recorded = parts.store.corpus_counts().await?.chunks;
    Ok(suspects)
}

/// How many pieces of each document the vector store holds; None: it is switched off.
async fn held(parts: &CacheParts) -> Result<Option<BTreeMap<SignalId, u32>>, VectorError> {
    let (mut all, mut after) = (BTreeMap::new(), None);
    loop {
        let some = match parts.vectors.held(after, BATCH).await {
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

/// A second look at the vectors of one document, of which so many were held at the first: it may just have been written.
async fn look_at_vectors(
    parts: &CacheParts,
    (id, before): (SignalId, u32),
    repair: Repair,
    agreement: &mut Agreement,
) -> Result<(), UpkeepError> {
    let pieces = match parts.store.signal(id).await {
        Ok(signal) => signal.chunk_count,
        Err(StoreError::NotFound) => 0,
        Err(error) => return Err(error.into()),
    };
    let next = parts.vectors.held(Some(SignalId(id.0 - 1)), 1).await?;
    let held = next.first().filter(|(there, _)| *there == id).map_or(0, |(_, pieces)| *pieces);
    if let Some(vectors) = &mut agreement.vectors {
        *vectors = (*vectors + u64::from(held)).saturating_sub(u64::from(before));
    }
    if held == pieces {
        return Ok(());
    }
    let difference = match pieces {
        0 => &mut agreement.vectors_surplus,
        _ => &mut agreement.vectors_missing,
    };
    difference.add(id);
    let is_put_right = match repair {
        Repair::Nothing => false,
        Repair::Vectors => pieces > 0,
        Repair::All => true,
    };
    if is_put_right {
        put_vectors(parts, id).await?;
    }
    Ok(())
}

/// A second look for the text of one document. One that is lost is noted as no longer kept: the document is still found,
/// and its text is fetched when somebody retrieves it again.
async fn look_for_body(
    parts: &CacheParts,
    id: SignalId,
    repair: Repair,
    agreement: &mut Agreement,
) -> Result<(), UpkeepError> {
    let key = match parts.store.signal(id).await {
        Ok(signal) => signal.body_key,
        Err(StoreError::NotFound) => None,
        Err(error) => return Err(error.into()),
    };
    let Some(key) = key else { return Ok(()) };
    match parts.bodies.get(&key).await {
        Ok(Some(_)) => return Ok(()),
        Ok(None) | Err(BodyError::Damaged) => agreement.bodies_missing.add(id),
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

/// Writes the vectors of all documents again that changed since the last time: a crash between record and vectors may have
/// left as many as before, but of another text, or an old list of who may see them.
async fn follow(parts: &CacheParts, newest: i64, done: &BTreeMap<SignalId, u32>) -> Result<u64, UpkeepError> {
    let since = parts.store.corpus_value(FOLLOWED).await?.and_then(|text| text.parse().ok()).unwrap_or(0);
    let changed = match changed_since(parts, since, newest).await? {
        Some(changed) => changed,
        None => everything(parts).await?,
    };
    let mut followed = 0;
    for id in changed.iter().filter(|id| !done.contains_key(id)) {
        put_vectors(parts, *id).await?;
        followed += 1;
    }
    if since != newest {
        parts.store.set_corpus_value(FOLLOWED, &newest.to_string()).await?;
    }
    Ok(followed)
}

/// None when that is so long ago that it is not known.
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
    let (mut all, mut walk) = (BTreeSet::new(), Walk::over(&*parts.store));
    loop {
        let some = walk.next().await?;
        if some.is_empty() {
            return Ok(all);
        }
        let with_text = some.into_iter().filter(|signal| signal.chunk_count > 0);
        all.extend(with_text.map(|signal| signal.signal_id));
    }
}
