//! Turns an ingest request into a record and a task.

use super::job::{IngestJob, ProviderResult, StoredText, matters_of_search, new_signal, retrieval};
use super::limits::SUPPLIED_WORDS_MIN;
use super::prepare::{PreparedText, prepare};
use super::request::{Accepted, Document, IngestError, IngestRequest};
use super::source::SourceRequest;
use super::vectors::are_indexed;
use super::{cached_text, records, source};
use crate::CacheParts;
use bytes::Bytes;
use domain::corpus::{DocumentAddress, Grant, MatterTag, NewSignal, Signal, SignalState};
use domain::ids::{TaskId, UserId};
use domain::instant::Instant;
use domain::notice::{Notice, NoticeKind};
use domain::ports::{BodyKey, StoreError, chain};
use domain::provenance::PageTarget;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Polling interval of a waiting caller.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const MB: usize = 1024 * 1024;

/// A document and how it is fetched.
struct Wanted {
    address: DocumentAddress,
    provider: SearchProvider,
    item: ResultItem,
    /// The title of a supplied text.
    title: String,
    supplied: Option<PreparedText>,
    is_result: bool,
    /// The named provider did not return this URL.
    is_foreign: bool,
    matter_tags: Vec<MatterTag>,
}

pub async fn enqueue(parts: &CacheParts, request: IngestRequest) -> Result<Accepted, IngestError> {
    if !parts.license.opens_cache() {
        return Err(IngestError::Unlicensed);
    }
    let (user, origin) = (request.user, request.origin);
    let wanted = wanted(parts, request).await?;
    if !source::may_ask(parts, &wanted.provider, user).await? {
        return Err(IngestError::NotAllowed);
    }
    let now = parts.clock.now();
    let document = ProviderResult { provider: &wanted.provider, item: &wanted.item };
    let source = source::attributable_to(document.provider, document.item);
    let by = retrieval(parts, document, source, user, "");
    let new = new_signal(parts, wanted.address.clone(), document, source, origin, wanted.matter_tags.clone());
    let new = if wanted.supplied.is_some() { supplied_by_person(new) } else { new };
    let signal = records::note(parts, new, &by).await?;
    let grant = grant_of(parts, &signal, user).await?;
    let is_fresh =
        wanted.supplied.is_none() && grant.is_some_and(|grant| is_fresh(parts, &signal, &grant, now));
    if is_fresh && is_found(parts, &signal).await {
        let message = "The document is already in the cache and up to date.".to_owned();
        return Ok(Accepted { signal, job: None, upgraded: false, is_done: true, message });
    }
    let upgraded = wanted.is_result && signal.state == SignalState::Known;
    let mut job = IngestJob::of(signal.signal_id, user, &wanted.provider, &wanted.item);
    job.is_asked_for = true;
    let mut message = message(parts, &wanted).to_owned();
    if let Some(text) = wanted.supplied {
        job.held = Some(store_supplied_text(parts, wanted.title, text).await?);
        message = "Your text is being processed; only you will see it.".to_owned();
    }
    let job = job.push(parts).await?;
    Ok(Accepted { signal, job: Some(job), upgraded, is_done: false, message })
}

/// How the document is fetched, and who will see it.
fn message(parts: &CacheParts, wanted: &Wanted) -> &'static str {
    let target = source::target(&parts.plugins, &wanted.provider, &wanted.item);
    match target {
        _ if wanted.is_foreign => {
            "None of your results from this source has this address: the document is fetched anonymously, \
             and only you will see it."
        }
        PageTarget::Account(_) => {
            "None of your results from this source has this address: the document is fetched with your account, \
             and only you will see it."
        }
        PageTarget::Source(_) if target.source_id().is_none() => {
            "The document is not on the source's own host: it is fetched from there, and only you will see it."
        }
        PageTarget::Source(_) | PageTarget::User(_) => "The document is being fetched with your permissions.",
    }
}

