//! One document: who asks its source, and what follows from the answer.

use super::{Checked, verdict};
use crate::ingest::{Asked, Errand, all_fetched_by, asked_for, is_shared};
use crate::{CacheParts, SemanticCache, permissions, removal};
use domain::contracts::{PageProbe, PageWanted, StoreError};
use domain::corpus::{DocumentAddress, Grant, Liveness, Signal};
use domain::ids::{ResultId, SignalId, UserId};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// People by whose credentials one document is asked for, one after the other, until an answer comes.
const ASKERS_MAX: usize = 3;

/// An answer, and who got it.
struct Answer {
    user: UserId,
    asked: Asked,
    probe: PageProbe,
}

/// Asks the source, notes what it says, and does what follows.
pub async fn check(
    cache: &SemanticCache,
    signal: &Signal,
    asker: UserId,
    time_max: Duration,
) -> Result<Checked, StoreError> {
    let parts = &cache.parts;
    let answer = ask(parts, signal, asker, time_max).await?;
    let now = parts.clock.now();
    let http_status = answer.as_ref().map(|answer| answer.probe.http_status);
    let said = http_status.map_or(Liveness::Unknown, verdict::of_status);
    let is_other = said == Liveness::Alive
        && !signal.is_supplied
        && answer
            .as_ref()
            .is_some_and(|one| verdict::is_other_version(&signal.external_version, &one.probe.version));
    // It is there, and the copy is not what it says: that is verified when the new text is here.
    let noted = if is_other { Liveness::Unknown } else { verdict::noted(signal.liveness, said) };
    let is_for_one = match &answer {
        Some(answer) if said != Liveness::Alive => is_for_one(parts, signal, answer).await?,
        _ => false,
    };
    let (noted, noted_http) = match is_for_one {
        true => (verdict::noted(signal.liveness, Liveness::Unknown), None),
        false => (noted, http_status),
    };
    match parts.store.set_liveness(signal.signal_id, noted, noted_http, now).await {
        // Somebody has removed it meanwhile; the source has still said what it said.
        Ok(()) | Err(StoreError::NotFound) => {}
        Err(error) => return Err(error),
    }
    cache.tally.probed(now.date_naive(), said);
    if let Some(answer) = &answer {
        let has_accounts = parts.plugins.authenticator_of(&answer.asked.provider).is_some();
        let is_gone_for_one = said == Liveness::Gone && is_for_one && has_accounts;
        if verdict::is_refusal(answer.probe.http_status) || is_gone_for_one {
            revoke(parts, signal, answer.user).await?;
        } else if is_other {
            fetch_again(parts, signal, answer).await;
        }
    }
    Ok(Checked { signal_id: signal.signal_id, verdict: said, http_status, checked_at: now })
}

/// True when the answer is one person's, and others see the record: another account, or another provider at the same
/// address, may be told something else, so that bad news is not noted for everybody.
async fn is_for_one(parts: &CacheParts, signal: &Signal, answer: &Answer) -> Result<bool, StoreError> {
    let provider = &answer.asked.provider;
    let has_accounts = parts.plugins.authenticator_of(provider).is_some();
    if !has_accounts && signal.source_provider_id.is_some() {
        return Ok(false);
    }
    let is_for_members = signal.source_provider_id.is_some() && permissions::is_by_provider(provider);
    Ok(is_for_members || is_shared(parts, signal, answer.user).await?)
}

/// The source refused this person the document.
pub async fn denied(parts: &CacheParts, wanted: &PageWanted<'_>) {
    if let Err(error) = revoke_behind(parts, wanted).await {
        tracing::warn!("the right to a cached document could not be taken away: {error}");
    }
}

async fn revoke_behind(parts: &CacheParts, wanted: &PageWanted<'_>) -> Result<(), StoreError> {
    let known = match wanted.cached {
        Some(id) => parts.store.signals(&[id], None).await?,
        None => match DocumentAddress::of(wanted.target.address()) {
            Some(address) => all_fetched_by(parts, &address.hash(), &wanted.target, wanted.user).await?,
            None => Vec::new(),
        },
    };
    for signal in known {
        revoke(parts, &signal, wanted.user).await?;
    }
    Ok(())
}

/// A right that came from the source ends when the source says so. A text that a person gave is theirs.
async fn revoke(parts: &CacheParts, signal: &Signal, user: UserId) -> Result<(), StoreError> {
    if signal.is_supplied {
        return Ok(());
    }
    let (id, now) = (signal.signal_id, parts.clock.now());
    if parts.store.revoke_grant(id, user, now).await? {
        tracing::info!(signal.id = %id, user.id = %user, "the source refuses the document {id} to user {user}: revoked");
        removal::tell_vectors(parts, id).await;
    }
    Ok(())
}

/// The text is fetched with the rights of who got the answer. When that fails, the next check finds the same.
async fn fetch_again(parts: &CacheParts, signal: &Signal, answer: &Answer) {
    let Asked { provider, item } = &answer.asked;
    let mut errand = Errand::of(signal.signal_id, answer.user, provider, item);
    errand.is_asked_for = true;
    if let Err(error) = errand.push(parts).await {
        tracing::warn!(signal.id = %signal.signal_id, "a changed document could not be queued: {error}");
    }
}

/// The first answer that comes, or none in the time that there is for all.
async fn ask(
    parts: &CacheParts,
    signal: &Signal,
    asker: UserId,
    time_max: Duration,
) -> Result<Option<Answer>, StoreError> {
    let until = Instant::now() + time_max;
    for user in askers(parts, signal.signal_id, asker).await? {
        let Some(asked) = asked_for(parts, signal, user).await? else { continue };
        let time_max = until.saturating_duration_since(Instant::now());
        if time_max.is_zero() {
            break;
        }
        let target = asked.target(&parts.plugins);
        let (cached, result) = (None, ResultId(0));
        let wanted = PageWanted { target, cached, result, user, is_asked_for: true, time_max };
        match timeout(time_max, parts.pages.probe(&wanted)).await {
            Ok(Ok(probe)) => return Ok(Some(Answer { user, asked, probe })),
            Ok(Err(error)) => {
                tracing::debug!(signal.id = %signal.signal_id, "no answer of the source: {error}")
            }
            Err(_) => break,
        }
    }
    Ok(None)
}

/// The asker, then those who have the document, who got it last first.
async fn askers(parts: &CacheParts, id: SignalId, asker: UserId) -> Result<Vec<UserId>, StoreError> {
    let mut grants: Vec<Grant> = parts.store.grants(id).await?;
    grants.retain(|grant| grant.revoked_at.is_none() && grant.last_ok.is_some() && grant.user_id != asker);
    grants.sort_by_key(|grant| std::cmp::Reverse(grant.last_ok));
    let others = grants.into_iter().map(|grant| grant.user_id);
    Ok([asker].into_iter().chain(others).take(ASKERS_MAX).collect())
}
