//! Scans a mailbox, newest message first: page by page within limits. Progress is stored after every few messages, so
//! that a scan can be followed and canceled.

use super::attachments::Reader;
use super::document_index::DocumentIndex;
use super::domains::InternalDomains;
use super::mail::{self, Access, Head, MailError, Window};
use super::match_message::MessageMatcher;
use crate::{CacheParts, permissions};
use domain::corpus::{NewEvent, Scan, ScanCounts, Visibility};
use domain::ids::SignalId;
use domain::ports::{Cause, StoreError};
use futures_util::{StreamExt, TryStreamExt};
use std::collections::BTreeMap;

/// Messages between two progress updates.
const BATCH: usize = 25;
/// Messages opened in parallel.
const AT_ONCE: usize = 4;
/// Most pages of one scan.
const PAGES_MAX: usize = 2_000;

/// Progress of a scan; valid also after the scan was aborted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    pub counts: ScanCounts,
    pub truncated: bool,
}

/// Why a scan did not complete.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ScanError {
    /// It was canceled or deleted.
    #[error("the scan is over")]
    Over,
    /// The message is for the owner.
    #[error("{message}")]
    Failed { message: String, source: Option<Cause> },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ScanError {
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), source: None }
    }

    /// Keeps the error behind a failure; an error of the store has its own.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Cause>) -> Self {
        if let Self::Failed { source, .. } = &mut self {
            *source = Some(cause.into());
        }
        self
    }
}

impl From<MailError> for ScanError {
    fn from(error: MailError) -> Self {
        Self::failed(error.to_string()).caused_by(error)
    }
}

pub async fn scan_mailbox(parts: &CacheParts, scan: &Scan, progress: &mut Progress) -> Result<(), ScanError> {
    // An aborted attempt may have left counts.
    note(parts, scan, &mut progress.counts, Vec::new()).await?;
    let window = Window::of(scan.date_from, scan.date_to);
    let access =
        Access { parts: &parts.mail, settings: &parts.settings, user: scan.user, clock: &parts.clock };
    let mailbox = mail::open(access, scan.channel, window).await?;
    let person = parts.store.user(scan.user).await?;
    let inside = InternalDomains::new(&parts.settings.org_internal_domains, [person.email.as_str()]);
    let index = DocumentIndex::load(parts, scan.user, &scan.matter_tag).await?;
    let tokens = permissions::tokens_of(parts, scan.user).await?;
    let matcher = MessageMatcher {
        mailbox: &*mailbox,
        inside: &inside,
        reader: Reader::new(parts, &index, &tokens),
        key: &parts.mail.key,
        user: scan.user,
        channel: scan.channel,
    };
    pages(parts, scan, &matcher, progress).await
}

async fn pages(
    parts: &CacheParts,
    scan: &Scan,
    matcher: &MessageMatcher<'_>,
    progress: &mut Progress,
) -> Result<(), ScanError> {
    let window = Window::of(scan.date_from, scan.date_to);
    let most = u64::from(parts.settings.egress_max_messages);
    let mut at = None;
    for _ in 0..PAGES_MAX {
        let space = usize::try_from(most.saturating_sub(progress.counts.messages_seen)).unwrap_or(usize::MAX);
        let mut page = matcher.mailbox.page(at.as_deref(), space).await.map_err(without_mailbox)?;
        page.heads.retain(|head| window.holds(head.sent_at));
        progress.truncated = page.heads.len() > space;
        page.heads.truncate(space);
        for batch in page.heads.chunks(BATCH) {
            if !parts.license.opens_cache() {
                return Err(ScanError::failed("the license does not include the semantic cache any more"));
            }
            let events = match_messages(matcher, batch, &mut progress.counts).await?;
            let events = visible(parts, scan, events).await?;
            note(parts, scan, &mut progress.counts, events).await?;
        }
        at = match page.next {
            Some(next) if !progress.truncated => Some(next),
            _ => return Ok(()),
        };
    }
    progress.truncated = true;
    Ok(())
}

fn without_mailbox(error: MailError) -> ScanError {
    match error {
        MailError::Missing => ScanError::failed("your connected mailbox has no sent mail").caused_by(error),
        MailError::Failed { .. } => error.into(),
    }
}

/// The events of some messages, in order.
async fn match_messages(
    matcher: &MessageMatcher<'_>,
    heads: &[Head],
    counts: &mut ScanCounts,
) -> Result<Vec<NewEvent>, MailError> {
    // Boxed one by one: the compiler cannot prove that the closure's futures are `Send`.
    let matches: Vec<_> = heads.iter().map(|head| Box::pin(matcher.match_message(head))).collect();
    let found: Vec<Option<Vec<NewEvent>>> =
        futures_util::stream::iter(matches).buffered(AT_ONCE).try_collect().await?;
    let added = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    counts.messages_seen += added(heads.len());
    counts.messages_external += added(found.iter().flatten().count());
    Ok(found.into_iter().flatten().flatten().collect())
}

/// Only documents that the person may see now, with their titles.
async fn visible(
    parts: &CacheParts,
    scan: &Scan,
    events: Vec<NewEvent>,
) -> Result<Vec<NewEvent>, StoreError> {
    if events.is_empty() {
        return Ok(events);
    }
    let mut ids: Vec<SignalId> = events.iter().map(|event| event.signal_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let tokens = permissions::tokens_of(parts, scan.user).await?;
    let signals = parts.store.signals(&ids, Visibility::To(&tokens)).await?;
    let titles: BTreeMap<SignalId, String> =
        signals.into_iter().map(|signal| (signal.signal_id, signal.title)).collect();
    let titled = |event: NewEvent| {
        let signal_title = titles.get(&event.signal_id)?.clone();
        Some(NewEvent { signal_title, ..event })
    };
    Ok(events.into_iter().filter_map(titled).collect())
}

/// Stores progress and matches in one transaction. Only new matches are counted.
async fn note(
    parts: &CacheParts,
    scan: &Scan,
    counts: &mut ScanCounts,
    events: Vec<NewEvent>,
) -> Result<(), ScanError> {
    let added = parts.store.add_events(scan.scan_id, *counts, events, parts.clock.now()).await?;
    let added = added.ok_or(ScanError::Over)?;
    counts.matches += added.matches;
    counts.candidates += added.candidates;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::chain;
    use std::error::Error;
    use std::io;

    #[test]
    fn the_owner_sees_the_sentence_and_the_log_the_cause() {
        let mail = MailError::failed("it does not answer").caused_by(io::Error::other("timed out"));
        let store = StoreError::failed("no table").caused_by(io::Error::other("code 1"));
        let table = [
            (ScanError::Over, "the scan is over", ""),
            (ScanError::failed("too many days"), "too many days", ""),
            (mail.clone().into(), "it does not answer", ": timed out"),
            (without_mailbox(mail), "it does not answer", ": timed out"),
            (
                without_mailbox(MailError::Missing),
                "your connected mailbox has no sent mail",
                ": the mailbox does not return this message",
            ),
            (store.into(), "the database failed: no table", ": code 1"),
        ];
        for (error, text, causes) in table {
            assert_eq!(error.to_string(), text);
            assert_eq!(chain(&error), format!("{text}{causes}"));
            assert_eq!(error.source().is_some(), !causes.is_empty());
        }
    }
}
