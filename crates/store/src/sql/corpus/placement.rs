//! Decides which record a fetched text belongs to. A text that others may see is never replaced: it stays theirs, and
//! the new text gets its own record. A record is replaced or removed only if nobody would lose its text.

use super::signals::{load, unneeded};
use super::{changes, content, grants, identity, removal, tags, update};
use crate::db::{Db, Tx};
use domain::corpus::{IndexedContent, Signal, SourceKind};
use domain::ids::{SignalId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{BodyKey, Placement, Retrieval, SignalJoin, StoreError};

/// The record of a text.
enum Place {
    /// A record with the same text of the same provider.
    Same(Signal),
    /// A record that gets this text.
    Over(Signal),
    New,
}

/// Who fetched a text, for which record, and who else sees what its provider returns.
struct Arrival<'a> {
    asked: Signal,
    by: &'a Retrieval,
    followers: &'a [UserId],
    now: Instant,
}

pub(super) async fn index(
    db: &Db,
    id: SignalId,
    mut content: IndexedContent,
    by: &Retrieval,
    now: Instant,
) -> Result<Placement, StoreError> {
    let followers = std::mem::take(&mut content.followers);
    let by = Retrieval { content_hash: content.content_hash.clone(), ..by.clone() };
    if content.is_supplied {
        content.source_provider_id = None;
    }
    let mut tx = changes::begin(db).await?;
    let asked = load(&mut tx, id).await?;
    let arrival = Arrival { asked, by: &by, followers: &followers, now: to_micros(now) };
    let (signal, old_body) = write(&mut tx, &arrival, content).await?;
    finish(tx, arrival, signal, old_body).await
}

pub(super) async fn join(
    db: &Db,
    SignalJoin { from, into }: SignalJoin,
    version: &str,
    by: &Retrieval,
    followers: &[UserId],
    now: Instant,
) -> Result<Placement, StoreError> {
    let mut tx = changes::begin(db).await?;
    let (asked, mut signal) = (load(&mut tx, from).await?, load(&mut tx, into).await?);
    // Another text may have come in the meantime, and then this is not the verified one.
    if signal.content_hash != by.content_hash || signal.url_hash != asked.url_hash || signal.is_supplied {
        return Err(StoreError::Taken("text"));
    }
    let arrival = Arrival { asked, by, followers, now: to_micros(now) };
    content::mark_verified(&mut signal, version, arrival.now);
    super::signals::save(&mut tx, &signal).await?;
    finish(tx, arrival, signal, None).await
}

/// Writes the text into its record. Returns the record, and the previous body.
async fn write(
    tx: &mut Tx,
    arrival: &Arrival<'_>,
    content: IndexedContent,
) -> Result<(Signal, Option<BodyKey>), StoreError> {
    let (asked, user) = (&arrival.asked, arrival.by.user);
    let key = if content.is_supplied {
        identity::of_supplied(&asked.url_hash, user)
    } else {
        identity::of_text(&asked.url_hash, content.source_provider_id, &content.content_hash)
    };
    match place(tx, arrival, &content, &key).await? {
        Place::Same(mut signal) => {
            // Fetching the same text again does not change what others see of it.
            let same = IndexedContent {
                title: String::new(),
                author: String::new(),
                version_label: String::new(),
                ..content
            };
            let old_body = signal.body_key.take();
            content::write(tx, &mut signal, same, arrival.now).await?;
            Ok((signal, old_body))
        }
        Place::Over(mut signal) => {
            let old_body = signal.body_key.take();
            content::keep_earlier_hash(tx, &signal, &content.content_hash).await?;
            content::write(tx, &mut signal, content, arrival.now).await?;
            identity::set(tx, signal.signal_id, &key).await?;
            Ok((signal, old_body))
        }
        Place::New => {
            let mut signal = beside(tx, arrival, &content, &key).await?;
            content::write(tx, &mut signal, content, arrival.now).await?;
            Ok((signal, None))
        }
    }
}

async fn place(
    tx: &mut Tx,
    arrival: &Arrival<'_>,
    content: &IndexedContent,
    key: &str,
) -> Result<Place, StoreError> {
    let asked = &arrival.asked;
    if let Some(there) = identity::find(tx, key).await? {
        return Ok(if content.is_supplied { Place::Over(there) } else { Place::Same(there) });
    }
    let is_same_source = asked.is_supplied == content.is_supplied
        && (content.is_supplied || asked.source_provider_id == content.source_provider_id);
    let is_free = if asked.content_hash.is_empty() {
        !has_lost_source(asked, content)
    } else {
        is_same_source && !is_missed(tx, asked, arrival.by.user, arrival.followers).await?
    };
    Ok(if is_free { Place::Over(asked.clone()) } else { Place::New })
}

