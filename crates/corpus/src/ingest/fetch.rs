//! Fetches the text of a document, from its source or from the body storage.

use super::error::IngestFailure;
use super::job::{IngestJob, StoredText};
use super::vectors::sync_acl;
use super::{records, source};
use crate::CacheParts;
use domain::corpus::{Liveness, Signal};
use domain::ids::{ResultId, UserId};
use domain::page_starts::PageStarts;
use domain::ports::{BodyKey, DocumentRequest, PageError, PageText, StoreError};
use domain::provenance::PageTarget;
use domain::provider::SearchProvider;

/// A text and its origin.
pub struct Fetched {
    pub page: PageText,
    /// Supplied by the person, not fetched.
    pub is_supplied: bool,
}

/// The provider whose credentials or account fetch the document, if the person may use it. An empty provider for a
/// typed URL that none of the person's accounts covers.
pub async fn load_provider(parts: &CacheParts, job: &IngestJob) -> Result<SearchProvider, IngestFailure> {
    let provider = match job.provider {
        None => source::no_provider(parts, job.user),
        Some(id) => match parts.store.provider(id).await {
            Err(StoreError::NotFound) => {
                return Err(IngestFailure::for_good("its source no longer exists"));
            }
            other => other?,
        },
    };
    let provider = match source::target(&parts.plugins, &provider, &job.document()) {
        PageTarget::User(_) => source::no_provider(parts, job.user),
        PageTarget::Source(_) | PageTarget::Account(_) => provider,
    };
    if source::may_ask(parts, &provider, job.user).await? {
        Ok(provider)
    } else {
        Err(IngestFailure::for_good("this person may not use its source"))
    }
}

pub async fn fetch_text(
    parts: &CacheParts,
    job: &IngestJob,
    signal: &Signal,
    provider: &SearchProvider,
) -> Result<Fetched, IngestFailure> {
    if let Some(held) = &job.held {
        if !held.is_supplied && is_revoked(parts, job).await? {
            return Err(IngestFailure::for_good(
                "the source has since denied this person access to the document",
            ));
        }
        if let Some(page) = stored_page(parts, held).await? {
            return Ok(Fetched { page, is_supplied: held.is_supplied });
        }
        if held.is_supplied {
            return Err(IngestFailure::for_good("the supplied text no longer exists"));
        }
    }
    let document = job.document();
    let wanted = DocumentRequest {
        target: source::target(&parts.plugins, provider, &document),
        cached: None,
        result: ResultId(0),
        user: job.user,
        is_asked_for: job.is_asked_for,
        time_max: parts.settings.page_fetch_timeout.0,
    };
    match parts.pages.read(&wanted).await {
        Ok(page) => Ok(Fetched { page, is_supplied: false }),
        Err(error) => Err(refused(parts, &wanted, signal, provider, error).await?),
    }
}

/// Access was revoked after the text was fetched.
async fn is_revoked(parts: &CacheParts, job: &IngestJob) -> Result<bool, IngestFailure> {
    let grants = parts.store.grants(job.signal).await?;
    Ok(grants.iter().any(|grant| grant.user_id == job.user && grant.revoked_at.is_some()))
}

async fn stored_page(parts: &CacheParts, held: &StoredText) -> Result<Option<PageText>, IngestFailure> {
    let Some(key) = BodyKey::of_hash(&held.content_hash) else { return Ok(None) };
    let Some(body) = parts.bodies.get(&key).await? else { return Ok(None) };
    let Ok(text) = String::from_utf8(body.into()) else { return Ok(None) };
    Ok(Some(PageText {
        title: held.title.clone(),
        text,
        page_starts: PageStarts::default(),
        media_type: held.media_type.clone(),
        author: held.author.clone(),
        version: held.version.clone(),
        file_bytes: held.file_bytes,
        origin: held.origin(),
        is_copy: false,
    }))
}

/// The person's records of the same URL that are fetched in this way: the requested one, or one that a redirect led
/// to. A supplied text belongs to the person, whatever the source says.
async fn held_by(
    parts: &CacheParts,
    asked: &Signal,
    target: &PageTarget<'_>,
    user: UserId,
) -> Result<Vec<Signal>, StoreError> {
    let mut held = Vec::new();
    for signal in source::all_fetched_by(parts, &asked.url_hash, target, user).await? {
        let grants = parts.store.grants(signal.signal_id).await?;
        let is_own = grants.iter().any(|grant| grant.user_id == user && grant.revoked_at.is_none());
        if is_own && !signal.is_supplied {
            held.push(signal);
        }
    }
    Ok(held)
}

/// Applies a source's refusal to the document and to the person's access.
async fn refused(
    parts: &CacheParts,
    wanted: &DocumentRequest<'_>,
    signal: &Signal,
    provider: &SearchProvider,
    error: PageError,
) -> Result<IngestFailure, IngestFailure> {
    let (id, user, target, now) = (signal.signal_id, wanted.user, &wanted.target, parts.clock.now());
    // The response of another provider or account says nothing about the record.
    let is_of_record = source::is_fetched_by(parts, signal, target, user).await?;
    let held = held_by(parts, signal, target, user).await?;
    let is_refused = match error {
        PageError::Denied(_) => true,
        // Many sources also respond like this to people without access.
        PageError::Gone(_) => {
            held.iter().any(|one| !one.content_hash.is_empty())
                && parts.plugins.authenticator_of(provider).is_some()
        }
        _ => false,
    };
    match error {
        _ if is_refused && !held.is_empty() => {
            for one in held {
                parts.store.revoke_grant(one.signal_id, user, now).await?;
                sync_acl(parts, one.signal_id).await?;
            }
        }
        // A source without accounts responds the same to everybody. A response to one person for a typed URL is not
        // stored on a record that others have as well.
        PageError::Gone(status)
            if is_of_record
                && (target.source_id().is_some() || !records::is_shared(parts, signal, user).await?) =>
        {
            parts.store.set_liveness(id, Liveness::Gone, Some(status), now).await?;
        }
        // A source may be back in a moment; a typed URL is tried once.
        PageError::Unreachable if matches!(target, PageTarget::User(_)) => {}
        PageError::Failed { .. } | PageError::Unreachable => {
            return Ok(IngestFailure::again(error));
        }
        PageError::Denied(_) | PageError::Gone(_) | PageError::NoAddress => {}
    }
    Ok(IngestFailure::finally(error))
}