pub async fn enqueue_and_wait(
    parts: &CacheParts,
    request: IngestRequest,
    at_most: Duration,
) -> Result<Accepted, IngestError> {
    let (user, since) = (request.user, parts.clock.now());
    let accepted = enqueue(parts, request).await?;
    if accepted.is_done {
        return Ok(accepted);
    }
    let is_stored = AtomicBool::new(false);
    let waiting = async {
        loop {
            sleep(LOOK_EVERY).await;
            let signal = records::requested(parts, accepted.signal.signal_id, user).await?;
            let grant = grant_of(parts, &signal, user).await?;
            let Some(grant) = grant else { continue };
            // An earlier request may have caused the task.
            let is_up_to_date = grant.last_ok.is_some_and(|last_ok| last_ok >= since)
                || is_fresh(parts, &signal, &grant, parts.clock.now());
            if grant.opens(&signal) && is_up_to_date {
                is_stored.store(true, Ordering::Relaxed);
                if is_found(parts, &signal).await {
                    return Ok(signal);
                }
            }
            if let Some(reason) =
                grant.notices.iter().find_map(|notice| failure_of(accepted.job, since, notice))
            {
                return Err(IngestError::NoText(reason.to_owned()));
            }
        }
    };
    match timeout(at_most, waiting).await {
        Ok(Ok(signal)) => {
            let message = "The document is in the cache.".to_owned();
            Ok(Accepted { signal, is_done: true, message, ..accepted })
        }
        Ok(Err(error)) => Err(error),
        Err(_) if is_stored.into_inner() => {
            let message = "The document is stored, but the vector store does not accept it yet: it is found as soon as \
                           it does.";
            Ok(Accepted { message: message.to_owned(), ..accepted })
        }
        Err(_) => Ok(accepted),
    }
}

/// The record is written before the vectors. A vector store that does not respond has none of them.
async fn is_found(parts: &CacheParts, signal: &Signal) -> bool {
    are_indexed(parts, signal).await.unwrap_or_else(|error| {
        tracing::debug!(signal.id = signal.signal_id.0, "the vector store was not read: {}", chain(&error));
        false
    })
}

/// Why this task failed. Other tasks may ingest the same document for the same person. A node of an earlier version
/// writes a line, which does not name its task.
fn failure_of(job: Option<TaskId>, since: Instant, notice: &Notice) -> Option<&str> {
    match &notice.kind {
        NoticeKind::IngestFailed { task, reason } if Some(*task) == job => Some(reason),
        NoticeKind::Line { line } if notice.at >= since => Some(line),
        _ => None,
    }
}

/// A supplied text has no provider.
fn supplied_by_person(new: NewSignal) -> NewSignal {
    NewSignal {
        source_provider_id: None,
        source_provider: String::new(),
        external_id: String::new(),
        is_supplied: true,
        ..new
    }
}

/// The person may see it, and its source provided it to them recently.
fn is_fresh(parts: &CacheParts, signal: &Signal, grant: &Grant, now: Instant) -> bool {
    let recheck = parts.settings.cache_liveness_recheck_seconds.0;
    let is_lately = |time: Instant| (now - time).to_std().unwrap_or_default() <= recheck;
    grant.opens(signal)
        && !signal.is_supplied
        && signal.body_key.is_some()
        && grant.last_ok.is_some_and(is_lately)
        && signal.last_verified.is_some_and(is_lately)
}

async fn grant_of(parts: &CacheParts, signal: &Signal, user: UserId) -> Result<Option<Grant>, StoreError> {
    let grants = parts.store.grants(signal.signal_id).await?;
    Ok(grants.into_iter().find(|grant| grant.user_id == user))
}

async fn wanted(parts: &CacheParts, request: IngestRequest) -> Result<Wanted, IngestError> {
    let mut matter_tags = request.matter_tags;
    match request.document {
        Document::Result { provider, item } => {
            let SourceRequest { provider, item } = own_source(parts, request.user, provider, item).await?;
            let address = DocumentAddress::of(&item.url).ok_or(IngestError::NoAddress)?;
            matter_tags.extend(tags_of_result(parts, &item).await);
            let (title, supplied, is_result, is_foreign) = (String::new(), None, true, false);
            Ok(Wanted { address, provider, item, title, supplied, is_result, is_foreign, matter_tags })
        }
        Document::Address { provider, url, title, body } => {
            let address = DocumentAddress::of(&url).ok_or(IngestError::NoAddress)?;
            let supplied = supplied(parts, body).await?;
            let is_named = provider.is_some();
            let SourceRequest { provider, item } = match provider {
                // A supplied text belongs to the person, whichever provider they name.
                _ if supplied.is_some() => without_provider(parts, request.user, &url),
                Some(provider) => source::request_for_address(parts, request.user, provider, &url).await?,
                None => known_source(parts, &address, request.user, &url).await?,
            };
            let is_foreign = is_named && source::id_of(&provider).is_none();
            Ok(Wanted { address, provider, item, title, supplied, is_result: false, is_foreign, matter_tags })
        }
    }
}