/// A provider was asked, but the text is unattributed: what the provider said about the document is not for others who
/// get the same text.
fn has_lost_source(asked: &Signal, content: &IndexedContent) -> bool {
    asked.source_provider_id.is_some() && content.source_provider_id.is_none() && !content.is_supplied
}

/// Whether somebody sees this text who would not see a newer one fetched by this person.
async fn is_missed(
    tx: &mut Tx,
    signal: &Signal,
    user: UserId,
    followers: &[UserId],
) -> Result<bool, StoreError> {
    let grants = grants::stored(tx, signal.signal_id).await?;
    let goes_along = |holder: UserId| holder == user || (!signal.is_supplied && followers.contains(&holder));
    Ok(grants.iter().any(|grant| grant.opens(signal) && !goes_along(grant.user_id)))
}

/// A new record next to the requested one, with what the same provider said about the URL and nothing else.
async fn beside(
    tx: &mut Tx,
    arrival: &Arrival<'_>,
    content: &IndexedContent,
    key: &str,
) -> Result<Signal, StoreError> {
    let asked = &arrival.asked;
    let kind = if has_lost_source(asked, content) { SourceKind::Web } else { asked.source_kind };
    let mut signal = update::insert_beside(tx, asked, kind, key, arrival.now).await?;
    if !content.is_supplied && content.source_provider_id == asked.source_provider_id {
        asked.external_id.clone_into(&mut signal.external_id);
        asked.date_published.clone_into(&mut signal.date_published);
    }
    Ok(signal)
}

/// Gives the person access to the text, and removes their access to superseded ones.
async fn finish(
    mut tx: Tx,
    arrival: Arrival<'_>,
    signal: Signal,
    old_body: Option<BodyKey>,
) -> Result<Placement, StoreError> {
    let id = signal.signal_id;
    grants::note(&mut tx, &signal, arrival.by, arrival.now).await?;
    let mut placed = Placement { signal_id: id, changed: Vec::new(), unneeded: Vec::new() };
    if !signal.is_supplied {
        identity::mark_given(&mut tx, &signal, arrival.now).await?;
    }
    if id != arrival.asked.signal_id {
        leave_request(&mut tx, &arrival, &signal, &mut placed).await?;
    }
    if !signal.is_supplied {
        supersede(&mut tx, &arrival, &signal, &mut placed).await?;
    }
    let noted: Vec<i64> = placed.changed.iter().chain([&id]).map(|id| id.0).collect();
    changes::note(&mut tx, &noted).await?;
    placed.unneeded.extend(unneeded(&mut tx, old_body).await?);
    tx.commit().await?;
    Ok(placed)
}

/// The text belongs to another record than the requested one: the old id is redirected for this person.
async fn leave_request(
    tx: &mut Tx,
    arrival: &Arrival<'_>,
    signal: &Signal,
    placed: &mut Placement,
) -> Result<(), StoreError> {
    let (asked, user) = (&arrival.asked, arrival.by.user);
    let own = tags::own(tx, asked.signal_id, user).await?;
    tags::add_own(tx, signal.signal_id, user, &own).await?;
    grants::lead(tx, asked.signal_id, signal.signal_id, user).await?;
    if !asked.content_hash.is_empty() {
        return Ok(());
    }
    let others = grants::stored(tx, asked.signal_id).await?;
    if others.iter().any(|grant| grant.user_id != user && grant.revoked_at.is_none()) {
        grants::drop_of(tx, asked.signal_id, user).await?;
    } else {
        removal::delete(tx, &[asked.signal_id.0]).await?;
    }
    placed.changed.push(asked.signal_id);
    Ok(())
}

/// Removes this person's access to older texts of the URL and provider; those that nobody else would lose are merged
/// into the new one.
async fn supersede(
    tx: &mut Tx,
    arrival: &Arrival<'_>,
    signal: &Signal,
    placed: &mut Placement,
) -> Result<(), StoreError> {
    let (id, user) = (signal.signal_id, arrival.by.user);
    for older in identity::siblings(tx, signal).await? {
        if !is_missed(tx, &older, user, arrival.followers).await? {
            removal::merge_in(tx, &older, signal, arrival.now).await?;
            placed.unneeded.extend(unneeded(tx, older.body_key).await?);
            placed.changed.push(older.signal_id);
        } else if grants::stored(tx, older.signal_id).await?.iter().any(|grant| grant.user_id == user) {
            let own = tags::own(tx, older.signal_id, user).await?;
            tags::add_own(tx, id, user, &own).await?;
            grants::drop_of(tx, older.signal_id, user).await?;
            placed.changed.push(older.signal_id);
        }
    }
    Ok(())
}
