//! The text of a document, as its source gives it to the person who wants it, or as it lies in the storage already.

use super::errand::{Errand, HeldText};
use super::miss::Miss;
use super::vectors::put_acl;
use super::{records, source};
use crate::CacheParts;
use domain::contracts::{BodyKey, PageError, PageText, PageWanted, StoreError};
use domain::corpus::{Liveness, Signal};
use domain::ids::{ResultId, UserId};
use domain::provenance::PageTarget;
use domain::provider::SearchProvider;

/// A text and where it came from.
pub struct Fetched {
    pub page: PageText,
    /// From the person, not from the source.
    pub is_supplied: bool,
}

/// The provider whose rights or whose account fetch the document, when it is there and the person may ask it. Nobody's for
/// a typed address that no account of the person reaches.
pub async fn provider(parts: &CacheParts, errand: &Errand) -> Result<SearchProvider, Miss> {
    let provider = match errand.provider {
        None => source::nobodys(parts, errand.user),
        Some(id) => match parts.store.provider(id).await {
            Err(StoreError::NotFound) => return Err(Miss::Final("its source is gone".to_owned())),
            other => other?,
        },
    };
    let provider = match source::target(&parts.plugins, &provider, &errand.document()) {
        PageTarget::User(_) => source::nobodys(parts, errand.user),
        PageTarget::Source(_) | PageTarget::Account(_) => provider,
    };
    match source::may_ask(parts, &provider, errand.user).await? {
        true => Ok(provider),
        false => Err(Miss::Final("its source is not for this person".to_owned())),
    }
}

pub async fn fetched(
    parts: &CacheParts,
    errand: &Errand,
    signal: &Signal,
    provider: &SearchProvider,
) -> Result<Fetched, Miss> {
    if let Some(held) = &errand.held {
        if !held.is_supplied && is_revoked(parts, errand).await? {
            return Err(Miss::Final(
                "the source has refused the document to this person meanwhile".to_owned(),
            ));
        }
        if let Some(page) = held_page(parts, held).await? {
            return Ok(Fetched { page, is_supplied: held.is_supplied });
        }
        if held.is_supplied {
            return Err(Miss::Final("the text that was given is not there any more".to_owned()));
        }
    }
    let document = errand.document();
    let wanted = PageWanted {
        target: source::target(&parts.plugins, provider, &document),
        cached: None,
        result: ResultId(0),
        user: errand.user,
        is_asked_for: errand.is_asked_for,
        time_max: parts.settings.page_fetch_timeout.0,
    };
    match parts.pages.read(&wanted).await {
        Ok(page) => Ok(Fetched { page, is_supplied: false }),
        Err(error) => Err(refused(parts, &wanted, (signal, provider), error).await?),
    }
}

/// The right was taken away after the text had come.
async fn is_revoked(parts: &CacheParts, errand: &Errand) -> Result<bool, Miss> {
    let grants = parts.store.grants(errand.signal).await?;
    Ok(grants.iter().any(|grant| grant.user_id == errand.user && grant.revoked_at.is_some()))
}

async fn held_page(parts: &CacheParts, held: &HeldText) -> Result<Option<PageText>, Miss> {
    let Some(key) = BodyKey::of_hash(&held.content_hash) else { return Ok(None) };
    let Some(body) = parts.bodies.get(&key).await? else { return Ok(None) };
    let Ok(text) = String::from_utf8(body.into()) else { return Ok(None) };
    Ok(Some(PageText {
        title: held.title.clone(),
        text,
        media_type: held.media_type.clone(),
        author: held.author.clone(),
        version: held.version.clone(),
        file_bytes: held.file_bytes,
        origin: held.origin(),
        is_copy: false,
    }))
}

/// The records of the same address that this person has a right to and that are fetched in this way: the one that was
/// asked for, or one that a redirect led to. A text that a person gave is theirs, whatever the source says.
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

/// What the source's refusal means for the document and for the person's right to it.
async fn refused(
    parts: &CacheParts,
    wanted: &PageWanted<'_>,
    (signal, provider): (&Signal, &SearchProvider),
    error: PageError,
) -> Result<Miss, Miss> {
    let (id, user, target, now) = (signal.signal_id, wanted.user, &wanted.target, parts.clock.now());
    // Another provider's or account's answer says nothing about the record.
    let is_of_record = source::is_fetched_by(parts, signal, target, user).await?;
    let held = held_by(parts, signal, target, user).await?;
    let is_refused = match error {
        PageError::Denied(_) => true,
        // Many sources say so to whoever may not see a document (any more).
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
                put_acl(parts, one.signal_id).await?;
            }
        }
        // A source without accounts says the same to everybody. What one person is told at an address that they typed is
        // not noted on a record that others have, too.
        PageError::Gone(status)
            if is_of_record
                && (target.source_id().is_some() || !records::is_shared(parts, signal, user).await?) =>
        {
            parts.store.set_liveness(id, Liveness::Gone, Some(status), now).await?;
        }
        // A source may be back in a moment; an address that nobody vouches for is asked once.
        PageError::Unreachable if matches!(target, PageTarget::User(_)) => {}
        PageError::Failed(_) | PageError::Unreachable => return Ok(Miss::Again(error.to_string())),
        PageError::Denied(_) | PageError::Gone(_) | PageError::NoAddress => {}
    }
    Ok(Miss::Final(error.to_string()))
}
