//! The way through a mailbox, newest message first: page by page within limits, with its progress in the records after
//! every few messages, so that a scan can be followed and ended.

use super::attachments::Reader;
use super::domains::Inside;
use super::mail::{self, Access, Head, MailError, Window};
use super::message::Look;
use super::shelf::Shelf;
use crate::{CacheParts, permissions};
use domain::contracts::StoreError;
use domain::corpus::{NewEvent, Scan, ScanCounts};
use domain::ids::SignalId;
use futures_util::{StreamExt, TryStreamExt};
use std::collections::BTreeMap;

/// Messages between two notes of progress.
const BATCH: usize = 25;
/// Messages that are opened side by side.
const AT_ONCE: usize = 4;
/// Most pages of one scan, whatever is on them.
const PAGES_MAX: usize = 2_000;

/// How far a scan is. It is read also when the walk is broken off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    pub counts: ScanCounts,
    pub truncated: bool,
}

/// Why a walk came to no end.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Stop {
    /// Somebody ended the scan, or it is gone.
    #[error("the scan is over")]
    Over,
    /// A sentence for its owner.
    #[error("{0}")]
    Failed(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<MailError> for Stop {
    fn from(error: MailError) -> Self {
        Self::Failed(error.to_string())
    }
}

pub async fn walk(parts: &CacheParts, scan: &Scan, progress: &mut Progress) -> Result<(), Stop> {
    // A try that broke off may have left numbers of its own.
    note(parts, scan, &mut progress.counts, Vec::new()).await?;
    let window = Window::of(scan.date_from, scan.date_to);
    let access =
        Access { parts: &parts.mail, settings: &parts.settings, user: scan.user, clock: &parts.clock };
    let mailbox = mail::open(access, scan.channel, window).await?;
    let person = parts.store.user(scan.user).await?;
    let inside = Inside::new(&parts.settings.org_internal_domains, [person.email.as_str()]);
    let shelf = Shelf::read(parts, scan.user, &scan.matter_tag).await?;
    let tokens = permissions::tokens_of(parts, scan.user).await?;
    let look = Look {
        mailbox: &*mailbox,
        inside: &inside,
        reader: Reader::new(parts, &shelf, &tokens),
        key: &parts.mail.key,
        user: scan.user,
        channel: scan.channel,
    };
    pages(parts, scan, &look, progress).await
}

async fn pages(
    parts: &CacheParts,
    scan: &Scan,
    look: &Look<'_>,
    progress: &mut Progress,
) -> Result<(), Stop> {
    let window = Window::of(scan.date_from, scan.date_to);
    let most = u64::from(parts.settings.egress_max_messages);
    let mut at = None;
    for _ in 0..PAGES_MAX {
        let space = usize::try_from(most.saturating_sub(progress.counts.messages_seen)).unwrap_or(usize::MAX);
        let mut page = look.mailbox.page(at.as_deref(), space).await.map_err(without_mailbox)?;
        page.heads.retain(|head| window.holds(head.sent_at));
        progress.truncated = page.heads.len() > space;
        page.heads.truncate(space);
        for batch in page.heads.chunks(BATCH) {
            if !parts.license.opens_cache() {
                return Err(Stop::Failed("the license does not open the semantic cache any more".to_owned()));
            }
            let events = looked_at(look, batch, &mut progress.counts).await?;
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

fn without_mailbox(error: MailError) -> Stop {
    match error {
        MailError::Missing => Stop::Failed("there is no sent mail behind your connection".to_owned()),
        MailError::Failed(sentence) => Stop::Failed(sentence),
    }
}

/// What some messages hold, in their order.
async fn looked_at(
    look: &Look<'_>,
    heads: &[Head],
    counts: &mut ScanCounts,
) -> Result<Vec<NewEvent>, MailError> {
    // Boxed one by one, because the compiler cannot see through the closure that they may go to other threads.
    let looks: Vec<_> = heads.iter().map(|head| Box::pin(look.at(head))).collect();
    let found: Vec<Option<Vec<NewEvent>>> =
        futures_util::stream::iter(looks).buffered(AT_ONCE).try_collect().await?;
    let added = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    counts.messages_seen += added(heads.len());
    counts.messages_external += added(found.iter().flatten().count());
    Ok(found.into_iter().flatten().flatten().collect())
}

/// Only what the person may see at this moment, with its title.
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
    let signals = parts.store.signals(&ids, Some(&tokens)).await?;
    let titles: BTreeMap<SignalId, String> =
        signals.into_iter().map(|signal| (signal.signal_id, signal.title)).collect();
    let titled = |event: NewEvent| {
        let signal_title = titles.get(&event.signal_id)?.clone();
        Some(NewEvent { signal_title, ..event })
    };
    Ok(events.into_iter().filter_map(titled).collect())
}

/// Writes down how far the scan is and what was found, as one. Only what is new counts as found.
async fn note(
    parts: &CacheParts,
    scan: &Scan,
    counts: &mut ScanCounts,
    events: Vec<NewEvent>,
) -> Result<(), Stop> {
    let added = parts.store.add_events(scan.scan_id, *counts, events, parts.clock.now()).await?;
    let (exact, candidates) = added.ok_or(Stop::Over)?;
    counts.matches += exact;
    counts.candidates += candidates;
    Ok(())
}