/// The source of a result; a result from the cache stands for a document of another source.
async fn own_source(
    parts: &CacheParts,
    user: UserId,
    provider: SearchProvider,
    item: ResultItem,
) -> Result<SourceRequest, IngestError> {
    let Some(mark) = &item.cache else {
        return if source::may_ask(parts, &provider, user).await? {
            Ok(source::request_for_result(parts, user, provider, &item))
        } else {
            Err(IngestError::NotAllowed)
        };
    };
    let signal = cached_text::visible(parts, mark.signal_id, user).await?.ok_or(StoreError::NotFound)?;
    source::source_request(parts, &signal, user).await?.ok_or(IngestError::NotAllowed)
}

/// The source of a document that the person may see, if they may use that source; else none.
async fn known_source(
    parts: &CacheParts,
    address: &DocumentAddress,
    user: UserId,
    url: &str,
) -> Result<SourceRequest, StoreError> {
    let known = records::all_visible_at(parts, address, user).await?;
    let asked = match known.iter().find(|signal| !signal.is_supplied) {
        Some(signal) => source::source_request(parts, signal, user).await?,
        None => None,
    };
    let asked = asked.filter(|asked| source::id_of(&asked.provider).is_some());
    Ok(asked.unwrap_or_else(|| without_provider(parts, user, url)))
}

/// A URL without a provider.
fn without_provider(parts: &CacheParts, user: UserId, url: &str) -> SourceRequest {
    SourceRequest { provider: source::no_provider(parts, user), item: source::typed_item(url) }
}

/// The prepared supplied text; None if it is too short to replace the document.
async fn supplied(parts: &CacheParts, body: Option<String>) -> Result<Option<PreparedText>, IngestError> {
    let Some(body) = body else { return Ok(None) };
    let most = parts.settings.storage_max_body_mb;
    if body.len() > most as usize * MB {
        return Err(IngestError::TooLarge(most));
    }
    let read = prepare(body).await;
    let text = read.ok_or_else(|| IngestError::NoText("the text could not be read".to_owned()))?;
    Ok(Some(text).filter(|text| text.words >= SUPPLIED_WORDS_MIN))
}

async fn store_supplied_text(
    parts: &CacheParts,
    title: String,
    text: PreparedText,
) -> Result<StoredText, IngestError> {
    let content_hash = store_text(parts, text).await?;
    Ok(StoredText {
        content_hash,
        title,
        author: String::new(),
        media_type: "text/plain".to_owned(),
        version: String::new(),
        file_bytes: 0,
        is_supplied: true,
        is_of_own_origin: false,
    })
}

/// Stores a text for its task and returns its hash. A text that no document references is removed by a later sweep.
pub(super) async fn store_text(parts: &CacheParts, text: PreparedText) -> Result<String, IngestError> {
    let PreparedText { text, content_hash, .. } = text;
    let key = BodyKey::of_hash(&content_hash);
    let key = key.ok_or_else(|| IngestError::NoText("the text has no hash".to_owned()))?;
    parts.bodies.put(&key, Bytes::from(text)).await?;
    Ok(content_hash)
}

/// The matters named by the tags of a saved result's search; none if the result is gone.
pub(super) async fn tags_of_result(parts: &CacheParts, item: &ResultItem) -> Vec<MatterTag> {
    if item.swirl_id.0 == 0 {
        return Vec::new();
    }
    let tags = async {
        let saved = parts.store.result(item.swirl_id).await?;
        Ok::<_, StoreError>(parts.store.search(saved.search).await?.spec.tags)
    };
    tags.await.map(|tags| matters_of_search(&tags)).unwrap_or_default()
}
