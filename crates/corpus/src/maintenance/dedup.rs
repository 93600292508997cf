//! Merges duplicate records: same URL, provider and text, stored under an older form of the URL or under two forms.

use super::error::MaintenanceError;
use super::iterate::DocumentBatches;
use crate::ingest::sync_vectors;
use crate::{CacheParts, SemanticCache};
use domain::corpus::{DocumentAddress, Signal};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::ports::{StoreError, WriteMode};
use std::collections::BTreeMap;

/// Most pairs that are listed.
const NAMED_MAX: usize = 20;

/// What was found, and done if requested.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deduplication {
    pub documents: u64,
    /// Documents to merge, and the first pairs: which goes, which stays.
    pub merged: u64,
    pub named: Vec<(SignalId, SignalId)>,
    /// Documents whose URL is rewritten in its current form.
    pub readdressed: u64,
    /// Documents with an unreadable URL; they are left unchanged.
    pub unreadable: u64,
    pub is_applied: bool,
}

/// What makes records duplicates.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    url_hash: String,
    provider: Option<ProviderId>,
    content_hash: String,
    is_supplied: bool,
    owner: Owner,
}

/// The owner of a record. A request without a text and a supplied text belong to their person.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Anybody,
    Person(UserId),
    /// Several people, as in earlier versions: never a duplicate.
    Several(SignalId),
}

async fn owner(parts: &CacheParts, signal: &Signal) -> Result<Owner, StoreError> {
    if !signal.is_supplied && !signal.content_hash.is_empty() {
        return Ok(Owner::Anybody);
    }
    Ok(match parts.store.grants(signal.signal_id).await?.as_slice() {
        [grant] => Owner::Person(grant.user_id),
        _ => Owner::Several(signal.signal_id),
    })
}

/// What is needed of a record for the comparison.
struct Copy {
    id: SignalId,
    /// Its stored hash matches its URL.
    is_well_addressed: bool,
}

impl SemanticCache {
    /// Finds records with equal URL, provider and text, and merges them: grants, tags and versions are moved.
    pub async fn dedup(&self, mode: WriteMode) -> Result<Deduplication, MaintenanceError> {
        let parts = &self.parts;
        let is_applied = mode == WriteMode::Apply;
        let mut found = Deduplication { is_applied, ..Deduplication::default() };
        for (identity, (address, mut copies)) in by_identity(parts, &mut found).await? {
            // The oldest stays.
            copies.sort_by_key(|copy| copy.id);
            let Some((stays, others)) = copies.split_first() else { continue };
            for other in others {
                found.merged += 1;
                if found.named.len() < NAMED_MAX {
                    found.named.push((other.id, stays.id));
                }
                if is_applied {
                    merge(parts, other.id, stays.id).await?;
                }
            }
            if !stays.is_well_addressed {
                found.readdressed += 1;
                if is_applied {
                    readdress(parts, stays.id, &address, &identity.url_hash).await?;
                }
            }
        }
        Ok(found)
    }
}

/// Records that need work: several duplicates, or one under an older form of its URL.
async fn by_identity(
    parts: &CacheParts,
    found: &mut Deduplication,
) -> Result<BTreeMap<Identity, (DocumentAddress, Vec<Copy>)>, StoreError> {
    let mut all: BTreeMap<Identity, (DocumentAddress, Vec<Copy>)> = BTreeMap::new();
    let mut batches = DocumentBatches::over(&*parts.store);
    loop {
        let some = batches.next().await?;
        if some.is_empty() {
            break;
        }
        for signal in some {
            found.documents += 1;
            let Some(address) = DocumentAddress::of(&signal.url) else {
                found.unreadable += 1;
                continue;
            };
            let hash = address.hash();
            let copy = copy_of(&signal, &hash, &address);
            let identity = Identity {
                url_hash: hash,
                provider: signal.source_provider_id,
                is_supplied: signal.is_supplied,
                owner: owner(parts, &signal).await?,
                content_hash: signal.content_hash,
            };
            all.entry(identity).or_insert_with(|| (address, Vec::new())).1.push(copy);
        }
    }
    all.retain(|_, (_, copies)| copies.len() > 1 || copies.iter().any(|copy| !copy.is_well_addressed));
    Ok(all)
}

fn copy_of(signal: &Signal, hash: &str, address: &DocumentAddress) -> Copy {
    Copy {
        id: signal.signal_id,
        is_well_addressed: signal.url_hash == hash && signal.url == address.as_str(),
    }
}

async fn merge(parts: &CacheParts, from: SignalId, into: SignalId) -> Result<(), MaintenanceError> {
    let unneeded = match parts.store.merge_signals(from, into, parts.clock.now()).await {
        Ok(bodies) => bodies,
        // One of them was removed in the meantime.
        Err(StoreError::NotFound) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    parts.vectors.remove(&[from]).await?;
    // Its access list has grown.
    sync_vectors(parts, into).await?;
    for key in unneeded {
        if !parts.store.has_body(&key).await? {
            parts.bodies.delete(&key).await?;
        }
    }
    Ok(())
}

async fn readdress(
    parts: &CacheParts,
    id: SignalId,
    address: &DocumentAddress,
    hash: &str,
) -> Result<(), MaintenanceError> {
    match parts.store.readdress_signal(id, address.as_str(), hash).await {
        // It was removed, or another one took its URL; the next run merges them.
        Ok(()) | Err(StoreError::NotFound | StoreError::Taken(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
