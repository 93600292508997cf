//! The liveness check of one document.

use super::liveness;
use crate::ingest::{IngestJob, SourceRequest, all_fetched_by, is_shared, source_request};
use crate::{CacheParts, SemanticCache, permissions, removal};
use domain::corpus::{DocumentAddress, Grant, Liveness, Signal, Visibility};
use domain::ids::{ResultId, SignalId, UserId};
use domain::ports::{DocumentRequest, PageProbe, StoreError, chain};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Most people whose credentials are tried, one after the other, until a response comes.
const ASKERS_MAX: usize = 3;

/// Result of the check of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    pub signal_id: SignalId,
    pub verdict: Liveness,
    /// None: no response.
    pub http_status: Option<u16>,
    pub checked_at: domain::instant::Instant,
}

/// A response, and whose credentials got it.
struct Answer {
    user: UserId,
    asked: SourceRequest,
    probe: PageProbe,
}

/// Asks the source, stores the result, and acts on it.
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
    let said = http_status.map_or(Liveness::Unknown, liveness::of_status);
    let is_other = said == Liveness::Alive
        && !signal.is_supplied
        && answer
            .as_ref()
            .is_some_and(|one| liveness::is_other_version(&signal.external_version, &one.probe.version));
    // It exists, but the copy is outdated: it is verified when the new text is ingested.
    let noted = if is_other { Liveness::Unknown } else { liveness::noted(signal.liveness, said) };
    let is_for_one = match &answer {
        Some(answer) if said != Liveness::Alive => is_for_one(parts, signal, answer).await?,
        _ => false,
    };
    let (noted, noted_http) = if is_for_one {
        (liveness::noted(signal.liveness, Liveness::Unknown), None)
    } else {
        (noted, http_status)
    };
    match parts.store.set_liveness(signal.signal_id, noted, noted_http, now).await {
        // Removed in the meantime; the response is still valid.
        Ok(()) | Err(StoreError::NotFound) => {}
        Err(error) => return Err(error),
    }
    cache.counters.probed(now.date_naive(), said);
    if let Some(answer) = &answer {
        let has_accounts = parts.plugins.authenticator_of(&answer.asked.provider).is_some();
        let is_gone_for_one = said == Liveness::Gone && is_for_one && has_accounts;
        if liveness::is_refusal(answer.probe.http_status) || is_gone_for_one {
            revoke(parts, signal, answer.user).await?;
        } else if is_other {
            fetch_again(parts, signal, answer).await;
        }
    }
    Ok(Checked { signal_id: signal.signal_id, verdict: said, http_status, checked_at: now })
}

/// Whether the response applies to one person only although others see the record: another account or another provider
/// at the same URL may get another response, so a bad result is not stored for everybody.
async fn is_for_one(parts: &CacheParts, signal: &Signal, answer: &Answer) -> Result<bool, StoreError> {
    let provider = &answer.asked.provider;
    let has_accounts = parts.plugins.authenticator_of(provider).is_some();
    if !has_accounts && signal.source_provider_id.is_some() {
        return Ok(false);
    }
    let is_for_members = signal.source_provider_id.is_some() && permissions::is_by_provider(provider);
    Ok(is_for_members || is_shared(parts, signal, answer.user).await?)
}

/// The source denied this person the document.
pub async fn denied(parts: &CacheParts, wanted: &DocumentRequest<'_>) {
    if let Err(error) = revoke_behind(parts, wanted).await {
        tracing::warn!("access to a cached document could not be revoked: {}", chain(&error));
    }
}

async fn revoke_behind(parts: &CacheParts, wanted: &DocumentRequest<'_>) -> Result<(), StoreError> {
    let known = match wanted.cached {
        Some(id) => parts.store.signals(&[id], Visibility::Unrestricted).await?,
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

/// Access that came from the source ends when the source denies it. A supplied text belongs to the person.
async fn revoke(parts: &CacheParts, signal: &Signal, user: UserId) -> Result<(), StoreError> {
    if signal.is_supplied {
        return Ok(());
    }
    let (id, now) = (signal.signal_id, parts.clock.now());
    if parts.store.revoke_grant(id, user, now).await? {
        tracing::info!(signal.id = %id, user.id = %user, "the source refuses the document {id} to user {user}: revoked");
        removal::update_vector_acl(parts, id).await;
    }
    Ok(())
}

/// Fetches the text again with the credentials that got the response. If that fails, the next check repeats it.
async fn fetch_again(parts: &CacheParts, signal: &Signal, answer: &Answer) {
    let SourceRequest { provider, item } = &answer.asked;
    let mut job = IngestJob::of(signal.signal_id, answer.user, provider, item);
    job.is_asked_for = true;
    if let Err(error) = job.push(parts).await {
        tracing::warn!(
            signal.id = %signal.signal_id,
            "a changed document could not be queued: {}",
            chain(&error)
        );
    }
}

/// The first response within the time limit for all attempts.
async fn ask(
    parts: &CacheParts,
    signal: &Signal,
    asker: UserId,
    time_max: Duration,
) -> Result<Option<Answer>, StoreError> {
    let until = Instant::now() + time_max;
    for user in askers(parts, signal.signal_id, asker).await? {
        let Some(asked) = source_request(parts, signal, user).await? else { continue };
        let time_max = until.saturating_duration_since(Instant::now());
        if time_max.is_zero() {
            break;
        }
        let target = asked.target(&parts.plugins);
        let (cached, result) = (None, ResultId(0));
        let wanted = DocumentRequest { target, cached, result, user, is_asked_for: true, time_max };
        match timeout(time_max, parts.pages.probe(&wanted)).await {
            Ok(Ok(probe)) => return Ok(Some(Answer { user, asked, probe })),
            Ok(Err(error)) => {
                tracing::debug!(signal.id = %signal.signal_id, "no answer of the source: {}", chain(&error))
            }
            Err(_) => break,
        }
    }
    Ok(None)
}

/// The asker, then others who have the document, most recent first.
async fn askers(parts: &CacheParts, id: SignalId, asker: UserId) -> Result<Vec<UserId>, StoreError> {
    let mut grants: Vec<Grant> = parts.store.grants(id).await?;
    grants.retain(|grant| grant.revoked_at.is_none() && grant.last_ok.is_some() && grant.user_id != asker);
    grants.sort_by_key(|grant| std::cmp::Reverse(grant.last_ok));
    let others = grants.into_iter().map(|grant| grant.user_id);
    Ok([asker].into_iter().chain(others).take(ASKERS_MAX).collect())
}
