//! Records that are one: of one address, one provider and one text, kept under an address in an older form, or twice under
//! two forms of it.

use super::UpkeepError;
use super::walk::Walk;
use crate::ingest::put_vectors;
use crate::{CacheParts, SemanticCache};
use domain::contracts::StoreError;
use domain::corpus::{DocumentAddress, Signal};
use domain::ids::{ProviderId, SignalId, UserId};
use std::collections::BTreeMap;

/// Most pairs that are named.
const NAMED_MAX: usize = 20;

/// What was found, and done if that was wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deduplication {
    pub documents: u64,
    /// Documents that go into another one, and the first pairs of them: which goes, which stays.
    pub merged: u64,
    pub named: Vec<(SignalId, SignalId)>,
    /// Documents that get their address in its present form.
    pub readdressed: u64,
    /// Documents whose address cannot be read; they are left as they are.
    pub unreadable: u64,
    pub is_applied: bool,
}

/// What makes records one.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    url_hash: String,
    provider: Option<ProviderId>,
    content_hash: String,
    is_supplied: bool,
    owner: Owner,
}

/// Whose a record is. A request without a text and a text that a person supplied are their person's.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Anybody,
    Person(UserId),
    /// Several people, as earlier versions kept it: it is one with no other.
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

/// What is known of a record while the others are looked at.
struct Copy {
    id: SignalId,
    /// Its stored hash is that of its address.
    is_well_addressed: bool,
}

impl SemanticCache {
    /// Finds records that are equal in address, provider and text, and makes one of them when `apply` says so: grants, tags
    /// and versions go over.
    pub async fn dedup(&self, apply: bool) -> Result<Deduplication, UpkeepError> {
        let parts = &self.parts;
        let mut found = Deduplication { is_applied: apply, ..Deduplication::default() };
        for (identity, (address, mut copies)) in by_identity(parts, &mut found).await? {
            // The oldest stays.
            copies.sort_by_key(|copy| copy.id);
            let Some((stays, others)) = copies.split_first() else { continue };
            for other in others {
                found.merged += 1;
                if found.named.len() < NAMED_MAX {
                    found.named.push((other.id, stays.id));
                }
                if apply {
                    merge(parts, other.id, stays.id).await?;
                }
            }
            if !stays.is_well_addressed {
                found.readdressed += 1;
                if apply {
                    readdress(parts, stays.id, &address, &identity.url_hash).await?;
                }
            }
        }
        Ok(found)
    }
}

/// All that needs something done: several records that are one, or one under an address in another form.
async fn by_identity(
    parts: &CacheParts,
    found: &mut Deduplication,
) -> Result<BTreeMap<Identity, (DocumentAddress, Vec<Copy>)>, StoreError> {
    let mut all: BTreeMap<Identity, (DocumentAddress, Vec<Copy>)> = BTreeMap::new();
    let mut walk = Walk::over(&*parts.store);
    loop {
        let some = walk.next().await?;
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

async fn merge(parts: &CacheParts, from: SignalId, into: SignalId) -> Result<(), UpkeepError> {
    let unneeded = match parts.store.merge_signals(from, into, parts.clock.now()).await {
        Ok(bodies) => bodies,
        // One of them was removed meanwhile.
        Err(StoreError::NotFound) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    parts.vectors.remove(&[from]).await?;
    // Its access list has grown.
    put_vectors(parts, into).await?;
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
) -> Result<(), UpkeepError> {
    match parts.store.readdress_signal(id, address.as_str(), hash).await {
        // It went, or another one came under this address; the next run joins them.
        Ok(()) | Err(StoreError::NotFound | StoreError::Taken(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
